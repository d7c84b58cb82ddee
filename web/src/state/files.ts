/** Files that the page writes: courses as CSV and SVG, the network as PNG and SVG, records of the engine. */

import type { History } from "../model/history";
import { WANTS_DARK, palette } from "../scene/colours";
import { draw } from "../scene/draw";
import { escaped, Svg } from "../scene/svg";
import { type Lab, STILL } from "./lab";
import type { Side } from "./side";
import { viewed } from "./view";

/** Lets the browser save something as a file. */
export function save(what: string | Blob, name: string, type: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(typeof what === "string" ? new Blob([what], { type }) : what);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Courses of a run: a line per time, with columns for each queue and flow. */
export function csv(of: History): string {
  const { scene } = of;
  const columns: { name: string; values: (number | null)[] }[] = [];
  scene.links.forEach((link, at) => {
    if (link.queue) columns.push({ name: `backlog_${scene.carries}.${link.name}`, values: of.backlog[at] ?? [] });
  });
  scene.flows.forEach((flow, at) => {
    if (!flow.arrivals) columns.push({ name: `cwnd_segments.${flow.name}`, values: of.cwnd[at] ?? [] });
    columns.push({ name: `${of.paced[at] ? "pacing" : "sent"}_bps.${flow.name}`, values: of.rate[at] ?? [] });
    columns.push({ name: `goodput_bps.${flow.name}`, values: of.goodput[at] ?? [] });
    columns.push({ name: `rtt_s.${flow.name}`, values: of.rtt[at] ?? [] });
  });
  const lines = [["time_s", ...columns.map((column) => column.name)].join(",")];
  of.times.forEach((time, at) => lines.push([time, ...columns.map((column) => column.values[at] ?? "")].join(",")));
  return `${lines.join("\n")}\n`;
}

/** The canvas of the first or second setting as it is, as PNG: on the ground of the page's colours, on which they can be read. */
export function picture(which: 0 | 1): Promise<Blob | null> {
  const canvas = document.querySelectorAll<HTMLCanvasElement>(".stage canvas")[which];
  const whole = document.createElement("canvas");
  const context = whole.getContext("2d");
  if (!canvas || !context) return Promise.resolve(null);
  [whole.width, whole.height] = [canvas.width, canvas.height];
  context.fillStyle = palette(matchMedia(WANTS_DARK).matches).card;
  context.fillRect(0, 0, whole.width, whole.height);
  context.drawImage(canvas, 0, 0);
  return new Promise((resolve) => whole.toBlob(resolve, "image/png"));
}

/** The same picture as SVG; null without a run. */
export function drawing(lab: Lab, side: Side): string | null {
  const canvas = document.querySelectorAll<HTMLCanvasElement>(".stage canvas")[side === lab.first ? 0 : 1];
  const ruler = document.createElement("canvas").getContext("2d");
  if (!canvas || !ruler) return null;
  const colours = palette(matchMedia(WANTS_DARK).matches);
  const view = viewed(lab, side, { width: canvas.clientWidth, height: canvas.clientHeight, palette: colours, motion: !matchMedia(STILL).matches });
  if (!view) return null;
  const svg = new Svg(ruler);
  draw(svg, view);
  return svg.document(view.scene.title, view.width, view.height, colours.card);
}

/** The setting as a plan of its own. */
export async function plan(side: Side): Promise<string> {
  if (!side.asked) throw new Error("there is no run");
  const told = await side.client.settle(side.asked);
  if ("errors" in told) throw new Error(told.errors.join(" "));
  return told.ok.text;
}

/** A record that the engine writes: of all events, or of a flow as qlog. */
export async function record(side: Side, flow: string | null): Promise<string> {
  if (!side.asked) throw new Error("there is no run");
  const told = await side.client.record(side.asked, flow);
  if ("errors" in told) throw new Error(told.errors.join(" "));
  return told.ok;
}

const WIDE = 860;
const TALL = 150;
const LEFT = 60;

interface Panel {
  title: string;
  lines: { name: string; colour: string; values: (number | null)[] }[];
}

/** Names in a legend; more would not fit into its line. */
const NAMED = 8;

/** The courses of a run as a figure for a text. */
export function figure(whole: History): string {
  const { scene } = whole;
  const colours = palette(false);
  const flow = (of: (number | null)[][], scale: number) =>
    scene.flows.map((one, at) => ({ name: one.name, colour: colours.flow(at), values: (of[at] ?? []).map((value) => (value === null ? null : value * scale)) }));
  const panels: Panel[] = [
    {
      title: `Queue [${scene.carries}]`,
      lines: scene.links.flatMap((link, at) => (link.queue ? [{ name: link.name, colour: colours.queue(at), values: whole.backlog[at] ?? [] }] : [])),
    },
    { title: "Congestion window [segments]", lines: flow(whole.cwnd, 1) },
    { title: "Sending rate [Mb/s]", lines: flow(whole.rate, 1e-6) },
    { title: "Goodput [Mb/s]", lines: flow(whole.goodput, 1e-6) },
    { title: "Round-trip time [ms]", lines: flow(whole.rtt, 1e3) },
  ];
  const end = whole.times.at(-1) ?? 1;
  const x = (time: number) => LEFT + (time / end) * (WIDE - LEFT - 12);
  const parts = panels.map((panel, at) => {
    const top = 24 + at * (TALL + 34);
    const most = panel.lines.reduce((high, line) => line.values.reduce((one: number, value) => Math.max(one, value ?? 0), high), 0) || 1;
    const y = (value: number) => top + TALL - (value / most) * (TALL - 8);
    const paths = panel.lines.map((line) => {
      let text = "";
      let up = true;
      line.values.forEach((value, at) => {
        if (value === null) {
          up = panel.title.startsWith("Round") ? up : true;
          return;
        }
        text += `${up ? "M" : "L"}${x(whole.times[at] ?? 0).toFixed(1)} ${y(value).toFixed(1)}`;
        up = false;
      });
      return `<path d="${text}" fill="none" stroke="${line.colour}"><title>${escaped(line.name)}</title></path>`;
    });
    const ticks = [0, most / 2, most].map((value) => `<text x="${LEFT - 6}" y="${y(value) + 4}" text-anchor="end">${Number(value.toPrecision(3))}</text>`);
    return `<g><text x="${LEFT}" y="${top - 6}">${panel.title}</text>${legend(panel, top - 6)}<path d="M${LEFT} ${top}V${top + TALL}H${WIDE - 12}" fill="none" stroke="#888"/>${ticks.join("")}${paths.join("")}</g>`;
  });
  const tall = 24 + panels.length * (TALL + 34);
  const times = [0, 0.25, 0.5, 0.75, 1].map((part) => `<text x="${x(end * part)}" y="${tall - 14}" text-anchor="middle">${Number((end * part).toPrecision(3))} s</text>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDE} ${tall}" font-family="sans-serif" font-size="12"><title>${escaped(scene.title)}</title><rect width="${WIDE}" height="${tall}" fill="#fff"/>${parts.join("")}${times.join("")}</svg>\n`;
}

/** The names of a panel's lines, at its right. */
function legend(panel: Panel, y: number): string {
  const { lines } = panel;
  if (lines.length < 2) return "";
  const named = lines.slice(0, NAMED).map((line) => `<tspan fill="${line.colour}">\u25a0</tspan> ${escaped(line.name)}`);
  if (lines.length > NAMED) named.push(`and ${lines.length - NAMED} more`);
  return `<text x="${WIDE - 12}" y="${y}" text-anchor="end">${named.join("\u2002")}</text>`;
}
