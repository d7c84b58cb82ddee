/** CoDel removes the standing queue of a deep buffer and leaves the goodput nearly as it is. */

import type { Document } from "../engine/protocol";
import { type Lesson, link } from "./lesson";
import { count, ms, percent, rate, second, total } from "./numbers";

const PLAN = `title = "CoDel in a deep buffer"
duration = "20 s"
warm_up = "5 s"
seed = 1

[[host]]
name = "source"
count = 4

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
queue = { kind = "codel", buffer = "500 packets", target = "5 ms", interval = "100 ms" }

[[flow]]
name = "bulk"
from = "source"
to = "sink"
start = "0 s..1 s"
transport = { kind = "sack", mss = "1448 B", header = "52 B", max_window = "1 MiB", tick = "10 ms", min_rto = "200 ms" }
`;

/** Below this share of B's mean queue, that of A is short. */
const SHORT = 0.25;
/** From this loss of goodput on, the short queue is paid for. */
const PRICE = 0.1;

/** Mean round trip over all flows [s]. */
function trip(document: Document): number {
  return document.flows.reduce((sum, one) => sum + (one.mean_rtt_s ?? 0), 0) / document.flows.length;
}

export const codel: Lesson = {
  id: "codel",
  title: "CoDel",
  level: 2,
  before: "you should have seen what a large buffer does to the delay.",
  plan: { text: PLAN },
  sets: [],
  other: ['link.bottleneck.queue={ kind = "drop-tail", buffer = "500 packets" }'],
  text: [
    "Four TCPs (with SACK) share a link of 10 Mb/s. A round trip takes about 51 ms if nothing waits. The buffer has room for 500 packets, which is 0.6 s of waiting. In B, the queue is drop-tail.",
    "In A it is CoDel. CoDel does not look at the length of the queue. When a packet leaves the buffer, CoDel looks at its sojourn time, the time it has waited. If all sojourn times of the last 100 ms (the interval) were above 5 ms (the target), CoDel drops a packet, and then further ones at shorter and shorter intervals, until a sojourn time is below the target.",
  ],
  question: "How do the mean queue and the goodput with CoDel compare with those of drop-tail?",
  choices: [
    "The queue is less than a quarter as long, and the goodput is lower by less than a tenth.",
    "The queue is less than a quarter as long, but the goodput is lower by more than a tenth: early drops cost capacity.",
    "The queue is more than a quarter as long, and the goodput is lower by less than a tenth.",
    "The queue is more than a quarter as long, and the goodput is lower by more than a tenth.",
  ],
  answer(first, other) {
    const b = second(other);
    const short = link(first, "bottleneck").mean_backlog < SHORT * link(b, "bottleneck").mean_backlog;
    const paid = total(first) < (1 - PRICE) * total(b);
    return (short ? 0 : 2) + (paid ? 1 : 0);
  },
  shown(first, other) {
    const b = second(other);
    const [a, d] = [link(first, "bottleneck"), link(b, "bottleneck")];
    return `With CoDel ${a.mean_backlog.toFixed(1)} packets waited on average (at most ${a.max_backlog}), with drop-tail ${d.mean_backlog.toFixed(0)} (at most ${d.max_backlog}). The mean round trip was ${ms(trip(first))} instead of ${ms(trip(b))}. The goodput was ${rate(total(first))} instead of ${rate(total(b))}, which is ${percent(total(first) / total(b))}. CoDel dropped ${count(a.dropped.early ?? 0, "packet")} early.`;
  },
  why: [
    "A queue has two parts. One part empties within a round trip and lets the link stay busy when packets come in bursts. The other part never empties; it only delays. Over an interval a little longer than a round trip, the minimum of the sojourn times measures the second part alone. This minimum is what CoDel controls.",
    "The drops come at intervals of 100 ms divided by the square root of their number. Each halves the window of one flow, so the senders are slowed down step by step until the minimum is below the target. With four flows a single halving takes away an eighth of the load, and the link remains nearly always busy.",
    "At the start the queue is long for a short time: a hundred packets of slow start wait, because CoDel lets a whole interval pass before the first drop.",
  ],
  look: [
    { at_s: 0.8494, text: "The first drop of CoDel: sojourn times have been above 5 ms for 100 ms, in the slow start of bulk-2." },
    { at_s: 0.8981, text: "bulk-2 makes its fast retransmit and halves its window." },
    { at_s: 0.9502, text: "The queue is still too long: 100 ms after the first drop comes the second." },
    { at_s: 1.0210, text: "The third drop, 71 ms later: the interval divided by the square root of 2." },
  ],
  try: [
    "Use a single flow: set host.source.count to 1. What happens to the goodput? RFC 8289 §3.2 has the formula.",
    "Set the target to 1 ms and to 20 ms.",
    "Set the queue of A to fq-codel, and compare the goodput of the four flows.",
  ],
  references: [
    "RFC 8289 §3.1 (sojourn time and its minimum), §3.2 (the target), §3.3 (the control loop)",
    "RFC 7567 §4.3: active queue management that needs no tuning",
  ],
};
