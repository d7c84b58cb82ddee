/** Flows that share a full buffer lose at the same time, and halve their windows together. */

import type { Document } from "../engine/protocol";
import { type Lesson, link } from "./lesson";
import { count, percent } from "./numbers";

// The run ends after the first overflow and the recoveries from it, before the next one: so the flows with a retransmission are those
// that lost a segment in one and the same overflow.
const PLAN = `title = "Five flows, one buffer"
duration = "1.4 s"
seed = 1

[[host]]
name = "source"
count = 5

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
rate = "20 Mb/s"
delay = "20 ms"
queue = { kind = "drop-tail", buffer = "20 packets" }

[[flow]]
name = "bulk"
from = "source"
to = "sink"
start = "0 s..100 ms"
transport = { kind = "sack", mss = "1448 B", header = "52 B", initial_ssthresh = "12 segments", max_window = "1 MiB", tick = "10 ms", min_rto = "200 ms" }
`;

/** Flows that lost a segment: each sends it again. */
function hit(document: Document): number {
  return document.flows.filter((one) => one.segments_retransmitted > 0).length;
}

export const synchronisation: Lesson = {
  id: "synchronisation",
  title: "Synchronisation",
  level: 2,
  before: "you should have seen the sawtooth of a single flow.",
  plan: { text: PLAN },
  sets: [],
  other: null,
  text: [
    "Five flows share a link of 20 Mb/s with a buffer of 20 packets. The discipline is drop-tail: a packet that finds the buffer full is dropped. The flows start at different times within 100 ms and have equal paths, about 51 ms for a round trip.",
    "All flows reach congestion avoidance before the buffer is full. From then on, each window grows by one segment per round trip. The run of 1.4 s contains the first overflow of the buffer.",
  ],
  question: "How many of the five flows lose a packet in this overflow?",
  choices: [
    "At most one: its loss makes room for the others.",
    "Two.",
    "Three or four.",
    "All five.",
  ],
  answer(first) {
    const flows = hit(first);
    if (flows <= 1) return 0;
    if (flows === 2) return 1;
    return flows < first.flows.length ? 2 : 3;
  },
  shown(first) {
    const line = link(first, "bottleneck");
    const dropped = line.dropped.overflow ?? 0;
    return `${count(hit(first), "flow")} of ${first.flows.length} lost a packet: the full buffer dropped ${count(dropped, "packet")}, and held at most ${line.max_backlog} packets. Over the whole run the link was busy for ${percent(line.utilization)} of the time.`;
  },
  why: [
    "While the buffer is full, one packet can join for each packet that departs. A flow's acknowledgments arrive at the rate at which its packets depart, so the packets that it sends in response find room. But each flow also sends one additional segment per round trip. These five segments arrive in the same round trip, and there is no room for any of them.",
    "A sender learns of its loss a round trip later. A loss of one flow cannot make room in time for the others. So all five halve their windows almost together, and grow again together. Five flows then behave like one flow with a large sawtooth, and the link becomes idle if the buffer is smaller than the BDP.",
    "Flows that take turns would keep the link busier, because while one has halved its window, the others are near the top of theirs. Random drops before the buffer is full, as RED makes them, are meant to achieve this.",
  ],
  look: [
    { at_s: 0.8459, text: "The first packet is dropped at the full buffer." },
    { at_s: 0.8969, text: "The fifth packet is dropped, within a round trip of the first. Each flow has lost one." },
    { at_s: 0.9558, text: "The last of the five flows makes its fast retransmit. All windows have been halved within about 50 ms." },
  ],
  try: [
    "Set the duration to 10 s and compare the windows of the five flows.",
    "Set the queue to red with a buffer of 60 packets. Do the windows still fall together, and is the link busier?",
    "Set the delay of the access link to 25 ms for one of the sources (link.access-0.delay).",
  ],
  references: [
    "RFC 7567 §2: “Control Loop Synchronization”, and the global synchronization of flows under tail drop",
    "S. Floyd, V. Jacobson, Random Early Detection Gateways for Congestion Avoidance, IEEE/ACM Transactions on Networking 1 (4), 1993",
    "R. Cohen, Y. Hamo, Balanced packet discard, Computer Communications, 2001: the same in cells",
  ],
};
