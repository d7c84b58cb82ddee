/** Measured numbers in the words of the lessons. */

import type { Document } from "../engine/protocol";
import { flow } from "./lesson";

/** A rate [bit/s] in Mb/s. */
export function rate(bps: number): string {
  return `${(bps / 1e6).toFixed(bps < 1e8 ? 2 : 0)} Mb/s`;
}

/** A time [s] in milliseconds. */
export function ms(seconds: number | null): string {
  return seconds === null ? "unknown" : `${(seconds * 1e3).toFixed(seconds < 0.1 ? 1 : 0)} ms`;
}

/** A share in per cent. */
export function percent(share: number): string {
  return `${(share * 100).toFixed(Math.abs(share) < 0.0995 ? 1 : 0)} %`;
}

/** "1 timeout", "2 timeouts". */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

/** Goodput of a flow [bit/s]; 0 if it delivered nothing. */
export function goodput(document: Document, name: string): number {
  return flow(document, name).goodput_bps ?? 0;
}

/** Goodput of all flows together [bit/s]. */
export function total(document: Document): number {
  return document.flows.reduce((sum, one) => sum + (one.goodput_bps ?? 0), 0);
}

/** The second document of a lesson with two settings. */
export function second(document: Document | null): Document {
  if (!document) throw new Error("this lesson compares two settings");
  return document;
}

/** The number of the value that is nearest, by a distance. */
export function nearest(value: number, among: number[], distance = (a: number, b: number) => Math.abs(a - b)): number {
  let best = 0;
  among.forEach((one, at) => {
    if (distance(value, one) < distance(value, among[best] ?? NaN)) best = at;
  });
  return best;
}
