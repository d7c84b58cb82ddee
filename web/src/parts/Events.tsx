/** What happened lately, and why. */

import { useEffect, useState } from "preact/hooks";
import { whose } from "../model/history";
import type { Side } from "../state/side";
import { useLab, usePlayer } from "./hooks";
import { Why } from "./Why";
import { event, seconds } from "./words";

const SHOWN = 14;
/** The same with two settings. */
const FEW = 8;

export function Events({ side, other, two }: { side: Side; other: boolean; two: boolean }) {
  const lab = useLab();
  const player = usePlayer();
  const [at, show] = useState(lab.state.at);
  const [flow, pick] = useState(0);
  useEffect(() => {
    let last = 0;
    return player.each(() => {
      if (performance.now() - last < 250) return;
      last = performance.now();
      show(lab.state.at);
    });
  }, [player, lab]);
  const { whole, scene } = side;
  if (!whole || !scene) return null;
  const mine = whole.happenings.filter((one) => lab.state.flow < 0 || one.flow === lab.state.flow);
  const next = mine.findIndex((one) => one.at > at);
  const until = next < 0 ? mine.length : next;
  const most = two ? FEW : SHOWN;
  const first = Math.max(0, Math.min(until - most / 2, mine.length - most));
  const shown = mine.slice(first, first + most);
  const asked = lab.asked?.side === side ? lab.asked : null;
  const single = scene.flows.filter((one) => !one.arrivals);
  const one = lab.state.flow >= 0 ? scene.flows[lab.state.flow] : single[flow];
  const ask = (flow: string, at: number) => lab.ask(asked?.flow === flow && asked.at === at ? null : { side, flow, at });
  return (
    <section class="events">
      {two && <h3>Setting {other ? "B" : "A"}</h3>}
      {mine.length === 0 && <p class="pale">No packet is dropped or marked, and no timer expires{side.busy ? " so far" : " in this run"}.</p>}
      {mine.length > 0 && <p class="note">Drops, marks and timeouts around the time that is shown. Choose one to learn what led to it and what followed.</p>}
      <ul>
        {shown.map((one) => (
          <li class={one.at > at ? "later" : ""}>
            <button type="button" aria-pressed={asked?.at === one.at && asked.flow === whose(scene, one)} onClick={() => ask(whose(scene, one), one.at)}>
              <span class="time">{seconds(one.at)}</span> <b class={one.event}>{event(one.event)}</b> {whose(scene, one)}, segment {one.number}
              {one.link !== null && <span class="pale"> at {scene.links[one.link]?.name}</span>}
            </button>
          </li>
        ))}
      </ul>
      {one && !one.arrivals && (
        <p class="actions next">
          <button type="button" onClick={() => ask(one.name, lab.state.at)}>
            Explain {seconds(at, 3)}
          </button>
          {single.length > 1 && lab.state.flow < 0 && (
            <label>
              of
              <select aria-label="Flow that is explained" value={flow} onChange={(event) => pick(Number(event.currentTarget.value))}>
                {single.map((it, number) => (
                  <option value={number}>{it.name}</option>
                ))}
              </select>
            </label>
          )}
        </p>
      )}
      {asked && <Why side={side} flow={asked.flow} at={asked.at} />}
    </section>
  );
}
