/** The chain of events around a time, in words: what `dupack explain` prints. */

import { useEffect, useState } from "preact/hooks";
import type { Explanation } from "../engine/protocol";
import type { Side } from "../state/side";
import { useLab } from "./hooks";
import { seconds } from "./words";

export function Why({ side, flow, at }: { side: Side; flow: string; at: number }) {
  const lab = useLab();
  const [told, tell] = useState<Explanation | null>(null);
  const [errors, fail] = useState<string[]>([]);
  useEffect(() => {
    let current = true;
    tell(null);
    fail([]);
    void side.explain(flow, at).then((answer) => {
      if (!current) return;
      if ("ok" in answer) tell(answer.ok);
      else fail(answer.errors);
    });
    return () => {
      current = false;
    };
  }, [side, side.asked, flow, at]);
  if (errors.length > 0) return <p class="warn">{errors.join(" ")}</p>;
  if (!told) return <p class="pale">Looking for what happened…</p>;
  return (
    <div class="why">
      <h3>
        Why: {told.flow}, {seconds(told.from_s, 4)} to {told.open ? "the end of the run" : seconds(told.to_s, 4)}
      </h3>
      <ol>
        {told.steps.map((step) => (
          <li class={step.event} aria-current={Math.abs(step.time_s - at) < 1e-9 ? "step" : undefined}>
            <button type="button" class="time" onClick={() => lab.seek(step.time_s)} title="Show this time">
              {seconds(step.time_s)}
            </button>
            <span>{step.text}</span>
          </li>
        ))}
      </ol>
    </div>
  );
}
