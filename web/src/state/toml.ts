/** Values as TOML, on one line, as overrides need them. */

import type { Value } from "../engine/protocol";

export function toml(value: Value): string {
  if (typeof value === "string") return text(value);
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return `[${value.map(toml).join(", ")}]`;
  const parts = Object.entries(value).map(([key, one]) => `${bare(key)} = ${toml(one)}`);
  return parts.length > 0 ? `{ ${parts.join(", ")} }` : "{}";
}

function bare(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : text(key);
}

/** A basic string. JSON's escapes are TOML's, but for those of DEL, which TOML wants escaped. */
function text(of: string): string {
  return JSON.stringify(of).replaceAll("\x7f", "\\u007f");
}

/** A time in a unit that shows it exactly and briefly. */
export function time(seconds: number): string {
  const ps = Math.round(seconds * 1e12);
  const units: [string, number][] = [
    ["s", 1e12],
    ["ms", 1e9],
    ["us", 1e6],
    ["ns", 1e3],
    ["ps", 1],
  ];
  for (const [unit, size] of units) {
    const number = ps / size;
    if (Number.isInteger(Math.round(number * 1000) / 1000) || (Math.abs(number * 1000 - Math.round(number * 1000)) < 1e-9 && number >= 1)) {
      return `${Math.round(number * 1000) / 1000} ${unit}`;
    }
  }
  return `${ps} ps`;
}

export function rate(bps: number): string {
  if (bps >= 1e9) return `${round(bps / 1e9)} Gb/s`;
  if (bps >= 1e6) return `${round(bps / 1e6)} Mb/s`;
  if (bps >= 1e3) return `${round(bps / 1e3)} kb/s`;
  return `${round(bps)} b/s`;
}

function round(number: number): number {
  return Number(number.toPrecision(6));
}

/** What a terminal may obey, or show as something else: control and format characters, separators of lines. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** For a POSIX shell: in quotes, unless it needs none. What is not printable is written by `printf`, because quotes have no escapes for it. */
export function shell(word: string): string {
  if (/^[A-Za-z0-9_./:=@%+,-]+$/.test(word)) return word;
  if (!UNSEEN.test(word)) return `'${word.replaceAll("'", `'\\''`)}'`;
  const octal = (byte: number) => `\\${byte.toString(8).padStart(3, "0")}`;
  const escaped = [...word].map((letter, at) => {
    if (letter === "%" || letter === "\\") return letter + letter;
    // An exclamation mark would recall an earlier command: interactive shells look for it between double quotes. A hyphen may begin an option.
    return UNSEEN.test(letter) || letter === "'" || letter === "!" || (letter === "-" && at === 0) ? [...new TextEncoder().encode(letter)].map(octal).join("") : letter;
  });
  return `"$(printf '${escaped.join("")}')"`;
}
