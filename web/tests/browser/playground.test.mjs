// The playground in a real browser. Run by `make test-web`; what is marked "short" is also part of `make test`.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { addressed, BROWSER, browser, known, native, open, patient, serve, settled, told, TREE } from "./page.mjs";

const SHORT = process.env.DUPACK_SHORT === "1";
const SHOTS = resolve(import.meta.dirname, "../../shots");
const skip = BROWSER ? false : "no browser: install chromium, or name one in DUPACK_BROWSER";
const long = skip || (SHORT ? "make test-web runs it" : false);

function plans() {
  const files = (folder) => readdirSync(resolve(TREE, folder)).filter((file) => file.endsWith(".toml"));
  const starters = files("python/dupack/starters").map((file) => `python/dupack/starters/${file}`);
  const papers = readdirSync(resolve(TREE, "papers")).flatMap((paper) =>
    files(`papers/${paper}`)
      .filter((file) => !["paper.toml", "published.toml", "figures.toml", "readings.toml"].includes(file))
      .map((file) => `papers/${paper}/${file}`),
  );
  return SHORT ? [...starters, ...papers.filter((_, at) => at % 12 === 0)] : [...starters, ...papers];
}

/** Overrides with `seed` and so on as the page's `Asked` has them. */
const asked = (plan, sets) => ({ plan, origin: "plan.toml", sets, point: 0, seed: null });

/** Two texts are equal; of a difference only its surroundings are told. */
function same(got, want, what) {
  if (got === want) return;
  let at = 0;
  while (got[at] === want[at]) at += 1;
  assert.fail(`${what}, at ${at}: the page has ${got.slice(at - 60, at + 60)}, native ${want.slice(at - 60, at + 60)}`);
}

/** Memory that a process shares with no other [bytes]; 0 where the system does not tell. */
function own(process) {
  const path = `/proc/${process}/smaps_rollup`;
  if (!existsSync(path)) return 0;
  const kilobytes = [...readFileSync(path, "utf8").matchAll(/^Private_(?:Clean|Dirty): *(\d+) kB/gm)].map((found) => Number(found[1]));
  return kilobytes.reduce((sum, one) => sum + one, 0) * 1024;
}

describe("the playground", { skip }, () => {
  let chrome;
  let served;
  before(async () => {
    [chrome, served] = await Promise.all([browser(), serve()]);
  });
  after(async () => {
    await chrome?.close();
    served?.end();
  });

  test("short: every plan gives the native document, byte for byte, or the native errors", async () => {
    const page = await open(chrome, served.address);
    await patient(page);
    const sets = ["duration=2 s", "warm_up=0 s", "sample=none"];
    const all = plans();
    const want = native(all.map((path) => ({ path: resolve(TREE, path), sets })));
    let documents = 0;
    for (const path of all) {
      const plan = readFileSync(resolve(TREE, path), "utf8");
      const got = await page.evaluate((it) => window.lab.first.client.run(it), asked(plan, sets));
      const expected = want[resolve(TREE, path)];
      if ("errors" in expected) assert.ok("errors" in got, `${path}: native says ${expected.errors}`);
      else {
        documents += 1;
        same(got.ok?.replace(/"cpu_s":[-+.e0-9]+/, '"cpu_s":0.0') ?? String(got.errors), expected.ok, path);
      }
    }
    assert.ok(documents > all.length / 2, `${documents} of ${all.length} plans ran`);
    assert.deepEqual(page.errors, []);
    await page.context().close();
  });

  test("short: a link that is changed while it runs gives what the command line says", async () => {
    const page = await open(chrome, `${served.address}#plan=dumbbell&at=3&set=duration%3D8%20s`);
    await patient(page);
    const before = await page.evaluate(() => window.lab.first.text);
    await page.evaluate(() => window.lab.touch("bottleneck", { rate_bps: 5e6 }));
    await settled(page);
    await page.evaluate(() => {
      window.lab.seek(5);
      window.lab.touch("bottleneck", { up: false });
      window.lab.seek(5.5);
      window.lab.touch("bottleneck", { up: true });
      window.lab.lose("access-1", "bulk-1", 100);
    });
    await settled(page);
    const text = await page.evaluate(() => window.lab.first.text);
    assert.notEqual(text, before);
    const command = await page.locator(".command code").innerText();
    const done = told(`cd python/dupack/starters && ${command} --json`);
    assert.equal(done.status, 0, done.errors);
    const page_says = JSON.parse(text);
    const says = JSON.parse(done.text);
    for (const part of ["flows", "links", "summary"]) assert.deepEqual(page_says[part], says[part], part);
    assert.deepEqual(page.errors, []);
    await page.context().close();
  });

  test("short: packets move while time passes, and scrubbing back shows the same packets", async () => {
    const page = await open(chrome, `${served.address}#plan=dumbbell&at=2`);
    await settled(page);
    const packets = () =>
      page.evaluate(async () => {
        const { lab } = window;
        while (!lab.first.knows(lab.state.at)) await new Promise((resolve) => setTimeout(resolve, 20));
        return lab.first.near.at(lab.state.at, 0).map((leg) => [leg.flow, leg.kind, leg.number, leg.id, leg.link, leg.queued]);
      });
    const first = await packets();
    assert.ok(first.length > 5);
    await page.click(".play");
    await page.waitForFunction(() => window.lab.state.at > 2.001);
    await page.click(".play");
    await page.evaluate(() => window.lab.seek(20));
    assert.notDeepEqual(await packets(), first);
    await page.evaluate(() => window.lab.seek(2));
    assert.deepEqual(await packets(), first);
    await page.context().close();
  });

  test("packets after a return to an earlier time, and after a leap from there, are those of a run from the start", { skip: long }, async () => {
    for (const [plan, duration, times] of [["dumbbell", 60, [58, 5, 17.5, 57, 1.2]], ["leaf-spine", 0.3, [0.25, 0.02, 0.11, 0.26]], ["cohen-hamo-2001/fig-12-13", 3, [2.4, 0.2, 1.7, 2.5]]]) {
      const hash = `#plan=${plan}&at=${times[0]}&set=duration%3D${duration}%20s&set=warm_up%3D0%20s`;
      const seen = (page, at) =>
        page.evaluate((at) => {
          const { near } = window.lab.first;
          const legs = near.at(at, 0).map((leg) => [leg.flow, leg.connection, leg.kind, leg.number, leg.id, leg.link, leg.queued, leg.near, leg.packet].join());
          const cells = near.cells.map((of, link) => { const [first, end] = near.cellsOn(link, at); return of.times.slice(first, end).join(); });
          return { legs: legs.sort(), cells };
        }, at);
      const page = await open(chrome, `${served.address}${hash}`);
      await patient(page);
      let resumed = 0;
      await page.evaluate(() => {
        const { client } = window.lab.first;
        const { resume } = client;
        window.resumed = 0;
        client.resume = (id) => ((window.resumed += 1), resume(id));
      });
      for (const at of times) {
        await known(page, at);
        const got = await seen(page, at);
        assert.ok(got.legs.length > 3, `${plan} at ${at} s: ${got.legs.length} packets`);
        const other = await open(chrome, `${served.address}${hash.replace(/at=[^&]*/, `at=${at}`)}`);
        await patient(other);
        await known(other, at);
        assert.deepEqual(got, await seen(other, at), `${plan} at ${at} s`);
        await other.context().close();
        resumed = await page.evaluate(() => window.resumed);
      }
      assert.ok(resumed > 0, `${plan}: no snapshot was used`);
      assert.deepEqual(page.errors, []);
      await page.context().close();
    }
  });

  test("short: the address carries the whole state", async () => {
    const page = await open(chrome, `${served.address}#plan=home&at=4&set=duration%3D6%20s&set=warm_up%3D1%20s`);
    await settled(page);
    await page.evaluate(() => {
      window.lab.setting("link.uplink.queue", '{ kind = "codel" }');
      window.lab.change({ other: ['link.uplink.queue={ kind = "drop-tail", buffer = "50 packets" }'], seed: 7, flow: 1 });
    });
    await settled(page);
    await addressed(page);
    const texts = () => page.evaluate(() => window.lab.sides.map((side) => side.text));
    const [state, documents] = [await page.evaluate(() => window.lab.state), await texts()];
    assert.equal(documents.length, 2);
    assert.notEqual(documents[0], documents[1]);
    const address = page.url();
    assert.match(address, /#1\./);
    await page.goto("about:blank");
    await page.goto(address);
    await settled(page);
    assert.deepEqual(await page.evaluate(() => window.lab.state), state);
    assert.deepEqual(await texts(), documents);
    await page.context().close();
  });

  test("short: addresses that are damaged, huge or hostile end with an error, and the page lives", async () => {
    const page = await open(chrome, served.address);
    await settled(page);
    const lives = async () => {
      await page.evaluate(async () => {
        const { lab } = window;
        lab.errors = [];
        await lab.set({ ...lab.state, plan: 'duration = "1 s"\n[[host]]\nname = "a"\n[[host]]\nname = "b"\n[[link]]\nname = "l"\nfrom = "a"\nto = "b"\ncarries = "packets"\nrate = "1 Mb/s"\ndelay = "1 ms"\n[[flow]]\nname = "f"\nfrom = "a"\nto = "b"\n', sets: [], other: null, changes: [], losses: [] });
      });
      await settled(page);
      assert.deepEqual(await page.evaluate(() => window.lab.errors), []);
    };
    for (const hash of ["#1.AAAA", "#1.%%%", `#1.${"A".repeat(500_000)}`, "#plan=nothing", "#lesson=none"]) {
      await page.evaluate((it) => (location.hash = it), hash);
      await page.waitForFunction(() => window.lab.errors.some((error) => error.startsWith("address: ")));
      await lives();
    }
    // The page writes the address of its own state at any time, also before it hears of one that was entered.
    await page.evaluate(() => {
      const own = location.hash;
      location.hash = "#1.AAAA";
      history.replaceState(null, "", own);
    });
    await page.waitForFunction(() => window.lab.errors.some((error) => error.startsWith("address: ")));
    await lives();
    const endless = 'duration = "1000000 h"\ntopology = { kind = "dumbbell", senders = 2, bottleneck = { rate = "1 Tb/s", delay = "1 us", carries = "packets" }, access = { rate = "1 Tb/s", delay = "1 us", carries = "packets" } }\n[[flow]]\nname = "f"\nfrom = "source"\nto = "sink"\n';
    const deep = `a = ${"[".repeat(20_000)}${"]".repeat(20_000)}`;
    const wide = `duration = "1 s"\n${'[[host]]\nname = "h"\ncount = 100000000\n'}`;
    for (const plan of [deep, wide, "\u0000", "x".repeat(1 << 20), endless]) {
      await page.evaluate((plan) => window.lab.set({ ...window.lab.state, plan, sets: [], changes: [], losses: [], other: null }), plan);
      // An endless run is told of, or goes on while the page answers; it must not take the page with it.
      await page.waitForFunction(() => window.lab.errors.length > 0 || window.lab.first.errors.length > 0 || window.lab.first.busy);
      await lives();
    }
    // Markup in titles and names stays text.
    await page.evaluate(() => {
      const title = '<img src=x onerror="window.hit=1"><script>window.hit=1</script>';
      window.lab.change({ sets: [`title=${JSON.stringify(title)}`, "duration=1 s", "warm_up=0 s"], origin: `${title}.toml` });
    });
    await settled(page);
    assert.deepEqual(await page.evaluate(() => window.lab.errors), []);
    for (const tab of ["plan", "why", "results", "share"]) await page.click(`#tab-${tab}`);
    await page.evaluate(() => window.lab.change({ sets: [...window.lab.state.sets, `nothing.${window.lab.first.scene.title}=1`] }));
    await page.locator(".errors li").first().waitFor();
    assert.equal(await page.evaluate(() => window.hit), undefined);
    assert.equal(await page.locator("img[src=x]").count(), 0);
    await page.context().close();
  });

  test("short: nothing is asked of another host, and once loaded the page works without a network", async () => {
    const page = await open(chrome, "about:blank");
    const asked = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.goto(served.address);
    await settled(page);
    assert.ok(asked.length > 3);
    assert.deepEqual(asked.filter((url) => !url.startsWith(served.address) && !url.startsWith("data:") && !url.startsWith("blob:")), []);
    // It is active when all files are kept.
    await page.evaluate(() => navigator.serviceWorker.ready);
    await page.context().setOffline(true);
    await page.reload();
    await settled(page);
    assert.ok(await page.evaluate(() => window.lab.first.text.length > 0));
    await page.context().close();
  });

  test("short: an explanation is what the command line says", async () => {
    const page = await open(chrome, `${served.address}#plan=dumbbell&at=4`);
    await patient(page);
    const got = await page.evaluate(() => window.lab.first.explain("bulk-0", 4));
    const done = told("dupack explain python/dupack/starters/dumbbell.toml --flow bulk-0 --at '4 s' --json");
    const { title: _title, seed: _seed, ...want } = JSON.parse(done.text);
    assert.deepEqual(got.ok, want);
    await page.click("#tab-why");
    await page.locator(".events li button").first().click();
    await page.waitForSelector(".why li");
    await page.context().close();
  });

  test("each lesson asks first, runs, and checks the answer", { skip: long }, async () => {
    const page = await open(chrome, served.address);
    await settled(page);
    const chooser = page.locator("#choose-lesson");
    const lessons = (await chooser.locator("option").count()) - 1;
    assert.equal(lessons, 12);
    for (let number = 1; number <= lessons; number++) {
      await chooser.selectOption({ index: number });
      await settled(page);
      await page.waitForSelector(".lesson .primary");
      assert.equal(await page.locator(".courses").count(), 0, "nothing is shown before the answer");
      await page.locator(".lesson fieldset input").first().check();
      await page.click(".lesson .primary");
      await page.waitForSelector(".lesson .verdict");
      const words = await page.locator(".lesson .verdict").innerText();
      assert.match(words, /^(Right:|Not quite. The run shows:) .*\d/, `lesson ${number}`);
      assert.equal(await page.locator(".lesson .right").count(), 1);
    }
    assert.deepEqual(page.errors, []);
    await page.context().close();
  });

  test("axe finds no serious fault", { skip: long }, async () => {
    const script = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
    const views = [
      ["light", "plan=home&at=4", ["change", "plan", "why", "results", "share"]],
      ["dark", "plan=home&at=4&other=link.uplink.queue.kind%3Dcodel", ["change", "plan", "why", "results", "share"]],
      ["light", "lesson=reno-sawtooth", ["lesson"]],
      ["dark", "plan=home&set=duraton%3D1%20s", ["change", "plan"]],
    ];
    for (const [colorScheme, hash, tabs] of views) {
      const page = await open(chrome, `${served.address}#${hash}`, { colorScheme });
      await settled(page);
      for (const tab of tabs) {
        await page.click(`#tab-${tab}`);
        await page.waitForSelector(`#tab-${tab}[aria-selected=true]`);
        // The page's policy forbids scripts of tests too; the browser's own world does not.
        const faults = await page.context().newCDPSession(page).then(async (session) => {
          await session.send("Runtime.evaluate", { expression: script });
          const answer = await session.send("Runtime.evaluate", { expression: "axe.run().then((it) => JSON.stringify(it.violations))", awaitPromise: true });
          return JSON.parse(answer.result.value);
        });
        const serious = faults.filter((one) => ["serious", "critical"].includes(one.impact));
        assert.deepEqual(serious.map((one) => `${one.id}: ${one.nodes[0].html}`), [], `${tab}, ${colorScheme}`);
      }
      await page.context().close();
    }
  });

  test("screenshots are kept", { skip: long }, async () => {
    mkdirSync(SHOTS, { recursive: true });
    const views = [
      ["home", "plan=home&at=12.3"],
      ["ab", "plan=home&at=12.3&other=link.uplink.queue%3D%7B%20kind%20%3D%20%22codel%22%20%7D"],
      ["cells", "plan=cohen-hamo-2001/fig-12-13&at=0.5&set=duration%3D2%20s"],
      ["lesson", "lesson=codel"],
    ];
    for (const [name, hash] of views) {
      for (const colorScheme of ["light", "dark"]) {
        for (const width of [1440, 380]) {
          const page = await open(chrome, `${served.address}#${hash}`, { colorScheme, viewport: { width, height: 900 }, reducedMotion: "reduce" });
          await settled(page);
          await page.waitForFunction(() => window.lab.sides.every((side) => side.knows(window.lab.state.at)));
          // The picture of the next frame but one has it all.
          await page.evaluate(() => new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(next)))));
          assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width, `${name}: wider than ${width}`);
          await page.screenshot({ path: resolve(SHOTS, `${name}-${width}-${colorScheme}.png`) });
          await page.context().close();
        }
      }
    }
  });

  test("memory stays bounded while it plays", { skip: long }, async () => {
    const minutes = Number(process.env.DUPACK_SOAK ?? 1);
    const page = await open(chrome, `${served.address}#plan=home`);
    await settled(page);
    const renderers = (await (await chrome.newBrowserCDPSession()).send("SystemInfo.getProcessInfo")).processInfo.filter((one) => one.type === "renderer").map((one) => one.id);
    const session = await page.context().newCDPSession(page);
    await page.evaluate(() => {
      window.lab.change({ speed: 1 });
      window.lab.play(true);
    });
    const end = Date.now() + minutes * 60_000;
    let [most, whole] = [0, 0];
    while (Date.now() < end) {
      await page.waitForTimeout(2000);
      await page.evaluate(() => {
        const { lab } = window;
        if (!lab.playing) lab.play(true);
        // The reader drags the rate up and down meanwhile.
        lab.change({ changes: [{ at_s: 1 + Math.round(Math.random() * 50), link: "uplink", back: false, rate_bps: 1e6 * (1 + Math.round(Math.random() * 9)) }] });
      });
      await session.send("HeapProfiler.collectGarbage");
      const { usedSize } = await session.send("Runtime.getHeapUsage");
      most = Math.max(most, usedSize);
      whole = Math.max(whole, ...renderers.map(own));
    }
    console.log(`most memory in ${minutes} min: ${(most / 2 ** 20).toFixed(0)} MiB of the page's objects, ${(whole / 2 ** 20).toFixed(0)} MiB of its process, workers and modules included`);
    assert.ok(Math.max(most, whole) < 300 * 2 ** 20);
    assert.deepEqual(page.errors, []);
    await page.context().close();
  });
});
