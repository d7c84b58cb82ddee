/** Courses over time: queues, windows, goodput, round trips. A cursor is common to all; a click shows that time. */

import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { WANTS_DARK, type Palette, palette } from "../scene/colours";
import { type Happening, type History, whose } from "../model/history";
import type { Lab } from "../state/lab";
import type { Side } from "../state/side";
import { useLab, usePlayer, useQuery } from "./hooks";
import { trim } from "./words";

/** Queues and flows that are drawn. */
const QUEUES = 4;
const FLOWS = 50;
/** While a run is simulated its courses are drawn again so often, so that packets move smoothly meanwhile [ms]. */
const PAUSE = 100;
/** Height of the ticks of events, at most [px]. */
const TICK = 16;

const WINDOW = "Congestion window";

interface Course {
  title: string;
  unit: string;
  names: string[];
  colours: string[];
  values(history: History): (number | null)[][];
  /** Times of events that are marked, by name. */
  events?: string[];
}

/** Links whose queues are worth a look: those with a discipline, those with the longest queue first. */
export function queues(history: History): number[] {
  const links = history.scene.links.map((link, at) => ({ at, own: link.queue !== null, most: Math.max(0, ...(history.backlog[at] ?? [])) }));
  const own = links.filter((link) => link.own);
  const among = own.length > 0 ? own : links;
  return among
    .sort((a, b) => b.most - a.most || a.at - b.at)
    .slice(0, QUEUES)
    .map((link) => link.at)
    .sort((a, b) => a - b);
}

function courses(history: History, colours: Palette): Course[] {
  const { scene } = history;
  const flows = scene.flows.slice(0, FLOWS);
  const names = flows.map((flow) => flow.name);
  const lines = flows.map((_, at) => colours.flow(at));
  const windows = flows.flatMap((flow, at) => (flow.arrivals || flow.transport === "udp" ? [] : [at]));
  const shown = queues(history);
  const all: Course[] = [
    {
      title: "Queue",
      unit: scene.carries,
      names: shown.map((at) => scene.links[at]?.name ?? ""),
      colours: shown.map((_, at) => colours.queue(at)),
      values: (of) => shown.map((at) => of.backlog[at] ?? []),
      events: ["drop", "mark"],
    },
    {
      title: WINDOW,
      unit: "segments",
      names: windows.map((at) => names[at] ?? ""),
      colours: windows.map((at) => lines[at] ?? ""),
      values: (of) => windows.map((at) => of.cwnd[at] ?? []),
      events: ["timeout", "fast_retransmit"],
    },
    {
      title: "Sending rate",
      unit: "Mb/s",
      names,
      colours: lines,
      // A pacing rate is what the sender has decided; other rates are counted, and are means as those of goodput.
      values: (of) => flows.map((_, at) => (of.paced[at] ? (of.rate[at] ?? []).map((value) => (value === null ? null : value / 1e6)) : smooth(of.rate[at] ?? []))),
    },
    { title: "Goodput", unit: "Mb/s", names, colours: lines, values: (of) => flows.map((_, at) => smooth(of.goodput[at] ?? [])) },
    {
      title: "Round-trip time",
      unit: "ms",
      names,
      colours: lines,
      values: (of) => flows.map((_, at) => (of.rtt[at] ?? []).map((value) => (value === null ? null : value * 1e3))),
    },
  ];
  return all.filter((course) => course.names.length > 0);
}

/** Mb/s, as a mean of so many samples: one of them has few segments. */
const MEAN = 9;
function smooth(of: (number | null)[]): (number | null)[] {
  const out: (number | null)[] = [];
  let sum = 0;
  of.forEach((value, at) => {
    sum += value ?? 0;
    if (at >= MEAN) sum -= of[at - MEAN] ?? 0;
    out.push(value === null ? null : sum / Math.min(MEAN, at + 1) / 1e6);
  });
  return out;
}

export function Courses({ side, group }: { side: Side; group: string }) {
  const lab = useLab();
  const player = usePlayer();
  const dark = useQuery(WANTS_DARK);
  const room = useRef<HTMLDivElement>(null);
  const plots = useRef<{ plot: uPlot; course: Course }[]>([]);
  const drawnAs = useRef<{ as: string; side: Side | null }>({ as: "", side: null });
  const { whole, scene } = side;

  useEffect(
    () => () => {
      for (const { plot } of plots.current.splice(0)) plot.destroy();
      drawnAs.current = { as: "", side: null };
    },
    [],
  );

  // Plots get new values as a run goes on, and when the same network is run again; for another network they are made again.
  useEffect(() => {
    const it = room.current;
    if (!it || !whole) return;
    const colours = palette(dark);
    const made = plots.current;
    const make = () => {
      const wanted = courses(whole, colours);
      const as = JSON.stringify([group, dark, wanted]);
      if (as === drawnAs.current.as && side === drawnAs.current.side) return;
      drawnAs.current = { as, side };
      for (const { plot } of made.splice(0)) plot.destroy();
      for (const course of wanted) made.push({ plot: plotted(it, course, { lab, side, colours, group }), course });
    };
    make();
    const sized = new ResizeObserver(() => {
      for (const { plot } of made) if (plot.width !== it.clientWidth) plot.setSize({ width: it.clientWidth, height: plot.height });
    });
    sized.observe(it);
    let known = -1;
    let final = false;
    let scaled = "";
    let zoomed = lab.state.zoom;
    let drawn = 0;
    const stop = player.each(() => {
      if (whole.ended && !final) {
        final = true;
        // The queues that are worth a look are known at the end.
        make();
        known = -1;
      }
      const scale = lab.second ? made.map(({ course }) => common(lab, course.title)).join() : "";
      const now = performance.now();
      if (whole.samples > 0 && (whole.samples !== known || scale !== scaled) && (whole.ended || now - drawn >= PAUSE)) {
        drawn = now;
        known = whole.samples;
        for (const { plot, course } of made) {
          const values = course.values(whole);
          const most = values.reduce((high, line) => line.reduce((one: number, value) => Math.max(one, value ?? 0), high), 0);
          lab.largest.set(course.title, (lab.largest.get(course.title) ?? new Map()).set(side, most));
          plot.setData([whole.times, ...values] as uPlot.AlignedData);
          if (lab.state.zoom) zoom(plot, lab.state.zoom);
        }
        scaled = scale;
        zoomed = lab.state.zoom;
      }
      if (zoomed !== lab.state.zoom) {
        zoomed = lab.state.zoom;
        for (const { plot } of made) zoom(plot, zoomed ?? [0, whole.times.at(-1) ?? 1]);
      }
      for (const { plot } of made) playhead(plot, lab.state.at);
    });
    return () => {
      stop();
      sized.disconnect();
    };
  }, [side, whole, scene, dark, player, group]);

  // A flow that is looked at stands out.
  useEffect(() => {
    const chosen = scene?.flows[lab.state.flow]?.name;
    for (const { plot, course } of plots.current) {
      if (course.title === "Queue") continue;
      plot.series.forEach((series, at) => {
        if (at > 0) series.alpha = chosen === undefined || series.label === chosen ? 1 : 0.12;
      });
      plot.redraw(false);
    }
  }, [lab.state.flow, scene]);

  return <div class="courses" ref={room} />;
}

function zoom(plot: uPlot, [min, max]: [number, number]): void {
  plot.setScale("x", { min, max });
}

function playhead(plot: uPlot, at: number): void {
  const line = plot.over.querySelector<HTMLElement>(".playhead") ?? plot.over.appendChild(Object.assign(document.createElement("div"), { className: "playhead" }));
  const x = plot.valToPos(at, "x");
  line.style.transform = `translateX(${Math.round(x)}px)`;
  line.hidden = x < 0 || x > plot.over.clientWidth;
}

function plotted(room: HTMLElement, course: Course, of: { lab: Lab; side: Side; colours: Palette; group: string }): uPlot {
  const { lab, side, colours, group } = of;
  const axis = { stroke: colours.pale, grid: { stroke: colours.grid, width: 1 }, ticks: { stroke: colours.grid, width: 1, size: 4 }, font: "11px system-ui, sans-serif" };
  // What the reader zooms belongs to the state; what follows from it does not.
  let byHand = false;
  const thin = course.names.length > 8 ? 0.8 : 1.4;
  const plot = new uPlot(
    {
      width: Math.max(120, room.clientWidth),
      height: 118,
      title: `${course.title} [${course.unit}]`,
      cursor: { sync: { key: group }, drag: { x: true, y: false, setScale: true }, points: { size: 5 } },
      legend: { show: false },
      scales: { x: { time: false }, y: { range: (_, __, most) => [0, Math.max((lab.second ? common(lab, course.title) : most) * 1.05, 1e-6)] } },
      axes: [
        { ...axis, size: 24, values: (_, ticks) => ticks.map((tick) => `${tick} s`) },
        { ...axis, size: 46 },
      ],
      series: [
        { label: "time" },
        ...course.names.map((name, at) => ({
          label: name,
          stroke: course.colours[at] ?? colours.ink,
          width: thin,
          spanGaps: course.title === "Round-trip time",
          points: { show: false },
        })),
      ],
      hooks: {
        draw: [(it) => events(it, course, side.whole, colours)],
        ready: [(it) => readout(it, course)],
        setCursor: [(it) => readout(it, course)],
        setScale: [
          (it, key) => {
            if (key !== "x" || !byHand) return;
            byHand = false;
            const { min, max } = it.scales.x ?? {};
            const times = it.data[0];
            const part = min !== undefined && max !== undefined && (min > (times[0] ?? 0) || max < (times.at(-1) ?? 0));
            lab.change({ zoom: part ? [Math.max(0, min), max] : null });
          },
        ],
      },
    },
    [[0], ...course.names.map(() => [null])] as unknown as uPlot.AlignedData,
    room,
  );
  // A click that does not zoom shows that time; at the tick of an event, it asks why as well.
  let down = 0;
  plot.over.addEventListener("mousedown", (event) => {
    down = event.clientX;
    byHand = true;
  });
  plot.over.addEventListener("click", (event) => {
    if (Math.abs(event.clientX - down) >= 4) return;
    const alone = lab.state.flow;
    const tick = happening(plot, course, side, event, alone);
    const found = tick && side.scene ? { flow: whose(side.scene, tick), at: tick.at } : dip(plot, course, event, side.scene?.flows[alone]?.name);
    lab.seek(found?.at ?? plot.posToVal(event.offsetX, "x"));
    if (found) lab.ask({ side, ...found });
  });
  return plot;
}

/** The event whose tick is at the pointer; of one flow alone, unless that is -1. */
function happening(plot: uPlot, course: Course, side: Side, event: MouseEvent, alone: number): Happening | null {
  if (!course.events || !side.whole || event.offsetY < plot.over.clientHeight - TICK) return null;
  let best: Happening | null = null;
  let least = 5;
  for (const one of side.whole.happenings) {
    if (!course.events.includes(one.event) || (alone >= 0 && one.flow !== alone)) continue;
    const far = Math.abs(plot.valToPos(one.at, "x") - event.offsetX);
    if (far < least) [best, least] = [one, far];
  }
  return best;
}

/** A window that falls by so much of itself from one sample to the next has a reason. */
const FALL = 0.15;
/** A pointer finds a dip within this [px]. */
const REACH = 7;

/** The dip of a window at the pointer: whose it is, and when; of one flow alone if that is given. */
function dip(plot: uPlot, course: Course, event: MouseEvent, alone: string | undefined): { flow: string; at: number } | null {
  if (course.title !== WINDOW) return null;
  const times = plot.data[0];
  const [first, last] = [-REACH, REACH].map((far) => plot.posToIdx(event.offsetX + far)) as [number, number];
  let best: { flow: string; at: number } | null = null;
  let least = REACH + 1;
  course.names.forEach((flow, line) => {
    if (alone !== undefined && flow !== alone) return;
    const values = plot.data[line + 1] ?? [];
    for (let at = Math.max(1, first); at <= last; at++) {
      const [before, now] = [values[at - 1] ?? 0, values[at] ?? 0];
      if (now >= before * (1 - FALL)) continue;
      const [high, low] = [before, now].map((value) => plot.valToPos(value, "y")) as [number, number];
      const across = Math.abs(plot.valToPos(times[at] ?? 0, "x") - event.offsetX);
      const down = Math.max(high - event.offsetY, event.offsetY - low, 0);
      if (Math.max(across, down) < least) [best, least] = [{ flow, at: times[at] ?? 0 }, Math.max(across, down)];
    }
  });
  return best;
}

/** The largest value of a course in both settings. */
function common(lab: Lab, title: string): number {
  const of = lab.largest.get(title);
  return Math.max(0, ...lab.sides.map((side) => of?.get(side) ?? 0));
}

/** Values that are told beside the title. */
const TOLD = 6;

/** The values under the cursor, beside the title. */
function readout(plot: uPlot, course: Course): void {
  const title = plot.root.querySelector(".u-title");
  if (!title) return;
  const told = title.querySelector(".readout") ?? title.appendChild(Object.assign(document.createElement("span"), { className: "readout" }));
  const at = plot.cursor.idx;
  const parts: Node[] = [];
  // The line's colour stands beside its name: as the colour of small letters some would be too pale.
  const named = (text: string, colour?: string) => {
    const one = document.createElement("span");
    one.textContent = text;
    if (colour) {
      one.className = "named";
      one.style.setProperty("--c", colour);
    }
    return one;
  };
  if (at !== null && at !== undefined && (plot.cursor.left ?? -1) >= 0) {
    course.names.slice(0, TOLD).forEach((name, index) => {
      const value = plot.data[index + 1]?.[at];
      if (value !== null && value !== undefined) parts.push(named(`${name} ${trim(value)}`, course.colours[index]));
    });
    parts.push(named(`${(plot.data[0][at] ?? 0).toFixed(3)} s`));
  }
  // Flows have a legend of their own; queues are named here.
  else if (course.title === "Queue" && course.names.length > 1) course.names.forEach((name, index) => parts.push(named(name, course.colours[index])));
  told.replaceChildren(...parts);
}

/** Ticks at the lower edge: where packets were dropped or marked, or a timer expired. */
function events(plot: uPlot, course: Course, whole: History | null, colours: Palette): void {
  if (!course.events || !whole) return;
  const { ctx, bbox } = plot;
  const ratio = devicePixelRatio || 1;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  let last = new Map<string, number>();
  for (const one of whole.happenings) {
    if (!course.events.includes(one.event)) continue;
    const x = Math.round(plot.valToPos(one.at, "x", true));
    // One tick per pixel is enough.
    if (last.get(one.event) === x) continue;
    last = last.set(one.event, x);
    const strong = one.event === "drop" || one.event === "timeout";
    ctx.fillStyle = strong ? colours.drop : colours.mark;
    const tall = (one.event === "timeout" ? TICK : 7) * ratio;
    ctx.fillRect(x, bbox.top + bbox.height - tall, ratio, tall);
  }
  ctx.restore();
}
