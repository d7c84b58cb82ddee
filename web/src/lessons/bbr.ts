/** BBR fills the queue in STARTUP, drains it, and then works with a short queue. */

import type { Document } from "../engine/protocol";
import { flow, type Lesson, link } from "./lesson";
import { count, goodput, ms, rate, second } from "./numbers";

const PLAN = `title = "BBR in a deep buffer"
duration = "20 s"
warm_up = "2 s"
seed = 1

[[host]]
name = "source"

[[host]]
name = "sink"

[[switch]]
name = "router"

[[link]]
name = "access"
from = "source"
to = "router"
carries = "packets"
rate = "100 Mb/s"
delay = "5 ms"

[[link]]
name = "bottleneck"
from = "router"
to = "sink"
carries = "packets"
rate = "10 Mb/s"
delay = "20 ms"
queue = { kind = "drop-tail", buffer = "250 packets" }

[[flow]]
name = "bulk"
from = "source"
to = "sink"
start = "0 s..100 ms"
transport = { kind = "bbr1", mss = "1448 B", header = "52 B", max_window = "2 MiB", tick = "10 ms", min_rto = "200 ms" }
`;

/** Bounds of the mean queue as a share of the longest. */
const [SHORT, LONG] = [0.25, 0.5];

/** Mean queue after the warm-up over the longest of the run. */
function share(document: Document): number {
  const line = link(document, "bottleneck");
  return line.mean_backlog / line.max_backlog;
}

export const bbr: Lesson = {
  id: "bbr",
  title: "The phases of BBR",
  level: 3,
  before: "you should know the bandwidth-delay product (BDP), and what a loss-based TCP does to a deep buffer.",
  plan: { text: PLAN },
  sets: [],
  other: ["flow.bulk.transport.kind=newreno"],
  text: [
    "BBR does not use losses as its signal of congestion. It measures two things: the largest rate at which its data was delivered in the last ten rounds, and the shortest round trip of the last ten seconds. Their product is an estimate of the BDP. BBR paces its packets at the measured rate, and keeps at most about two BDPs in flight.",
    "It begins with STARTUP, in which the rate is doubled each round. STARTUP ends when the delivery rate has grown by less than a quarter for three rounds. By then the queue has risen to a maximum. The phases after it are DRAIN, PROBE_BW, and now and then PROBE_RTT.",
    "In A, BBR (version 1) has a link of 10 Mb/s to itself. The BDP is about 43 packets, and the buffer is much larger: 250 packets. B is the same with NewReno.",
  ],
  question: "After STARTUP, how long is the queue of BBR on average, compared with its maximum?",
  choices: [
    "Less than a quarter of the maximum.",
    "Between a quarter and a half of the maximum.",
    "More than a half of the maximum: two BDPs are in flight, so one BDP waits.",
  ],
  answer(first) {
    if (share(first) < SHORT) return 0;
    return share(first) <= LONG ? 1 : 2;
  },
  shown(first, other) {
    const b = second(other);
    const [a, n] = [link(first, "bottleneck"), link(b, "bottleneck")];
    return `With BBR at most ${a.max_backlog} packets waited, and after the first ${first.warm_up_s} s on average ${a.mean_backlog.toFixed(1)}. The mean round trip was ${ms(flow(first, "bulk").mean_rtt_s)}, the goodput ${rate(goodput(first, "bulk"))}, with ${count(flow(first, "bulk").segments_retransmitted, "retransmission")}. With NewReno at most ${n.max_backlog} packets waited, on average ${n.mean_backlog.toFixed(0)}; the mean round trip was ${ms(flow(b, "bulk").mean_rtt_s)}, the goodput ${rate(goodput(b, "bulk"))}.`;
  },
  why: [
    "In STARTUP the gain of rate and window is 2.89. BBR notices only after three rounds that the link is full. By then about three BDPs are in flight: one on the path and two in the buffer. DRAIN sends at the inverse of this gain until only one BDP is in flight.",
    "In PROBE_BW the rate is 1.25 times the measured rate for one round, then 0.75 times for one round, then equal to it for six. The round with the higher rate shows whether the path has become faster; the next round removes the queue that this has caused. The limit of two BDPs allows for delayed and bundled acks, and is not reached here.",
    "If BBR has not measured a round trip as short as the shortest known one for ten seconds, PROBE_RTT reduces the window to four packets for 200 ms. The queue becomes empty, and the path's round trip without waiting can be measured. This takes about 2 % of the time.",
    "With several BBR flows, each overestimates its rate, because all of them probe. Then more is in flight than the BDP, the limit of the window matters, and a queue remains.",
  ],
  look: [
    { at_s: 0.328, text: "STARTUP: the queue reaches its maximum of 88 packets. The link is full, and the delivery rate no longer grows." },
    { at_s: 0.79, text: "STARTUP is over: DRAIN begins, and the queue becomes shorter." },
    { at_s: 0.95, text: "DRAIN is over: PROBE_BW begins." },
    { at_s: 1.1, text: "PROBE_BW with a gain of 1.25: the queue rises to 15 packets, and most of it is removed in the next round." },
    { at_s: 10.1, text: "PROBE_RTT: the window is 4 segments for 200 ms, and the queue becomes empty." },
  ],
  try: [
    "Use four flows: set host.source.count to 4. How long is the queue now?",
    "Set the buffer to 20 packets and compare the retransmissions of BBR and NewReno.",
    "Set the transport of A to bbr3, and compare STARTUP and PROBE_RTT.",
  ],
  references: [
    "N. Cardwell and others, BBR: Congestion-Based Congestion Control, ACM Queue 14 (5), 2016",
    "Linux 6.1, net/ipv4/tcp_bbr.c (version 1); draft-ietf-ccwg-bbr (version 3)",
  ],
};
