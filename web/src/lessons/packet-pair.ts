/** With fair queueing at the bottleneck, the spacing of a pair's acks gives the rate at which this flow is served. */

import { flow, type Lesson, link } from "./lesson";
import { count, goodput, nearest, percent, rate, second } from "./numbers";

const PLAN = `title = "Packet-pair beside two steady flows"
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
queue = { kind = "fair-queueing", buffer = "60 packets" }

[[flow]]
name = "pair"
from = "prober"
to = "sink"
start = "500 ms..510 ms"
transport = { kind = "packet-pair", mss = "1000 B", header = "40 B", max_window = "200 segments", tick = "1 ms", min_rto = "100 ms" }

[[flow]]
name = "steady"
from = "cross"
to = "sink"
start = "0 s..10 ms"
traffic = { kind = "cbr", rate = "3 Mb/s" }
transport = { kind = "udp", mss = "1012 B", header = "28 B" }
`;

/** A third of the link, what the others leave, the whole link, the access link [bit/s, with headers]. */
const RATES = [4e6, 6e6, 12e6, 100e6];
/** Length of a packet of the flow over its payload. */
const HEADERS = 1040 / 1000;

/** Distance of rates: by their ratio. */
const apart = (a: number, b: number) => Math.abs(Math.log(a / b));

export const packetPair: Lesson = {
  id: "packet-pair",
  title: "Packet-pair",
  level: 3,
  before: "You know what fair queueing is: the router serves the flows in turn.",
  plan: { text: PLAN },
  sets: [],
  other: ['link.bottleneck.queue={ kind = "drop-tail", buffer = "60 packets" }'],
  text: [
    "A packet-pair sender does not search for the rate by causing losses. It sends all segments in pairs, the second directly after the first. The bottleneck serves one of the two, then perhaps packets of other flows, then the second. The distance at which the pair leaves the bottleneck is kept until the receiver, and the acks return with it. It tells the sender how fast it is being served.",
    "The bottleneck has 12 Mb/s. Two steady flows of 3 Mb/s each use it as well. The access link of the packet-pair sender has 100 Mb/s. In A the router uses fair queueing; in B one queue for all, drop-tail.",
  ],
  question: "At which rate does the packet-pair sender deliver its data in A, headers included?",
  choices: [
    "About 4 Mb/s: a third of the link, as there are three flows.",
    "About 6 Mb/s: what the other two leave.",
    "About 12 Mb/s: the rate of the bottleneck, which the pair measures.",
    "It sends at 100 Mb/s, the rate of its access link, because pairs are sent back to back.",
  ],
  answer: (first) => nearest(goodput(first, "pair") * HEADERS, RATES, apart),
  shown(first, other) {
    const b = second(other);
    const [a, c] = [flow(first, "pair"), flow(b, "pair")];
    const line = link(first, "bottleneck");
    return `In A the flow delivered ${rate((a.goodput_bps ?? 0) * HEADERS)} with headers, with ${count(a.segments_retransmitted, "retransmission")}; the link was busy for ${percent(line.utilization)} of the time, and ${line.mean_backlog.toFixed(1)} packets of all flows waited on average. In B it delivered ${rate((c.goodput_bps ?? 0) * HEADERS)}, but with ${count(c.segments_retransmitted, "retransmission")}, and ${link(b, "bottleneck").mean_backlog.toFixed(1)} packets waited.`;
  },
  why: [
    "Fair queueing serves a flow that has less to send than its share completely, and gives the rest to those that have more. The two steady flows take 3 Mb/s each. Between the two segments of a pair, the router serves what the steady flows have waiting, so on average the pair measures the remaining 6 Mb/s.",
    "The sender then keeps a small number of its own packets waiting at the bottleneck, here two: its control law corrects the rate by the difference from this number. So the queue stays short, and no loss is needed to find the rate.",
    "This depends on the router. In a single queue, both segments of a pair usually wait next to each other, and leave it next to each other. Their distance then tells of the rate of the link and not of the share of the flow. The sender is too fast, the queue is full, and packets are lost.",
  ],
  look: [
    { at_s: 0.504, text: "The first pair is sent, both segments at once." },
    { at_s: 0.5355, text: "The ack of its first segment arrives, and 0.7 ms later that of the second: the time that the bottleneck needs for a packet, as nothing else waited." },
    { at_s: 0.576, text: "The sender started at the rate of the whole link, so 37 packets wait. Then pairs are separated by packets of the steady flows, and the rate falls." },
  ],
  try: [
    "Set the rate of the steady flows to 1 Mb/s: does the packet-pair flow take what they leave?",
    "Start a change of the bottleneck's rate while the run goes on. How long does the sender need to follow?",
    "Set set_point to 10 packets. Which of goodput and queue changes?",
  ],
  references: [
    "S. Keshav, A Control-Theoretic Approach to Flow Control, ACM SIGCOMM 1991",
    "S. Keshav, S. P. Morgan, SMART Retransmission, IEEE INFOCOM 1997: §5 (packet-pair beside other senders)",
  ],
};
