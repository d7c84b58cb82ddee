// How fast the page's engine simulates, beside the native one: `make bench-web`.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { spawnSync } from "node:child_process";
import { BROWSER, browser, open, serve, settled, TREE } from "./browser/page.mjs";

const REPEATS = 5;
const CASES = [
  ["dumbbell, 60 s", "python/dupack/starters/dumbbell.toml", ["duration=60 s"]],
  ["home, 60 s", "python/dupack/starters/home.toml", []],
  ["BPD on cells, 10 s", "papers/cohen-hamo-2001/fig-12-13.toml", ["duration=10 s"]],
];

if (!BROWSER) {
  console.log("no browser: install chromium, or name one in DUPACK_BROWSER");
  process.exit(0);
}
const [chrome, served] = await Promise.all([browser(), serve()]);
const page = await open(chrome, served.address);
await settled(page);
const least = (times) => Math.min(...times);
console.log(`Least of ${REPEATS} runs. "page" is a run at one go in the worker; "shown" is until the courses of the whole run are drawn.`);
for (const [name, path, sets] of CASES) {
  const plan = readFileSync(resolve(TREE, path), "utf8");
  const inside = await page.evaluate(
    async ([asked, repeats]) => {
      const [run, shown] = [[], []];
      for (let at = 0; at < repeats; at++) {
        const begun = performance.now();
        await window.lab.first.client.run(asked);
        run.push(performance.now() - begun);
        await window.lab.set({ ...window.lab.state, plan: asked.plan, sets: asked.sets, point: 0, seed: null, changes: [], losses: [], other: null });
        shown.push(window.lab.first.took_ms);
      }
      return { run, shown };
    },
    [{ plan, origin: "plan.toml", sets, point: 0, seed: null }, REPEATS],
  );
  const script = `
import sys, time
from pathlib import Path
from dupack import _native
from dupack.work import read_plan
plan = read_plan(Path(sys.argv[1]), sys.argv[2:])
for _ in range(${REPEATS}):
    begun = time.perf_counter()
    _native.run_one(plan, 0, plan.seeds[0], False)
    print((time.perf_counter() - begun) * 1e3)
`;
  const native = spawnSync(resolve(TREE, ".venv/bin/python"), ["-c", script, resolve(TREE, path), ...sets], { encoding: "utf8" });
  const ours = least(native.stdout.trim().split("\n").map(Number));
  const [run, shown] = [least(inside.run), least(inside.shown)];
  console.log(`${name}: native ${ours.toFixed(0)} ms, page ${run.toFixed(0)} ms (${(ours / run).toFixed(2)} of native speed), shown after ${shown.toFixed(0)} ms`);
}
// Frames while packets move: after the run, which shows what the browser reaches here; while one long run is simulated; and while a run begins twice a
// second. With what the page's own code takes for each.
const DRAWN = [
  ["dumbbell", ["duration=10000 s"]],
  ["leaf-spine", ["duration=20 s"]],
  ["cohen-hamo-2001/fig-12-13", ["duration=200 s"]],
];
const SECONDS = 5;
for (const [plan, sets] of DRAWN) {
  for (const how of ["after the run", "one long run", "a new run twice a second"]) {
    await page.goto("about:blank");
    await page.goto(`${served.address}#plan=${plan}`);
    await settled(page);
    const { frames, slowest, each, busy } = await page.evaluate(
      async ([seconds, sets, how]) => {
        const { lab } = window;
        const from = lab.state.at;
        lab.play(true);
        if (how.startsWith("one")) lab.change({ sets, at: from });
        const seed = how.startsWith("a new") && setInterval(() => lab.change({ seed: Math.floor(Math.random() * 1e6) }), 500);
        const [gaps, works] = [[], []];
        let busy = 0;
        let last = performance.now();
        const end = last + seconds * 1000;
        while (last < end) {
          await new Promise((next) => requestAnimationFrame(next));
          const now = performance.now();
          gaps.push(now - last);
          last = now;
          busy += lab.first.busy;
          // What runs after this callback in the frame is the page's.
          await new Promise((next) => setTimeout(next, 0));
          works.push(performance.now() - now);
        }
        clearInterval(seed);
        lab.play(false);
        gaps.sort((a, b) => a - b);
        works.sort((a, b) => a - b);
        return { frames: gaps.length / seconds, slowest: gaps[Math.floor(gaps.length * 0.95)], each: works[works.length >> 1], busy: busy / gaps.length };
      },
      [SECONDS, sets, how],
    );
    console.log(
      `${plan}, ${how}: ${frames.toFixed(0)} frames/s; 95 % within ${slowest.toFixed(0)} ms; work of a frame ${each.toFixed(1)} ms (median); the run was simulated during ${(100 * busy).toFixed(0)} % of them`,
    );
  }
}
await chrome.close();
served.end();
