/** Sixty-four servers that answer at once lose whole windows and wait for their timers: the link is idle. */

import { flow, type Lesson, link } from "./lesson";
import { count, goodput, ms, percent, rate, second } from "./numbers";

/** A difference up to this share counts as none. */
const SAME = 0.25;
/** From this ratio on, goodput has collapsed. */
const COLLAPSE = 10;

function completion(one: ReturnType<typeof flow>): number | null {
  return one.connections?.completion_s?.mean ?? null;
}

export const incast: Lesson = {
  id: "incast",
  title: "Incast",
  level: 2,
  before: "you should know when TCP has to wait for its retransmission timer.",
  plan: { bundled: "incast" },
  sets: ["topology.senders=64", "duration=1 s"],
  other: ["topology.senders=8"],
  text: [
    "A client in a data centre asks many servers at once, and each answers with 32 KiB. When all answers have arrived, the client asks again 1 ms later. All links have 1 Gb/s, a round trip without waiting takes well below 0.1 ms, and the port of the switch towards the client has a buffer of 128 packets.",
    "Each server begins with a window of 10 segments, and the shortest retransmission timeout is 200 ms, as in Linux. In B there are 8 servers, in A 64.",
  ],
  question: "How does the goodput of the client with 64 servers compare with that with 8?",
  choices: [
    "It is higher by more than a quarter: the pause between rounds matters less.",
    "It is about the same: the link to the client is the limit in both.",
    "It is lower, but not by a factor of ten.",
    "It is lower by a factor of ten or more.",
  ],
  answer(first, other) {
    const ratio = goodput(first, "answers") / goodput(second(other), "answers");
    if (ratio > 1 + SAME) return 0;
    if (ratio >= 1 - SAME) return 1;
    return ratio > 1 / COLLAPSE ? 2 : 3;
  },
  shown(first, other) {
    const b = second(other);
    const [many, few] = [flow(first, "answers"), flow(b, "answers")];
    return `With 64 servers the client received ${rate(goodput(first, "answers"))}, with 8 servers ${rate(goodput(b, "answers"))}. The link to it was busy for ${percent(link(first, "bottleneck").utilization)} and ${percent(link(b, "bottleneck").utilization)} of the time. There were ${count(many.timeouts, "timeout")} with 64 servers and ${count(few.timeouts, "timeout")} with 8. An answer took ${ms(completion(many))} on average, instead of ${ms(completion(few))}.`;
  },
  why: [
    "All servers begin at the same time. 64 windows of 10 segments are 640 packets, and the port has room for 128. Of most windows, only the first two segments arrive. Their acks let the server send a few more segments, but most of these are dropped as well. Fewer than three duplicate acks come back, so the server has to wait for its timer.",
    "The timeout of 200 ms is thousands of round trips long. During this time the link is idle: the few servers without losses have finished, and the client asks again only when the last answer is complete. One slow server delays all others.",
    "With 8 servers the first windows are 80 packets, and the port has room for all of them: nothing is lost. Goodput does not fall gradually with the number of servers: it collapses when timeouts begin, and one timeout in a round is enough.",
  ],
  look: [
    { at_s: 0.0001, text: "The first windows arrive at the switch: its buffer is full, and hundreds of packets are dropped." },
    { at_s: 0.1, text: "The link to the client is idle, although most answers are incomplete. The servers wait for their timers." },
    { at_s: 0.2009, text: "After 200 ms the retransmission timers expire, many of them at the same time." },
  ],
  try: [
    "Set min_rto to 1 ms (flow.answers.transport.min_rto) in A. Are there still timeouts, and what do they cost?",
    "Set topology.queue.buffer to 1000 packets in A.",
    "Set the initial window to 1 segment in A, and compare 64 servers with 128.",
  ],
  references: [
    "A. Phanishayee and others, Measurement and Analysis of TCP Throughput Collapse in Cluster-based Storage Systems, USENIX FAST 2008",
    "RFC 6298 §2, rule 2.4 (the lower bound of the retransmission timeout)",
  ],
};
