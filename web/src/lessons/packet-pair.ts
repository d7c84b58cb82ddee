/** With fair queueing at the bottleneck, the spacing of a pair's acks gives the rate at which this flow is served. */

import { flow, type Lesson, link } from "./lesson";
import { count, goodput, ms, nearest, percent, rate, second } from "./numbers";

const PLAN = `title = "Packet-pair beside two greedy flows"
duration = "4 s"
warm_up = "1 s"
seed = 1

[[host]]
name = "prober"

[[host]]
name = "cross"
count = 2

[[host]]
name = "sink"

[[switch]]
name = "router"

[[link]]
name = "probe"
from = "prober"
to = "router"
carries = "packets"
rate = "100 Mb/s"
delay = "5 ms"

[[link]]
name = "side"
from = "cross"
to = "router"
carries = "packets"
rate = "100 Mb/s"
delay = "5 ms"

[[link]]
name = "bottleneck"
from = "router"
to = "sink"
carries = "packets"
rate = "12 Mb/s"
delay = "10 ms"
queue = { kind = "fair-queueing", buffer = "120 packets" }

[[flow]]
name = "pair"
from = "prober"
to = "sink"
start = "500 ms..510 ms"
transport = { kind = "packet-pair", mss = "1000 B", header = "40 B", max_window = "200 segments", tick = "1 ms", min_rto = "100 ms" }

[[flow]]
name = "greedy"
from = "cross"
to = "sink"
start = "0 s..10 ms"
transport = { control = "static-window", repair = "newreno", window = "40 segments", mss = "1000 B", header = "40 B", max_window = "40 segments", tick = "10 ms", min_rto = "200 ms" }
`;

/** Far below a share, a third of the link, the whole link, the access link [bit/s, with headers]: the nearest one is the answer. */
const RATES = [0.5e6, 4e6, 12e6, 100e6];
/** Length of a packet of the flow over its payload. */
const HEADERS = 1040 / 1000;

/** Distance of rates: by their ratio. */
const apart = (a: number, b: number) => Math.abs(Math.log(a / b));

export const packetPair: Lesson = {
  id: "packet-pair",
  title: "Packet-pair",
  level: 3,
  before: "you should know what fair queueing is: the router serves the flows in turn.",
  plan: { text: PLAN },
  sets: [],
  other: ['link.bottleneck.queue={ kind = "drop-tail", buffer = "120 packets" }'],
  text: [
    "A packet-pair sender does not search for its rate by causing losses. It sends all segments in pairs, the second directly after the first. The bottleneck transmits the first of the two, then perhaps packets of other flows, then the second. The time between the two stays the same on the rest of the path, and the acks return with this spacing. So the sender learns how fast it is being served.",
    "The bottleneck has 12 Mb/s. Two other flows with fixed windows of 40 segments use it as well, and always have packets waiting there. The access link of the packet-pair sender has 100 Mb/s. In A the router uses fair queueing. In B all flows share one drop-tail queue.",
  ],
  question: "At which rate does the packet-pair sender deliver its data in A, headers included?",
  choices: [
    "Below 1 Mb/s: the other two keep the queue full, and a sender that avoids losses is pushed aside.",
    "About 4 Mb/s: a third of the bottleneck.",
    "About 12 Mb/s: the rate of the bottleneck, which the pair measures.",
    "About 100 Mb/s, the rate of its access link, because pairs are sent back to back.",
  ],
  answer: (first) => nearest(goodput(first, "pair") * HEADERS, RATES, apart),
  shown(first, other) {
    const b = second(other);
    const [a, c] = [flow(first, "pair"), flow(b, "pair")];
    return `In A the flow delivered ${rate((a.goodput_bps ?? 0) * HEADERS)} with headers, with ${count(a.segments_retransmitted, "retransmission")} and a mean round trip of ${ms(a.mean_rtt_s)}. The others had a mean round trip of ${ms(flow(first, "greedy-0").mean_rtt_s)}. The link was busy for ${percent(link(first, "bottleneck").utilization)} of the time. In B the flow delivered ${rate((c.goodput_bps ?? 0) * HEADERS)}, with ${count(c.segments_retransmitted, "retransmission")} and a mean round trip of ${ms(c.mean_rtt_s)}.`;
  },
  why: [
    "With fair queueing, the router serves three flows in turn. Between the two segments of a pair it transmits one packet of each of the others. So the acks of a pair arrive 2.08 ms apart, which is the time of three packets at 12 Mb/s. One packet in 2.08 ms is 4 Mb/s.",
    "The sender aims at a small number of its own packets in the queue of the bottleneck, here two. It sends at the measured rate, corrected by how far its estimate of this number differs from two. So its own queue stays short. With fair queueing, the long queues of the others do not delay it.",
    "This depends on fair queueing in the router. In a single queue, the two segments of a pair often wait and leave one directly behind the other. Their spacing then shows the rate of the link, not the sender's share. So the sender sends too fast, takes most of the link from the others, and makes the queue overflow.",
  ],
  look: [
    { at_s: 0.504, text: "The first pair is sent, both segments at once." },
    { at_s: 0.5385, text: "The acks of the first pair have arrived, 2.08 ms apart. The second pair follows, at the rate that this spacing shows." },
    { at_s: 0.55, text: "The next pairs go out every 2 to 4 ms, before any other ack has come: the rate is already known." },
  ],
  try: [
    "Set host.cross.count to 1, then to 3. Does the flow still get one share?",
    "Change the rate of the bottleneck while the run goes on. How long does the sender need to follow?",
    "Set flow.pair.transport.set_point to 10 packets. Does the goodput change, or the round-trip time?",
  ],
  references: [
    "S. Keshav, A Control-Theoretic Approach to Flow Control, ACM SIGCOMM 1991",
    "S. Keshav, S. P. Morgan, SMART Retransmission, IEEE INFOCOM 1997: §5 (packet-pair, and packet-pair beside other senders)",
  ],
};
