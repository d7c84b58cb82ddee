/** What happened lately, and why. */

import { useEffect, useState } from "preact/hooks";
import type { Happening } from "../model/history";
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
  const [chosen, choose] = useState<Happening | null>(null);
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
  const who = (one: Happening) => `${scene.flows[one.flow]?.name ?? ""}${one.connection >= 0 ? `.${one.connection}` : ""}`;
  return (
    <section class="events">
      {two && <h3>Setting {other ? "B" : "A"}</h3>}
      {mine.length === 0 && <p class="pale">No packet is dropped or marked, and no timer expires{side.busy ? " so far" : " in this run"}.</p>}
      {mine.length > 0 && <p class="note">Drops, marks and timeouts around the time that is shown. Choose one to learn what led to it and what came of it.</p>}
      <ul>
        {shown.map((one) => (
          <li class={one.at > at ? "later" : ""}>
            <button type="button" aria-pressed={chosen === one} onClick={() => choose(chosen === one ? null : one)}>
              <span class="time">{seconds(one.at)}</span> <b class={one.event}>{event(one.event)}</b> {who(one)}, segment {one.number}
              {one.link !== null && <span class="pale"> at {scene.links[one.link]?.name}</span>}
            </button>
          </li>
        ))}
      </ul>
      {chosen && <Why side={side} flow={who(chosen)} at={chosen.at} />}
    </section>
  );
}
