/** Two losses in a small window: Reno waits for its timer; NewReno, SACK and RACK do not. */

import type { Document } from "../engine/protocol";
import { flow, type Lesson } from "./lesson";
import { count, ms } from "./numbers";

const REPAIRS: [string, string][] = [
  ["reno", 'kind = "reno"'],
  ["newreno", 'kind = "newreno"'],
  ["sack", 'kind = "sack"'],
  ["rack", 'control = "reno", repair = "rack-tlp"'],
];

/** Four flows, each on a link of its own, which loses the same two segments once. */
const PLAN = `title = "Two losses, four repairs"
duration = "4 s"
seed = 1

[[host]]
name = "source"
count = 4

[[host]]
name = "sink"
count = 4
${REPAIRS.map(
  ([name], at) => `
[[link]]
name = "path-of-${name}"
from = "source-${at}"
to = "sink-${at}"
carries = "packets"
rate = "2 Mb/s"
delay = "50 ms"
loss = { kind = "script", flow = "${name}", segments = [18, 20] }
`,
).join("")}${REPAIRS.map(
  ([name, kind], at) => `
[[flow]]
name = "${name}"
from = "source-${at}"
to = "sink-${at}"
traffic = { kind = "file", size = "200 kB" }
transport = { ${kind}, mss = "1448 B", header = "52 B", initial_window = "2 segments", initial_ssthresh = "8 segments", max_window = "64 KiB", tick = "10 ms", min_rto = "1 s" }
`,
).join("")}`;

const NAMES: { [flow: string]: string } = { reno: "Reno", newreno: "NewReno", sack: "SACK", rack: "RACK-TLP" };

/** Those that had a timeout. */
function waited(document: Document): string {
  return REPAIRS.filter(([name]) => flow(document, name).timeouts > 0)
    .map(([name]) => name)
    .join();
}

export const twoLosses: Lesson = {
  id: "two-losses",
  title: "Two losses: Reno, NewReno, SACK, RACK",
  level: 2,
  before: "you should know that three duplicate acknowledgments start a fast retransmit.",
  plan: { text: PLAN },
  sets: [],
  other: null,
  text: [
    "Four senders transfer 200 kB each, over four equal links that they do not share. Their windows obey the same rules. They differ in the repair, which finds losses and decides what to send again: Reno, NewReno, SACK, and RACK-TLP.",
    "Each link loses segments 18 and 20 (counted from 0) when they are sent for the first time. The window is about 9 segments at that time. All retransmissions arrive. The shortest retransmission timeout is 1 s, which is ten round trips.",
  ],
  question: "Which of the four have to wait for their retransmission timer?",
  choices: ["None of them.", "Reno alone.", "Reno and NewReno, which have no selective acknowledgments.", "Another set, such as all but RACK-TLP."],
  answer(first) {
    const found = ["", "reno", "reno,newreno"].indexOf(waited(first));
    return found < 0 ? 3 : found;
  },
  shown(first) {
    const each = REPAIRS.map(([name]) => {
      const one = flow(first, name);
      const done = one.completed_s === null ? "has not ended" : `ended after ${one.completed_s.toFixed(2)} s`;
      return `${NAMES[name]}: ${count(one.timeouts, "timeout")}, ${count(one.fast_retransmits, "fast retransmit")}, ${done}`;
    });
    return `${each.join("; ")}. The mean round trip of Reno was ${ms(flow(first, "reno").mean_rtt_s)}.`;
  },
  why: [
    "All but RACK-TLP send segment 18 again after three duplicate acks. The ack of this retransmission expects segment 20: it is a partial acknowledgment, since more than segment 18 was lost.",
    "Reno ends its recovery with this ack and needs three new duplicate acks for segment 20. These can be caused only by segments sent in the meantime, and the halved window allowed too few of them. With two losses, a window of at least 10 segments is needed (Cohen & Hamo, equation 2). So Reno waits for the timer.",
    "NewReno stays in recovery and sends segment 20 again at the partial acknowledgment: one loss per round trip. SACK knows from the acknowledgments that segment 20 is missing as well, and sends it again in the same round trip.",
    "RACK compares times instead of counting duplicates: a segment is lost if another that was sent later has arrived, and a reordering window, here a quarter of the shortest round trip, has passed. So it sends segment 18 again before the third duplicate ack.",
  ],
  look: [
    { at_s: 0.3486, text: "Segments 18 and 20 are lost on the four links." },
    { at_s: 0.4874, text: "RACK-TLP makes its fast retransmit of segment 18, by time and after two duplicate acks only." },
    { at_s: 0.531, text: "The third duplicate ack: fast retransmit of segment 18 by Reno, NewReno and SACK." },
    { at_s: 0.6372, text: "The partial acknowledgment: NewReno sends segment 20 again, Reno does not." },
    { at_s: 1.6372, text: "Reno's retransmission timer expires, one second later." },
  ],
  try: [
    "Let the same two segments be lost from a larger window: set initial_ssthresh of all four flows to 12 segments. Does Reno still need its timer?",
    "Let three segments be lost: set link.path-of-*.loss.segments to [18, 19, 20].",
    "Set min_rto of reno to 200 ms. By how much does the end of Reno's transfer change?",
  ],
  references: [
    "RFC 5681 §3.2 (Reno); RFC 6582 §3.2, step 3 (partial acknowledgments); RFC 6675 §5 (SACK); RFC 8985 §6.2 (RACK)",
    "R. Cohen, Y. Hamo, Balanced packet discard, Computer Communications, 2001: §2.2 and Fig. 2",
    "K. Fall, S. Floyd, Simulation-based Comparisons of Tahoe, Reno, and SACK TCP, Computer Communication Review 26 (3), 1996",
  ],
};
