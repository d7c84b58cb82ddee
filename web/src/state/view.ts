/** What is drawn of a side: its network at the time that is shown. */

import type { View } from "../scene/draw";
import type { Lab } from "./lab";
import type { Side } from "./side";

/** On what it is drawn; null before there is a network. */
export function viewed(lab: Lab, side: Side, on: Pick<View, "width" | "height" | "palette" | "motion">): View | null {
  const { scene, layout } = side;
  if (!scene || !layout) return null;
  const { at, flow } = lab.state;
  return { scene, layout, history: side.near, time: at, speed: lab.speed, flow, margin: 0, ...on };
}
