/** What happened in a run so far: packets on links, and states over time. */

import type { Scene } from "../engine/protocol";
import { lineAt } from "./line";

/** The numbers of a slice's records: see crates/wasm/src/slice.rs. */
export const HEADER = 9;
export const ROW = 10;
export const SEEN = 12;
export const INCIDENT = 13;
export const BEGUN = 4;
export const LINK = 4;
export const FLOW = 11;
export const CELL = 4;

export const DATA = 0;
export const AGAIN = 1;
export const ACK = 2;

export const DROPPED = 0;
export const MARKED = 1;
export const TRIMMED = 2;

/** A packet at one link: in its queue from `queued` to `near`, on the line from `near` to `far`. Times in seconds. */
export interface Leg {
  flow: number;
  connection: number;
  kind: number;
  number: number;
  id: number;
  bytes: number;
  link: number;
  queued: number;
  near: number;
  far: number;
  /** Time at which it was dropped, or NaN. */
  dropped: number;
  cause: number;
  /** Dropped by the line, not by the queue. */
  ofLine: boolean;
  marked: boolean;
  trimmed: boolean;
  /** Number of the flow's data packet on this link, from 0, or -1 before it departs. */
  packet: number;
}

/** An event that can be explained. */
export interface Happening {
  at: number;
  event: string;
  flow: number;
  connection: number;
  number: number;
  link: number | null;
}

/** The flow of an event, or its connection. */
export function whose(scene: Scene, one: { flow: number; connection: number }): string {
  return `${scene.flows[one.flow]?.name ?? ""}${one.connection >= 0 ? `.${one.connection}` : ""}`;
}

/** Legs are forgotten beyond this, the oldest first. */
const LEGS = 400_000;
/** The same of cells. */
export const CELLS = 400_000;
/** A dropped packet is shown for so long, at most [s]. */
export const LYING = 0.5;
/** Beyond this, events are counted and no longer kept. */
const HAPPENINGS = 200_000;
const PS = 1e-12;

/** Cells that left the transmitter of a link, in order of time. */
export interface Cells {
  times: number[];
  /** When they arrive at the far end. */
  fars: number[];
  flows: number[];
  kinds: number[];
}

/** Kinds of cells. */
export const [CELL_OF_DATA, CELL_OF_ACK, RM] = [0, 1, 2];

export class History {
  readonly legs: Leg[] = [];
  /** Legs before this time are forgotten. */
  known = 0;
  readonly happenings: Happening[] = [];
  readonly times: number[] = [];
  /** Per link with a queue: backlog [units]. */
  readonly backlog: number[][];
  /** Congestion window [segments]; none for connections that come and go. */
  readonly cwnd: (number | null)[][];
  /** Goodput since the sample before [bit/s]. */
  readonly goodput: (number | null)[][];
  /** Pacing rate, where there is one, or else the rate of transmissions since the sample before, those sent again among them [bit/s]. */
  readonly rate: (number | null)[][];
  /** Flows whose rate is a pacing rate. */
  readonly paced: boolean[];
  /** Mean round trip since the sample before [s]. */
  readonly rtt: (number | null)[][];
  /** Totals per flow at the last sample: timeouts, retransmissions, transmissions, bytes delivered. */
  readonly totals: { timeouts: number; again: number; sent: number; bytes: number }[];
  now = 0;
  ended = false;
  /** Slices so far. */
  samples = 0;
  drops = 0;
  marks = 0;
  /** Where lines carry cells: those from this time on; not known before. */
  cellsFrom: number | undefined;
  readonly cells: Cells[];
  private readonly hosts: Set<string>;
  private readonly open = new Map<string, Leg>();
  private readonly passed = new Map<string, number>();
  /** Packets of cells that lost some at a link before the last one came there. */
  private readonly damaged = new Set<string>();
  /** Data packets that each link has carried of each flow. */
  private readonly carried: Uint32Array;
  private readonly earlier: { at: number; bytes: number; rtt: number; trips: number; sent: number }[];
  /** The longest time that a packet spent at a link [s]. */
  private longest = 0;
  /** Per link: the latest arrival of a packet so far. */
  private readonly latest: number[];

  /** With `courses` it keeps states over time as well. */
  constructor(
    readonly scene: Scene,
    private readonly courses: boolean,
  ) {
    const flows = scene.flows.length;
    this.hosts = new Set(scene.nodes.filter((node) => node.kind === "host").map((node) => node.name));
    this.carried = new Uint32Array(scene.links.length * flows);
    this.backlog = scene.links.map(() => []);
    this.latest = scene.links.map(() => 0);
    this.cells = scene.links.map(() => ({ times: [], fars: [], flows: [], kinds: [] }));
    this.cwnd = scene.flows.map(() => []);
    this.goodput = scene.flows.map(() => []);
    this.rate = scene.flows.map(() => []);
    this.paced = scene.flows.map(() => false);
    this.rtt = scene.flows.map(() => []);
    this.totals = Array.from({ length: flows }, () => ({ timeouts: 0, again: 0, sent: 0, bytes: 0 }));
    this.earlier = Array.from({ length: flows }, () => ({ at: 0, bytes: 0, rtt: 0, trips: 0, sent: 0 }));
  }

  add(slice: Float64Array): void {
    const get = (at: number) => slice[at] as number;
    const [rows, seen, incidents, begun, links, flows] = [2, 3, 4, 5, 6, 7].map(get) as [number, number, number, number, number, number];
    this.now = get(0) * PS;
    this.ended = get(1) === 1;
    this.samples += 1;
    let at = HEADER;
    const rowsAt = at;
    const seenAt = (at += rows * ROW);
    const incidentsAt = (at += seen * SEEN);
    at += incidents * INCIDENT + begun * BEGUN;
    // The three kinds are each in order of time: a packet's records must be read in the order in which they happened.
    let [r, s, i] = [0, 0, 0];
    while (r < rows || s < seen || i < incidents) {
      const row = r < rows ? get(rowsAt + r * ROW) : Infinity;
      const pass = s < seen ? get(seenAt + s * SEEN) : Infinity;
      const hit = i < incidents ? get(incidentsAt + i * INCIDENT) : Infinity;
      if (row <= pass && row <= hit) this.row(slice, rowsAt + r++ * ROW);
      else if (pass <= hit) this.seen(slice, seenAt + s++ * SEEN);
      else this.incident(slice, incidentsAt + i++ * INCIDENT);
    }
    if (this.courses) this.sample(slice, at, links, flows);
    at += links * LINK + flows * FLOW;
    for (const end = at + get(8) * CELL; at < end; at += CELL) this.cell(slice, at);
    if (this.legs.length > LEGS) this.forget();
  }

  /** Cells that are kept of each link. */
  get room(): number {
    return Math.ceil(CELLS / this.cells.length);
  }

  private cell(slice: Float64Array, at: number): void {
    const of = this.cells[slice[at + 1] as number];
    if (!of) return;
    const time = (slice[at] as number) * PS;
    of.times.push(time);
    of.fars.push(Math.max(of.fars.at(-1) ?? 0, this.arrival(slice[at + 1] as number, time)));
    of.flows.push(slice[at + 2] as number);
    of.kinds.push(slice[at + 3] as number);
    if (of.times.length <= this.room) return;
    const old = this.room >> 2;
    for (const list of [of.times, of.fars, of.flows, of.kinds]) list.splice(0, old);
    this.cellsFrom = Math.max(this.cellsFrom ?? 0, of.times[0] ?? 0);
  }

  private row(slice: Float64Array, at: number): void {
    const [time, flow, connection, event, segment] = slice.subarray(at, at + 5) as unknown as [number, number, number, number, number];
    const word = this.scene.events[event] ?? "";
    if (word === "send" || word === "retransmit") {
      const id = slice[at + 7] as number;
      const first = this.scene.flows[flow]?.forward[0];
      const known = connection < 0 && first !== undefined;
      const leg = this.leg(flow, connection, word === "send" ? DATA : AGAIN, segment, id, slice[at + 8] as number, time * PS);
      if (known) this.begin(leg, first);
      else this.passed.set(key(flow, connection, false, id), time * PS);
    } else if (word === "fast_retransmit" || word === "timeout") {
      this.happen({ at: time * PS, event: word, flow, connection, number: segment, link: null });
    }
  }

  private leg(flow: number, connection: number, kind: number, number: number, id: number, bytes: number, queued: number): Leg {
    return {
      flow,
      connection,
      kind,
      number,
      id,
      bytes,
      link: -1,
      queued,
      near: Infinity,
      far: Infinity,
      dropped: NaN,
      cause: -1,
      ofLine: false,
      marked: false,
      trimmed: false,
      packet: -1,
    };
  }

  private begin(leg: Leg, link: number): Leg {
    leg.link = link;
    this.open.set(key(leg.flow, leg.connection, leg.kind === ACK, leg.id), leg);
    this.legs.push(leg);
    return leg;
  }

  private seen(slice: Float64Array, at: number): void {
    const get = (offset: number) => slice[at + offset] as number;
    const [time, link, far, flow, connection] = [get(0) * PS, get(1), get(2) === 1, get(3), get(4)];
    const [hop, kind, number, id, bytes] = [get(5), get(6), get(7), get(8), get(9)];
    const name = key(flow, connection, kind === ACK, id);
    let leg = this.open.get(name);
    if (leg?.link !== link) {
      // An ack at its first link, or a connection whose way is not known before: it has been here since it left the link before.
      leg = this.begin(this.leg(flow, connection, kind, number, id, bytes, this.passed.get(name) ?? time), link);
    }
    leg.bytes = bytes;
    leg.marked ||= get(10) === 3;
    leg.trimmed = get(11) > 0;
    if (!far) {
      leg.near = time;
      if (kind !== ACK) leg.packet = this.count(link, flow);
      leg.far = Math.max(this.latest[link] ?? 0, this.arrival(link, time));
      this.latest[link] = leg.far;
      // It is found at times after this one, also if it is still under way when the run ends.
      this.longest = Math.max(this.longest, leg.far - leg.queued);
      return;
    }
    leg.far = time;
    if (leg.near === Infinity) leg.near = time;
    this.longest = Math.max(this.longest, leg.far - leg.queued);
    this.open.delete(name);
    const way = this.scene.flows[flow];
    const next = connection < 0 ? (kind === ACK ? way?.back : way?.forward)?.[hop + 1] : undefined;
    const last = this.hosts.has(this.scene.links[link]?.to ?? "");
    if (this.damaged.delete(name)) this.passed.delete(name);
    else if (next !== undefined) {
      const on = this.begin(this.leg(flow, connection, kind, number, id, bytes, time), next);
      [on.marked, on.trimmed] = [leg.marked, leg.trimmed];
    } else if (last) this.passed.delete(name);
    else this.passed.set(name, time);
  }

  /** When what leaves a link's transmitter at a time arrives, without jitter, if nothing that left before is later: a shorter delay lets nothing overtake. */
  private arrival(link: number, time: number): number {
    const of = this.scene.links[link];
    return time + (of ? lineAt(of, time).delay_s : 0);
  }

  private happen(it: Happening): void {
    if (this.happenings.length < HAPPENINGS) this.happenings.push(it);
  }

  private count(link: number, flow: number): number {
    const at = link * this.scene.flows.length + flow;
    const before = this.carried[at] ?? 0;
    this.carried[at] = before + 1;
    return before;
  }

  private incident(slice: Float64Array, at: number): void {
    const get = (offset: number) => slice[at + offset] as number;
    const [time, link, flow, connection, deed, kind, id] = [get(0) * PS, get(1), get(2), get(3), get(5), get(8), get(10)];
    const name = key(flow, connection, kind === ACK, id);
    let leg = this.open.get(name);
    if (leg && leg.link !== link && deed === DROPPED) {
      // Cells arrive one by one: the rest of the packet is still at the link before, and goes on to where it is thrown away.
      leg = this.leg(flow, connection, kind, get(9), id, get(11), time);
      leg.link = link;
      this.legs.push(leg);
      this.damaged.add(name);
    } else leg ??= this.begin(this.leg(flow, connection, kind, get(9), id, get(11), this.passed.get(name) ?? time), link);
    if (deed === MARKED) {
      this.marks += 1;
      leg.marked = true;
    } else if (deed === TRIMMED) leg.trimmed = true;
    else {
      this.drops += 1;
      leg.dropped = time;
      leg.cause = get(6);
      leg.ofLine = get(12) === 1;
      if (!this.damaged.has(name)) this.open.delete(name);
      this.passed.delete(name);
    }
    if (kind !== ACK) {
      const event = deed === MARKED ? "mark" : deed === TRIMMED ? "trim" : "drop";
      this.happen({ at: time, event, flow, connection, number: get(9), link });
    }
  }

  private sample(slice: Float64Array, at: number, links: number, flows: number): void {
    this.times.push(this.now);
    for (let link = 0; link < links; link++) this.backlog[link]?.push(slice[at + link * LINK] as number);
    at += links * LINK;
    for (let flow = 0; flow < flows; flow++) {
      const get = (offset: number) => slice[at + flow * FLOW + offset] as number;
      const before = this.earlier[flow];
      const totals = this.totals[flow];
      if (!before || !totals) continue;
      const [bytes, rtt, trips] = [get(2), get(3), get(4)];
      const since = this.now - before.at;
      this.cwnd[flow]?.push(get(0) > 0 ? get(0) : null);
      this.goodput[flow]?.push(since > 0 ? ((bytes - before.bytes) * 8) / since : null);
      this.rtt[flow]?.push(trips > before.trips ? ((rtt - before.rtt) * PS) / (trips - before.trips) : null);
      const [sent, pacing] = [get(9), get(10)];
      this.paced[flow] ||= pacing > 0;
      const bits = this.scene.flows[flow]?.packet_bits ?? 0;
      this.rate[flow]?.push(pacing > 0 ? pacing : since > 0 && !this.paced[flow] ? ((sent - before.sent) * bits) / since : null);
      Object.assign(before, { at: this.now, bytes, rtt, trips, sent });
      Object.assign(totals, { bytes, timeouts: get(7), again: get(8), sent: get(9) });
    }
  }

  /** What must be known to go on from now: a history of its own. */
  copy(): History {
    const it = new History(this.scene, this.courses);
    const twins = new Map<Leg, Leg>();
    const twin = (leg: Leg): Leg => {
      const made = twins.get(leg) ?? { ...leg };
      twins.set(leg, made);
      return made;
    };
    const open = new Set(this.open.values());
    for (const leg of this.legs) if (open.has(leg) || leg.dropped > this.now - LYING) it.legs.push(twin(leg));
    for (const [name, leg] of this.open) it.open.set(name, twin(leg));
    for (const [name, time] of this.passed) it.passed.set(name, time);
    for (const name of this.damaged) it.damaged.add(name);
    it.carried.set(this.carried);
    it.latest.splice(0, it.latest.length, ...this.latest);
    it.longest = this.longest;
    it.known = it.now = this.now;
    return it;
  }

  private forget(): void {
    this.legs.splice(0, LEGS / 4);
    this.known = this.legs[0]?.queued ?? this.now;
  }

  /** Legs of packets that wait or travel at a time, and of those dropped within `fading` before it. */
  at(time: number, fading: number): Leg[] {
    const found: Leg[] = [];
    const reach = Math.max(this.longest, fading) + 1e-9;
    const first = this.after(time - reach - this.longest);
    // A packet that still waits may have come before all that: a line that is down holds it.
    const begin = this.legs[first]?.queued ?? this.now;
    for (const leg of this.open.values()) if (leg.queued < begin && leg.near === Infinity) found.push(leg);
    for (let at = first; at < this.legs.length; at++) {
      const leg = this.legs[at] as Leg;
      // Legs are in the order in which they became known, which is a little later than that of their times.
      if (leg.queued > time + this.longest) break;
      if (leg.queued > time || (leg.queued < begin && leg.near === Infinity)) continue;
      if (!Number.isNaN(leg.dropped)) {
        if (time < leg.dropped + fading) found.push(leg);
      } else if (time < leg.far) found.push(leg);
    }
    return found;
  }

  private after(time: number): number {
    return Math.max(0, first(this.legs.length, (at) => (this.legs[at] as Leg).queued >= time) - 64);
  }

  /** Indices of a link's cells that left its transmitter after a time and until another. */
  cellsBetween(link: number, from: number, until: number): [number, number] {
    const times = this.cells[link]?.times ?? [];
    const later = (time: number) => first(times.length, (at) => (times[at] as number) > time);
    return [later(from), later(until)];
  }

  /** Indices of the cells that are on a link's line at a time. */
  cellsOn(link: number, time: number): [number, number] {
    const { times = [], fars = [] } = this.cells[link] ?? {};
    return [first(fars.length, (at) => (fars[at] as number) > time), first(times.length, (at) => (times[at] as number) > time)];
  }

  /** Number of the next data packet of a flow that leaves a link's transmitter after a time. */
  nextPacket(link: number, flow: number, time: number): number {
    for (let at = this.after(time - 2 * this.longest); at < this.legs.length; at++) {
      const leg = this.legs[at] as Leg;
      if (leg.link === link && leg.flow === flow && leg.near > time && leg.packet >= 0) return leg.packet;
    }
    return this.carried[link * this.scene.flows.length + flow] ?? 0;
  }

  /** The packet of a cell that left a link's transmitter at a time. */
  packetOf(link: number, flow: number, kind: number, time: number): Leg | null {
    let best: Leg | null = null;
    for (let at = this.after(time - 2 * this.longest); at < this.legs.length; at++) {
      const leg = this.legs[at] as Leg;
      if (leg.queued > time) break;
      const same = leg.link === link && leg.flow === flow && (leg.kind === ACK) === (kind === CELL_OF_ACK);
      if (same && leg.near >= time - 1e-9 && leg.near < (best?.near ?? Infinity)) best = leg;
    }
    return best;
  }

  /** The next time after this one at which something changes: a packet is sent, departs, arrives, or is dropped. */
  next(time: number): number | null {
    let best = Infinity;
    for (let at = this.after(time - 2 * this.longest); at < this.legs.length; at++) {
      const leg = this.legs[at] as Leg;
      for (const event of [leg.queued, leg.near, leg.far, leg.dropped]) if (event > time + 1e-12 && event < best) best = event;
      if (leg.queued > best + this.longest) break;
    }
    return best === Infinity || best > this.now ? null : best;
  }

  /** The same before a time. */
  before(time: number): number | null {
    let best = -1;
    for (let at = this.after(time - 4 * this.longest); at < this.legs.length; at++) {
      const leg = this.legs[at] as Leg;
      for (const event of [leg.queued, leg.near, leg.far, leg.dropped]) if (event < time - 1e-12 && event > best) best = event;
      if (leg.queued > time) break;
    }
    return best < 0 ? null : best;
  }
}

function key(flow: number, connection: number, ack: boolean, id: number): string {
  return `${flow}.${connection}.${ack ? "a" : "d"}${id}`;
}

/** The first of so many numbers, from 0, for which something holds that then holds for all later ones. */
function first(of: number, holds: (at: number) => boolean): number {
  let [low, high] = [0, of];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
