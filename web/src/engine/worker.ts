/** The worker: one request after the other, each with an answer of the same number. */

import address from "./dupack.wasm?url";
import { Engine, Exhausted, Panic } from "./wasm";
import { NEAR, type Request } from "./protocol";

/** A module's memory never shrinks, and each session leaves its network there: beyond this the next session has a new module [bytes]. */
const LARGE = 150 << 20;
/** The same of the module whose snapshots are kept. */
const LARGE_NEAR = 24 << 20;

type Reply = { ok: unknown } | { errors: string[] };

let compiled: Promise<WebAssembly.Module> | undefined;
/** For everything but packets, and for packets. So a snapshot has nothing but the session of packets. */
let engine: Promise<Engine> | undefined;
let near: Promise<Engine> | undefined;
/** How large each of them was after its last answer [bytes]. */
let [size, sizeNear] = [0, 0];
const snapshots = new Map<number, Uint8Array<ArrayBuffer>>();
/** Snapshots that are no longer wanted: their memory is used again, because it would be collected late. */
const spare: Uint8Array<ArrayBuffer>[] = [];
let last = 0;

function start(): Promise<Engine> {
  // The address is of this build: a page never gets the module of another.
  compiled ??= WebAssembly.compileStreaming(fetch(address));
  return compiled.then((module) => Engine.load(module));
}

self.onmessage = async ({ data }: MessageEvent<{ id: number; request: Request }>) => {
  const { id, request } = data;
  const packets = ["keep", "resume", "forget"].includes(request.what) || ("slot" in request && request.slot === NEAR);
  try {
    const answer = packets ? await ofPackets(request) : await ofAll(request);
    const moved = "ok" in answer && slices(answer.ok);
    self.postMessage({ id, answer }, { transfer: moved ? moved.map((slice) => slice.buffer as ArrayBuffer) : [] });
  } catch (error) {
    if (packets) near = undefined;
    else engine = undefined;
    const words =
      error instanceof Exhausted ? error.message
      : error instanceof Panic ? `internal error: ${error.message}; please report it with the plan` : String(error);
    self.postMessage({ id, answer: { errors: [words] } });
  }
};

async function ofAll(request: Request): Promise<Reply> {
  if (size > LARGE && request.what === "open") engine = undefined;
  const it = await (engine ??= start());
  const answer = serve(it, request);
  size = it.memory;
  return answer;
}

async function ofPackets(request: Request): Promise<Reply> {
  if (request.what === "forget") {
    forget(request.ids);
    return { ok: null };
  }
  if (request.what === "resume") return resumed(request.id);
  if (request.what === "open") {
    forget([...snapshots.keys()]);
    if (sizeNear > LARGE_NEAR) near = undefined;
  }
  const it = await (near ??= start());
  if (request.what === "keep") {
    if (it.memory > request.most) return { errors: [`snapshot: ${it.memory} bytes, at most ${request.most}`] };
    const snapshot = it.snapshot(spare.pop());
    snapshots.set(++last, snapshot);
    return { ok: { id: last, bytes: snapshot.length } };
  }
  const answer = serve(it, request);
  sizeNear = it.memory;
  return answer;
}

function forget(ids: number[]): void {
  for (const id of ids) {
    const snapshot = snapshots.get(id);
    if (snapshot) spare.push(snapshot);
    snapshots.delete(id);
  }
}

async function resumed(id: number): Promise<Reply> {
  const snapshot = snapshots.get(id);
  if (!snapshot) return { errors: [`snapshot ${id}: there is none`] };
  let it = await (near ??= start());
  // A memory cannot shrink: what follows would begin behind its end, and it would grow with each return.
  if (!it.fits(snapshot)) it = await (near = start());
  it.become(snapshot);
  sizeNear = it.memory;
  return { ok: null };
}

function slices(ok: unknown): Float64Array[] | undefined {
  return typeof ok === "object" && ok !== null && "slices" in ok ? (ok.slices as Float64Array[]) : undefined;
}

function serve(engine: Engine, request: Request): Reply {
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
    default:
      return { errors: [`${request.what}: not of a session`] };
  }
}
