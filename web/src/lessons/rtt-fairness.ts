/** Of two flows with one bottleneck, the one with the longer round trip gets far less than in proportion. */

import type { Document } from "../engine/protocol";
import { flow, type Lesson } from "./lesson";
import { count, goodput, ms, nearest, rate } from "./numbers";

const TRANSPORT =
  '{ kind = "sack", mss = "1448 B", header = "52 B", max_window = "1 MiB", tick = "10 ms", min_rto = "200 ms" }';

const PLAN = `title = "A near and a far sender"
duration = "60 s"
warm_up = "10 s"
seed = 1

[[host]]
name = "near"

[[host]]
name = "far"

[[host]]
name = "sink"

[[switch]]
name = "router"

[[link]]
name = "near-access"
from = "near"
to = "router"
carries = "packets"
rate = "100 Mb/s"
delay = "5 ms"

[[link]]
name = "far-access"
from = "far"
to = "router"
carries = "packets"
rate = "100 Mb/s"
delay = "80 ms"

[[link]]
name = "bottleneck"
from = "router"
to = "sink"
carries = "packets"
rate = "10 Mb/s"
delay = "5 ms"
queue = { kind = "drop-tail", buffer = "25 packets" }

[[flow]]
name = "near"
from = "near"
to = "sink"
start = "0 s..1 s"
transport = ${TRANSPORT}

[[flow]]
name = "far"
from = "far"
to = "sink"
start = "0 s..1 s"
transport = ${TRANSPORT}
`;

/** The ratio of goodputs is the ratio of round trips to this power, for each choice. */
const POWERS = [0, 0.5, 1, 2];

function trips(document: Document): number {
  return (flow(document, "far").mean_rtt_s ?? NaN) / (flow(document, "near").mean_rtt_s ?? NaN);
}

function goodputs(document: Document): number {
  return goodput(document, "near") / goodput(document, "far");
}

/** The power of the measured ratio of round trips that gives the measured ratio of goodputs. */
function power(document: Document): number {
  return Math.log(goodputs(document)) / Math.log(trips(document));
}

/** Number of the nearest power. With equal round trips all powers say the same, and the first is taken. */
function decided(document: Document): number {
  const scale = Math.log(trips(document));
  return nearest(
    Math.log(goodputs(document)),
    POWERS.map((one) => one * scale),
  );
}

export const rttFairness: Lesson = {
  id: "rtt-fairness",
  title: "Fairness and the round-trip time",
  level: 2,
  before: "you should have seen the sawtooth, and that flows with one buffer lose together.",
  plan: { text: PLAN },
  sets: [],
  other: null,
  text: [
    "Two TCPs share a link of 10 Mb/s with a buffer of 25 packets. They differ only in their distance: without waiting, a round trip of the near one takes 21 ms, and of the far one 171 ms. While packets wait at the link, both round trips are longer, and their ratio is about 5.",
    "Each window grows by one segment per round trip of its own flow. So the near window grows more often. The near flow also has a higher rate for the same window, because a window is sent once per round trip.",
  ],
  question: "Let r be the mean round trip of the far flow, divided by that of the near flow. How many times as much goodput does the near flow get?",
  choices: [
    "About once: congestion control gives equal shares.",
    "About √r times.",
    "About r times: the rate is the window over the round trip.",
    "About r² times.",
  ],
  answer: decided,
  shown(first) {
    const [near, far] = [flow(first, "near"), flow(first, "far")];
    return `The mean round trips were ${ms(near.mean_rtt_s)} and ${ms(far.mean_rtt_s)}: r = ${trips(first).toFixed(2)}. The goodputs were ${rate(goodput(first, "near"))} and ${rate(goodput(first, "far"))}, a ratio of ${goodputs(first).toFixed(1)}, which is r to the power ${power(first).toFixed(2)}. The near flow had ${count(near.fast_retransmits, "fast retransmit")}, the far one ${far.fast_retransmits}.`;
  },
  why: [
    "If both flows lose a packet at each overflow of the buffer, both halve their windows equally often. Between two overflows the near window grows r times as fast. So the ratio of the windows is r. A rate is a window divided by a round trip, so the ratio of the rates is r².",
    "If losses were independent of each other and equally likely for each packet, the far flow would have fewer of them, and the ratio would be r: the rate is then inversely proportional to the round trip and to the square root of the loss rate. Drop-tail is closer to the first case. An overflow often hits both flows, although the far one sends far fewer packets: compare the numbers of fast retransmits. So the ratio here is close to r².",
  ],
  look: [
    { at_s: 29.2618, text: "The buffer is full: the near flow, with a window of about 38 segments, has a packet dropped." },
    { at_s: 29.2619, text: "In the same overflow, a packet of the far flow is dropped. Its window is only 6 segments." },
    { at_s: 29.3107, text: "The near flow makes its fast retransmit after about 50 ms." },
    { at_s: 29.5477, text: "The far flow makes its fast retransmit, a quarter of a second later. The near window has grown by several segments by then." },
  ],
  try: [
    "Set the queue to fair-queueing with 50 packets, then with 200. How much of its share does the far flow get?",
    "Replace sack by cubic for both flows. CUBIC's window grows with time, not with round trips.",
    "Replace sack by bbr1 for both flows. Which of the two has more now?",
  ],
  references: [
    "RFC 5681 §3.1: growth by one segment per round-trip time",
    "RFC 9438 §3.3: what CUBIC does about the dependence on the round trip",
    "T. V. Lakshman, U. Madhow, The Performance of TCP/IP for Networks with High Bandwidth-Delay Products and Random Loss, IEEE/ACM Transactions on Networking 5 (3), 1997",
  ],
};
