/** The worker: one request after the other, each with an answer of the same number. */

import address from "./dupack.wasm?url";
import { Engine, Exhausted, Panic } from "./wasm";
import type { Request } from "./protocol";

/** The module's memory never shrinks, and each session leaves its network there: beyond this the next run has a new module [bytes]. */
const LARGE = 150 << 20;

let compiled: Promise<WebAssembly.Module> | undefined;
let large = false;
let engine: Promise<Engine> | undefined;

function start(): Promise<Engine> {
  // The address is of this build: a page never gets the module of another.
  compiled ??= WebAssembly.compileStreaming(fetch(address));
  return (engine ??= compiled.then((module) => Engine.load(module)));
}

self.onmessage = async ({ data }: MessageEvent<{ id: number; request: Request }>) => {
  const { id, request } = data;
  try {
    // A session that begins in slot 0 follows the end of the others.
    if (large && request.what === "open" && request.slot === 0) engine = undefined;
    const it = await start();
    const answer = serve(it, request);
    const moved = "ok" in answer && slices(answer.ok);
    self.postMessage({ id, answer }, { transfer: moved ? moved.map((slice) => slice.buffer as ArrayBuffer) : [] });
    large = it.memory > LARGE;
  } catch (error) {
    engine = undefined;
    const words =
      error instanceof Exhausted ? error.message
      : error instanceof Panic ? `internal error: ${error.message}; please report it with the plan` : String(error);
    self.postMessage({ id, answer: { errors: [words] } });
  }
};

function slices(ok: unknown): Float64Array[] | undefined {
  return typeof ok === "object" && ok !== null && "slices" in ok ? (ok.slices as Float64Array[]) : undefined;
}

function serve(engine: Engine, request: Request): { ok: unknown } | { errors: string[] } {
  switch (request.what) {
    case "check":
      return engine.check(request.asked);
    case "settle":
      return engine.settle(request.asked);
    case "finish":
      return engine.finish(request.slot);
    case "run":
      return engine.run(request.asked);
    case "explain":
      return engine.explain(request.asked, request.flow, request.at_ps);
    case "record":
      return engine.record(request.asked, request.qlog);
    case "catalogue":
      return { ok: engine.catalogue() };
    case "build":
      return { ok: engine.build() };
    case "open":
      return engine.open(request.slot, request.asked);
    case "advance":
      return engine.advances(request.slot, request.from_s, request.until_s, request.step_s, request.budget_ms, request.cells_s);
  }
}
