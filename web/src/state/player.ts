/** Lets time pass: each frame moves the time that is shown, asks for packets around it, and draws. */

import type { Lab } from "./lab";

/** Time on the screen that is simulated in advance [s]. */
const BUFFER = 0.6;

export class Player {
  private readonly draws = new Set<() => void>();
  private before = 0;

  constructor(private readonly lab: Lab) {
    requestAnimationFrame((now) => this.frame(now));
  }

  /** `draw` is called each frame; the answer ends that. */
  each(draw: () => void): () => void {
    this.draws.add(draw);
    return () => this.draws.delete(draw);
  }

  /** Packets are missing around the time that is shown. */
  get waits(): boolean {
    return this.lab.sides.some((side) => side.scene !== null && !side.knows(this.lab.state.at));
  }

  private frame(now: number): void {
    const { lab } = this;
    // After a while in the background time does not jump.
    const passed = Math.min(0.1, (now - this.before) / 1000);
    this.before = now;
    const { speed, state } = lab;
    if (lab.playing && !this.waits) {
      state.at = Math.min(lab.end, state.at + passed * speed);
      if (state.at >= lab.end) lab.play(false);
    }
    // Before a time is chosen there is nothing to reach.
    if (state.at >= 0) for (const side of lab.sides) void side.reach(state.at, BUFFER * speed + side.latest);
    for (const draw of this.draws) draw();
    requestAnimationFrame((next) => this.frame(next));
  }
}
