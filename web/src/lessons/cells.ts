/** On cells: BPD drops more packets than EPD, but few of one connection at a time, so timeouts nearly vanish. */

import type { Document } from "../engine/protocol";
import { type Lesson, link } from "./lesson";
import { count, percent, rate, second, total } from "./numbers";

/** Packets that the switch dropped: one cell of each is dropped early or on overflow, all others as its rest. */
function dropped(document: Document): number {
  const by = link(document, "bottleneck").dropped;
  return (by.early ?? 0) + (by.overflow ?? 0);
}

function timeouts(document: Document): number {
  return document.flows.reduce((sum, one) => sum + one.timeouts, 0);
}

export const cells: Lesson = {
  id: "cells",
  title: "Which packets to drop: PPD, EPD, BPD",
  level: 3,
  before: "you should have seen what several losses in a window do to Reno.",
  plan: { bundled: "cohen-hamo-2001/fig-12-13" },
  sets: ["duration=6 s", "warm_up=2 s", "link.bottleneck.queue.lower=0.4", "link.bottleneck.queue.gap=25 packets"],
  other: ['link.bottleneck.queue={ kind = "epd", buffer = "1200 cells", threshold = 0.4 }'],
  text: [
    "An ATM switch forwards cells of 53 bytes. A packet of 576 bytes makes 12 cells. If one of them is dropped, the packet is lost, and its other cells are of no use to anyone. Partial packet discard (PPD) therefore drops the rest of a packet once one of its cells has been dropped. Early packet discard (EPD) drops whole packets, from the first cell on, while the buffer is filled above a threshold.",
    "Balanced packet discard (BPD) is EPD with two thresholds. A connection that has just lost a packet is exempt from the lower threshold for its next packets, here 25. For these packets, only the upper threshold applies.",
    "Five Reno connections enter a switch at 30 Mb/s each and leave it at 75 Mb/s. The buffer has 1,200 cells. A is BPD with the thresholds 0.4 and 0.9 of the buffer; B is EPD with the threshold 0.4.",
  ],
  question: "Which of the two drops more packets, and in which do the connections have more timeouts?",
  choices: [
    "BPD drops more packets, and has more timeouts.",
    "BPD drops more packets, but EPD has more timeouts.",
    "EPD drops at least as many packets, and has more timeouts.",
    "EPD drops at least as many packets, but BPD has at least as many timeouts.",
  ],
  answer(first, other) {
    const b = second(other);
    const epd = timeouts(b) > timeouts(first);
    if (dropped(first) > dropped(b)) return epd ? 1 : 0;
    return epd ? 2 : 3;
  },
  shown(first, other) {
    const b = second(other);
    return `BPD dropped ${count(dropped(first), "packet")}, EPD ${count(dropped(b), "packet")}. After the first ${first.warm_up_s} s there were ${count(timeouts(first), "timeout")} with BPD and ${count(timeouts(b), "timeout")} with EPD. The goodput was ${rate(total(first))} with BPD and ${rate(total(b))} with EPD; the link was busy for ${percent(link(first, "bottleneck").utilization)} and ${percent(link(b, "bottleneck").utilization)} of the time.`;
  },
  why: [
    "What matters to Reno is not how many packets are lost, but how many in the same window. One loss in a window costs half of the window. Several losses in a small window cost a timeout: here the connection is silent for at least 200 ms, which is many round trips.",
    "While the buffer is filled above the threshold, EPD drops each packet that begins, also the second and the third of the same connection. BPD spares a connection that has lost a packet for 25 packets. By then, the fast retransmit has halved its window.",
    "So with EPD, connections wait for their timers and the link becomes idle. With BPD they are active nearly all the time. They lose more packets in total because they send more, and because each connection is slowed down again and again, by one loss at a time.",
  ],
  look: [
    { at_s: 0.0931, text: "Three connections are in slow start, and each has a packet dropped at about the same time." },
    { at_s: 0.3209, text: "The retransmission timers of these three expire: in slow start, too many packets were lost even for BPD. Two other connections have lost their first segment and wait for one second." },
    { at_s: 3.0119, text: "Later: within about 3 ms, each of the five connections has one packet dropped, and only one." },
    { at_s: 3.0153, text: "The first of the five makes a fast retransmit, 4 ms after the drop. No timer is needed." },
  ],
  try: [
    "Fig. 12 of the paper: move the lower threshold of A from 0.1 to 0.9 with the slider above, and compare the goodputs. Repeat it with a gap of 5 packets and of 35 (link.bottleneck.queue.gap).",
    "Set the queue of B to ppd, then to plain. How many cells that the link carries belong to damaged packets?",
    "Replace reno by sack. Which of the differences between EPD and BPD remain?",
    "Set the buffer to 400 cells.",
  ],
  slider: {
    title: "Fig. 12: goodput over the lower threshold",
    label: "lower threshold of A",
    path: "link.bottleneck.queue.lower",
    values: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9],
    measured: "goodput of all connections",
    measure: (of) => rate(total(of)),
  },
  references: [
    "R. Cohen, Y. Hamo, Balanced packet discard for improving TCP performance in ATM networks, Computer Communications, 2001: §2.2, §3 (PPD and EPD), §4 (BPD), §5 with Figs. 12 and 13",
    "RFC 5681 §3.2 (fast retransmit)",
  ],
};
