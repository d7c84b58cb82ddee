/** A run that goes on from a snapshot is the run that was never divided. */

import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type Asked, NEAR } from "../src/engine/protocol";
import { Engine } from "../src/engine/wasm";
import { History, type Leg } from "../src/model/history";
import { bundled } from "../src/state/plans";

const WASM = new URL("../src/engine/dupack.wasm", import.meta.url);
const PLANS: [string, number][] = [
  ["dumbbell", 6],
  ["atm", 0.5],
  ["incast", 0.006],
  ["home", 4],
  ["leaf-spine", 0.02],
];

function ok<T>(answer: { ok: T } | { errors: string[] }): T {
  if ("errors" in answer) throw new Error(answer.errors.join("\n"));
  return answer.ok;
}

describe.skipIf(!existsSync(WASM)).each(PLANS)("%s", (key, end) => {
  const step = end / 40;
  const slices = (engine: Engine, from: number, until: number): Float64Array[] =>
    ok(engine.advances(NEAR, from, until, step, Infinity)).slices;
  const under_way = (history: History, time: number): string[] =>
    history
      .at(time, 0)
      .map(({ flow, connection, kind, number, id, link, queued, near, far, packet }: Leg) => [flow, connection, kind, number, id, link, queued, near, far, packet].join())
      .sort();

  test("goes on as before, in the same module and in another", async () => {
    const compiled = await WebAssembly.compile(readFileSync(WASM));
    const engine = await Engine.load(compiled);
    const found = bundled(key);
    if (!found) throw new Error(`no plan ${key}`);
    const asked: Asked = { plan: await found.text(), origin: found.origin, sets: [`duration=${end} s`, "warm_up=0 s"], point: 0, seed: null, packets: true };
    const scene = ok(engine.open(NEAR, asked));
    const history = new History(scene, false);
    for (const slice of slices(engine, 0, end / 2)) history.add(slice);
    const snapshot = engine.snapshot();
    const known = history.copy();
    const rest = slices(engine, end / 2, end);
    const document = ok(engine.finish(NEAR));
    const other = await Engine.load(compiled);
    const again = [other];
    if (engine.fits(snapshot)) again.push(engine);
    for (const one of again) {
      one.become(snapshot);
      expect(slices(one, end / 2, end)).toEqual(rest);
      expect(ok(one.finish(NEAR))).toBe(document);
    }
    // What is known of packets goes on as well, of those under way and of all later ones.
    for (const slice of rest) {
      history.add(slice);
      known.add(slice);
    }
    let seen = 0;
    for (let at = end / 2; at < end; at += step / 3) {
      const want = under_way(history, at);
      expect(under_way(known, at), `${at} s`).toEqual(want);
      seen += want.length;
    }
    expect(seen).toBeGreaterThan(10);
  });
});
