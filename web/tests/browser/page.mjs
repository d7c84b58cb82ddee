// A browser, the server of `dupack play`, and what tests do with both.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, resolve } from "node:path";
import { chromium } from "playwright-core";

export const TREE = resolve(import.meta.dirname, "../../..");
/** The built page. */
export const BUILT = resolve(TREE, "python/dupack/playground");
export const PYTHON = resolve(TREE, ".venv/bin/python");
const BROWSERS = [process.env.DUPACK_BROWSER, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** The browser of this machine, or undefined. */
export const BROWSER = BROWSERS.find((path) => path && existsSync(path));

const env = { ...process.env, PYTHONPATH: resolve(TREE, "python") };

/** Starts `dupack play`; its address, and how to end it. */
export async function serve(...words) {
  const server = spawn(PYTHON, ["-m", "dupack", "play", "--no-browser", ...words], { env, stdio: ["ignore", "pipe", "inherit"] });
  const address = await new Promise((resolve, reject) => {
    let text = "";
    server.stdout.on("data", (part) => {
      text += part;
      const found = /http:\/\/\S+/.exec(text);
      if (found) resolve(found[0]);
    });
    server.on("exit", (code) => reject(new Error(`dupack play ended with ${code}`)));
  });
  return { address, end: () => server.kill("SIGINT"), server };
}

export async function browser() {
  return chromium.launch({ executablePath: BROWSER, timeout: 300_000, args: ["--no-sandbox", "--disable-gpu", "--enable-precise-memory-info"] });
}

/** A page whose errors are kept. */
export async function open(browser, address, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  context.setDefaultTimeout(300_000);
  const page = await context.newPage();
  page.errors = [];
  page.on("pageerror", (error) => page.errors.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") page.errors.push(message.text());
  });
  await page.goto(address);
  return page;
}

/** Lets the page wait longer for its worker than for a reader: a busy machine must not fail a test. */
export async function patient(page) {
  await settled(page);
  await page.evaluate(() => (window.lab.first.client.constructor.patience = 600_000));
}

/** A page that is as patient as the tests. */
export async function fresh(browser, address, options) {
  const page = await open(browser, address, options);
  await patient(page);
  return page;
}

/** Ends a page that had no errors. */
export async function close(page) {
  assert.deepEqual(page.errors, []);
  await page.context().close();
}

/** Goes to a time, and waits for its packets. */
export function known(page, at) {
  return page.waitForFunction((at) => (window.lab.state.at === at || window.lab.seek(at), window.lab.first.knows(at)), at);
}

/** Waits until the address holds the state: it follows a little later. */
export async function addressed(page) {
  while (!(await page.evaluate(async () => location.hash === `#${await window.lab.fragment()}`))) await page.waitForTimeout(50);
}

/** Clicks what saves a file: its name and contents. */
export async function download(page, selector) {
  // Chromium ignores the eleventh download within a second, and the rest of that second.
  await page.waitForTimeout(110);
  const [saved] = await Promise.all([page.waitForEvent("download"), page.click(selector)]);
  return { name: saved.suggestedFilename(), bytes: readFileSync(await saved.path()) };
}

const TYPES = { ".css": "text/css", ".html": "text/html", ".js": "text/javascript", ".svg": "image/svg+xml", ".wasm": "application/wasm" };

/** A host of static files: `find` gives the ending and the contents of what is at a path, if there is something. */
export async function host(find) {
  const server = createServer((request, response) => {
    const found = find(decodeURI(new URL(request.url, "http://host").pathname));
    if (!found) response.writeHead(404).end();
    else response.writeHead(200, { "content-type": TYPES[found[0]] ?? "application/octet-stream", "cache-control": "no-store" }).end(found[1]);
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  // A test that fails does not end it.
  server.unref();
  return { port: server.address().port, end: () => new Promise((done) => (server.close(done), server.closeAllConnections())) };
}

/** What a folder has at a path, for `host`. */
export function file(folder, path) {
  const found = resolve(folder, `.${path}`, path.endsWith("/") ? "index.html" : "");
  return existsSync(found) ? [extname(found), readFileSync(found)] : undefined;
}

/** Waits until what is shown is the run of the state, or its errors. */
export async function settled(page) {
  await page.waitForFunction(() => window.lab?.done, undefined, { timeout: 600_000 });
  // The page draws what changed a frame later.
  await page.evaluate(() => new Promise((drawn) => setTimeout(() => requestAnimationFrame(drawn), 32)));
}

/** Documents of the native engine. */
export function native(asked) {
  const done = spawnSync(PYTHON, [resolve(import.meta.dirname, "native.py")], { input: JSON.stringify(asked), env, maxBuffer: 1 << 28, encoding: "utf8" });
  if (done.status !== 0) throw new Error(done.stderr);
  return JSON.parse(done.stdout);
}

/** What a command prints. */
export function told(words) {
  const done = spawnSync("/bin/sh", ["-c", words], { env: { ...env, PATH: `${resolve(TREE, ".venv/bin")}:${env.PATH}` }, encoding: "utf8", maxBuffer: 1 << 28, cwd: TREE });
  return { status: done.status, text: done.stdout, errors: done.stderr };
}
