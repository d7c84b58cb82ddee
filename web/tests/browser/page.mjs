// A browser, the server of `dupack play`, and what tests do with both.

import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { chromium } from "playwright-core";

export const TREE = resolve(import.meta.dirname, "../../..");
const PYTHON = resolve(TREE, ".venv/bin/python");
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
  return chromium.launch({ executablePath: BROWSER, args: ["--no-sandbox", "--disable-gpu", "--enable-precise-memory-info"] });
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
