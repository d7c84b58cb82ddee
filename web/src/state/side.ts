/** One setting: the courses of its whole run, and the packets around the time that is shown. */

import { Client } from "../engine/client";
import type { Answer, Asked, Document, Explanation, Scene, SceneLink } from "../engine/protocol";
import { type Layout, layout } from "../scene/layout";
import { CELLS, History } from "../model/history";
import { longestDelay } from "../model/line";

/** Points of a course. */
const POINTS = 1500;
/** Time for which the worker simulates before it answers [ms]. */
const BUDGET = 30;
const [WHOLE, NEAR] = [0, 1];
/** Sessions of packets that are begun in a row before their error is told. */
const TRIES = 2;
const CELL_BITS = 424;

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
    Object.assign(this, { asked, scene, whole: history, near: null, document: null, text: "", errors: [], busy: true, lost: 0 });
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
    if (this.reaching || !this.asked || !this.scene || this.lost >= TRIES) return;
    const [turn, scene] = [this.turn, this.scene];
    if (this.near && (this.near.ended || this.near.now >= time + ahead) && time >= this.known) return;
    this.reaching = true;
    try {
      if (!this.near || time < this.known) {
        const opened = await this.client.open(NEAR, { ...this.asked, packets: true });
        if (turn !== this.turn) return;
        if ("errors" in opened) return this.lose(opened.errors);
        this.near = new History(scene, false);
      }
      const near = this.near;
      const step = Math.max(1e-9, Math.min(scene.duration_ps / 1e12 / POINTS, ahead));
      const until = time + ahead - 1e-12;
      near.cellsFrom ??= Math.max(0, time - this.kept);
      while (!near.ended && near.now < until) {
        const before = near.now;
        const told: Answer<{ slices: Float64Array[] }> = await this.client.advance(NEAR, near.now, until, step, BUDGET, near.cellsFrom);
        if (turn !== this.turn) return;
        if ("errors" in told) return this.lose(told.errors);
        for (const slice of told.ok.slices) near.add(slice);
        this.changed();
        if (near.now <= before) return;
      }
      this.lost = 0;
    } finally {
      this.reaching = false;
    }
  }

  /** The session of packets is gone, with its worker or its module: another request may have ended them. It is begun again, unless it fails itself. */
  private lose(errors: string[]): void {
    this.near = null;
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
