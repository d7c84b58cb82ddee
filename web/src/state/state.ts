/** All that the page shows follows from this, and from nothing else; it is what an address and a command line carry. */

import type { Asked, Table, Value } from "../engine/protocol";
import { rate, shell, time, toml } from "./toml";

/** A change of a link while the run is under way. */
export interface Change {
  at_s: number;
  /** Its name in the plan, or of a member of a group. */
  link: string;
  /** Of the reverse direction. */
  back: boolean;
  rate_bps?: number;
  delay_s?: number;
  up?: boolean;
}

/** A packet that the reader lets a line drop. */
export interface Loss {
  link: string;
  back: boolean;
  flow: string;
  /** Number of the flow's data packet on that link, from 0. */
  packet: number;
}

export interface State {
  /** Text of the plan. */
  plan: string;
  /** Name of its file, for messages and command lines. */
  origin: string;
  point: number;
  /** By default the first of the plan. */
  seed: number | null;
  sets: string[];
  changes: Change[];
  losses: Loss[];
  /** What the second setting has beyond the first; null for a single one. */
  other: string[] | null;
  /** The time that is shown [s]; -1 lets the page choose one at which packets are under way. */
  at: number;
  /** The flow that is looked at, or -1. */
  flow: number;
  /** Simulated seconds per second of the wall clock; 0 chooses one. */
  speed: number;
  lesson: string | null;
  /** The panel that is open; empty lets the page choose one. */
  tab: string;
  /** The part of the run that the courses show [s]; null for all of it. */
  zoom: [number, number] | null;
}

/** The panels beside the network. */
export const PANELS = ["lesson", "change", "plan", "why", "results", "share"];

export const EMPTY: State = {
  plan: "",
  origin: "plan.toml",
  point: 0,
  seed: null,
  sets: [],
  changes: [],
  losses: [],
  other: null,
  at: -1,
  flow: -1,
  speed: 0,
  lesson: null,
  tab: "",
  zoom: null,
};

/** `uplink.back` is the reverse direction of `uplink`. */
export function direction(name: string): { link: string; back: boolean } {
  return name.endsWith(".back") ? { link: name.slice(0, -5), back: true } : { link: name, back: false };
}

function key(change: { link: string; back: boolean }, name: string): string {
  return `link.${change.link}.${change.back ? "back_" : ""}${name}`;
}

/** Overrides for what the reader did to links. `table` is the plan with all its links: a schedule of its own is kept. */
export function touches(state: State, table: Table | null): string[] {
  const sets: string[] = [];
  const paths = new Map<string, Change[]>();
  for (const change of state.changes) {
    const path = key(change, "schedule");
    paths.set(path, [...(paths.get(path) ?? []), change]);
  }
  for (const [path, changes] of paths) {
    const steps = changes.map((change): Table => {
      const step: Table = { at: time(change.at_s) };
      if (change.rate_bps !== undefined) step.rate = rate(change.rate_bps);
      if (change.delay_s !== undefined) step.delay = time(change.delay_s);
      if (change.up !== undefined) step.up = change.up;
      return step;
    });
    sets.push(`${path}=${toml(merged([...planned(table, path), ...steps]))}`);
  }
  const losses = new Map<string, Loss[]>();
  for (const loss of state.losses) {
    const path = key(loss, "loss");
    losses.set(path, [...(losses.get(path) ?? []), loss]);
  }
  for (const [path, all] of losses) {
    const packets = [...new Set(all.map((one) => one.packet))].sort((a, b) => a - b);
    sets.push(`${path}=${toml({ kind: "script", flow: all[0]?.flow ?? "", packets })}`);
  }
  return sets;
}

function seconds(step: Table): number {
  return typeof step.at === "string" ? read(step.at) : 0;
}

/** Steps in order of time; of two at the same time the later one of the list counts. */
function merged(steps: Table[]): Table[] {
  const all: Table[] = [];
  for (const step of steps.toSorted((a, b) => seconds(a) - seconds(b))) {
    const last = all.at(-1);
    if (last && Math.abs(seconds(last) - seconds(step)) < 1e-12) Object.assign(last, { ...step, at: last.at });
    else all.push({ ...step });
  }
  return all;
}

/** A time of a plan [s]. */
export function read(text: string): number {
  const found = /^\s*([0-9.eE_+-]+)\s*([a-zµ]+)\s*$/.exec(text);
  const units: { [unit: string]: number } = { ps: 1e-12, ns: 1e-9, us: 1e-6, µs: 1e-6, ms: 1e-3, s: 1, min: 60, h: 3600 };
  return found ? Number(found[1]?.replaceAll("_", "")) * (units[found[2] ?? ""] ?? NaN) : NaN;
}

/** A step that is repeated is written as often as it happens, up to so many. */
const STEPS = 10_000;

/** The steps that a plan itself has at a path. Those that are repeated are written one by one until the end of the run. */
function planned(table: Table | null, path: string): Table[] {
  const [, link = "", name = ""] = path.split(".");
  const of = item(table, "link", link);
  const found = of?.[name] === AS_THERE ? of.schedule : of?.[name];
  if (Array.isArray(found)) return found as Table[];
  if (typeof found !== "object" || !Array.isArray(found.steps)) return [];
  const steps = found.steps as Table[];
  if (typeof found.every !== "string") return steps;
  const [every, end] = [read(found.every), typeof table?.duration === "string" ? read(table.duration) : 0];
  const all = [...steps];
  // What a step does not give stays as it is, also from one turn to the next.
  for (let turn = 1; turn * every < end && all.length < STEPS; turn++) {
    all.push(...steps.map((step) => ({ ...step, at: time(turn * every + seconds(step)) })));
  }
  return all;
}

/** The word for the schedule of the way there. */
const AS_THERE = "as there";

/** A link or flow of a plan, or the group of which it is a member. */
export function item(table: Table | null, section: string, name: string): Table | undefined {
  const all = table?.[section];
  if (!Array.isArray(all)) return undefined;
  const named = (wanted: string) => all.find((one) => typeof one === "object" && !Array.isArray(one) && one.name === wanted) as Table | undefined;
  return named(name) ?? named(name.replace(/-\d+$/, ""));
}

/** The run of a side: of the first, or of the second with what it has beyond it. */
export function asked(state: State, other: boolean, table: Table | null): Asked {
  const beyond = other ? (state.other ?? []) : [];
  return {
    plan: state.plan,
    origin: state.origin,
    // A command takes each path once. What the plan's own overrides say of a link's schedule is in that of the touches.
    sets: [touches(state, table), beyond].reduce(over, state.sets),
    point: state.point,
    seed: state.seed,
  };
}

/** A value of `--set` for a path, or none. */
export function value(sets: string[], path: string): string | undefined {
  const found = sets.findLast((set) => set.startsWith(`${path}=`));
  return found?.slice(path.length + 1);
}

/** Overrides with another value for a path; values below it no longer count. */
export function put(sets: string[], path: string, value: string | null): string[] {
  const kept = sets.filter((set) => {
    const own = set.slice(0, set.indexOf("="));
    return own !== path && !own.startsWith(`${path}.`);
  });
  return value === null ? kept : [...kept, `${path}=${value}`];
}

/** Overrides, and others that come after them: of two for a path the later one counts. */
function over(sets: string[], later: string[]): string[] {
  return [...later.reduce((kept, set) => put(kept, set.slice(0, set.indexOf("=")), null), sets), ...later];
}

/** The command that gives the same numbers. */
export function command(of: Asked, settings: { [path: string]: unknown } | undefined): string {
  const fixed = Object.entries(settings ?? {}).map(([path, one]) => `${path}=${typeof one === "string" ? one : toml(one as Value)}`);
  const sets = [...fixed, ...of.sets].flatMap((set) => ["--set", shell(set)]);
  const seed = of.seed === null ? [] : ["--set", `seed=${of.seed}`];
  // A name that begins with a hyphen would be an option.
  const file = of.origin.startsWith("-") ? `./${of.origin}` : of.origin;
  return ["dupack", "run", shell(file), ...sets, ...seed].join(" ");
}
