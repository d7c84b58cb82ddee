/** RED drops by the average queue, which a short burst does not raise. */

import type { Document } from "../engine/protocol";
import { flow, type Lesson, link } from "./lesson";
import { count, percent, second } from "./numbers";

const PLAN = `title = "Bursts into RED"
duration = "5 s"
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
delay = "1 ms"

[[link]]
name = "bottleneck"
from = "router"
to = "sink"
carries = "packets"
rate = "12 Mb/s"
delay = "5 ms"
queue = { kind = "red", buffer = "100 packets", min_th = "5 packets", max_th = "15 packets", max_p = 0.02, weight = 0.002 }

[[flow]]
name = "bursts"
from = "source"
to = "sink"
arrivals = { kind = "rounds", every = "250 ms" }
traffic = { kind = "file", size = "43440 B" }
transport = { kind = "static-window", window = "30 segments", mss = "1448 B", header = "52 B", max_window = "64 KiB", tick = "10 ms", min_rto = "200 ms" }
`;

/** Bounds between "few", "some" and "most", as shares of the packets. */
const [FEW, MOST] = [0.1, 0.5];

function dropped(document: Document): number {
  return Object.values(link(document, "bottleneck").dropped).reduce((sum, number) => sum + number, 0);
}

function share(document: Document): number {
  return dropped(document) / flow(document, "bursts").segments_sent;
}

export const red: Lesson = {
  id: "red",
  title: "RED and its average",
  level: 2,
  before: "you should know why a full buffer is a late sign of congestion.",
  plan: { text: PLAN },
  sets: [],
  other: ["link.bottleneck.queue.weight=1.0"],
  text: [
    "RED (random early detection) drops packets at random before the buffer is full. It keeps an average of the queue. Below min_th, here 5 packets, nothing is dropped. From max_th on, here 15 packets, each arriving packet is dropped. Between the two, the probability of a drop grows with the average.",
    "With each arriving packet, the average moves towards the present queue by the share w, called the weight: avg ← (1 − w) avg + w q. In A the weight is 0.002, the usual value. In B it is 1: the average is the present queue.",
    "Four times per second, a server sends a burst of 30 packets at 100 Mb/s into a link of 12 Mb/s. The queue rises to about 25 packets, far above max_th, and is empty again within 40 ms.",
  ],
  question: "How many of the packets does RED drop in A?",
  choices: ["None.", "Some, but fewer than one in ten.", "Between a tenth and a half.", "More than a half: the queue is above max_th for most of each burst."],
  answer(first) {
    if (dropped(first) === 0) return 0;
    if (share(first) < FEW) return 1;
    return share(first) <= MOST ? 2 : 3;
  },
  shown(first, other) {
    const b = second(other);
    return `In A ${count(dropped(first), "packet")} of ${flow(first, "bursts").segments_sent} were dropped, although up to ${link(first, "bottleneck").max_backlog} packets waited. In B ${count(dropped(b), "packet")} of ${flow(b, "bursts").segments_sent} were dropped, which is ${percent(share(b))}.`;
  },
  why: [
    "The average changes slowly. During a burst of 30 packets, at most 25 packets wait, so the average rises by less than 0.002 × 30 × 25 = 1.5 packets. It stays below min_th, and nothing is dropped. While the queue is empty, the average falls again.",
    "This is intended. A burst that is followed by silence is not congestion: the buffer is there to hold it. A queue that persists over several round trips is congestion, and only then does the average approach the queue.",
    "The price is delay. RED notices an increase of the load late: with a weight of 0.002, the average has covered about 63 % of a step of the queue after 500 arrivals. The best weight depends on the round-trip times and the rate of the link, which makes RED difficult to configure.",
  ],
  look: [
    { at_s: 0.0061, text: "The end of the first burst: the queue is at its maximum of about 25 packets, above max_th." },
    { at_s: 0.045, text: "The queue is empty again: the whole burst has passed." },
    { at_s: 0.2561, text: "The second burst, with the same result." },
  ],
  try: [
    "Set the weight of A to 0.02, 0.1 and 0.2. From which weight on are packets dropped?",
    "Send bursts more often: set flow.bursts.arrivals.every to 40 ms, and look at the queue and the drops after some time.",
    "Replace the queue of A by codel, which has no average.",
  ],
  references: [
    "S. Floyd, V. Jacobson, Random Early Detection Gateways for Congestion Avoidance, IEEE/ACM Transactions on Networking 1 (4), 1993: §4",
    "RFC 7567 §1.2 (why RED is no longer recommended by default) and §2 (bursts)",
  ],
};
