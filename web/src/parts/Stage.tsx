/** The network of one side on a canvas, with what the pointer finds on it. */

import { useEffect, useRef, useState } from "preact/hooks";
import { WANTS_DARK, palette } from "../scene/colours";
import { cellAt, type Dot, draw, linkAt, type View } from "../scene/draw";
import { ACK, AGAIN, type Leg } from "../model/history";
import type { Side } from "../state/side";
import { STILL } from "../state/lab";
import { viewed } from "../state/view";
import { useLab, usePlayer, useQuery } from "./hooks";
import { Why } from "./Why";
import { seconds } from "./words";

interface Found {
  leg: Leg;
  x: number;
  y: number;
}

/** A pointer finds a packet within this [px]. */
const REACH = 12;

export function Stage({ side, other, choose }: { side: Side; other: boolean; choose: (link: string) => void }) {
  const lab = useLab();
  const player = usePlayer();
  const [dark, still] = [useQuery(WANTS_DARK), useQuery(STILL)];
  const canvas = useRef<HTMLCanvasElement>(null);
  const dots = useRef<Dot[]>([]);
  const view = useRef<View | null>(null);
  const [hovered, hover] = useState<Found | null>(null);
  const [picked, pick] = useState<Found | null>(null);
  const widest = side.layout?.widest ?? 1;
  const height = Math.min(560, Math.max(250, 100 + widest * 34));

  useEffect(() => {
    const colours = palette(dark);
    return player.each(() => {
      const it = canvas.current;
      const context = it?.getContext("2d");
      if (!it || !context) return;
      const ratio = devicePixelRatio || 1;
      const [width, tall] = [it.clientWidth, it.clientHeight];
      if (it.width !== Math.round(width * ratio) || it.height !== Math.round(tall * ratio)) {
        it.width = Math.round(width * ratio);
        it.height = Math.round(tall * ratio);
      }
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      const drawn = viewed(lab, side, { width, height: tall, palette: colours, motion: !still });
      if (!drawn) return;
      view.current = drawn;
      dots.current = draw(context, drawn);
      if (!side.knows(drawn.time)) veil(context, drawn, side);
    });
  }, [player, side, dark, still, lab]);

  // Escape closes what a click has opened, wherever the keyboard is.
  useEffect(() => {
    if (!picked) return;
    const press = (event: KeyboardEvent) => event.key === "Escape" && pick(null);
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [picked !== null]);

  const find = (event: MouseEvent): Found | null => {
    const { offsetX: x, offsetY: y } = event;
    let best: Dot | null = null;
    let least = REACH;
    for (const dot of dots.current) {
      // A drop comes before the packets that it falls over.
      const falls = !Number.isNaN(dot.leg.dropped) && dot.leg.dropped <= (view.current?.time ?? 0);
      const far = Math.hypot(dot.x - x, dot.y - y) - (falls ? REACH / 2 : 0);
      if (far < least) [best, least] = [dot, far];
    }
    if (!best && view.current) best = cellAt(view.current, x, y);
    return best && { leg: best.leg, x: best.x, y: best.y };
  };
  const click = (event: MouseEvent) => {
    const found = find(event);
    pick(found);
    if (!found && view.current) {
      const link = linkAt(view.current, event.offsetX, event.offsetY);
      if (link !== null) choose(link);
    }
  };
  const label = side.scene ? `The network of ${side.scene.title}: ${side.scene.nodes.length} nodes, ${side.scene.flows.length} flows` : "No network";
  return (
    <div class="stage">
      {lab.second && <span class="side-name">{other ? "B" : "A"}</span>}
      <canvas
        ref={canvas}
        role="img"
        aria-label={`${label}. The table below has what it shows.`}
        style={{ height: `${height}px` }}
        onMouseMove={(event) => hover(find(event))}
        onMouseLeave={() => hover(null)}
        onClick={click}
      />
      {hovered && !picked && <Tip found={hovered} side={side} />}
      {picked && <Packet found={picked} side={side} other={other} close={() => pick(null)} />}
    </div>
  );
}

function veil(context: CanvasRenderingContext2D, view: View, side: Side): void {
  context.fillStyle = view.palette.pale;
  context.font = "12px system-ui, sans-serif";
  context.textAlign = "center";
  const words = side.errors.length > 0 ? "no packets: see the errors" : `simulating packets: ${side.reached.toFixed(2)} of ${view.time.toFixed(2)} s`;
  context.fillText(words, view.width / 2, view.height - 8);
}

function name(leg: Leg, side: Side): string {
  const flow = side.scene?.flows[leg.flow]?.name ?? "";
  return leg.connection >= 0 ? `${flow}.${leg.connection}` : flow;
}

function what(leg: Leg): string {
  if (leg.kind === ACK) return `ack, next expected ${leg.number}`;
  const again = leg.kind === AGAIN ? ", retransmitted" : "";
  return `segment ${leg.number}${again}, ${leg.bytes} B${leg.trimmed ? ", trimmed" : ""}${leg.marked ? ", CE mark" : ""}`;
}

function Tip({ found, side }: { found: Found; side: Side }) {
  const { leg } = found;
  return (
    <div class="tip" style={place(found)}>
      <b>{name(leg, side)}</b> {what(leg)}
    </div>
  );
}

function place({ x, y }: { x: number; y: number }) {
  return { left: `${Math.max(90, x)}px`, top: `${y + 14}px` };
}

function Packet({ found, side, other, close }: { found: Found; side: Side; other: boolean; close: () => void }) {
  const lab = useLab();
  const [told, tell] = useState("");
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.focus({ preventScroll: true }), [found]);
  const { leg } = found;
  const scene = side.scene;
  if (!scene) return null;
  const link = scene.links[leg.link];
  const flow = scene.flows[leg.flow];
  const data = leg.kind !== ACK;
  const dropped = !Number.isNaN(leg.dropped);
  const lose = () => {
    // This link, or else a later one on the packet's way: a link drops packets of one flow only.
    if (!flow || !link) return;
    const why = lab.lose(link.name, flow.name, leg.packet);
    if (why === null) close();
    else tell(`${why} Click the packet on another link.`);
  };
  return (
    <div class="popover" ref={box} tabIndex={-1} style={place(found)} role="dialog" aria-label="Packet">
      <button type="button" class="close" onClick={close} aria-label="Close">
        ×
      </button>
      <p>
        <b>{name(leg, side)}</b> {what(leg)}
      </p>
      <table>
        <tbody>
          <tr>
            <th>{link?.queue ? `queue of ${link.name}` : link?.name}</th>
            <td>since {seconds(leg.queued)}</td>
          </tr>
          {Number.isFinite(leg.near) && (
            <tr>
              <th>departed</th>
              <td>
                {seconds(leg.near)}, after {((leg.near - leg.queued) * 1e3).toFixed(3)} ms
              </td>
            </tr>
          )}
          {dropped && (
            <tr>
              <th>dropped</th>
              <td>
                {seconds(leg.dropped)} ({scene.causes[leg.cause] ?? ""})
              </td>
            </tr>
          )}
        </tbody>
      </table>
      <p class="actions">
        {data && !dropped && leg.packet >= 0 && leg.connection < 0 && !other && (
          <button type="button" onClick={lose}>
            Drop it on {link?.name}
          </button>
        )}
        <button type="button" onClick={() => lab.change({ flow: lab.state.flow === leg.flow ? -1 : leg.flow })}>
          {lab.state.flow === leg.flow ? "Show all flows" : "Show this flow alone"}
        </button>
      </p>
      {told && <p class="warn">{told}</p>}
      {(dropped || leg.marked || leg.kind === AGAIN) && <Why side={side} flow={name(leg, side)} at={dropped ? leg.dropped : leg.queued} />}
    </div>
  );
}
