// What the documentation site opens in the playground. Run by `make test-web`.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { BROWSER, browser, BUILT, file, fresh, close, host, open, PYTHON, serve, TREE } from "./page.mjs";

const skip = BROWSER ? (process.env.DUPACK_SHORT === "1" ? "make test-web runs it" : false) : "no browser: install chromium, or name one in DUPACK_BROWSER";

/** The addresses that the site's reference has for its words, and a part of a page of it as HTML. */
const PAGES = `
import json, sys
from urllib.parse import urlencode
sys.path.insert(0, ".")
from docs.site import played
from dupack.reference import catalogue, picture
words = [(entry["family"], entry["name"]) for entry in catalogue()["entries"]]
found = [(*word, urlencode(played.example(*word))) for word in words if played.example(*word)]
lines = "\\n".join(picture("queue", "codel")["lines"])
print(json.dumps({"words": found, "part": f'<h2>codel</h2>{played.link(1, played.example("queue", "codel"))}<pre>{lines}</pre>'}))
`;

describe("the site and the playground", { skip }, () => {
  let chrome;
  let served;
  let made;
  before(async () => {
    [chrome, served] = await Promise.all([browser(), serve()]);
    const done = spawnSync(PYTHON, ["-c", PAGES], { cwd: TREE, encoding: "utf8" });
    assert.equal(done.status, 0, done.stderr);
    made = JSON.parse(done.stdout);
  });
  after(async () => {
    await chrome?.close();
    served?.end();
  });

  test("every word of the reference opens with a run that has it", async () => {
    const page = await fresh(chrome, served.address);
    assert.ok(made.words.length > 90);
    const shown = new Map();
    const faults = [];
    for (const [family, name, hash] of made.words) {
      const what = `${family} ${name}`;
      if (!shown.has(hash)) {
        await page.evaluate((hash) => {
          window.lab.done = false;
          location.hash = hash;
        }, hash);
        await page.waitForFunction(() => window.lab.done && !window.lab.first.busy);
        shown.set(
          hash,
          await page.evaluate(() => ({
            errors: [...window.lab.errors, ...window.lab.first.errors],
            table: JSON.stringify([window.lab.settled.table, window.lab.settled.topology, window.lab.state.origin.replace(".toml", "")]),
            sent: JSON.parse(window.lab.first.text).flows.reduce((sum, flow) => sum + flow.segments_sent, 0),
          })),
        );
      }
      const { errors, table, sent } = shown.get(hash);
      if (errors.length > 0) faults.push(`${what}: ${errors.join("; ")}`);
      else if (!table.includes(`"${name}"`)) faults.push(`${what} is not in ${table}`);
      else if (sent < 10) faults.push(`${what}: ${sent} segments are sent`);
    }
    assert.deepEqual(faults, []);
    await close(page);
  });

  test("a picture of the reference becomes live by a click, and stays a picture without JavaScript", async () => {
    const html = `<!doctype html><meta charset="utf-8"><title>Queue disciplines</title><link rel="icon" href="data:,">${made.part}<script src="../_static/play.js"></script>`;
    const site = await host((path) => {
      if (path === "/docs/reference/queue.html") return [".html", html];
      if (path === "/docs/_static/play.js") return [".js", readFileSync(resolve(TREE, "docs/site/static/play.js"))];
      return path.startsWith("/docs/play/") ? file(BUILT, path.slice("/docs/play".length)) : undefined;
    });
    const address = `http://127.0.0.1:${site.port}/docs/reference/queue.html`;
    const page = await open(chrome, address);
    await page.click("text=Try it here");
    const frame = await (await page.waitForSelector("iframe.play")).contentFrame();
    await frame.waitForFunction(() => window.lab?.done && window.lab.first.text.length > 0);
    await frame.waitForSelector(".courses .uplot");
    const { sets, errors } = await frame.evaluate(() => ({ sets: window.lab.state.sets, errors: window.lab.errors }));
    assert.ok(sets.some((set) => set.includes('"codel"')), String(sets));
    assert.deepEqual(errors, []);
    await page.locator("a.play").click();
    await page.waitForFunction(() => window.lab?.done && window.lab.first.text.length > 0);
    assert.equal(new URL(page.url()).pathname, "/docs/play/index.html");
    await close(page);
    const plain = await open(chrome, address, { javaScriptEnabled: false });
    assert.equal(await plain.locator("button").count(), 0);
    assert.equal(await plain.locator("a.play").count(), 1);
    assert.ok((await plain.locator("pre").innerText()).length > 200);
    await close(plain);
    await site.end();
  });
});
