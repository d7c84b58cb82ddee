/** The plan as text. */

import { useRef } from "preact/hooks";
import { useLab } from "./hooks";

const ADDED = `
[[flow]]
name = "NAME"
from = "FROM"
to = "TO"
start = "1 s"
traffic = { kind = "greedy" }
transport = { kind = "reno" }
`;

export function Plan() {
  const lab = useLab();
  const area = useRef<HTMLTextAreaElement>(null);
  const { plan, sets } = lab.state;
  const add = () => {
    const scene = lab.first.scene;
    const flow = scene?.flows[0];
    const names = new Set(scene?.flows.map((one) => one.name));
    let number = 1;
    while (names.has(`added-${number}`)) number += 1;
    const text = ADDED.replace("NAME", `added-${number}`)
      .replace("FROM", flow?.from ?? "")
      .replace("TO", flow?.to ?? "");
    lab.change({ plan: `${plan.trimEnd()}\n${text}` });
    requestAnimationFrame(() => {
      if (area.current) area.current.scrollTop = area.current.scrollHeight;
    });
  };
  return (
    <div class="plan">
      <label for="plan-text">
        {lab.state.origin}
        {sets.length > 0 && <span class="pale"> and {sets.length === 1 ? "one change" : `${sets.length} changes`} below</span>}
      </label>
      <textarea
        id="plan-text"
        ref={area}
        value={plan}
        spellcheck={false}
        rows={24}
        wrap="off"
        onInput={(event) => lab.change({ plan: event.currentTarget.value }, true)}
      />
      <p class="actions">
        <button type="button" onClick={add}>
          Add a flow
        </button>
        {sets.length > 0 && (
          <button type="button" onClick={() => lab.change({ sets: [] })}>
            Drop all changes
          </button>
        )}
      </p>
      {sets.length > 0 && (
        <ul class="sets">
          {sets.map((set) => (
            <li>
              <code>{set}</code>
              <button type="button" aria-label={`Drop ${set}`} onClick={() => lab.change({ sets: sets.filter((one) => one !== set) })}>
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
      <p class="note">A plan can also be dropped on this page as a file.</p>
    </div>
  );
}
