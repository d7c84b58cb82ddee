/** The state in an address: after `#`, so that no server is told of it. */

import { EMPTY, PANELS, type State } from "./state";

/** An address with more than this is refused [bytes]: it would be a plan of a megabyte. */
const LONGEST = 400_000;
const LARGEST = 2 << 20;

async function through(bytes: Uint8Array, stream: { readable: ReadableStream; writable: WritableStream }): Promise<Uint8Array> {
  const writer = stream.writable.getWriter();
  // A damaged stream is told by the reader.
  writer.write(bytes).catch(() => undefined);
  writer.close().catch(() => undefined);
  const reader = stream.readable.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  const parts: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > LARGEST) throw new Error(`more than ${LARGEST >> 20} MiB`);
    parts.push(value);
  }
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

export async function pack(state: State): Promise<string> {
  const given = Object.entries(state).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(EMPTY[name as keyof State]));
  const bytes = new TextEncoder().encode(JSON.stringify(Object.fromEntries(given)));
  const packed = await through(bytes, new CompressionStream("deflate-raw"));
  let text = "";
  for (const byte of packed) text += String.fromCharCode(byte);
  return `1.${btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}

/** The state of a fragment made by `pack`. An error says what is wrong with it. */
export async function unpack(fragment: string): Promise<State> {
  if (fragment.length > LONGEST) throw new Error(`the address is too long: ${fragment.length} characters, at most ${LONGEST}`);
  const [, packed = ""] = fragment.split("1.", 2);
  let found: unknown;
  try {
    const text = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = await through(Uint8Array.from(text, (letter) => letter.charCodeAt(0)), new DecompressionStream("deflate-raw"));
    found = JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    throw new Error(`the address is damaged: ${error instanceof Error ? error.message : String(error)}`);
  }
  return checked(found);
}

/** Each value is taken if it is of its kind; what a later version adds is left out. */
export function checked(found: unknown): State {
  const state: State = structuredClone(EMPTY);
  if (typeof found !== "object" || found === null) return state;
  const of = found as { [name: string]: unknown };
  const text = (name: "plan" | "origin") => {
    if (typeof of[name] === "string") state[name] = of[name];
  };
  const number = (value: unknown, low: number): value is number => typeof value === "number" && Number.isFinite(value) && value >= low;
  const texts = (value: unknown): value is string[] => Array.isArray(value) && value.every((one) => typeof one === "string");
  text("plan");
  text("origin");
  // It stands in a command that readers copy, and names the files that they save.
  state.origin = state.origin.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "").slice(0, 200) || EMPTY.origin;
  if (number(of.point, 0)) state.point = Math.floor(of.point);
  if (number(of.seed, 0)) state.seed = Math.floor(of.seed);
  if (texts(of.sets)) state.sets = of.sets;
  if (texts(of.other)) state.other = of.other;
  if (number(of.at, 0)) state.at = of.at;
  if (number(of.flow, -1)) state.flow = Math.floor(of.flow);
  if (number(of.speed, 0)) state.speed = of.speed;
  if (typeof of.lesson === "string") state.lesson = of.lesson;
  if (typeof of.tab === "string" && PANELS.includes(of.tab)) state.tab = of.tab;
  const [from, to] = Array.isArray(of.zoom) ? (of.zoom as unknown[]) : [];
  if (number(from, 0) && number(to, 0) && from < to) state.zoom = [from, to];
  const list = (value: unknown) => (Array.isArray(value) ? (value as { [name: string]: unknown }[]) : []);
  for (const one of list(of.changes)) {
    if (!number(one?.at_s, 0) || typeof one.link !== "string") continue;
    const change: State["changes"][number] = { at_s: one.at_s, link: one.link, back: one.back === true };
    if (number(one.rate_bps, 1)) change.rate_bps = one.rate_bps;
    if (number(one.delay_s, 0)) change.delay_s = one.delay_s;
    if (typeof one.up === "boolean") change.up = one.up;
    state.changes.push(change);
  }
  for (const one of list(of.losses)) {
    if (typeof one?.link !== "string" || typeof one.flow !== "string" || !number(one.packet, 0)) continue;
    state.losses.push({ link: one.link, back: one.back === true, flow: one.flow, packet: Math.floor(one.packet) });
  }
  return state;
}
