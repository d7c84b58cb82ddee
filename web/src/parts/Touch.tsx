/** Acts on a link at the time that is shown: its rate, its delay, whether it is up, and the next packet. */

import { useRef, useState } from "preact/hooks";
import { useLab } from "./hooks";
import { bits, seconds, span } from "./words";

/** In a frame it is `compact`: of a figure's links, rate and delay, and no more. */
export function Touch({ chosen, choose, compact = false }: { chosen: string | null; choose: (link: string) => void; compact?: boolean }) {
  const lab = useLab();
  // While a slider is held, all that it says is one change, also while time goes on.
  const held = useRef<number | null>(null);
  const scene = lab.first.scene;
  if (!scene || scene.links.length === 0) return null;
  const name = chosen ?? scene.links.find((link) => link.queue)?.name ?? scene.links[0]?.name ?? "";
  const link = scene.links.find((one) => one.name === name) ?? scene.links[0];
  if (!link) return null;
  const { rate_bps: rate, delay_s: delay, up } = lab.now(link.name);
  const least = Math.max(1e-6, link.delay_ps / 1e12);
  // A link that breaks has a change in each direction.
  const touched = new Set(lab.state.changes.map((one) => `${one.at_s} ${one.link}`)).size + lab.state.losses.length;
  const slide = (what: { rate_bps?: number; delay_s?: number }) => {
    const more = held.current !== null;
    held.current ??= lab.instant;
    lab.touch(link.name, what, held.current, more);
  };
  const slider = (label: string, shown: string, value: number, most: number, what: (factor: number) => { rate_bps?: number; delay_s?: number }) => (
    <label>
      <span>
        {label}: {shown}
      </span>
      <input
        type="range"
        min={-1.3}
        max={most}
        step={0.02}
        value={value}
        aria-valuetext={shown}
        onInput={(event) => slide(what(10 ** Number(event.currentTarget.value)))}
        onChange={() => (held.current = null)}
      />
    </label>
  );
  return (
    <fieldset class={`now${compact ? " compact" : ""}`}>
      <legend>From {seconds(Math.max(0, lab.state.at), 3)} on</legend>
      <label>
        <span>Link</span>
        <select value={link.name} onChange={(event) => choose(event.currentTarget.value)}>
          {scene.links.map((one) => (
            <option value={one.name}>{one.name}</option>
          ))}
        </select>
      </label>
      {slider("Rate", bits(rate), Math.log10(rate / link.rate_bps), 1, (factor) => ({ rate_bps: nice(link.rate_bps * factor) }))}
      {slider("Delay", span(delay), Math.log10(Math.max(delay, 1e-9) / least), 1.3, (factor) => ({ delay_s: nice(least * factor) }))}
      <p class="actions">
        <button type="button" onClick={() => lab.touch(link.name, { up: !up })}>
          {up ? "Break this link" : "Repair this link"}
        </button>
        {lab.undoes > 0 && (
          <button type="button" onClick={() => lab.undo()}>
            Undo the last change
          </button>
        )}
        {touched > 0 && (touched > 1 || lab.undoes !== 1) && (
          <button type="button" onClick={() => lab.untouch()}>
            Undo {touched === 1 && lab.undoes === 0 ? "this change" : "all changes"}
          </button>
        )}
      </p>
      {!compact && <Next />}
    </fieldset>
  );
}

/** Drops the next packet of a flow. */
function Next() {
  const lab = useLab();
  const [told, tell] = useState("");
  const flows = (lab.first.scene?.flows ?? []).map((flow, at) => ({ flow, at })).filter(({ flow }) => !flow.arrivals);
  const [picked, pick] = useState(0);
  const one = flows.find(({ at }) => at === (lab.state.flow >= 0 ? lab.state.flow : picked)) ?? flows[0];
  if (!one) return <p class="note">Click a packet in the picture, then Drop it.</p>;
  const drop = () => {
    const done = lab.loseNext(one.at);
    tell("link" in done ? `The next packet of ${one.flow.name} is dropped on link ${done.link}.` : done.why);
  };
  return (
    <>
      <p class="actions next">
        <button type="button" onClick={drop}>
          Drop the next packet
        </button>
        <label>
          of
          <select aria-label="Flow whose next packet is dropped" value={one.at} disabled={lab.state.flow >= 0} onChange={(event) => pick(Number(event.currentTarget.value))}>
            {flows.map(({ flow, at }) => (
              <option value={at}>{flow.name}</option>
            ))}
          </select>
        </label>
      </p>
      <p class="note" role="status">
        {told || "Or click a packet in the picture, then Drop it."}
      </p>
    </>
  );
}

function nice(rate: number): number {
  return Number(rate.toPrecision(3));
}
