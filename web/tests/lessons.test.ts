/** Each lesson's plan runs, its answer follows from the runs with a margin, and what it tells the reader to look at is there. */

import { existsSync, readFileSync } from "node:fs";
import { env } from "node:process";
import { beforeAll, describe, expect, test } from "vitest";
import type { Asked, Document } from "../src/engine/protocol";
import { Engine } from "../src/engine/wasm";
import { LESSONS } from "../src/lessons/index";
import type { Lesson } from "../src/lessons/lesson";
import { History } from "../src/model/history";
import { bundled } from "../src/state/plans";

const WASM = env.DUPACK_WASM ?? new URL("../src/engine/dupack.wasm", import.meta.url);
const built = existsSync(WASM);
if (!built) console.warn(`lessons are not run: there is no ${WASM}; make web builds it, or name one in DUPACK_WASM`);

const SEEDS = [1, 2, 3, 4, 5];
/** An event is this near to the time at which a text claims it [s]. */
const NEAR = 0.005;
/** A queue has the length that a text claims within this time [s] and number of units. */
const [AROUND, UNITS] = [0.02, 3];

/** A change of each lesson's first setting that makes another choice right: an answer is no constant. */
const CHANGED: { [id: string]: { sets: string[]; answer: number } } = {
  "reno-sawtooth": { sets: ["link.bottleneck.queue.buffer=43 packets"], answer: 3 },
  "buffers-bloat": { sets: ["link.uplink.queue.buffer=17 packets"], answer: 3 },
  "go-back-n": { sets: ["flow.user.transport.window=10 segments"], answer: 1 },
  "two-losses": { sets: ["flow.*.transport.initial_ssthresh=12 segments"], answer: 0 },
  synchronisation: { sets: ["duration=0.5 s"], answer: 0 },
  "rtt-fairness": { sets: ["link.far-access.delay=5 ms"], answer: 0 },
  red: { sets: ["link.bottleneck.queue.weight=1.0"], answer: 2 },
  codel: { sets: ['link.bottleneck.queue={ kind = "drop-tail", buffer = "500 packets" }'], answer: 2 },
  incast: { sets: ["topology.senders=8"], answer: 1 },
  cells: { sets: ['link.bottleneck.queue={ kind = "epd", buffer = "1200 cells", threshold = 0.4 }'], answer: 3 },
  "packet-pair": { sets: ['link.bottleneck.queue={ kind = "drop-tail", buffer = "120 packets" }'], answer: 2 },
  bbr: { sets: ["flow.bulk.transport.kind=newreno"], answer: 2 },
};

/** Events that words of a text claim. */
const CLAIMS: [RegExp, string][] = [
  [/\bdrop(s|ped)?\b|\blost on\b/, "drop"],
  [/fast retransmit/, "fast_retransmit"],
  [/retransmission timers? /, "timeout"],
];

async function asked(lesson: Lesson, sets: string[], seed: number | null = null): Promise<Asked> {
  if ("text" in lesson.plan) return { plan: lesson.plan.text, origin: "plan.toml", sets, point: 0, seed };
  const found = bundled(lesson.plan.bundled);
  if (!found) throw new Error(`no bundled plan ${lesson.plan.bundled}`);
  return { plan: await found.text(), origin: found.origin, sets, point: 0, seed };
}

function ok<T>(answer: { ok: T } | { errors: string[] }): T {
  if ("errors" in answer) throw new Error(answer.errors.join("\n"));
  return answer.ok;
}

test("lessons have their own ids, and grow harder", () => {
  expect(new Set(LESSONS.map((one) => one.id)).size).toBe(LESSONS.length);
  expect(LESSONS.length).toBe(12);
  expect(LESSONS.map((one) => one.level)).toEqual(LESSONS.map((one) => one.level).sort());
  expect(Object.keys(CHANGED).sort()).toEqual(LESSONS.map((one) => one.id).sort());
});

describe.each(LESSONS.map((lesson) => ({ name: lesson.id, lesson })))("$name", ({ lesson }) => {
  test("has what a lesson needs", () => {
    expect(lesson.id).toMatch(/^[a-z]+(-[a-z]+)*$/);
    expect(lesson.choices.length).toBeGreaterThanOrEqual(3);
    expect(lesson.choices.length).toBeLessThanOrEqual(4);
    expect(lesson.question.endsWith("?")).toBe(true);
    for (const list of [lesson.text, lesson.why, lesson.look, lesson.try, lesson.references]) expect(list.length).toBeGreaterThan(0);
    const words = [lesson.question, ...lesson.choices, ...lesson.text, ...lesson.why, ...lesson.look.map((one) => one.text), ...lesson.try];
    for (const paragraph of words) {
      for (const sentence of paragraph.split(/[.;:?!] /)) expect(sentence.split(" ").length, sentence).toBeLessThanOrEqual(40);
    }
  });

  describe.skipIf(!built)("with the engine", () => {
    let engine: Engine;
    beforeAll(async () => {
      engine = await Engine.load(await WebAssembly.compile(readFileSync(WASM)));
    });

    const run = async (sets: string[], seed: number | null): Promise<Document> => JSON.parse(ok(engine.run(await asked(lesson, sets, seed)))) as Document;
    const both = async (sets: string[], seed: number | null): Promise<[Document, Document | null]> => [
      await run(sets, seed),
      lesson.other && (await run([...lesson.sets, ...lesson.other], seed)),
    ];

    test("gives the same answer for five seeds", async () => {
      const answers: number[] = [];
      for (const seed of [null, ...SEEDS]) {
        const [first, second] = await both(lesson.sets, seed);
        const answer = lesson.answer(first, second);
        answers.push(answer);
        expect(lesson.choices[answer]).toBeDefined();
        const shown = lesson.shown(first, second);
        expect(shown).not.toMatch(/NaN|undefined|Infinity|unknown|null/);
        if (env.SHOW) console.log(`${lesson.id}, seed ${seed ?? "of the plan"}: choice ${answer}. ${shown}`);
      }
      expect(new Set(answers).size, String(answers)).toBe(1);
    });

    test("gives another answer for another plan", async () => {
      const change = CHANGED[lesson.id];
      const [first, second] = await both(lesson.sets, null);
      const [changed] = await both([...lesson.sets, ...(change?.sets ?? [])], null);
      expect(lesson.answer(changed, second)).toBe(change?.answer);
      expect(lesson.answer(first, second)).not.toBe(change?.answer);
    });

    test("shows what it says at the times that it names", async () => {
      const it = await asked(lesson, lesson.sets);
      const history = new History(ok(engine.open(0, it)), true);
      while (!history.ended) for (const slice of ok(engine.advances(0, history.now, Infinity, 0.001, Infinity)).slices) history.add(slice);
      if (env.SHOW) {
        for (const { at, event, flow } of history.happenings.slice(0, 60)) console.log(`${at.toFixed(4)} ${event} ${history.scene.flows[flow]?.name}`);
      }
      for (const { at_s, text } of lesson.look) {
        expect(at_s).toBeGreaterThanOrEqual(0);
        expect(at_s).toBeLessThanOrEqual(history.now);
        const around = history.happenings.filter((one) => Math.abs(one.at - at_s) <= NEAR).map((one) => one.event);
        for (const [words, event] of CLAIMS) {
          if (words.test(text)) expect(around, `${at_s} s: ${text}`).toContain(event);
        }
        const packets = /(?:queue|buffer|wait).*?\b(\d+) packets|\b(\d+) packets.*(?:queue|buffer|wait)/.exec(text);
        if (packets) {
          const lengths = history.backlog.map((units) => Math.max(0, ...units.filter((_, at) => Math.abs((history.times[at] ?? 0) - at_s) <= AROUND)));
          const nearest = Math.min(...lengths.map((units) => Math.abs(units - Number(packets[1] ?? packets[2]))));
          expect(nearest, `${at_s} s: ${text}, not ${lengths}`).toBeLessThanOrEqual(UNITS);
        }
        const again = /(?:([A-Z]\w+) )?sends segment (\d+) again/.exec(text);
        if (again) {
          const flow = history.scene.flows.find((one) => one.name === again[1]?.toLowerCase())?.name ?? null;
          const { steps } = ok(engine.explain(it, flow, Math.round(at_s * 1e12)));
          const found = steps.filter((one) => Math.abs(one.time_s - at_s) <= NEAR).map((one) => one.text);
          expect(found.join(" "), `${at_s} s: ${text}`).toContain(`Segment ${again[2]} is sent again.`);
        }
      }
    });
  });
});
