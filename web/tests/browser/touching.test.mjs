// What a reader touches, and what the page then shows: lines that change, frames, lessons, keys. Run by `make test-web`.

import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { addressed, BROWSER, browser, close, download, fresh as opened, known, serve, settled, told } from "./page.mjs";

const skip = BROWSER ? (process.env.DUPACK_SHORT === "1" ? "make test-web runs it" : false) : "no browser: install chromium, or name one in DUPACK_BROWSER";

describe("touching the playground", { skip }, () => {
  let chrome;
  let served;
  before(async () => {
    [chrome, served] = await Promise.all([browser(), serve()]);
  });
  after(async () => {
    await chrome?.close();
    served?.end();
  });

  const fresh = (hash, options) => opened(chrome, `${served.address}${hash}`, options);
  /** Text that is drawn on the canvas, and lines in dashes. */
  const watched = async (page) => {
    await page.evaluate(() => {
      const of = CanvasRenderingContext2D.prototype;
      const [text, dash, clear] = [of.fillText, of.setLineDash, of.clearRect];
      of.clearRect = function (...all) {
        if (this.canvas.closest(".stage")) window.drawn = { texts: [], dashes: 0 };
        return clear.apply(this, all);
      };
      of.fillText = function (words, ...all) {
        window.drawn?.texts.push(words);
        return text.call(this, words, ...all);
      };
      of.setLineDash = function (...all) {
        if (window.drawn && this.canvas.closest(".stage")) window.drawn.dashes += 1;
        return dash.apply(this, all);
      };
    });
    return () => page.evaluate(() => new Promise((told) => requestAnimationFrame(() => requestAnimationFrame(() => told(window.drawn)))));
  };

  test("after a delay is raised every packet on the line is drawn, where it is", async () => {
    const page = await fresh("#plan=dumbbell&at=10&set=duration%3D14%20s");
    await page.evaluate(() => window.lab.touch("bottleneck", { delay_s: 0.1 }));
    await settled(page);
    await known(page, 10.6);
    const on = () =>
      page.evaluate(() => {
        const { near, scene } = window.lab.first;
        const link = scene.links.findIndex((one) => one.name === "bottleneck");
        const legs = near.at(10.6, 0).filter((leg) => leg.link === link && leg.near <= 10.6);
        return legs.map((leg) => ({ id: `${leg.flow}.${leg.kind}.${leg.id}`, way: (10.6 - leg.near) / (leg.far - leg.near), far: leg.far })).sort((a, b) => a.far - b.far);
      });
    const first = await on();
    // What has arrived by 11 s tells where each was at 10.6 s.
    await known(page, 11.2);
    const later = await page.evaluate(() => {
      const { near, scene } = window.lab.first;
      const link = scene.links.findIndex((one) => one.name === "bottleneck");
      return near.legs.filter((leg) => leg.link === link && leg.near <= 10.6 && leg.far > 10.6 && Number.isNaN(leg.dropped)).map((leg) => [leg.far, leg.far - leg.near]);
    });
    assert.equal(first.length, later.length);
    assert.ok(first.length > 20, `${first.length} packets on the line`);
    for (const [far, took] of later) {
      assert.ok(Math.abs(took - 0.1) < 1e-9, String(took));
      assert.ok(first.some((one) => Math.abs(one.far - far) < 1e-12), `none arrives at ${far}`);
    }
    // They are not all at one end, as they would be with the delay before.
    const ways = first.map((one) => one.way);
    assert.ok(Math.min(...ways) < 0.1 && Math.max(...ways) > 0.9 && ways.filter((way) => way < 0.5).length > 5, String(ways));
    await close(page);
  });

  test("cells keep their places on a line whose delay is raised", async () => {
    const page = await fresh("#plan=cohen-hamo-2001/fig-12-13&at=0.5&set=duration%3D1%20s");
    const name = await page.evaluate(() => {
      const { scene } = window.lab.first;
      const link = scene.links.find((one) => one.queue);
      window.lab.touch(link.name, { delay_s: (link.delay_ps / 1e12) * 4 });
      return link.name;
    });
    await settled(page);
    await known(page, 0.55);
    const { ways, long } = await page.evaluate((name) => {
      const { near, scene } = window.lab.first;
      const link = scene.links.findIndex((one) => one.name === name);
      const [from, to] = near.cellsOn(link, 0.55);
      const of = near.cells[link];
      const pairs = of.times.slice(from, to).map((left, at) => [left, of.fars[from + at]]);
      return { ways: pairs.map(([left, far]) => (0.55 - left) / (far - left)), long: pairs.map(([left, far]) => far - left - (scene.links[link].delay_ps / 1e12) * 4) };
    }, name);
    assert.ok(ways.length > 20);
    assert.ok(long.every((rest) => Math.abs(rest) < 1e-9));
    assert.ok(Math.min(...ways) < 0.1 && Math.max(...ways) > 0.9);
    await close(page);
  });

  test("a plan's own schedule is shown: rates, and a line that is down", async () => {
    const steps = 'link.bottleneck.schedule=[{ at = "2 s", rate = "2 Mb/s", delay = "30 ms" }, { at = "4 s", up = false }, { at = "5 s", up = true }]';
    const page = await fresh(`#plan=dumbbell&at=1&set=duration%3D8%20s&set=${encodeURIComponent(steps)}`);
    const drawn = await watched(page);
    const now = async (at) => {
      await known(page, at);
      await settled(page);
      const { texts, dashes } = await drawn();
      return { text: texts.find((one) => / · /.test(one)), dashes: dashes > 0, panel: (await page.locator(".now").innerText()).replace(/\s+/g, " ") };
    };
    const [before, slow, down, again] = [await now(1), await now(3), await now(4.5), await now(6)];
    assert.match(before.text, /· 20 Mb\/s/);
    assert.match(before.panel, /Rate: 20 Mb\/s Delay: 10 ms/);
    assert.match(slow.text, /· 2 Mb\/s/);
    assert.match(slow.panel, /Rate: 2 Mb\/s Delay: 30 ms.*Break this link/);
    assert.match(down.text, /· down/);
    assert.match(down.panel, /Repair this link/);
    assert.match(again.text, /· 2 Mb\/s/);
    assert.deepEqual([before, slow, down, again].map((one) => one.dashes), [false, false, true, false]);
    // A touch is shown in the same places, until the plan's next step.
    await known(page, 3);
    await page.evaluate(() => window.lab.touch("bottleneck", { rate_bps: 7e6 }));
    await settled(page);
    assert.match((await now(3.5)).text, /· 7 Mb\/s/);
    await close(page);
  });

  test("a worker that was ended is begun again, and packets with it", async () => {
    const page = await fresh("#plan=dumbbell&at=3");
    await known(page, 3);
    await page.evaluate(() => window.lab.first.client.stop("ended by the test"));
    await known(page, 5);
    assert.deepEqual(await page.evaluate(() => window.lab.first.errors), []);
    await close(page);
  });

  test("a plan that needs more memory than the page has is told so, and the run before goes on", async () => {
    const page = await fresh("#plan=dumbbell&at=3");
    await known(page, 3);
    await page.evaluate(() => window.lab.change({ plan: window.lab.state.plan.replaceAll(/count = \d+/g, "count = 400000") }));
    await settled(page);
    await known(page, 4);
    const lines = await page.locator(".errors li").allInnerTexts();
    assert.equal(lines.length, 1, lines.join("; "));
    assert.match(lines[0], /^this run needs more memory than the page may use: 1,024 MiB; write fewer flows or hosts/);
    await close(page);
  });

  test("a frame has what a reader touches, tells why, and asks a lesson's question", async () => {
    const page = await fresh("?embed=figure#plan=dumbbell&at=3&set=duration%3D8%20s");
    const before = await page.evaluate(() => window.lab.first.text);
    const rate = page.locator(".now label", { hasText: "Rate" }).locator("input");
    await rate.focus();
    for (let at = 0; at < 10; at++) await rate.press("ArrowLeft");
    await settled(page);
    const slower = await page.evaluate(() => window.lab.first.text);
    assert.notEqual(slower, before);
    await page.click("text=Break this link");
    await settled(page);
    assert.notEqual(await page.evaluate(() => window.lab.first.text), slower);
    await page.click("text=/Undo all/");
    await settled(page);
    assert.equal(await page.evaluate(() => window.lab.first.text), before);
    const tick = await page.evaluate(() => {
      const [plot] = document.querySelectorAll(".courses .uplot .u-over");
      plot.scrollIntoView();
      const { x, y, width, height } = plot.getBoundingClientRect();
      const drop = window.lab.first.whole.happenings.find((one) => one.event === "drop");
      return { x: x + (drop.at / window.lab.end) * width, y: y + height - 3 };
    });
    await page.mouse.click(tick.x, tick.y);
    await page.waitForSelector(".asked .why li");
    await page.keyboard.press("Escape");
    await page.waitForSelector(".asked", { state: "detached" });
    await close(page);
    const lesson = await fresh("?embed=figure#lesson=reno-sawtooth");
    await lesson.locator(".lesson fieldset input").first().check();
    await lesson.click(".lesson .primary");
    await lesson.waitForSelector(".lesson .verdict");
    await lesson.waitForSelector(".courses .uplot");
    await close(lesson);
  });

  test("whoever shares an address of this machine is told so", async () => {
    const page = await fresh("#plan=dumbbell");
    await page.click("#tab-share");
    assert.match(await page.locator(".share").innerText(), /works on this machine only/);
    await close(page);
  });

  test("the command line names a file that there is, or that is saved first", async () => {
    const page = await fresh("#plan=dumbbell&set=duration%3D4%20s&set=warm_up%3D1%20s");
    assert.match(await page.locator(".commands").innerText(), /write it first: dupack new dumbbell\.toml --topology dumbbell/);
    await page.locator("summary", { hasText: "Add a flow" }).click();
    await page.locator("button", { hasText: /^Add it/ }).click();
    await settled(page);
    assert.match(await page.locator(".commands").innerText(), /Save it, then this command/);
    const command = await page.locator(".command code").innerText();
    assert.match(command, /^dupack run dumbbell-edited\.toml /);
    const { name, bytes } = await download(page, ".command .save");
    assert.equal(name, "dumbbell-edited.toml");
    const folder = mkdtempSync(join(tmpdir(), "dupack-"));
    writeFileSync(join(folder, name), bytes);
    const done = told(`cd ${folder} && ${command} --json`);
    assert.equal(done.status, 0, done.errors);
    assert.deepEqual(JSON.parse(done.text).flows, JSON.parse(await page.evaluate(() => window.lab.first.text)).flows);
    await close(page);
  });

  test("a lesson on a phone shows the verdict where the answer was given; nothing tells it before", async () => {
    const page = await fresh("#lesson=reno-sawtooth", { viewport: { width: 380, height: 800 }, reducedMotion: "reduce" });
    assert.deepEqual(await page.locator("[role=tab]").allInnerTexts(), ["Lesson", "Change", "Plan", "Share"]);
    const right = await page.evaluate(async () => {
      for (let tries = 0; tries < 500 && !window.lab.done; tries++) await new Promise((next) => setTimeout(next, 20));
      return window.lab.state.lesson;
    });
    assert.equal(right, "reno-sawtooth");
    await page.locator(".lesson fieldset input").first().check();
    await page.click(".lesson .primary");
    const verdict = page.locator(".lesson .verdict");
    await verdict.waitFor();
    await settled(page);
    const box = await verdict.boundingBox();
    assert.ok(box.y >= 0 && box.y < 800, `the verdict is at ${box.y} px`);
    // The right choice is named, by a word and not by a colour alone, in its place and in the verdict.
    const choice = (await page.locator(".lesson .right").innerText()).replace(/ ?✓.*/s, "").trim();
    assert.ok((await page.locator(".lesson .right").innerText()).includes("✓"));
    assert.ok((await verdict.innerText()).includes(choice), `${await verdict.innerText()} does not name ${choice}`);
    assert.deepEqual(await page.locator("[role=tab]").allInnerTexts(), ["Lesson", "Change", "Plan", "Why", "Results", "Share"]);
    await page.click("text=Answer again");
    // Parts of the page are drawn one after the other.
    await page.waitForSelector(".lesson .verdict", { state: "detached" });
    await page.waitForSelector(".courses", { state: "detached" });
    await page.locator(".lesson fieldset input").nth(1).check();
    await page.click(".lesson .primary");
    await verdict.waitFor();
    await close(page);
  });

  test("Fig. 12 is a slider in the lesson on cells", async () => {
    const page = await fresh("#lesson=cells", { reducedMotion: "reduce" });
    await page.locator(".lesson fieldset input").first().check();
    await page.click(".lesson .primary");
    await page.waitForSelector(".slider tbody tr");
    const slider = page.locator(".slider input");
    await slider.focus();
    await slider.press("ArrowRight");
    await page.waitForFunction(() => document.querySelectorAll(".slider tbody tr").length === 2);
    await slider.press("ArrowRight");
    await page.waitForFunction(() => document.querySelectorAll(".slider tbody tr").length === 3);
    const rows = await page.locator(".slider tbody tr").evaluateAll((all) => all.map((row) => row.innerText.split("\t")));
    assert.deepEqual(rows.map(([value]) => value), ["0.4", "0.5", "0.6"]);
    for (const [, goodput] of rows) assert.match(goodput, /^\d[\d.]* [MG]b\/s$/);
    // It is what the command line gives for this threshold.
    const want = JSON.parse(await page.evaluate(() => window.lab.first.text)).flows.reduce((sum, one) => sum + one.goodput_bps, 0);
    assert.ok(Math.abs(Number(rows[2][1].split(" ")[0]) * 1e6 - want) < 0.02 * want, `${rows[2][1]} is not ${want}`);
    await close(page);
  });

  test("what a form says of a value can be read by keyboard, and every part of a link has fields", async () => {
    const page = await fresh("#plan=dumbbell&set=duration%3D3%20s&set=warm_up%3D1%20s");
    const link = page.locator(".change details", { hasText: "Link bottleneck" }).first();
    const ask = link.locator("button.ask").first();
    await ask.focus();
    await page.keyboard.press("Enter");
    assert.match(await link.locator(".field .help").first().innerText(), /Write a rate/);
    await link.locator("button", { hasText: "more values of this link" }).click();
    const paths = await link.locator("select[data-path]").evaluateAll((all) => all.map((one) => one.dataset.path));
    for (const part of ["queue", "loss", "jitter", "reorder", "back_queue", "back_loss", "back_jitter"]) assert.ok(paths.includes(`link.bottleneck.${part}`), part);
    const labels = await link.locator(".field > label > span").allInnerTexts();
    for (const one of ["duplicate", "schedule", "back_rate", "back_delay", "framing"]) assert.ok(labels.includes(one), `${one} is not among ${labels}`);
    const before = await page.evaluate(() => window.lab.first.text);
    const duplicate = link.locator(".field", { has: page.locator("label > span", { hasText: /^duplicate$/ }) }).locator("input");
    await duplicate.fill("0.1");
    await page.waitForFunction(() => window.lab.state.sets.includes("link.bottleneck.duplicate=0.1"));
    await settled(page);
    assert.deepEqual(await page.evaluate(() => window.lab.errors), []);
    assert.notEqual(await page.evaluate(() => window.lab.first.text), before);
    // Hosts are counted as well; each source has its sink.
    const nodes = await page.evaluate(() => window.lab.first.scene.nodes.length);
    for (const name of ["source", "sink"]) {
      const host = page.locator(".change details", { hasText: `Host ${name}` }).first();
      await host.locator("summary").first().click();
      await host.locator(".field", { has: page.locator("label > span", { hasText: /^count$/ }) }).locator("input").fill("3");
    }
    await page.waitForFunction((before) => window.lab.done && window.lab.first.scene.nodes.length === before - 4, nodes);
    await close(page);
  });

  test("a topology's parameters have fields", async () => {
    const page = await fresh("#plan=incast");
    const topology = page.locator(".change details", { hasText: "Topology" }).first();
    await topology.locator("summary").first().click();
    const hosts = await page.evaluate(() => window.lab.first.scene.nodes.length);
    await topology.locator(".field", { has: page.locator("label > span", { hasText: /^senders$/ }) }).locator("input").fill("6");
    await page.waitForFunction((before) => window.lab.done && window.lab.first.scene.nodes.length !== before, hosts);
    await close(page);
  });

  test("a rate is drawn for each flow: of pacing where there is one, else of what is sent", async () => {
    const page = await fresh("#plan=dumbbell&set=duration%3D4%20s&set=warm_up%3D1%20s");
    const titles = await page.locator(".courses").first().locator(".u-title").allInnerTexts();
    assert.ok(titles.some((title) => title.startsWith("Sending rate [Mb/s]")), String(titles));
    const { sum, sent } = await page.evaluate(() => {
      const { whole, document } = window.lab.first;
      const bits = whole.rate[0].reduce((sum, rate, at) => sum + rate * (whole.times[at] - (whole.times[at - 1] ?? 0)), 0);
      return { sum: bits / whole.scene.flows[0].packet_bits, sent: whole.totals[0].sent, paced: whole.paced[0], document };
    });
    assert.ok(sent > 100 && Math.abs(sum - sent) < 0.01, `${sum} of ${sent}`);
    await page.evaluate(() => window.lab.setting("flow.bulk.transport.kind", "bbr1"));
    await page.waitForFunction(() => window.lab.done && window.lab.first.whole.ended && window.lab.first.whole.paced[0]);
    await close(page);
  });

  test("a picture has the page's ground, and a figure is valid whatever the title", async () => {
    const page = await fresh(`#plan=dumbbell&set=duration%3D3%20s&set=warm_up%3D1%20s&set=${encodeURIComponent('title="a\\u0001<b"')}`, { colorScheme: "dark" });
    await page.click("#tab-share");
    const saved = async (button) => (await download(page, `.share button:has-text("${button}")`)).bytes;
    const png = [...(await saved("Picture (PNG)"))];
    const corner = await page.evaluate(async (bytes) => {
      const image = await createImageBitmap(new Blob([new Uint8Array(bytes)]));
      const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
      const context = canvas.getContext("2d");
      context.drawImage(image, 0, 0);
      return [...context.getImageData(1, 1, 1, 1).data];
    }, png);
    assert.deepEqual(corner, [0x1d, 0x23, 0x2a, 255]);
    const svg = (await saved("Time series (SVG)")).toString("utf8");
    const { faults, title } = await page.evaluate((text) => {
      const drawn = new DOMParser().parseFromString(text, "image/svg+xml");
      return { faults: drawn.querySelectorAll("parsererror").length, title: drawn.querySelector("title").textContent };
    }, svg);
    assert.deepEqual([faults, title], [0, "a<b"]);
    await close(page);
  });

  test("the header of a trimmed packet overtakes the packets that wait", async () => {
    const queue = encodeURIComponent('link.bottleneck.queue={ kind = "trim", buffer = "40 packets" }');
    const page = await fresh(`#plan=dumbbell&set=duration%3D8%20s&set=warm_up%3D1%20s&set=${queue}`);
    const at = await page.evaluate(() => {
      const { happenings } = window.lab.first.whole;
      return happenings.find((one) => one.event === "trim").at + 1e-6;
    });
    await known(page, at);
    const legs = await page.evaluate((at) => {
      const { near, scene } = window.lab.first;
      const link = scene.links.findIndex((one) => one.name === "bottleneck");
      return near.at(at, 0).filter((leg) => leg.link === link && leg.near > at).map(({ trimmed, queued, near }) => ({ trimmed, queued, near }));
    }, at);
    const header = legs.find((leg) => leg.trimmed);
    const overtaken = legs.filter((leg) => leg.queued < header.queued && leg.near > header.near);
    assert.ok(overtaken.length >= 38, `${overtaken.length} of ${legs.length} packets are overtaken`);
    // It is drawn where it waits: behind the packet that is being sent, before the others, and as narrow as a header.
    await page.click("#tab-share");
    const svg = (await download(page, '.share button:has-text("Picture (SVG)")')).bytes.toString("utf8");
    const widths = [...svg.matchAll(/<rect x="[^"]*" y="[^"]*" width="(5|12)"/g)].map(([, width]) => Number(width));
    assert.deepEqual(widths.slice(0, 4), [12, 5, 12, 12]);
    await close(page);
  });

  test("a page that is given no time opens where packets are under way", async () => {
    const trim = `&set=${encodeURIComponent('topology.queue={ kind = "trim", buffer = "40 packets" }')}`;
    for (const plan of ["dumbbell", "incast", `incast${trim}`, "star", "leaf-spine", "parking-lot", "atm"]) {
      const page = await fresh(`#plan=${plan}`);
      const at = await page.evaluate(() => window.lab.state.at);
      await known(page, at);
      const under_way = await page.evaluate((at) => window.lab.first.near.at(at, 0).length, at);
      assert.ok(under_way > 0, `${plan} at ${at} s`);
      await close(page);
    }
  });

  test("a drop can be clicked while it falls", async () => {
    const page = await fresh("#plan=dumbbell&set=duration%3D6%20s");
    const at = await page.evaluate(() => window.lab.first.whole.happenings.find((one) => one.event === "drop" && one.at > 2).at);
    await page.click("#tab-share");
    const fallen = [];
    for (const later of [0.0002, 0.001, 0.002]) {
      await known(page, at + later);
      const svg = (await download(page, '.share button:has-text("Picture (SVG)")')).bytes.toString("utf8");
      const drop = await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--drop").trim());
      // A cross is two strokes from its left to its right.
      const [, x1, y1, x2, y2] = new RegExp(`d="M([\\d.]+) ([\\d.]+)L([\\d.]+) ([\\d.]+)M[^"]*" fill="none" stroke="${drop}"`).exec(svg);
      const box = await page.locator(".stage canvas").boundingBox();
      const [x, y] = [(Number(x1) + Number(x2)) / 2, (Number(y1) + Number(y2)) / 2];
      fallen.push(y);
      await page.mouse.click(box.x + x, box.y + y);
      assert.match(await page.locator(".popover").innerText(), /dropped\s+[\d.]+ s \(overflow\)/, `${later} s after it`);
      await page.keyboard.press("Escape");
    }
    assert.ok(fallen[2] > fallen[0] + 3, String(fallen));
    await close(page);
  });

  test("an answer keeps its verdict when the reader goes on with the lesson's plan", async () => {
    const page = await fresh("#lesson=reno-sawtooth");
    await page.click("text=About three quarters.");
    await page.click('button:has-text("Run it")');
    const verdict = async () => [await page.locator(".verdict").innerText(), await page.locator("label.right").innerText()];
    const first = await verdict();
    await page.evaluate(() => window.lab.setting("link.bottleneck.queue.buffer", "43 packets"));
    await page.waitForFunction(() => window.lab.done && window.lab.first.document.links.find((one) => one.name === "bottleneck").utilization > 0.95);
    assert.deepEqual(await verdict(), first);
    await page.click("text=Restore the lesson's plan");
    await page.waitForFunction(() => window.lab.done && window.lab.first.document.links.find((one) => one.name === "bottleneck").utilization < 0.8);
    assert.equal(await page.locator("text=Restore the lesson's plan").count(), 0);
    assert.deepEqual(await verdict(), first);
    await close(page);
  });

  test("a run that ends with an error ends its packets as well", async () => {
    const page = await fresh("#plan=dumbbell&at=3&set=duration%3D9%20s");
    await known(page, 3);
    // The worker is ended as if the whole run had taken too long.
    await page.evaluate(() => {
      const { client } = window.lab.first;
      const advance = client.advance;
      client.advance = (slot, ...rest) => (slot === 0 ? Promise.resolve({ errors: ["too long"] }) : advance(slot, ...rest));
      window.lab.change({ seed: 2 });
    });
    await page.waitForFunction(() => window.lab.done && window.lab.first.errors.length > 0);
    const reached = await page.evaluate(() => window.lab.first.reached);
    await page.evaluate(() => window.lab.seek(8));
    await page.waitForTimeout(500);
    assert.equal(await page.evaluate(() => window.lab.first.reached), reached);
    assert.equal(await page.locator(".errors p").count(), 0);
    page.errors.length = 0;
    await close(page);
  });

  test("arrow keys work after a click on Play, Escape closes what a click opened", async () => {
    const page = await fresh("#plan=dumbbell&at=3");
    await known(page, 3);
    await page.click(".play");
    await page.waitForFunction(() => window.lab.playing);
    await page.click(".play");
    const at = await page.evaluate(() => window.lab.state.at);
    await page.waitForFunction(() => window.lab.first.knows(window.lab.state.at));
    await page.keyboard.press("ArrowRight");
    assert.ok((await page.evaluate(() => window.lab.state.at)) > at);
    assert.equal(await page.evaluate(() => window.lab.playing), false);
    // The space bar belongs to the button that has the focus: it plays once, not twice.
    await page.keyboard.press("Space");
    assert.equal(await page.evaluate(() => window.lab.playing), true);
    await page.keyboard.press("Space");
    const dot = await page.evaluate(async () => {
      const found = () => {
        const canvas = document.querySelector(".stage canvas");
        const { x, y } = canvas.getBoundingClientRect();
        return { x, y, width: canvas.clientWidth, height: canvas.clientHeight };
      };
      return found();
    });
    let open = false;
    for (let part = 0.1; part < 0.9 && !open; part += 0.02) {
      await page.mouse.click(dot.x + part * dot.width, dot.y + dot.height / 2);
      await page.waitForTimeout(40);
      open = (await page.locator(".popover").count()) > 0;
    }
    assert.ok(open, "no packet was found by clicks along the line");
    await page.keyboard.press("Escape");
    await page.waitForSelector(".popover", { state: "detached" });
    await close(page);
  });

  test("a drag while it plays is one step, and the last change can be undone", async () => {
    const page = await fresh("#plan=dumbbell&at=3&set=duration%3D8%20s");
    await known(page, 3);
    await page.evaluate(() => window.lab.touch("bottleneck", { delay_s: 0.02 }));
    await settled(page);
    await page.evaluate(() => {
      window.lab.seek(4);
      window.lab.change({ speed: 0.05 });
      window.lab.play(true);
    });
    const slider = page.locator(".now label", { hasText: "Rate" }).locator("input");
    const { x, y, width, height } = await slider.boundingBox();
    await page.mouse.move(x + width * 0.5, y + height / 2);
    await page.mouse.down();
    for (let at = 0; at < 12; at++) {
      await page.mouse.move(x + width * (0.5 - at / 40), y + height / 2);
      await page.waitForTimeout(30);
    }
    await page.mouse.up();
    await page.evaluate(() => window.lab.play(false));
    await settled(page);
    const changes = await page.evaluate(() => window.lab.state.changes);
    assert.equal(changes.length, 2, JSON.stringify(changes));
    await page.click("text=Undo the last change");
    await settled(page);
    assert.deepEqual(await page.evaluate(() => window.lab.state.changes.map((one) => one.delay_s)), [0.02]);
    await page.click("text=Undo the last change");
    await settled(page);
    assert.deepEqual(await page.evaluate(() => window.lab.state.changes), []);
    await close(page);
  });

  test("the open panel and the zoom of the courses are in the address", async () => {
    const page = await fresh("#plan=dumbbell&at=3");
    await page.click("#tab-results");
    const over = await page.locator(".courses .u-over").first().boundingBox();
    await page.mouse.move(over.x + over.width * 0.25, over.y + 30);
    await page.mouse.down();
    await page.mouse.move(over.x + over.width * 0.5, over.y + 30, { steps: 5 });
    await page.mouse.up();
    await page.waitForFunction(() => window.lab.state.zoom !== null);
    await addressed(page);
    const zoom = await page.evaluate(() => window.lab.state.zoom);
    const address = page.url();
    await page.goto("about:blank");
    await page.goto(address);
    await settled(page);
    assert.deepEqual(await page.evaluate(() => window.lab.state.zoom), zoom);
    assert.equal(await page.getAttribute("#tab-results", "aria-selected"), "true");
    const ticks = await page.evaluate(() => window.lab.end);
    assert.ok(zoom[0] > 0 && zoom[1] < ticks);
    await page.locator(".courses .u-over").first().dblclick();
    await page.waitForFunction(() => window.lab.state.zoom === null);
    await close(page);
  });
});
