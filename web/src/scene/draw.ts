/** The network on a canvas: nodes, links, packets that wait and travel. */

import type { Scene } from "../engine/protocol";
import { ACK, type Cells, CELL_OF_DATA, type History, type Leg, LYING, RM } from "../model/history";
import { lineAt, longestDelay } from "../model/line";
import type { Palette } from "./colours";
import type { Layout } from "./layout";
import type { Pen } from "./svg";

/** Packets of a queue that are drawn; a number stands for the rest. */
const STACK = 48;
/** Time on the screen that a dropped packet falls [s of the wall clock]. */
export const FALL = 0.7;

export interface View {
  scene: Scene;
  layout: Layout;
  /** None before packets are known. */
  history: History | null;
  palette: Palette;
  width: number;
  height: number;
  /** Simulated time [s], and simulated seconds per second of the wall clock. */
  time: number;
  speed: number;
  /** The flow that is looked at, or -1. */
  flow: number;
  motion: boolean;
  /** Set by `draw`. */
  margin: number;
}

export interface Dot {
  x: number;
  y: number;
  leg: Leg;
}

interface End {
  x: number;
  y: number;
}

/** A direction of a link on the screen. */
interface Line {
  from: End;
  to: End;
  /** The side on which its queue stands: -1 above, 1 below. */
  side: number;
}

const MARGIN = { x: 34, y: 40 };
/** Below this width names stand under their nodes, and long ones are cut [px]. */
const NARROW = 440;
/** Links whose queues are named. */
const LABELS = 6;
const FONT = "12px system-ui, sans-serif";

/** Room at the left and the right for the names that stand there [px]. */
function margin(view: View): number {
  if (view.width < NARROW) return MARGIN.x;
  const names = [...view.layout.places.values()].filter((place) => beside(place, view)).map((place) => place.name.length);
  return Math.min(view.width / 5, MARGIN.x + 7 * Math.max(0, ...names));
}

/** The node's name stands beside it, and not below. */
function beside(place: { x: number; crowd: number }, view: View): boolean {
  return view.width >= NARROW && (place.x === 0 || place.x === 1) && place.crowd <= 12;
}

function at(view: View, name: string): End {
  const place = view.layout.places.get(name);
  if (!place) return { x: 0, y: 0 };
  const x = view.margin;
  return { x: x + place.x * (view.width - 2 * x), y: MARGIN.y + place.y * (view.height - 2 * MARGIN.y) };
}

/** The lines of a scene: the two directions of a link stand a little apart. */
export function lines(view: View): Line[] {
  return view.scene.links.map((link) => {
    const [a, b] = [at(view, link.from), at(view, link.to)];
    const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
    const [nx, ny] = [-(b.y - a.y) / length, (b.x - a.x) / length];
    const apart = 3;
    const to = (end: End): End => ({ x: end.x + nx * apart, y: end.y + ny * apart });
    return { from: to(a), to: to(b), side: b.x >= a.x ? -1 : 1 };
  });
}

/** Draws everything, and tells where each packet is. */
export function draw(context: Pen, view: View): Dot[] {
  const { palette, scene } = view;
  view.margin = margin(view);
  context.clearRect(0, 0, view.width, view.height);
  const all = lines(view);
  context.lineWidth = 1.5;
  context.strokeStyle = palette.line;
  context.beginPath();
  for (const line of all) {
    context.moveTo(line.from.x, line.from.y);
    context.lineTo(line.to.x, line.to.y);
  }
  context.stroke();
  all.forEach((line, index) => {
    const link = scene.links[index];
    if (link && !lineAt(link, view.time).up) broken(context, view, line);
  });
  if (scene.carries === "cells") cells(context, view, all);
  const dots = packets(context, view, all);
  nodes(context, view);
  labels(context, view, all);
  return dots;
}

/** A line that is down. */
function broken(context: Pen, view: View, line: Line): void {
  context.save();
  context.strokeStyle = view.palette.drop;
  context.setLineDash([4, 5]);
  context.beginPath();
  context.moveTo(line.from.x, line.from.y);
  context.lineTo(line.to.x, line.to.y);
  context.stroke();
  context.restore();
}

/** The link at a place, the nearest of its two directions; null if there is none. */
export function linkAt(view: View, x: number, y: number): string | null {
  let best: string | null = null;
  let least = 12;
  lines(view).forEach((line, index) => {
    const [dx, dy] = [line.to.x - line.from.x, line.to.y - line.from.y];
    const part = Math.min(1, Math.max(0, ((x - line.from.x) * dx + (y - line.from.y) * dy) / (dx * dx + dy * dy || 1)));
    const far = Math.hypot(line.from.x + part * dx - x, line.from.y + part * dy - y);
    // The direction with a discipline comes first: the other's line lies beside it.
    const bonus = view.scene.links[index]?.queue ? 4 : 0;
    if (far - bonus < least) [best, least] = [view.scene.links[index]?.name ?? null, far - bonus];
  });
  return best;
}

function radius(leg: Leg): number {
  if (leg.trimmed) return 1.8;
  return leg.kind === ACK ? 2 : Math.min(5, 2.4 + leg.bytes / 700);
}

const CELL_BITS = 424;

/** Cells on the lines: those of data are tall, those of acks small, RM cells have a colour of their own. */
function cells(context: Pen, view: View, all: Line[]): void {
  const { history, scene, time } = view;
  if (!history) return;
  scene.links.forEach((link, index) => {
    const line = all[index];
    const { delay_s: delay, rate_bps } = lineAt(link, time);
    const of = history.cells[index];
    if (!line || !of || longestDelay(link) <= 0) return;
    const [dx, dy] = [line.to.x - line.from.x, line.to.y - line.from.y];
    const length = Math.hypot(dx, dy);
    const long = Math.min(7, Math.max(1.2, (CELL_BITS / rate_bps / Math.max(delay, 1e-12)) * length - 0.6));
    const [first, end] = history.cellsOn(index, time);
    context.save();
    context.translate(line.from.x, line.from.y);
    context.rotate(Math.atan2(dy, dx));
    let before = NaN;
    for (let at = first; at < end; at++) {
      const x = way(of, at, time) * length;
      // More cells than a line has points are not drawn one over the other.
      if (Math.abs(before - x) < 0.7) continue;
      before = x;
      const [flow, kind] = [of.flows[at] as number, of.kinds[at] as number];
      const tall = kind === CELL_OF_DATA ? 6 : 3;
      context.globalAlpha = view.flow < 0 || view.flow === flow ? 1 : 0.15;
      context.fillStyle = kind === RM ? view.palette.ink : view.palette.flow(flow);
      context.fillRect(x - long / 2, -tall / 2, long, tall);
    }
    context.restore();
  });
}

/** The part of the line that a cell has travelled. */
function way(of: Cells, at: number, time: number): number {
  const [left, far] = [of.times[at] as number, of.fars[at] as number];
  return (time - left) / Math.max(far - left, 1e-12);
}

/** The packet of the cell at a place, where lines carry cells. */
export function cellAt(view: View, x: number, y: number): Dot | null {
  const { history, scene, time } = view;
  if (!history || scene.carries !== "cells") return null;
  let best: Dot | null = null;
  let least = 6;
  lines(view).forEach((line, index) => {
    const [dx, dy] = [line.to.x - line.from.x, line.to.y - line.from.y];
    const square = dx * dx + dy * dy || 1;
    const part = ((x - line.from.x) * dx + (y - line.from.y) * dy) / square;
    if (part < 0 || part > 1) return;
    const of = history.cells[index];
    const [first, end] = history.cellsOn(index, time);
    if (!of || first >= end) return;
    // Of the cells on the line those that left first are the farthest.
    let [low, high] = [first, end - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (way(of, middle, time) > part) low = middle + 1;
      else high = middle;
    }
    const nearer = low > first && way(of, low - 1, time) - part < part - way(of, low, time) ? low - 1 : low;
    const [flow, kind, left] = [of.flows[nearer] as number, of.kinds[nearer] as number, of.times[nearer] as number];
    const at = way(of, nearer, time);
    const where = { x: line.from.x + dx * at, y: line.from.y + dy * at };
    const far = Math.hypot(where.x - x, where.y - y);
    const leg = far < least ? history.packetOf(index, flow, kind, left) : null;
    if (leg) [best, least] = [{ ...where, leg }, far];
  });
  return best;
}

function packets(context: Pen, view: View, all: Line[]): Dot[] {
  const { history, time } = view;
  const fading = Math.min(FALL * view.speed, LYING);
  const dots: Dot[] = [];
  if (!history) return dots;
  const waiting = new Map<number, Leg[]>();
  for (const leg of history.at(time, fading)) {
    const line = all[leg.link];
    if (!line) continue;
    const dropped = !Number.isNaN(leg.dropped) && leg.dropped <= time;
    if (dropped && !leg.ofLine) {
      dots.push(fall(context, view, { ...head(line), leg }, fading > 0 ? (time - leg.dropped) / fading : 1));
    } else if (time < leg.near) {
      const all = waiting.get(leg.link) ?? [];
      all.push(leg);
      waiting.set(leg.link, all);
    } else {
      const far = leg.far > leg.near ? leg.far : leg.near + 1e-9;
      const until = dropped ? leg.dropped : time;
      const part = Math.min(1, Math.max(0, (until - leg.near) / (far - leg.near)));
      const where = { x: line.from.x + (line.to.x - line.from.x) * part, y: line.from.y + (line.to.y - line.from.y) * part };
      if (dropped) {
        dots.push(fall(context, view, { ...where, leg }, fading > 0 ? (time - leg.dropped) / fading : 1));
        continue;
      }
      if (view.scene.carries === "packets") dot(context, view, where, leg);
      else if (leg.marked) ring(context, view, where, 4);
      dots.push({ ...where, leg });
    }
  }
  for (const [link, legs] of waiting) {
    const line = all[link];
    const crowd = view.layout.places.get(view.scene.links[link]?.from ?? "")?.crowd ?? 1;
    if (line) dots.push(...queue(context, view, line, legs, crowd));
  }
  return dots;
}

/** Where the queue of a line begins: near the node that sends. */
function head(line: Line): End {
  const length = Math.hypot(line.to.x - line.from.x, line.to.y - line.from.y) || 1;
  const part = Math.min(26, length / 3) / length;
  return { x: line.from.x + (line.to.x - line.from.x) * part, y: line.from.y + (line.to.y - line.from.y) * part + line.side * 9 };
}

/** Packets that wait, the next to be sent at the line. */
function queue(context: Pen, view: View, line: Line, legs: Leg[], crowd: number): Dot[] {
  const begin = head(line);
  legs.sort((a, b) => a.near - b.near || a.queued - b.queued);
  // Beside other nodes a queue has no more room than there is between them.
  const edge = line.side < 0 ? begin.y - 14 : view.height - begin.y - 14;
  const room = crowd > 1 ? Math.min(edge, (0.62 * view.height) / crowd) : edge;
  const shown = Math.min(legs.length, STACK, Math.max(3, Math.floor(room / 1.6)));
  const step = Math.max(1.6, Math.min(6, room / shown));
  const dots: Dot[] = [];
  legs.slice(0, shown).forEach((leg, at) => {
    const where = { x: begin.x, y: begin.y + line.side * at * step };
    context.globalAlpha = faded(view, leg);
    context.fillStyle = view.palette.flow(leg.flow);
    // Of a trimmed packet only its header waits.
    const half = leg.trimmed ? 2.5 : 6;
    context.fillRect(where.x - half, where.y - step / 2 + 0.5, 2 * half, Math.max(1, step - 1));
    if (leg.marked) {
      context.fillStyle = view.palette.mark;
      context.fillRect(where.x + 6.5, where.y - step / 2 + 0.5, 2.5, Math.max(1.4, step - 1));
    }
    dots.push({ ...where, leg });
  });
  context.globalAlpha = 1;
  // What is being transmitted has left the buffer.
  const count = legs.length - Number(legs[0] !== undefined && leaves(view, legs[0]));
  if (count > 1) {
    context.fillStyle = view.palette.pale;
    context.font = "11px system-ui, sans-serif";
    context.textAlign = "left";
    context.fillText(String(count), begin.x + 10, begin.y + line.side * (shown - 1) * step + 4);
  }
  return dots;
}

/** Whether a packet is being transmitted. */
function leaves(view: View, leg: Leg): boolean {
  const link = view.scene.links[leg.link];
  const { rate_bps } = link ? lineAt(link, view.time) : { rate_bps: 0 };
  return view.scene.carries === "packets" && rate_bps > 0 && leg.near - (8 * leg.bytes) / rate_bps <= view.time;
}

function faded(view: View, leg: Leg): number {
  return view.flow < 0 || view.flow === leg.flow ? 1 : 0.15;
}

function dot(context: Pen, view: View, where: End, leg: Leg): void {
  context.globalAlpha = faded(view, leg);
  context.beginPath();
  context.arc(where.x, where.y, radius(leg), 0, 7);
  if (leg.kind === ACK) {
    context.strokeStyle = view.palette.flow(leg.flow);
    context.lineWidth = 1.2;
    context.stroke();
  } else {
    context.fillStyle = view.palette.flow(leg.flow);
    context.fill();
  }
  if (leg.marked) ring(context, view, where, radius(leg) + 2.2);
  context.globalAlpha = 1;
}

function ring(context: Pen, view: View, where: End, radius: number): void {
  context.strokeStyle = view.palette.mark;
  context.lineWidth = 1.5;
  context.beginPath();
  context.arc(where.x, where.y, radius, 0, 7);
  context.stroke();
}

/** A dropped packet falls and fades; without motion it is a cross at its place. The answer is where it is drawn. */
function fall(context: Pen, view: View, dot: Dot, part: number): Dot {
  const y = dot.y + (view.motion ? 46 * part * part : 0) + 6;
  context.globalAlpha = faded(view, dot.leg) * Math.max(0.15, 1 - part);
  context.strokeStyle = view.palette.drop;
  context.lineWidth = 2;
  context.beginPath();
  for (const slope of [1, -1]) {
    context.moveTo(dot.x - 4, y - 4 * slope);
    context.lineTo(dot.x + 4, y + 4 * slope);
  }
  context.stroke();
  context.globalAlpha = 1;
  return { ...dot, y };
}

function nodes(context: Pen, view: View): void {
  const { palette } = view;
  for (const node of view.scene.nodes) {
    const where = at(view, node.name);
    const crowd = view.layout.places.get(node.name)?.crowd ?? 1;
    const size = crowd > 24 ? 3 : crowd > 10 ? 5 : 8;
    context.fillStyle = palette.card;
    context.strokeStyle = palette.ink;
    context.lineWidth = 1.5;
    context.beginPath();
    if (node.kind === "host") context.arc(where.x, where.y, size, 0, 7);
    else context.roundRect(where.x - 10, where.y - 10, 20, 20, 4);
    context.fill();
    context.stroke();
  }
}

/** Room of a node and its queue beside a link's label [px]. */
const BESIDE = 26;

function labels(context: Pen, view: View, all: Line[]): void {
  const { palette, scene } = view;
  const narrow = view.width < NARROW;
  context.font = FONT;
  context.fillStyle = palette.ink;
  for (const node of scene.nodes) {
    const place = view.layout.places.get(node.name);
    if (!place || place.crowd > (narrow ? 6 : 12)) continue;
    const where = at(view, node.name);
    const edge = beside(place, view);
    context.textAlign = edge ? (place.x === 0 ? "right" : "left") : "center";
    if (edge) context.fillText(node.name, where.x + (place.x === 0 ? -13 : 13), where.y + 4);
    else context.fillText(short(node.name, narrow), where.x, where.y + 25);
  }
  context.fillStyle = palette.pale;
  context.font = "11px system-ui, sans-serif";
  context.textAlign = "center";
  // With many queues their names would cover each other; all of one kind are named in the panel.
  if (narrow || scene.links.filter((link) => link.queue).length > LABELS) return;
  scene.links.forEach((link, index) => {
    const line = all[index];
    if (!line || !link.queue) return;
    const x = (line.from.x + line.to.x) / 2;
    const y = (line.from.y + line.to.y) / 2 + (line.side < 0 ? -12 : 20);
    const { rate_bps, up } = lineAt(link, view.time);
    // A trace gives times of departures, and no rate.
    const now = !up ? "down" : link.varies && link.course.length === 0 ? "by its trace" : rate(rate_bps);
    const text = `${link.queue} · ${now}`;
    // Between two nodes that are close, it would cover the queues of both.
    if (Math.abs(line.to.x - line.from.x) < context.measureText(text).width + 2 * BESIDE) return;
    context.fillText(text, x, y);
  });
}

function short(name: string, narrow: boolean): string {
  return narrow && name.length > 8 ? `${name.slice(0, 3)}…${name.slice(-3)}` : name;
}

/** A rate with its unit. */
export function rate(bps: number): string {
  const [unit, by] = bps >= 1e9 ? ["Gb/s", 1e9] : bps >= 1e6 ? ["Mb/s", 1e6] : bps >= 1e3 ? ["kb/s", 1e3] : ["b/s", 1];
  return `${Number((bps / by).toPrecision(3))} ${unit}`;
}
