/** What a line is at a time: its plan's values, and those of the steps of its schedule. */

import type { SceneLink } from "../engine/protocol";

const PS = 1e-12;

export interface LineState {
  rate_bps: number;
  delay_s: number;
  up: boolean;
}

/** A line at a time [s]. At the time of a step its new values hold. */
export function lineAt(link: SceneLink, time: number): LineState {
  const at = time / PS;
  let [low, high] = [0, link.course.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    // A time in seconds is a little less or more than whole picoseconds.
    if ((link.course[middle]?.at_ps ?? 0) <= at + 0.5) low = middle + 1;
    else high = middle;
  }
  const { rate_bps, delay_ps, up } = link.course[low - 1] ?? { ...link, up: true };
  return { rate_bps, delay_s: delay_ps * PS, up };
}

/** The longest propagation delay that a line ever has [s]. */
export function longestDelay(link: SceneLink): number {
  return link.course.reduce((most, state) => Math.max(most, state.delay_ps), link.delay_ps) * PS;
}
