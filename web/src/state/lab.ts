/** The page's state and what follows from it. Components draw it; every act of the reader is a method here. */

import type { Catalogue, Checked, Settled, Table } from "../engine/protocol";
import { asked, type Change, direction, EMPTY, put, type State, touches } from "./state";
import { pack } from "./share";
import { Side } from "./side";

/** Text is run so long after the last key [ms]. */
const PAUSE = 350;

export class Lab {
  state: State = structuredClone(EMPTY);
  readonly first: Side;
  second: Side | null = null;
  catalogue: Catalogue | null = null;
  /** The plan's title, seeds and points. */
  checked: Checked | null = null;
  /** The first setting as a plan of its own. */
  settled: Settled | null = null;
  /** The plan as it is written, with its links and flows: what the reader's changes add to. */
  private written: Table | null = null;
  errors: string[] = [];
  /** Answers to lessons' questions, by lesson. */
  readonly answered = new Map<string, number>();
  playing = false;
  /** The largest values of courses by title, of each side: two settings have the same scale. */
  readonly largest = new Map<string, Map<Side, number>>();
  /** Rises with everything that components show. */
  version = 0;
  private readonly listeners = new Set<() => void>();
  /** Nothing is under way: what is shown is the run of this state, or its errors. */
  done = false;
  private scheduled = false;
  private turn = 0;
  private timer = 0;
  private saving = 0;

  constructor(readonly saves: boolean) {
    this.first = new Side(() => this.changed());
  }

  listen(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Components are drawn again, once per frame. */
  changed(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    // Not an animation frame: a page in the background must go on as well.
    setTimeout(() => {
      this.scheduled = false;
      this.version += 1;
      for (const listener of this.listeners) listener();
    }, 16);
  }

  get sides(): Side[] {
    return this.second ? [this.first, this.second] : [this.first];
  }

  /** End of the run [s]. */
  get end(): number {
    return (this.first.scene?.duration_ps ?? 0) / 1e12;
  }

  /** A time at which packets are under way [s]: the end of the warm-up, or a tenth of the run. */
  private begun(): number {
    const warm_up = (this.first.scene?.warm_up_ps ?? 0) / 1e12;
    return warm_up > 0 && warm_up < this.end ? warm_up : this.end / 10;
  }

  /** Simulated seconds per second of the wall clock. */
  get speed(): number {
    return this.state.speed > 0 ? this.state.speed : this.pace();
  }

  /** A speed at which packets can be followed: the shortest way there and back takes four seconds. */
  private pace(): number {
    const scene = this.first.scene;
    if (!scene) return 1;
    let shortest = Infinity;
    for (const flow of scene.flows) {
      let trip = 0;
      for (const at of [...flow.forward, ...flow.back]) trip += (scene.links[at]?.delay_ps ?? 0) / 1e12 + 12_000 / (scene.links[at]?.rate_bps || Infinity);
      if (trip > 0) shortest = Math.min(shortest, trip);
    }
    return Math.min(1, Math.max(1e-6, (shortest === Infinity ? 1 : shortest) / 4));
  }

  /** Takes another state as a whole. */
  async set(state: State): Promise<void> {
    this.state = state;
    await this.run();
  }

  /** Changes values; what is simulated follows if it depends on them. */
  change(values: Partial<State>, later = false): void {
    const runs = Object.keys(values).some((name) => !["at", "flow", "speed", "lesson"].includes(name));
    Object.assign(this.state, values);
    this.save();
    this.changed();
    if (!runs) return;
    this.done = false;
    clearTimeout(this.timer);
    if (later) this.timer = window.setTimeout(() => void this.run(), PAUSE);
    else void this.run();
  }

  private async run(): Promise<void> {
    const turn = ++this.turn;
    const { state } = this;
    this.done = false;
    this.save();
    this.catalogue ??= await this.loaded();
    const plain = { plan: state.plan, origin: state.origin, sets: state.sets, point: state.point, seed: state.seed };
    // A plan of many points is checked as a whole, and only one of them is run.
    const checked = await this.first.client.check(plain);
    if (turn !== this.turn) return;
    if ("errors" in checked) return this.fail(checked.errors);
    this.checked = checked.ok;
    const written = await this.first.client.settle(plain);
    if (turn !== this.turn) return;
    if ("errors" in written) return this.fail(written.errors);
    this.written = written.ok.table;
    this.settled = written.ok;
    const first = asked(state, false, this.written);
    if (first.sets.length > state.sets.length) {
      const settled = await this.first.client.settle(first);
      if (turn !== this.turn) return;
      if ("errors" in settled) return this.fail(settled.errors);
      this.settled = settled.ok;
    }
    this.errors = [];
    this.changed();
    if (state.other && !this.second) this.second = new Side(() => this.changed());
    if (!state.other && this.second) {
      this.second.end();
      this.second = null;
    }
    await Promise.all([this.first.load(first), this.second?.load(asked(state, true, this.written))]);
    if (turn !== this.turn) return;
    if (state.at > this.end) state.at = this.end;
    if (state.at < 0) state.at = this.begun();
    this.done = true;
    this.changed();
  }

  private async loaded(): Promise<Catalogue | null> {
    const told = await this.first.client.catalogue();
    return "ok" in told ? told.ok : null;
  }

  private fail(errors: string[]): void {
    this.done = true;
    this.errors = errors;
    this.changed();
  }

  private save(): void {
    if (!this.saves) return;
    clearTimeout(this.saving);
    this.saving = window.setTimeout(async () => {
      if (!this.playing) history.replaceState(null, "", `#${await pack(this.state)}`);
    }, 300);
  }

  /** Goes to a time [s]. */
  seek(at: number): void {
    this.change({ at: Math.min(Math.max(0, at), this.end) });
  }

  play(playing: boolean): void {
    if (playing && this.state.at >= this.end) this.state.at = 0;
    this.playing = playing;
    this.save();
    this.changed();
  }

  /** The next event, or the one before: something is sent, departs, arrives, or is dropped. */
  step(forward: boolean): void {
    const near = this.first.near;
    const at = forward ? near?.next(this.state.at) : near?.before(this.state.at);
    this.playing = false;
    if (at !== null && at !== undefined) this.seek(at);
  }

  /** An override of a side. */
  setting(path: string, value: string | null, other = false): void {
    if (other) this.change({ other: put(this.state.other ?? [], path, value) }, true);
    else this.change({ sets: put(this.state.sets, path, value) }, true);
  }

  /** Changes a link from the time that is shown on. */
  touch(name: string, what: { rate_bps?: number; up?: boolean }): void {
    const at_s = Math.max(1e-6, Math.round(this.state.at * 1e6) / 1e6);
    const ends = what.up === undefined ? [direction(name)] : [false, true].map((back) => ({ link: direction(name).link, back }));
    const changes = [...this.state.changes];
    for (const end of ends) {
      const same = changes.findIndex((one) => one.at_s === at_s && one.link === end.link && one.back === end.back);
      const change: Change = { ...(changes[same] ?? {}), ...end, at_s, ...what };
      if (same >= 0) changes[same] = change;
      else changes.push(change);
    }
    this.change({ changes });
  }

  /** The link is up at the time that is shown. */
  isUp(name: string): boolean {
    const { link, back } = direction(name);
    const before = this.state.changes.filter((one) => one.link === link && one.back === back && one.up !== undefined && one.at_s <= this.state.at);
    before.sort((a, b) => a.at_s - b.at_s);
    return before.at(-1)?.up ?? true;
  }

  /** Its rate at the time that is shown, as far as the reader changed it. */
  rateNow(name: string): number | null {
    const { link, back } = direction(name);
    const before = this.state.changes.filter((one) => one.link === link && one.back === back && one.rate_bps !== undefined && one.at_s <= this.state.at);
    before.sort((a, b) => a.at_s - b.at_s);
    return before.at(-1)?.rate_bps ?? null;
  }

  /** Lets a link drop one packet of a flow; false if the link drops those of another flow already, or has losses of its own. */
  lose(name: string, flow: string, packet: number): boolean {
    const end = direction(name);
    const here = this.state.losses.filter((one) => one.link === end.link && one.back === end.back);
    if (here.some((one) => one.flow !== flow)) return false;
    this.change({ losses: [...this.state.losses, { ...end, flow, packet }] });
    return true;
  }

  /** Forgets what the reader did to links. */
  untouch(): void {
    this.change({ changes: [], losses: [] });
  }

  /** Takes an answer to a lesson's question, and shows the run from a time on. */
  answer(lesson: string, choice: number, at: number): void {
    this.answered.set(lesson, choice);
    this.seek(at);
    this.play(true);
  }

  /** Overrides that the reader's acts on links mean. */
  touches(): string[] {
    return touches(this.state, this.written);
  }
}
