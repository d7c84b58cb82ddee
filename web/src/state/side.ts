/** One setting: the courses of its whole run, and the packets around the time that is shown. */

import { Client } from "../engine/client";
import { type Advanced, type Answer, type Asked, type Document, type Explanation, NEAR, type Scene, type SceneLink, WHOLE } from "../engine/protocol";
import { type Layout, layout } from "../scene/layout";
import { CELLS, History } from "../model/history";
import { longestDelay } from "../model/line";

/** Points of a course. */
const POINTS = 1500;
/** Time for which the worker simulates before it answers [ms]. */
const BUDGET = 30;
/** A snapshot of the session of packets is taken after so much work [ms]; after more when they become too many. */
const PACE = 100;
/** All snapshots of a side together have at most so many bytes. */
const ROOM = 32 << 20;
/** Sessions of packets that are begun in a row before their error is told. */
const TRIES = 2;
const CELL_BITS = 424;

/** A snapshot of the session of packets, and what was known of them. */
interface Mark {
  at: number;
  id: number;
  bytes: number;
  history: History;
}

export class Side {
  readonly client: Client;
  asked: Asked | null = null;
  scene: Scene | null = null;
  layout: Layout | null = null;
  /** Courses of the whole run, as far as it is simulated. */
  whole: History | null = null;
  /** Packets up to a time a little after the one that is shown. */
  near: History | null = null;
  document: Document | null = null;
  /** The document as the engine wrote it. */
  text = "";
  errors: string[] = [];
  /** It simulates the whole run. */
  busy = false;
  /** Wall-clock time of the whole run [ms]. */
  took_ms = 0;
  private turn = 0;
  private next: Asked | null = null;
  private loading: Promise<void> | null = null;
  private reaching = false;
  /** Sessions of packets in a row that ended with an error. */
  private lost = 0;
  /** Snapshots of the session of packets, in order of time. */
  private marks: Mark[] = [];
  /** Work between snapshots, and since the last one [ms]. */
  private pace = PACE;
  private since = 0;

  constructor(
    private readonly changed: () => void,
    client = new Client(),
  ) {
    this.client = client;
  }

  /** Runs another setting. Of several that come in quick succession the last is run; all wait for its end. */
  load(asked: Asked): Promise<void> {
    this.next = asked;
    this.turn += 1;
    this.loading ??= this.all().finally(() => (this.loading = null));
    return this.loading;
  }

  private async all(): Promise<void> {
    while (this.next) {
      const it: Asked = this.next;
      this.next = null;
      await this.run(it, this.turn);
    }
  }

  private async run(asked: Asked, turn: number): Promise<void> {
    const opened = await this.client.open(WHOLE, { ...asked, packets: false });
    if (turn !== this.turn) return;
    if ("errors" in opened) {
      this.fail(opened.errors);
      return;
    }
    const scene = opened.ok;
    const history = new History(scene, true);
    const begun = performance.now();
    Object.assign(this, { asked, scene, whole: history, near: null, document: null, text: "", errors: [], busy: true, lost: 0, marks: [] });
    this.layout = layout(scene);
    const step = scene.duration_ps / 1e12 / POINTS;
    while (!history.ended) {
      const told = await this.client.advance(WHOLE, history.now, Infinity, step, BUDGET);
      if (turn !== this.turn) return;
      if ("errors" in told) {
        this.fail(told.errors);
        return;
      }
      for (const slice of told.ok.slices) history.add(slice);
      this.changed();
    }
    const finished = await this.client.finish(WHOLE);
    if (turn !== this.turn) return;
    this.took_ms = performance.now() - begun;
    this.busy = false;
    if ("errors" in finished) this.errors = finished.errors;
    else {
      this.text = finished.ok;
      this.document = JSON.parse(finished.ok) as Document;
    }
    this.changed();
  }

  private fail(errors: string[]): void {
    this.errors = errors;
    this.busy = false;
    this.changed();
  }

  /** The whole run ended with an error: what it has no memory or time for, its packets have not either. */
  private get failed(): boolean {
    return this.errors.length > 0 && !this.busy && !this.document;
  }

  /** The end of what is known of packets [s]. */
  get reached(): number {
    return this.near?.now ?? 0;
  }

  /** A packet on a line is told of when it departs, so packets are simulated so far ahead of the time that is shown [s]. */
  get latest(): number {
    const links = this.scene?.links ?? [];
    const slowest = (link: SceneLink) => link.course.reduce((least, { rate_bps }) => Math.min(least, rate_bps), link.rate_bps) || Infinity;
    return Math.max(0, ...links.map((link) => longestDelay(link) + 12_000 / slowest(link)));
  }

  /** Cells that are kept before the time at which packets are first looked at, as a time [s]: so many that stepping back needs no other run. */
  private get kept(): number {
    const links = this.scene?.links ?? [];
    const fastest = Math.max(1, ...links.map((link) => link.rate_bps));
    return Math.max(2 * this.latest, (CELLS / links.length / 4) * (CELL_BITS / fastest));
  }

  /** The earliest time at which all that is on the lines is known [s]. */
  private get known(): number {
    if (!this.near) return Infinity;
    const { known, cellsFrom = 0 } = this.near;
    return this.scene?.carries === "cells" && cellsFrom > 0 ? Math.max(known, cellsFrom + this.latest) : known;
  }

  /** Packets around a time are known. */
  knows(time: number): boolean {
    return this.near !== null && (this.near.ended || this.near.now >= time + this.latest - 1e-12) && time >= this.known;
  }

  /** Simulates packets until `ahead` after a time, if they are not known yet. */
  async reach(time: number, ahead: number): Promise<void> {
    if (this.reaching || !this.asked || !this.scene || this.lost >= TRIES || this.failed) return;
    const [turn, scene] = [this.turn, this.scene];
    if (this.near && (this.near.ended || this.near.now >= time + ahead) && time >= this.known) return;
    this.reaching = true;
    try {
      const begun = (await this.resume(time, turn)) || (await this.begin(time, scene, turn));
      if (!begun || !this.near) return;
      const step = Math.max(1e-9, Math.min(scene.duration_ps / 1e12 / POINTS, ahead));
      if (await this.simulate(this.near, time, time + ahead - 1e-12, step, turn)) this.lost = 0;
    } finally {
      this.reaching = false;
    }
  }

  /** Simulates packets until a time, with what is needed to show another time; whether it got there. */
  private async simulate(near: History, time: number, until: number, step: number, turn: number): Promise<boolean> {
    near.cellsFrom ??= Math.max(near.known, time - this.kept);
    const cells = near.cellsFrom;
    const advance = (from: number) => this.client.advance(NEAR, from, until, step, BUDGET, cells);
    let next: Promise<Answer<Advanced>> | null = null;
    while (!near.ended && near.now < until) {
      const begun = performance.now();
      const before = near.now;
      const told: Answer<Advanced> = await (next ?? advance(before));
      if (turn !== this.turn) return false;
      if ("errors" in told) {
        this.lose(told.errors);
        return false;
      }
      const { slices, now_s, ended }: Advanced = told.ok;
      const due: boolean = this.since >= this.pace && !ended && now_s > (this.marks.at(-1)?.at ?? 0);
      // The worker goes on meanwhile, unless it is to keep what it has.
      next = due || ended || now_s >= until ? null : advance(now_s);
      for (const slice of slices) near.add(slice);
      this.changed();
      this.since += performance.now() - begun;
      if (due) await this.keep(near, turn);
      if (turn !== this.turn || near.now <= before || this.failed) return false;
    }
    return true;
  }

  /** The time of the last event before one; null if there is none. */
  async before(time: number): Promise<number | null> {
    const turn = this.turn;
    for (;;) {
      const { near, known } = this;
      const found = near?.before(time) ?? null;
      if (known === 0 || (found !== null && found >= known)) return found;
      // It may lie before what is known.
      const earlier = Math.max(0, Math.min(known, time) - 1e-9);
      await this.reach(earlier, time - earlier + this.latest);
      // Another request may be under way.
      await new Promise((next) => setTimeout(next, 5));
      if (turn !== this.turn || this.lost > 0) return null;
    }
  }

  /** Begins the session of packets, unless it can go on to a time; whether it could. */
  private async begin(time: number, scene: Scene, turn: number): Promise<boolean> {
    if (this.near && time >= this.known) return true;
    this.marks = [];
    Object.assign(this, { pace: PACE, since: 0 });
    const opened = await this.client.open(NEAR, { ...(this.asked as Asked), packets: true });
    if (turn !== this.turn) return false;
    if ("errors" in opened) {
      this.lose(opened.errors);
      return false;
    }
    this.near = new History(scene, false);
    await this.keep(this.near, turn);
    return turn === this.turn;
  }

  /** Goes on with the last snapshot before a time, if that is shorter than from where the session is; whether it did. */
  private async resume(time: number, turn: number): Promise<boolean> {
    // Cells are known from a while after a snapshot.
    const until = time - (this.scene?.carries === "cells" ? this.latest : 0);
    const mark = this.marks.findLast((one) => one.at <= until || one.at === 0);
    if (!mark || (this.near && time >= this.known && mark.at <= this.near.now)) return false;
    const told = await this.client.resume(mark.id);
    if (turn !== this.turn) return false;
    if ("errors" in told) {
      // They went with their worker.
      this.marks = [];
      this.near = null;
      return false;
    }
    this.near = mark.history.copy();
    this.since = 0;
    return true;
  }

  /** Keeps a snapshot, and forgets every other one if there is no room for all; the first stays. */
  private async keep(near: History, turn: number): Promise<void> {
    this.since = 0;
    const kept = await this.client.keep(ROOM);
    // One that is too large is not kept: going back takes another run then.
    if (turn !== this.turn || "errors" in kept) return;
    this.marks.push({ at: near.now, ...kept.ok, history: near.copy() });
    while (this.marks.length > 1 && this.marks.reduce((sum, one) => sum + one.bytes, 0) > ROOM) {
      const out = this.marks.filter((_, at) => at % 2 === 1);
      this.marks = this.marks.filter((_, at) => at % 2 === 0);
      this.pace *= 2;
      void this.client.forget(out.map((one) => one.id));
    }
  }

  /** The session of packets is gone, with its worker or its module: another request may have ended them. It is begun again, unless it fails itself. */
  private lose(errors: string[]): void {
    this.near = null;
    this.marks = [];
    // A slot is empty if another request has ended the module: that is no fault of this session.
    if (!errors.some((error) => error.startsWith("slot "))) this.lost += 1;
    if (this.lost >= TRIES) this.fail(errors);
    else this.changed();
  }

  explain(flow: string, at_s: number): Promise<Answer<Explanation>> {
    if (!this.asked) return Promise.resolve({ errors: ["no run"] });
    return this.client.explain(this.asked, flow, Math.round(at_s * 1e12));
  }

  end(): void {
    this.turn += 1;
    this.client.stop("ended");
  }
}
