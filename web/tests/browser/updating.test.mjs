// A new version of the page, while an older one is open. Run by `make test-web`.

import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { BROWSER, browser, BUILT, file, host, known, settled } from "./page.mjs";

const skip = BROWSER ? (process.env.DUPACK_SHORT === "1" ? "make test-web runs it" : false) : "no browser: install chromium, or name one in DUPACK_BROWSER";
const TITLE = "dupack playground";

/** The page as another build would have made it: all names with a digest differ, and the title tells them apart. */
function version(number) {
  const folder = mkdtempSync(join(tmpdir(), "dupack-version-"));
  cpSync(BUILT, folder, { recursive: true });
  const assets = readdirSync(join(folder, "assets"));
  const names = assets.map((name) => [name, name.replace(/(.*-)[\w-]([\w-]{7}\.\w+)$/, `$1${number}$2`)]);
  for (const [old, now] of names) renameSync(join(folder, "assets", old), join(folder, "assets", now));
  const texts = ["index.html", "service-worker.js", ...names.map(([, now]) => `assets/${now}`).filter((name) => /\.(js|css)$/.test(name))];
  for (const name of texts) {
    let text = readFileSync(join(folder, name), "utf8");
    for (const [old, now] of names) text = text.replaceAll(old, now);
    text = text.replace(`<title>${TITLE}</title>`, `<title>${TITLE} ${number}</title>`);
    if (name === "service-worker.js") text = text.replace(/(\$\{OURS\})[0-9a-f]{16}/, `$1${String(number).repeat(16)}`);
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

describe("a new version of the playground", { skip }, () => {
  let chrome;
  before(async () => {
    chrome = await browser();
  });
  after(async () => {
    await chrome?.close();
  });

  test("is shown when the page is loaded again, and a page of the older one works on with its own files", { timeout: 300_000 }, async () => {
    const versions = [1, 2, 3].map(version);
    let [folder] = versions;
    const site = await host((path) => {
      if (path === "/beside.html") return [".html", "<title>No page of the playground</title>"];
      return path.startsWith("/play/") ? file(folder, path.slice("/play".length)) : undefined;
    });
    const address = `http://127.0.0.1:${site.port}/play/`;
    const context = await chrome.newContext();
    const open = async (hash = "") => {
      const page = await context.newPage();
      page.errors = [];
      page.on("pageerror", (error) => page.errors.push(error.message));
      await page.goto(address + hash);
      await settled(page);
      return page;
    };
    /** The version of the page, of its script, and of its worker. */
    const shown = async (page) => {
      await settled(page);
      await known(page, 3);
      const [title, script] = await page.evaluate(() => [document.title, document.querySelector("script[src]").src]);
      assert.ok(await page.evaluate(() => window.lab.errors.length === 0 && window.lab.first.text.length > 0));
      return [title.slice(TITLE.length + 1), ...[script, page.workers()[0].url()].map((name) => /-(.)[\w-]{7}\.js$/.exec(name)[1])].join();
    };
    /** Waits until the newest version is kept. */
    const waiting = (page) =>
      page.evaluate(async () => {
        const registration = await navigator.serviceWorker.getRegistration();
        await registration.update();
        while (registration.installing || !registration.waiting) await new Promise((next) => setTimeout(next, 50));
      });
    const worker_again = (page) =>
      page.evaluate(async () => {
        const { client } = window.lab.first;
        client.stop("ended by the test");
        return client.catalogue();
      });

    const first = await open();
    assert.equal(await shown(first), "1,1,1");
    await first.evaluate(() => navigator.serviceWorker.ready);
    await first.waitForFunction(() => navigator.serviceWorker.controller !== null);
    // A page that has not asked for the plans yet.
    const hash = await first.evaluate(async () => (Object.assign(window.lab.state, { origin: "mine.toml" }), window.lab.fragment()));
    const old = await open(`#${hash}`);
    assert.equal(await shown(old), "1,1,1");

    // The second version takes the place of the first: the older page has only what the browser has kept.
    [, folder] = versions;
    await first.reload();
    assert.equal(await shown(first), "2,2,2");
    await waiting(first);
    await worker_again(old);
    assert.equal(await shown(old), "1,1,1");

    // A third follows while pages of both are open: each works on with its own files.
    [, , folder] = versions;
    const third = await open();
    assert.equal(await shown(third), "3,3,3");
    await waiting(third);
    for (const [page, want] of [[first, "2,2,2"], [old, "1,1,1"]]) {
      await worker_again(page);
      assert.equal(await shown(page), want);
      await page.locator("header select").first().selectOption("home");
      await page.waitForFunction(() => window.lab.done && window.lab.state.origin === "home.toml" && window.lab.first.text.length > 0);
      assert.deepEqual(page.errors, []);
    }

    // Without a network, the newest that is kept.
    await context.setOffline(true);
    await old.reload();
    assert.equal(await shown(old), "3,3,3");
    await context.setOffline(false);

    // When no page of an older version is open, its files go.
    await Promise.all([first, old, third].map((page) => page.close()));
    const beside = await context.newPage();
    await beside.goto(new URL("../beside.html", address).href);
    const names = () => beside.evaluate(() => caches.keys());
    while ((await names()).length > 1) await beside.waitForTimeout(50);
    assert.match((await names())[0], /\/play\/ 3{16}$/);
    const last = await open();
    assert.equal(await shown(last), "3,3,3");
    assert.deepEqual(last.errors, []);
    await context.close();
    await site.end();
  });
});
