/** A buffer of twenty bandwidth-delay products delays a call beside an upload, and the upload gains nothing. */

import type { Document } from "../engine/protocol";
import { flow, type Lesson, link } from "./lesson";
import { goodput, ms, percent, rate, second } from "./numbers";

const PLAN = `title = "A call beside an upload"
duration = "20 s"
warm_up = "10 s"
seed = 1

[[host]]
name = "laptop"

[[host]]
name = "phone"

[[host]]
name = "server"

[[switch]]
name = "modem"

[[link]]
name = "lan-laptop"
from = "laptop"
to = "modem"
carries = "packets"
rate = "100 Mb/s"
delay = "1 ms"

[[link]]
name = "lan-phone"
from = "phone"
to = "modem"
carries = "packets"
rate = "100 Mb/s"
delay = "1 ms"

[[link]]
name = "uplink"
from = "modem"
to = "server"
carries = "packets"
rate = "5 Mb/s"
delay = "19 ms"
queue = { kind = "drop-tail", buffer = "340 packets" }

[[flow]]
name = "upload"
from = "laptop"
to = "server"
start = "0 s..1 s"
transport = { kind = "newreno", mss = "1448 B", header = "52 B", max_window = "4 MiB", tick = "10 ms", min_rto = "200 ms" }

[[flow]]
name = "call"
from = "phone"
to = "server"
start = "0 ms..20 ms"
traffic = { kind = "cbr", rate = "48 kb/s" }
transport = { kind = "udp", mss = "80 B", header = "40 B" }
`;

/** From this on, the upload's gain of goodput counts as a gain. */
const GAIN = 0.1;
/** From this ratio on, the delay of the call counts as worse. */
const WORSE = 2;

function gain(first: Document, other: Document | null): number {
  return goodput(first, "upload") / goodput(second(other), "upload") - 1;
}

function longer(first: Document, other: Document | null): number {
  return (flow(first, "call").mean_delay_s ?? NaN) / (flow(second(other), "call").mean_delay_s ?? NaN);
}

export const bloat: Lesson = {
  id: "buffers-bloat",
  title: "Why buffers bloat",
  level: 1,
  before: "you should know that TCP takes a loss as the sign of congestion.",
  plan: { text: PLAN },
  sets: [],
  other: ["link.uplink.queue.buffer=17 packets"],
  text: [
    "A modem has an uplink of 5 Mb/s. A laptop uploads a file with TCP (NewReno), and a phone sends a call: a small packet every 20 ms. Both wait in the same queue, in the order of their arrival. The path without waiting is short: a round trip takes 43 ms, which makes a bandwidth-delay product (BDP) of about 18 packets.",
    "In B the buffer of the modem is about one BDP, 17 packets. In A it is 20 times as large. Memory is cheap, and a larger buffer drops fewer packets.",
  ],
  question: "What does the larger buffer of A change?",
  choices: [
    "The upload is faster by more than a tenth, and the delay of the call stays below twice that of B.",
    "The upload is faster by more than a tenth, and the delay of the call is more than twice that of B.",
    "The upload gains less than a tenth, and the delay of the call is more than twice that of B.",
    "Neither: the upload gains less than a tenth, and the delay of the call stays below twice that of B.",
  ],
  answer(first, other) {
    const [faster, worse] = [gain(first, other) > GAIN, longer(first, other) > WORSE];
    if (faster) return worse ? 1 : 0;
    return worse ? 2 : 3;
  },
  shown(first, other) {
    const b = second(other);
    const [deep, small] = [link(first, "uplink"), link(b, "uplink")];
    return `With the large buffer the upload had ${rate(goodput(first, "upload"))}, with the small one ${rate(goodput(b, "upload"))}: a difference of ${percent(gain(first, other))}. A packet of the call took ${ms(flow(first, "call").mean_delay_s)} on average, instead of ${ms(flow(b, "call").mean_delay_s)}, which is ${longer(first, other).toFixed(1)} times as long. On average ${deep.mean_backlog.toFixed(0)} packets waited in A, and ${small.mean_backlog.toFixed(0)} in B.`;
  },
  why: [
    "A TCP that reacts only to losses increases its window until a packet is dropped. The part of the window that exceeds the BDP does not make the transfer faster, because the link is already busy; it waits in the buffer. A larger buffer only means that the window grows further before the loss.",
    "After the loss the window is halved. If the buffer was many BDPs, half of the window is still more than one BDP, so the queue never empties: it is a standing queue. All packets wait in it, also those of the call, which did not cause it.",
    "A small buffer of one BDP is already enough to keep the link busy most of the time. So the larger buffer of A gains little goodput, and costs much delay.",
  ],
  look: [
    { at_s: 1.0946, text: "The first drop of the upload: until then, slow start has put 340 packets into the buffer." },
    { at_s: 1.0996, text: "A packet of the call is dropped as well: it found the buffer full of packets of the upload." },
    { at_s: 1.9156, text: "The fast retransmit of the upload, most of a second after the loss: the duplicate acks had to wait for the queue to pass." },
    { at_s: 3.6682, text: "The retransmission timer of the upload expires: slow start has lost hundreds of segments, too many for NewReno to send again one per round trip." },
    { at_s: 15, text: "The queue of the uplink has not been empty for ten seconds: about 195 packets wait, which is almost half a second." },
  ],
  try: [
    "Set the buffer of A to 4 packets. What does the upload lose, and what does the call gain?",
    "Replace the queue of A by codel, and then by fq-codel, with the same buffer. What do the call and the upload get?",
    "Replace newreno by bbr1 in A.",
  ],
  references: [
    "RFC 7567 §1.2 (active queue management to manage delay) and §2, “Full Queues”",
    "RFC 8289 §3: the queue that only adds delay, and the queue that a link needs",
  ],
};
