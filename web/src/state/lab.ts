/** The page's state and what follows from it. Components draw it; every act of the reader is a method here. */

import type { Asked, Catalogue, Checked, Settled, Table } from "../engine/protocol";
import { asked, type Change, direction, EMPTY, item, put, type State } from "./state";
import { type LineState, lineAt } from "../model/line";
import { pack } from "./share";
import { Side } from "./side";

/** A file with more than this is no plan [bytes]. */
const LARGEST = 2 << 20;
/** The system asks for no motion. */
export const STILL = "(prefers-reduced-motion: reduce)";
/** Acts that can be undone, one by one. */
const UNDONE = 100;
/** Text is run so long after the last key [ms]. */
const PAUSE = 350;

/** The next 1, 2 or 5 times a power of ten below a number. */
function round(number: number): number {
  const ten = 10 ** Math.floor(Math.log10(number));
  return ten * ([5, 2].find((part) => part * ten <= number * (1 + 1e-9)) ?? 1);
}

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
  /** The time of the last change of a link [s]. */
  private touched = -1;
  /** What the reader had done to links before each act. */
  private before: Pick<State, "changes" | "losses">[] = [];
  /** Text of a plan's file as it was opened, by the file's name. */
  readonly files = new Map<string, string>();
  errors: string[] = [];
  /** Answers to lessons' questions, by lesson. */
  readonly answered = new Map<string, number>();
  /** What the runs showed when the answer was given, and of which state: the reader may change the plan afterwards. */
  readonly verdicts = new Map<string, { right: number | null; shown: string; of: string }>();
  /** What the reader wants to have explained. */
  asked: { side: Side; flow: string; at: number } | null = null;
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

  /** The topology of the plan, as it is written. */
  get topology(): Table | null {
    return this.settled?.topology ?? null;
  }

  /** End of the run [s]. */
  get end(): number {
    return (this.first.scene?.duration_ps ?? 0) / 1e12;
  }

  /** A time at which packets are under way [s]: the end of the warm-up, or a tenth of the run, or when next a packet waits. */
  private begun(): number {
    const { scene, whole } = this.first;
    const warm_up = (scene?.warm_up_ps ?? 0) / 1e12;
    const begun = warm_up > 0 && warm_up < this.end ? warm_up : this.end / 10;
    if (!whole) return begun;
    const busy = (at: number) => whole.backlog.some((units) => (units[at] ?? 0) > 0);
    const first = whole.times.findIndex((time) => time >= begun);
    // A sample is rarely at the very time: what is busy before and after it is busy then.
    if (first < 0 || (busy(first) && busy(first - 1))) return begun;
    return whole.times.find((_, at) => at >= first && busy(at)) ?? begun;
  }

  /** Simulated seconds per second of the wall clock. */
  get speed(): number {
    return this.state.speed > 0 ? Math.min(1, Math.max(1e-6, this.state.speed)) : this.pace();
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
    return Math.min(1, Math.max(1e-6, round((shortest === Infinity ? 1 : shortest) / 4)));
  }

  /** Takes another state as a whole. */
  async set(state: State | Promise<State>): Promise<void> {
    this.done = false;
    this.before = [];
    try {
      this.state = await state;
    } catch (error) {
      this.done = true;
      throw error;
    }
    await this.run();
  }

  /** The state in an address. */
  fragment(): Promise<string> {
    return pack(this.state);
  }

  /** Takes a file with a plan. */
  async open(file: File | undefined): Promise<void> {
    if (!file) return;
    if (file.size > LARGEST) {
      this.fail([`${file.name}: ${file.size} bytes; a plan has at most ${LARGEST}`]);
      return;
    }
    const text = await file.text();
    this.files.set(file.name, text);
    await this.set({ ...structuredClone(EMPTY), plan: text, origin: file.name, tab: this.state.tab });
  }

  /** Changes values; what is simulated follows if it depends on them. */
  change(values: Partial<State>, later = false): void {
    const runs = Object.keys(values).some((name) => !["at", "flow", "speed", "lesson", "tab", "zoom"].includes(name));
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
    if (state.changes.length + state.losses.length > 0) {
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
    this.asked = null;
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
      const before = location.hash;
      const fragment = await this.fragment();
      // An address that was entered in the meantime is not written over.
      if (!this.playing && location.hash === before) history.replaceState(null, "", `#${fragment}`);
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
  async step(forward: boolean): Promise<void> {
    const { at: from } = this.state;
    this.playing = false;
    const at = forward ? (this.first.near?.next(from) ?? null) : await this.first.before(from);
    // Time may have been moved in the meantime.
    if (at !== null && this.state.at === from) this.seek(at);
  }

  /** An override of a side. */
  setting(path: string, value: string | null, other = false): void {
    if (other) this.change({ other: put(this.state.other ?? [], path, value) }, true);
    else this.change({ sets: put(this.state.sets, path, value) }, true);
  }

  /** Changes a link from a time on, by default the one that is shown. With `more` it goes on with the change before: a slider is held. */
  touch(name: string, what: { rate_bps?: number; delay_s?: number; up?: boolean }, at_s = this.instant, more = false): void {
    if (!more) this.keep();
    this.touched = at_s;
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

  /** Remembers what the reader did to links so far, so that the next act can be undone. */
  private keep(): void {
    this.before = [...this.before.slice(-UNDONE), { changes: this.state.changes, losses: this.state.losses }];
  }

  /** Acts that can be undone. */
  get undoes(): number {
    return this.before.length;
  }

  /** Takes back the last act on a link or a packet. */
  undo(): void {
    const last = this.before.pop();
    if (last) this.change(last);
  }

  /** A link at the time that is shown: by its schedule, and by what the reader has just changed. */
  now(name: string): LineState {
    const of = this.first.scene?.links.find((one) => one.name === name);
    const state = of ? lineAt(of, this.instant) : { rate_bps: 0, delay_s: 0, up: true };
    if (this.done) return state;
    const { link, back } = direction(name);
    const { rate_bps, delay_s, up } = this.state.changes.find((one) => one.link === link && one.back === back && one.at_s === this.touched) ?? {};
    return { rate_bps: rate_bps ?? state.rate_bps, delay_s: delay_s ?? state.delay_s, up: up ?? state.up };
  }

  /** The time that is shown, as a change of a link has it [s]. */
  get instant(): number {
    return Math.max(1e-6, Math.floor(this.state.at * 1e6 + 1e-6) / 1e6);
  }

  /** Why a link cannot be made to drop packets of a flow; null if it can. */
  private unfit(name: string, flow: string): string | null {
    const { link, back } = direction(name);
    const here = this.state.losses.filter((one) => one.link === link && one.back === back);
    if (here.some((one) => one.flow !== flow)) return `${name} already drops packets of another flow, and can only do so for one.`;
    if (item(this.written, "link", link)?.[back ? "back_loss" : "loss"] !== undefined) return `${name} has losses of its own in the plan.`;
    return null;
  }

  /** Lets a link drop one packet of a flow; if it cannot, the answer says why. */
  lose(name: string, flow: string, packet: number): string | null {
    const why = this.unfit(name, flow);
    if (why !== null) return why;
    this.keep();
    this.change({ losses: [...this.state.losses, { ...direction(name), flow, packet }] });
    return null;
  }

  /** Lets the first link of a flow's way that can do so drop the next packet that it sends; the answer says where, or why not. */
  loseNext(at: number): { link: string } | { why: string } {
    const { scene, near } = this.first;
    const flow = scene?.flows[at];
    if (!scene || !flow || !near || !this.first.knows(this.state.at)) return { why: "Its packets are not simulated yet." };
    if (flow.arrivals) return { why: `${flow.name} is many connections: click one of their packets.` };
    const reasons: string[] = [];
    for (const link of flow.forward) {
      const name = scene.links[link]?.name ?? "";
      const why = this.unfit(name, flow.name);
      if (why === null) {
        this.lose(name, flow.name, near.nextPacket(link, at, this.state.at));
        return { link: name };
      }
      reasons.push(why);
    }
    return { why: reasons[0] ?? "It has no way." };
  }

  /** Shows why something happened to a flow or connection of a side. */
  ask(what: { side: Side; flow: string; at: number } | null): void {
    this.asked = what;
    this.changed();
  }

  /** Forgets what the reader did to links. */
  untouch(): void {
    this.before = [];
    this.change({ changes: [], losses: [] });
  }

  /** Asks a lesson's question again. */
  again(lesson: string): void {
    this.answered.delete(lesson);
    this.verdicts.delete(lesson);
    this.play(false);
  }

  /** Takes an answer to a lesson's question, and shows the run from a time on. */
  answer(lesson: string, choice: number, at: number): void {
    this.answered.set(lesson, choice);
    this.seek(at);
    this.play(!matchMedia(STILL).matches);
  }

  /** The run of the first setting. */
  asks(): Asked {
    return asked(this.state, false, this.written);
  }
}
