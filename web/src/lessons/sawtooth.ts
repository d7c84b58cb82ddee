/** Reno's window rises by one segment per round trip and is halved: without a buffer, three quarters of the link are used. */

import { flow, type Lesson, link } from "./lesson";
import { count, nearest, percent, rate } from "./numbers";

const PLAN = `title = "One Reno flow and no room to wait"
duration = "20 s"
warm_up = "5 s"
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
queue = { kind = "drop-tail", buffer = "1 packets" }

[[flow]]
name = "bulk"
from = "source"
to = "sink"
start = "0 s..100 ms"
transport = { kind = "reno", mss = "1448 B", header = "52 B", initial_ssthresh = "2 segments", max_window = "1 MiB", tick = "10 ms", min_rto = "200 ms" }
`;

/** Shares of the capacity that the choices name; the nearest one is the answer. */
const SHARES = [0.5, 0.75, 0.9, 1];

export const sawtooth: Lesson = {
  id: "reno-sawtooth",
  title: "Reno's sawtooth",
  level: 1,
  before: "you should know that TCP has a congestion window and that an acknowledgment lets it send more.",
  plan: { text: PLAN },
  sets: [],
  other: null,
  text: [
    "In congestion avoidance, Reno's congestion window grows by about one segment per round-trip time. When three duplicate acknowledgments tell of a loss, Reno sends the segment again and halves the window. Then it grows again.",
    "Here one Reno flow uses a link of 10 Mb/s. A round trip takes about 51 ms if nothing waits, so the bandwidth-delay product (BDP) is about 43 packets. The buffer of the link has room for a single packet. The slow-start threshold is 2 segments, so that congestion avoidance begins at once.",
  ],
  question: "Which share of the link's capacity does the flow use, once the first loss is over?",
  choices: [
    "About a half: after each loss the window is half of what the link needs.",
    "About three quarters.",
    "About nine tenths: losses are rare, and each costs little.",
    "All of it: a single greedy flow always fills its link.",
  ],
  answer: (first) => nearest(link(first, "bottleneck").utilization, SHARES),
  shown(first) {
    const [bulk, line] = [flow(first, "bulk"), link(first, "bottleneck")];
    return `The link was busy for ${percent(line.utilization)} of the time. The flow delivered ${rate(bulk.goodput_bps ?? 0)} of payload, with ${count(bulk.fast_retransmits, "fast retransmit")} and ${count(bulk.timeouts, "timeout")} in ${first.duration_s - first.warm_up_s} s.`;
  },
  why: [
    "Almost nothing waits at the link, so the round-trip time is nearly constant, and the rate is proportional to the window. A segment is dropped when the window exceeds the BDP plus the small buffer: call this window W. The window is halved, and then rises linearly from W/2 to W. Its mean is 3/4 W, and W is the window that fills the link.",
    "A buffer changes this. If its size is one BDP, the window is halved from two BDPs to one, which is still enough to keep the link busy: the queue falls to empty, but the link does not become idle. This is the reason for the old rule that a buffer should hold one BDP for a single flow.",
  ],
  look: [
    { at_s: 2.45, text: "The window has reached 44 segments: a packet is dropped because the buffer is full." },
    { at_s: 2.5, text: "One round trip later, three duplicate acks have arrived: a fast retransmit, and ssthresh is half of the window, 22 segments. Until the recovery ends, each further duplicate ack adds one segment to the window: this is the spike. Then the window is 22 segments." },
    { at_s: 3.748, text: "The window has grown by 22 segments in about 25 round trips, and a packet is dropped again." },
  ],
  try: [
    "Set the buffer to 43 packets, which is one BDP. Is the link still idle after a loss? What does the round-trip time do?",
    "Double the delay of the bottleneck. How does the time between two losses change?",
    "Set the transport's kind to cubic and compare the shape of the window.",
  ],
  references: [
    "RFC 5681 §3.1, equation 3 (congestion avoidance), and §3.2 (fast retransmit and fast recovery)",
    "RFC 8289 §3.2: goodput of Reno as a function of the queue that is allowed, which is 3/4 for none",
  ],
};
