/** All lessons, in the order in which they are best read. */

import { bbr } from "./bbr";
import { bloat } from "./bloat";
import { cells } from "./cells";
import { codel } from "./codel";
import { goBackN } from "./go-back-n";
import { incast } from "./incast";
import type { Lesson } from "./lesson";
import { packetPair } from "./packet-pair";
import { red } from "./red";
import { rttFairness } from "./rtt-fairness";
import { sawtooth } from "./sawtooth";
import { synchronisation } from "./synchronisation";
import { twoLosses } from "./two-losses";

export const LESSONS: Lesson[] = [
  sawtooth,
  bloat,
  goBackN,
  twoLosses,
  synchronisation,
  rttFairness,
  red,
  codel,
  incast,
  cells,
  packetPair,
  bbr,
];
