// What a reader does with the page: forms, files, keys, frames. Run by `make test-web`.

import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { BROWSER, browser, BUILT, close, download, file, fresh as opened, host, native, open, serve, settled, told, TREE } from "./page.mjs";

const skip = BROWSER ? (process.env.DUPACK_SHORT === "1" ? "make test-web runs it" : false) : "no browser: install chromium, or name one in DUPACK_BROWSER";
const DUMBBELL = resolve(TREE, "python/dupack/starters/dumbbell.toml");

/** Words that need what a form cannot guess, and why. */
const APART = new Map([
  ["transport udp", "the application's rate is wanted"],
  ["traffic trace", "a file is wanted"],
  ["traffic random-file", "sizes are wanted"],
  ["loss script", "packets are wanted"],
]);

/** In the page: of the pixels that a picture has beside its ground, those which a drawing has as well. */
async function alike_of({ png, svg }) {
  const pixels = async (blob) => {
    const image = Object.assign(new Image(), { src: URL.createObjectURL(blob) });
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, image.width, image.height).data;
  };
  const bytes = Uint8Array.from(atob(png), (letter) => letter.charCodeAt(0));
  const [one, other] = [await pixels(new Blob([bytes], { type: "image/png" })), await pixels(new Blob([svg], { type: "image/svg+xml" }))];
  const far = (a, at, b, of) => Math.max(...[0, 1, 2].map((part) => Math.abs(a[at + part] - b[of + part])));
  let [ink, alike] = [0, 0];
  for (let at = 0; at < one.length; at += 4) {
    // The corner is ground.
    if (far(one, at, one, 0) <= 60) continue;
    ink += 1;
    if (one.length === other.length && far(one, at, other, at) < 60) alike += 1;
  }
  return { ink, alike: alike / ink, title: new DOMParser().parseFromString(svg, "image/svg+xml").querySelector("title").textContent };
}

describe("using the playground", { skip }, () => {
  let chrome;
  let served;
  before(async () => {
    [chrome, served] = await Promise.all([browser(), serve()]);
  });
  after(async () => {
    await chrome?.close();
    served?.end();
  });

  /** The command line's document for what is shown, without what a run does not determine. */
  const commanded = async (page, folder = "python/dupack/starters") => {
    const command = await page.locator(".command code").innerText();
    const done = told(`cd ${folder} && ${command} --json`);
    assert.equal(done.status, 0, done.errors);
    const { flows, links, summary } = JSON.parse(done.text);
    return { flows, links, summary };
  };
  const shown = async (page) => {
    const { flows, links, summary } = JSON.parse(await page.evaluate(() => window.lab.first.text));
    return { flows, links, summary };
  };
  const fresh = (hash, options) => opened(chrome, `${served.address}${hash}`, options);

  test("every word of the forms can be chosen, and gives the native document", async () => {
    const page = await fresh("#plan=dumbbell&set=duration%3D2%20s&set=warm_up%3D0%20s&set=sample%3Dnone");
    await page.locator("#panel summary", { hasText: "bottleneck" }).first().waitFor();
    const got = [];
    for (const [family, path] of [
      ["queue", "link.bottleneck.queue"],
      ["transport", "flow.bulk.transport"],
      ["traffic", "flow.bulk.traffic"],
      ["loss", "link.bottleneck.loss"],
    ]) {
      const select = page.locator(`select[data-path="${path}"]`);
      const words = await select.locator("option").evaluateAll((all) => all.map((one) => one.value).filter((one) => one !== "" && one !== "none"));
      assert.ok(words.length >= { queue: 20, transport: 12, traffic: 3, loss: 2 }[family], `${family}: ${words}`);
      for (const word of words.filter((word) => !APART.has(`${family} ${word}`))) {
        await page.evaluate(() => window.lab.change({ sets: window.lab.state.sets.slice(0, 3) }));
        await settled(page);
        await select.selectOption(word);
        await settled(page);
        const { errors, sets, text } = await page.evaluate(() => ({ errors: window.lab.errors, sets: window.lab.state.sets, text: window.lab.first.text }));
        assert.deepEqual(errors, [], `${family} ${word}`);
        assert.ok(sets.some((set) => set.startsWith(`${path}=`)), `${family} ${word}: ${sets}`);
        got.push({ name: `${family} ${word}`, sets, text: text.replace(/"cpu_s":[-+.e0-9]+/, '"cpu_s":0.0') });
      }
    }
    for (const { name, sets, text } of got) assert.equal(native([{ path: DUMBBELL, sets }])[DUMBBELL].ok, text, name);
    for (const word of ["cake", "dualpi2", "queue-protection", "fq-codel"]) assert.ok(got.some((one) => one.name === `queue ${word}`), word);
    for (const word of ["bbr3", "cubic", "dctcp"]) assert.ok(got.some((one) => one.name === `transport ${word}`), word);
    await close(page);
  });

  test("today's words run together: a schedule, bbr3 with rack-tlp, cake", async () => {
    const sets = [
      "duration=6 s",
      'link.bottleneck.schedule={ steps = [{ at = "0.5 s", rate = "4 Mb/s" }, { at = "1 s", delay = "40 ms" }], every = "2 s" }',
      'link.bottleneck.queue={ kind = "cake" }',
      'flow.bulk.transport={ control = "bbr3", repair = "rack-tlp" }',
    ];
    const page = await fresh(`#plan=dumbbell&at=3.2${sets.map((set) => `&set=${encodeURIComponent(set)}`).join("")}`);
    assert.deepEqual(await page.evaluate(() => window.lab.errors), []);
    assert.deepEqual(await shown(page), await commanded(page));
    // A touch keeps the steps of the plan, also those that are repeated.
    const before = await page.evaluate(() => window.lab.first.text);
    await page.evaluate(() => window.lab.touch("bottleneck", { up: true }));
    await settled(page);
    const [untouched, touched] = [before, await page.evaluate(() => window.lab.first.text)].map((text) => JSON.parse(text).flows);
    assert.deepEqual(touched, untouched);
    assert.deepEqual(await shown(page), await commanded(page));
    await close(page);
  });

  test("rate, delay, a broken link, a lost packet and another flow: the command line gives the same", async () => {
    const page = await fresh("#plan=dumbbell&at=3&set=duration%3D8%20s");
    const before = await shown(page);
    const slide = async (label, steps) => {
      const slider = page.locator(".now label", { hasText: label }).locator("input");
      await slider.focus();
      for (let at = 0; at < steps; at++) await slider.press("ArrowLeft");
      await settled(page);
    };
    await slide("Rate", 10);
    const slower = await shown(page);
    assert.notDeepEqual(slower, before);
    await slide("Delay", 10);
    const nearer = await shown(page);
    assert.notDeepEqual(nearer, slower);
    await page.evaluate(() => window.lab.seek(4));
    await page.click("text=Break this link");
    await settled(page);
    await page.evaluate(() => window.lab.seek(4.2));
    await page.click("text=Repair this link");
    await settled(page);
    assert.notDeepEqual(await shown(page), nearer);
    const losses = async () => (await shown(page)).links.reduce((sum, link) => sum + (link.dropped.script ?? 0), 0);
    assert.equal(await losses(), 0);
    await page.evaluate(() => window.lab.seek(6));
    await page.waitForFunction(() => window.lab.first.knows(6));
    await page.click("text=Drop the next packet");
    await settled(page);
    assert.equal(await losses(), 1);
    // It is the next one: nothing that the flow sends before is another.
    await page.waitForFunction(() => window.lab.first.knows(6.2) || (window.lab.seek(6.2), false));
    const lost = await page.evaluate(() => window.lab.first.near.legs.filter((leg) => leg.ofLine && leg.flow === 0).map((leg) => leg.dropped));
    assert.equal(lost.length, 1);
    assert.ok(lost[0] > 6 && lost[0] < 6.2, String(lost));
    await page.locator("summary", { hasText: "Add a flow" }).click();
    await page.locator("button", { hasText: /^Add it/ }).click();
    await settled(page);
    const all = await shown(page);
    assert.equal(all.flows.length, before.flows.length + 1);
    assert.ok(all.flows.at(-1).segments_delivered > 0);
    // The added flow is in the plan's text, which the command line does not have: save it as a file, as a reader would.
    await page.click("#tab-share");
    const { bytes } = await download(page, "text=Plan (TOML)");
    const saved = join(mkdtempSync(join(tmpdir(), "dupack-")), "saved.toml");
    writeFileSync(saved, bytes);
    const done = told(`dupack run ${saved} --json`);
    assert.equal(done.status, 0, done.errors);
    const { flows, links, summary } = JSON.parse(done.text);
    assert.deepEqual({ flows, links, summary }, all);
    await close(page);
  });

  test("a plan is opened from a file, and by drag and drop; what is wrong in it is told as on the command line", async () => {
    const page = await fresh("#plan=home");
    const folder = mkdtempSync(join(tmpdir(), "dupack-"));
    const text = readFileSync(DUMBBELL, "utf8");
    writeFileSync(join(folder, "mine.toml"), text);
    writeFileSync(join(folder, "wrong.toml"), text.replace('"newreno"', '"newrno"').replace("duration", "duraton"));
    await page.click("#tab-plan");
    await page.locator("input[type=file]").setInputFiles(join(folder, "mine.toml"));
    await page.waitForFunction(() => window.lab.done && window.lab.state.origin === "mine.toml");
    const { flows } = JSON.parse(await page.evaluate(() => window.lab.first.text));
    assert.equal(flows[0].name, "bulk-0");
    await page.evaluate((wrong) => {
      const data = new DataTransfer();
      data.items.add(new File([wrong], "wrong.toml"));
      document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
    }, readFileSync(join(folder, "wrong.toml"), "utf8"));
    await page.waitForFunction(() => window.lab.done && window.lab.errors.length > 0);
    await settled(page);
    const lines = await page.locator(".errors li").allInnerTexts();
    const { status, errors } = told(`cd ${folder} && dupack check wrong.toml`);
    assert.notEqual(status, 0);
    for (const line of lines) assert.ok(errors.includes(line), `the command line does not say ${line}, but ${errors}`);
    assert.ok(lines.some((line) => line.includes("duraton")));
    await close(page);
  });

  test("keys play, step and go to the ends; tabs follow the arrows", async () => {
    const page = await fresh("#plan=dumbbell&at=3");
    await page.waitForFunction(() => window.lab.first.knows(3));
    const at = () => page.evaluate(() => window.lab.state.at);
    await page.locator("body").focus();
    await page.keyboard.press("ArrowRight");
    const next = await at();
    assert.ok(next > 3 && next < 3.01, String(next));
    await page.keyboard.press("ArrowLeft");
    assert.ok((await at()) <= 3);
    await page.keyboard.press("Space");
    await page.waitForFunction(() => window.lab.playing && window.lab.state.at > 3.0005);
    await page.keyboard.press("Space");
    assert.equal(await page.evaluate(() => window.lab.playing), false);
    await page.keyboard.press("End");
    assert.equal(await at(), await page.evaluate(() => window.lab.end));
    await page.keyboard.press("Home");
    assert.equal(await at(), 0);
    await page.focus("#tab-change");
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction(() => document.activeElement?.id === "tab-plan");
    // Every control can be reached: nothing is for the pointer alone but the canvas, which has tables beside it.
    const names = await page.evaluate(() => [...document.querySelectorAll("button, input, select, textarea, summary, a")].filter((one) => one.tabIndex < 0 && one.getAttribute("role") !== "tab").length);
    assert.equal(names, 0);
    await close(page);
  });

  test("the tables say what the canvas shows", async () => {
    const page = await fresh("#plan=dumbbell&at=4");
    await page.waitForFunction(() => window.lab.first.knows(4));
    await page.locator(".table-view summary").click();
    const want = await page.evaluate(() => {
      const { scene, near } = window.lab.first;
      return scene.links.map((link, index) => [link.name, String(near.at(4, 0).filter((leg) => leg.link === index && leg.near <= 4).length)]);
    });
    const rows = await page.locator(".table-view table").first().locator("tbody tr").evaluateAll((all) => all.map((row) => [row.children[0].textContent, row.children[2].textContent]));
    assert.deepEqual(rows, want);
    assert.ok(want.some(([, on]) => Number(on) > 0));
    await close(page);
  });

  test("without motion nothing moves by itself, and a drop stays where it is", async () => {
    const page = await fresh("#lesson=reno-sawtooth", { reducedMotion: "reduce" });
    await page.locator(".lesson fieldset input").first().check();
    await page.click(".lesson .primary");
    await page.waitForSelector(".lesson .verdict");
    assert.equal(await page.evaluate(() => window.lab.playing), false);
    await close(page);
  });

  test("two settings have the same seed and the same time", async () => {
    const page = await fresh("#plan=dumbbell&at=2&seed=5&other=link.bottleneck.queue%3D%7B%20kind%20%3D%20%22codel%22%20%7D");
    await page.click(".play");
    await page.waitForFunction(() => window.lab.state.at > 2.01 && window.lab.sides.length === 2);
    await page.click(".play");
    await page.waitForFunction(() => window.lab.sides.every((side) => side.knows(window.lab.state.at)));
    const [a, b] = await page.evaluate(() => window.lab.sides.map((side) => JSON.parse(side.text)));
    assert.deepEqual([a.seed, b.seed], [5, 5]);
    assert.deepEqual([a.links, b.links].map((links) => links.find((link) => link.name === "bottleneck").queue), ["drop-tail", "codel"]);
    // Setting B alone is the same run.
    const alone = await fresh("#plan=dumbbell&seed=5&set=link.bottleneck.queue%3D%7B%20kind%20%3D%20%22codel%22%20%7D");
    assert.deepEqual(JSON.parse(await alone.evaluate(() => window.lab.first.text)).flows, b.flows);
    await close(alone);
    await close(page);
  });

  test("each setting's files are those of its run", async () => {
    const codel = "link.bottleneck.queue%3D%7B%20kind%20%3D%20%22codel%22%20%7D";
    const page = await fresh(`#plan=dumbbell&set=duration%3D3%20s&set=warm_up%3D1%20s&other=${codel}`);
    await page.click("#tab-share");
    const folder = mkdtempSync(join(tmpdir(), "dupack-files-"));
    const saved = async (button) => {
      const { name, bytes } = await download(page, `.share button:has-text("${button}")`);
      writeFileSync(join(folder, name), bytes);
      return join(folder, name);
    };
    for (const [setting, queue] of [["b", "codel"], ["a", "drop-tail"]]) {
      await page.selectOption(".share select", setting);
      const plan = await saved("Plan (TOML)");
      assert.ok(plan.endsWith(`-${setting}.toml`));
      const done = told(`cd ${folder} && dupack run ${plan} --tape told-${setting}.csv --qlog logs-${setting} --json`);
      assert.equal(done.status, 0, done.errors);
      const document = JSON.parse(done.text);
      const page_s = JSON.parse(readFileSync(await saved("Results (JSON)"), "utf8"));
      assert.equal(page_s.links.find((link) => link.name === "bottleneck").queue, queue);
      assert.deepEqual(page_s.flows, document.flows);
      assert.equal(readFileSync(await saved("Every event (CSV)"), "utf8"), readFileSync(join(folder, `told-${setting}.csv`), "utf8"));
      const flow = document.flows[0].name;
      const log = readdirSync(join(folder, `logs-${setting}`)).find((file) => file.includes(flow));
      assert.deepEqual(readFileSync(await saved("qlog of"), "utf8"), readFileSync(join(folder, `logs-${setting}`, log), "utf8"));
      const [head, ...rows] = readFileSync(await saved("Time series (CSV)"), "utf8").trimEnd().split("\n").map((line) => line.split(","));
      assert.ok(head.includes("backlog_packets.bottleneck") && head.includes(`cwnd_segments.${flow}`));
      assert.ok(rows.length > 1000 && rows.every((row) => row.length === head.length));
      // What the courses add up to is what the document says.
      const goodput = rows.map((row) => [Number(row[0]), Number(row[head.indexOf(`goodput_bps.${flow}`)])]).filter(([time]) => time > 1);
      const mean = goodput.reduce((sum, [, value]) => sum + value, 0) / goodput.length;
      assert.ok(Math.abs(mean / document.flows[0].goodput_bps - 1) < 0.02, `${mean} b/s and ${document.flows[0].goodput_bps}`);
      const figure = await page.evaluate((text) => {
        const drawn = new DOMParser().parseFromString(text, "image/svg+xml");
        return { faults: drawn.querySelectorAll("parsererror").length, title: drawn.querySelector("title").textContent, text: drawn.documentElement.textContent };
      }, readFileSync(await saved("Time series (SVG)"), "utf8"));
      assert.equal(figure.faults, 0);
      for (const one of document.flows) assert.ok(figure.text.includes(one.name));
      const png = readFileSync(await saved("Picture (PNG)"));
      const svg = readFileSync(await saved("Picture (SVG)"), "utf8");
      const { ink, alike, title } = await page.evaluate(alike_of, { png: png.toString("base64"), svg });
      assert.ok(ink > 2000, `${ink} pixels`);
      assert.ok(alike > 0.9, `${alike} of the ${ink} pixels that are drawn`);
      assert.ok(title.length > 0);
    }
    await close(page);
  });

  test("a line of cells shows each cell, and a cell belongs to its packet", async () => {
    const page = await fresh("#plan=cohen-hamo-2001/fig-12-13&at=0.5&set=duration%3D1%20s");
    await page.waitForFunction(() => window.lab.first.knows(0.5));
    const seen = () =>
      page.evaluate(() => {
        const { scene, near } = window.lab.first;
        const all = scene.links.map((link, at) => {
          const [first, end] = near.cellsBetween(at, 0.5 - link.delay_ps / 1e12, 0.5);
          return near.cells[at].times.slice(first, end).map((time, number) => [time, near.cells[at].flows[first + number]]);
        });
        const most = all.reduce((best, one, at) => (one.length > all[best].length ? at : best), 0);
        const gaps = all[most].slice(1).map(([time], at) => time - all[most][at][0]);
        const [time, flow] = all[most].at(-1);
        const packet = near.packetOf(most, flow, near.cells[most].kinds[near.cellsBetween(most, 0, 0.5)[1] - 1], time);
        return { cells: all, gap: Math.min(...gaps), cell: 424 / scene.links[most].rate_bps, count: all[most].length, flow, of: packet?.flow };
      });
    const one = await seen();
    assert.ok(one.count > 20, `${one.count} cells on the busiest line`);
    assert.ok(Math.abs(one.gap - one.cell) < 2e-12, `cells are ${one.gap} s apart, and last ${one.cell} s`);
    assert.equal(one.of, one.flow);
    await page.evaluate(() => window.lab.seek(0.9));
    await page.waitForFunction(() => window.lab.first.knows(0.9));
    await page.evaluate(() => window.lab.seek(0.5));
    await page.waitForFunction(() => window.lab.first.knows(0.5));
    assert.deepEqual((await seen()).cells, one.cells);
    await close(page);
  });

  test("an event's tick and any time can be asked about", async () => {
    const page = await fresh("#plan=dumbbell&at=4");
    const tick = await page.evaluate(() => {
      const [plot] = document.querySelectorAll(".courses .uplot .u-over");
      const { x, y, width, height } = plot.getBoundingClientRect();
      const drop = window.lab.first.whole.happenings.find((one) => one.event === "drop");
      return { x: x + (drop.at / window.lab.end) * width, y: y + height - 3, at: drop.at };
    });
    await page.mouse.click(tick.x, tick.y);
    await page.waitForSelector(".why li");
    assert.equal(await page.evaluate(() => document.querySelector("#tab-why").getAttribute("aria-selected")), "true");
    const asked = await page.evaluate(() => window.lab.asked.at);
    assert.ok((await page.evaluate(() => window.lab.first.whole.happenings.map((one) => one.at))).includes(asked));
    await page.evaluate(() => window.lab.seek(4));
    await page.locator("button", { hasText: /^Explain/ }).click();
    await page.waitForFunction(() => window.lab.asked?.at === 4);
    const { steps } = JSON.parse(told(`dupack explain ${DUMBBELL} --flow bulk-0 --at 4s --json`).text);
    // The explanation before may still be there.
    await page.locator(".why li span", { hasText: steps[0].text }).first().waitFor();
    const words = await page.locator(".why li span").allInnerTexts();
    assert.deepEqual(words, steps.map((step) => step.text));
    // A click where a window falls asks about that.
    const fall = await page.evaluate(() => {
      const { cwnd, times } = window.lab.first.whole;
      const falls = cwnd.flatMap((all) => all.slice(1).map((now, before) => ({ at: before + 1, now, before: all[before] })));
      const { at, now, before } = falls.reduce((most, one) => (one.before - one.now > most.before - most.now ? one : most));
      const over = [...document.querySelectorAll(".courses .uplot")].find((one) => one.querySelector(".u-title").textContent.startsWith("Congestion window")).querySelector(".u-over");
      over.scrollIntoView();
      const { x, y, width, height } = over.getBoundingClientRect();
      return { x: x + (times[at] / window.lab.end) * width, y: y + height * (1 - (now + before) / 2 / (Math.max(...cwnd.flat()) * 1.05)), at: times[at] };
    });
    await page.evaluate(() => window.lab.ask(null));
    await page.mouse.click(fall.x, fall.y);
    await page.waitForFunction(() => window.lab.asked !== null);
    const { at, before, now } = await page.evaluate(() => {
      const { asked, first: { scene, whole } } = window.lab;
      const sample = whole.times.indexOf(asked.at);
      const all = whole.cwnd[scene.flows.findIndex((one) => one.name === asked.flow)];
      return { at: asked.at, before: all[sample - 1], now: all[sample] };
    });
    assert.ok(Math.abs(at - fall.at) < 0.3 && now < 0.85 * before, `${at} s, ${fall.at} s, ${before} to ${now}`);
    await page.locator(".why li", { hasText: /cwnd goes from|cwnd is/ }).first().waitFor();
    await close(page);
  });

  test("static files in any folder, in a frame of another site, with the copied code", async () => {
    const page = await fresh("#plan=dumbbell&at=3", { permissions: ["clipboard-read", "clipboard-write"] });
    await page.click("#tab-share");
    await page.locator("button", { hasText: "Copy code to embed it" }).click();
    await page.waitForFunction(() => document.querySelector("[role=status]")?.textContent.includes("clipboard") || [...document.querySelectorAll("[role=status]")].some((one) => one.textContent.includes("clipboard")));
    const code = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(code, /^<iframe src="[^"]*\?embed=figure#1\.[^"]*"/);
    await close(page);
    const site = await host((path) => {
      const frame = `<!doctype html><title>A page</title>${code.replace(served.address, `http://localhost:${site.port}/some/folder/`)}`;
      return path === "/page.html" ? [".html", frame] : path.startsWith("/some/folder/") ? file(BUILT, path.slice("/some/folder".length)) : undefined;
    });
    const other = await open(chrome, `http://127.0.0.1:${site.port}/page.html`);
    const frame = await (await other.waitForSelector("iframe")).contentFrame();
    await frame.waitForFunction(() => window.lab?.done && window.lab.first.text.length > 0, undefined, { timeout: 60_000 });
    await frame.waitForSelector(".courses .uplot");
    assert.equal(await frame.locator("aside").count(), 0);
    assert.equal(await frame.evaluate(() => window.lab.state.at), 3);
    await other.context().close();
    await site.end();
  });

  test("the policy forbids scripts of others and eval", async () => {
    const page = await open(chrome, served.address);
    await settled(page);
    const policy = await page.evaluate(() => fetch("./").then((answer) => answer.headers.get("content-security-policy")));
    assert.ok(policy.includes("script-src 'self' 'wasm-unsafe-eval'") && !policy.includes("unsafe-inline"), policy);
    const reached = await page.evaluate(async () => {
      const script = document.createElement("script");
      script.textContent = "window.inline = 1";
      document.head.append(script);
      // In a task of the page: what a debugger evaluates, as this test does, is exempt from the policy.
      const evaluated = await new Promise((told) =>
        setTimeout(() => {
          try {
            told(new Function("return 1")() === 1);
          } catch {
            told(false);
          }
        }),
      );
      return { inline: window.inline, evaluated, elsewhere: await fetch("https://example.org/").then(() => true, () => false) };
    });
    assert.deepEqual(reached, { inline: undefined, evaluated: false, elsewhere: false });
    await page.context().close();
  });
});
