/** With go-back-n and a fixed window, a larger window fills the link with copies: goodput collapses. */

import type { Document } from "../engine/protocol";
import { type Lesson, link } from "./lesson";
import { count, percent, rate, second, total } from "./numbers";

const PLAN = `title = "Go-back-n and the size of its window"
duration = "20 s"
warm_up = "5 s"
seed = 1

[[host]]
name = "source"
count = 10

[[host]]
name = "sink"

[[switch]]
name = "router"

[[link]]
name = "access"
from = "source"
to = "router"
carries = "packets"
rate = "10 Mb/s"
delay = "5 ms"

[[link]]
name = "bottleneck"
from = "router"
to = "sink"
carries = "packets"
rate = "8 Mb/s"
delay = "20 ms"
queue = { kind = "drop-tail", buffer = "50 packets" }

[[flow]]
name = "user"
from = "source"
to = "sink"
start = "0 s..1 s"
transport = { kind = "go-back-n", window = "200 segments", out_of_order = "discard", max_window = "600 segments", mss = "460 B", header = "40 B", tick = "1 ms", min_rto = "100 ms" }
`;

/** A difference up to this share counts as none. */
const SAME = 0.05;
/** Below this share of B's goodput, that of A has collapsed. */
const COLLAPSE = 0.5;

function sum(document: Document, of: "segments_sent" | "segments_retransmitted" | "timeouts"): number {
  return document.flows.reduce((all, one) => all + one[of], 0);
}

export const goBackN: Lesson = {
  id: "go-back-n",
  title: "The collapse of go-back-n",
  level: 1,
  before: "you should know what a sliding window and a retransmission timer are.",
  plan: { text: PLAN },
  sets: [],
  other: ["flow.user.transport.window=10 segments"],
  text: [
    "Ten senders share a link of 8 Mb/s with a buffer of 50 packets. They use go-back-n with a fixed window: there is no congestion control. The receiver discards segments that arrive out of order. If the timer of a sender expires, the sender transmits its whole window again, from the oldest segment without an acknowledgment.",
    "The BDP of the path is about 100 segments. In B the window of each sender is 10 segments: all ten together fill the path, and nothing is dropped. In A the window of each is 200 segments, so that the senders may send twenty times as much before they wait.",
  ],
  question: "How does the goodput of all senders together in A compare with that in B?",
  choices: [
    "It is higher by more than 5 %: larger windows use the link better.",
    "It is the same within 5 %: the link is the limit in both.",
    "It is lower, but at least half of that of B.",
    "It is less than half of that of B.",
  ],
  answer(first, other) {
    const ratio = total(first) / total(second(other));
    if (ratio > 1 + SAME) return 0;
    if (ratio >= 1 - SAME) return 1;
    return ratio >= COLLAPSE ? 2 : 3;
  },
  shown(first, other) {
    const b = second(other);
    const share = sum(first, "segments_retransmitted") / sum(first, "segments_sent");
    return `In A the senders together had ${rate(total(first))} of goodput, in B ${rate(total(b))}: ${percent(total(first) / total(b))} of it. The link was busy for ${percent(link(first, "bottleneck").utilization)} of the time in A. Of all transmissions in A, ${percent(share)} were retransmissions, after ${count(sum(first, "timeouts"), "timeout")}; in B there were ${count(sum(b, "timeouts"), "timeout")}.`;
  },
  why: [
    "With windows of 200 segments, more packets arrive than the link and the buffer can take, and some are dropped. After the first dropped segment of a window, the receiver discards all segments that follow. They have crossed the link in vain.",
    "When the timer expires, the sender repeats the whole window, including the segments that have crossed the link before. This fills the buffer again, and causes the next losses. The link stays busy most of the time, but with copies: more load gives less goodput. This is congestion collapse.",
    "There are two remedies, and TCP uses both. If the receiver keeps what arrives, a sender can retransmit only what is lost. And it can reduce its window when it finds a loss.",
  ],
  look: [
    { at_s: 0.0676, text: "The first drop. The receiver discards the following segments of this window." },
    { at_s: 0.3024, text: "The retransmission timer of user-1 expires: it sends its whole window again, 200 segments." },
    { at_s: 0.3409, text: "Another retransmission timer expires, that of user-7. The copies of both now compete for the buffer." },
  ],
  try: [
    "Set the window of A to 14, 20 and 50 segments. At which window does goodput begin to fall?",
    "Let the receiver keep what arrives out of order: set out_of_order to keep.",
    "Then set the transport to smart as well. It retransmits only what is lost, but has no congestion control either.",
  ],
  references: [
    "S. Keshav, S. P. Morgan, SMART Retransmission, IEEE INFOCOM 1997: §3, Fig. 2 (go-back-n) and §4, Fig. 3 (SMART)",
    "RFC 7567 §1.1 (congestion collapse); RFC 5681 §3 (what TCP does about it)",
  ],
};
