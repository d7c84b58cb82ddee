/** Messages between the page and the worker that simulates, and what the engine answers. */

/** A run: the plan's text, overrides as of `--set`, point of its sweep, seed. */
export interface Asked {
  plan: string;
  origin: string;
  sets: string[];
  point: number;
  seed: number | null;
  /** A session tells of every packet. */
  packets?: boolean;
}

/** A value of a plan. */
export type Value = string | number | boolean | Value[] | { [key: string]: Value };
export type Table = { [key: string]: Value };

/** A plan as one experiment. */
export interface Settled {
  text: string;
  /** From which hosts, switches and links of the table are made, as it is written. */
  topology: Table | null;
  table: Table;
}

export interface SceneNode {
  name: string;
  kind: "host" | "switch";
}

/** One direction of a link. */
export interface SceneLink {
  name: string;
  from: string;
  to: string;
  rate_bps: number;
  delay_ps: number;
  queue: string | null;
  varies: boolean;
  /** The states of its schedule, the earliest first; none without a schedule. */
  course: { at_ps: number; rate_bps: number; delay_ps: number; up: boolean }[];
}

export interface SceneFlow {
  name: string;
  from: string;
  to: string;
  start_ps: number;
  forward: number[];
  back: number[];
  arrivals: boolean;
  transport: string;
  /** A full packet with its headers. */
  packet_bits: number;
}

export interface Scene {
  title: string;
  seed: number;
  duration_ps: number;
  warm_up_ps: number;
  carries: "cells" | "packets";
  nodes: SceneNode[];
  links: SceneLink[];
  flows: SceneFlow[];
  events: string[];
  causes: string[];
}

export interface Checked {
  title: string;
  seeds: number[];
  axes: string[];
  points: { settings: Record<string, unknown> }[];
}

export interface Step {
  time_s: number;
  event: string;
  text: string;
  link?: string;
}

export interface Explanation {
  flow: string;
  at_s: number;
  from_s: number;
  to_s: number;
  open: boolean;
  number: number;
  steps: Step[];
}

export interface Parameter {
  name: string;
  help: string;
  kind: string;
  written: string;
  required: boolean;
  default: string | null;
  words?: string[];
  units?: string[];
  unset: boolean;
}

export interface Entry {
  family: string;
  name: string;
  summary: string;
  source: string;
  carries?: string[];
  parameters: Parameter[];
}

export interface Catalogue {
  entries: Entry[];
  transports: Parameter[];
  /** Keys of a plan (without a name) and of its parts. */
  sections: { name: string; help: string; parameters: Parameter[] }[];
}

/** What the page reads of a run's document. */
export interface Document {
  duration_s: number;
  warm_up_s: number;
  flows: FlowResult[];
  links: LinkResult[];
  summary: { [measure: string]: number | null };
}

export interface FlowResult {
  name: string;
  transport: string;
  goodput_bps: number | null;
  segments_sent: number;
  segments_retransmitted: number;
  timeouts: number;
  fast_retransmits: number;
  mean_rtt_s: number | null;
  mean_delay_s: number | null;
  completed_s: number | null;
  connections?: { completion_s?: { mean?: number | null; p95?: number | null } | null; [key: string]: unknown };
}

export interface LinkResult {
  name: string;
  queue: string;
  carries: string;
  utilization: number;
  mean_backlog: number;
  max_backlog: number;
  dropped: { [cause: string]: number };
  marked: number;
  sent: number;
}

export type Answer<T> = { ok: T } | { errors: string[] };

export type Request =
  | { what: "check"; asked: Asked }
  | { what: "settle"; asked: Asked }
  | { what: "run"; asked: Asked }
  | { what: "explain"; asked: Asked; flow: string | null; at_ps: number }
  | { what: "record"; asked: Asked; qlog: string | null }
  | { what: "catalogue" }
  | { what: "build" }
  | { what: "finish"; slot: number }
  | { what: "open"; slot: number; asked: Asked }
  /** Keeps the session of packets as it is now, if that takes no more than `most` bytes. */
  | { what: "keep"; most: number }
  /** Goes on with the session of packets as it was kept. */
  | { what: "resume"; id: number }
  | { what: "forget"; ids: number[] }
  /** Simulates until a time in parts of `step_s`, and stops earlier when `budget_ms` is used up. Cells are told of from `cells_s` on. */
  | { what: "advance"; slot: number; from_s: number; until_s: number; step_s: number; budget_ms: number; cells_s: number };

/** The slots of sessions: of the whole run, and of packets around a time. The latter has a module of its own. */
export const [WHOLE, NEAR] = [0, 1];

/** A snapshot of the session of packets. */
export interface Kept {
  id: number;
  bytes: number;
}

/** Slices, and how far they go. */
export interface Advanced {
  slices: Float64Array[];
  now_s: number;
  ended: boolean;
  /** Wall-clock time that they took [ms]. */
  took_ms: number;
}
