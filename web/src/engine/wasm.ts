/** The module of dupack, without a browser's parts, so that tests use it in Node as well. */

import type { Advanced, Answer, Asked, Catalogue, Checked, Explanation, Scene, Settled } from "./protocol";

interface Exports {
  memory: WebAssembly.Memory;
  input(length: number): number;
  answer_at(): number;
  last_words(): number;
  catalogue(): number;
  build(): number;
  check(): number;
  settle(): number;
  run(): number;
  explain(): number;
  record(): number;
  open(slot: number): number;
  advance(slot: number, until: number, cells: number): number;
  finish(slot: number): number;
}

/** The module ended by a panic: no input should cause that. */
export class Panic extends Error {}

/** The module asked for more memory than there is. */
export class Exhausted extends Error {
  constructor() {
    const told = `this run needs more memory than the page may use: ${(MOST >> 20).toLocaleString("en")} MiB`;
    super(`${told}; write fewer flows or hosts, a shorter duration or sample = "none", or use dupack run, which has the memory of the machine`);
  }
}

/** The most that the module may have, as it was built: `--max-memory` in .cargo/config.toml [bytes]. */
const MOST = 1 << 30;

/** A module's memory grows in pages of this size [bytes]. */
const PAGE = 65_536;

export class Engine {
  private readonly text = new TextDecoder();
  private constructor(private readonly module: Exports) {}

  static async load(compiled: WebAssembly.Module): Promise<Engine> {
    const made = await WebAssembly.instantiate(compiled, {});
    return new Engine(made.exports as unknown as Exports);
  }

  /** All that the module knows. Between two calls nothing of it is outside of its memory, because it imports nothing. It is written over `old`
   * if that has its size. */
  snapshot(old?: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    if (old?.length !== this.memory) return new Uint8Array(this.module.memory.buffer.slice(0));
    old.set(new Uint8Array(this.module.memory.buffer));
    return old;
  }

  /** Whether a snapshot can be taken up by this module. */
  fits(snapshot: Uint8Array): boolean {
    return this.memory === snapshot.length;
  }

  /** Becomes the module of a snapshot, which is not smaller than its memory. */
  become(snapshot: Uint8Array): void {
    const { memory } = this.module;
    if (this.memory < snapshot.length) memory.grow((snapshot.length - this.memory) / PAGE);
    new Uint8Array(memory.buffer).set(snapshot);
  }

  /** Size of its memory, which never shrinks [bytes]. */
  get memory(): number {
    return this.module.memory.buffer.byteLength;
  }

  private guarded(call: () => number): number {
    try {
      return call();
    } catch (error) {
      let words = "";
      try {
        words = this.read(this.module.last_words());
      } catch {
        // The module is beyond words.
      }
      // A panic has words. What ends the module without any is an allocation that fails.
      if (!words && error instanceof WebAssembly.RuntimeError && /unreachable/.test(error.message)) throw new Exhausted();
      throw new Panic(words || String(error));
    }
  }

  private bytes(length: number): Uint8Array {
    return new Uint8Array(this.module.memory.buffer, this.module.answer_at(), length);
  }

  private read(length: number): string {
    return this.text.decode(this.bytes(length));
  }

  private json<T>(call: () => number, request?: unknown): T {
    return JSON.parse(this.read(this.guarded(() => this.write(request, call)))) as T;
  }

  private write(request: unknown, call: () => number): number {
    if (request !== undefined) {
      const bytes = new TextEncoder().encode(JSON.stringify(request));
      const at = this.module.input(bytes.length);
      new Uint8Array(this.module.memory.buffer, at, bytes.length).set(bytes);
    }
    return call();
  }

  catalogue(): Catalogue {
    return this.json(() => this.module.catalogue());
  }

  build(): { version: string; build: string } {
    return this.json(() => this.module.build());
  }

  check(asked: Asked): Answer<Checked> {
    return this.json(() => this.module.check(), asked);
  }

  settle(asked: Asked): Answer<Settled> {
    return this.json(() => this.module.settle(), asked);
  }

  /** The run's document as text: the same as `dupack run --json`, without the title, and with `cpu_s` 0. */
  run(asked: Asked): Answer<string> {
    return this.json(() => this.module.run(), asked);
  }

  explain(asked: Asked, flow: string | null, at_ps: number): Answer<Explanation> {
    return this.json(() => this.module.explain(), { run: asked, flow, at_ps });
  }

  /** The tape as CSV, or the qlog of a flow. */
  record(asked: Asked, qlog: string | null): Answer<string> {
    return this.json(() => this.module.record(), { run: asked, qlog });
  }

  open(slot: number, asked: Asked): Answer<Scene> {
    return this.json(() => this.module.open(slot), asked);
  }

  /** The document of the session in a slot, after the rest of its run. */
  finish(slot: number): Answer<string> {
    return this.json(() => this.module.finish(slot));
  }

  /** A slice as numbers; a copy, because the module's memory is used again. */
  advance(slot: number, until_s: number, cells_s: number): Answer<Float64Array> {
    const length = this.guarded(() => this.module.advance(slot, until_s, cells_s));
    const bytes = this.bytes(length);
    // A slice begins with a time below 2^53 ps, whose first byte may be any; an answer in words begins like this.
    if (this.text.decode(bytes.subarray(0, 10)) === '{"errors":') return JSON.parse(this.text.decode(bytes)) as Answer<never>;
    return { ok: new Float64Array(bytes.slice().buffer) };
  }

  /** Slices of `step_s` each from a time on, until the budget is used up; with cells from `cells_s` on, where lines carry them. */
  advances(slot: number, from_s: number, until_s: number, step_s: number, budget_ms: number, cells_s = 0): Answer<Advanced> {
    const begun = performance.now();
    const slices: Float64Array[] = [];
    // Counted in whole steps, so that errors of rounding do not add up.
    let at = Math.floor(from_s / step_s);
    for (;;) {
      at += 1;
      // Times are whole picoseconds: a step that ends within one has been done.
      if (at * step_s <= from_s + 1e-12) continue;
      const told = this.advance(slot, at * step_s, cells_s);
      if ("errors" in told) return told;
      slices.push(told.ok);
      const ended = told.ok[1] === 1;
      const took_ms = performance.now() - begun;
      if (ended || at * step_s >= until_s || took_ms >= budget_ms) {
        return { ok: { slices, now_s: (told.ok[0] ?? 0) / 1e12, ended, took_ms } };
      }
    }
  }
}
