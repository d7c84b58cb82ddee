/** What is run: a plan, one of its points, a seed, one or two settings. */

import { LESSONS } from "../lessons";
import { BUNDLED, bundled } from "../state/plans";
import { EMPTY } from "../state/state";
import { begin } from "../state/start";
import { useLab } from "./hooks";

export function Header() {
  const lab = useLab();
  const groups = [...new Set(BUNDLED.map((one) => one.group))];
  const own = BUNDLED.find((one) => one.origin === lab.state.origin);
  const take = async (key: string) => {
    const plan = bundled(key);
    if (plan) await lab.set(plan.text().then((text) => ({ ...structuredClone(EMPTY), plan: text, origin: plan.origin, tab: lab.state.tab })));
  };
  const lesson = async (id: string) => {
    const found = LESSONS.find((one) => one.id === id);
    if (found) await begin(lab, found);
    else lab.change({ lesson: null });
  };
  const points = lab.checked?.points ?? [];
  return (
    <header>
      <h1>
        <a class="brand" href="./" aria-label="dupack playground">
          <img src="./icon.svg" alt="" width={22} height={22} /> dupack <span>playground</span>
        </a>
      </h1>
      <label>
        <span>Plan</span>
        <select value={own?.key ?? ""} onChange={(event) => void take(event.currentTarget.value)}>
          {!own && <option value="">{lab.state.origin}</option>}
          {groups.map((group) => (
            <optgroup label={group}>
              {BUNDLED.filter((one) => one.group === group).map((one) => (
                <option value={one.key}>{one.label}</option>
              ))}
            </optgroup>
          ))}
        </select>
      </label>
      {points.length > 1 && (
        <label>
          <span>Point</span>
          <select value={lab.state.point} onChange={(event) => lab.change({ point: Number(event.currentTarget.value) })}>
            {points.map((point, at) => (
              <option value={at}>{at + 1}: {words(point.settings)}</option>
            ))}
          </select>
        </label>
      )}
      <label class="seed">
        <span>Seed</span>
        <input
          type="number"
          min={0}
          step={1}
          value={lab.state.seed ?? lab.checked?.seeds[0] ?? 1}
          onChange={(event) => lab.change({ seed: Math.max(0, Math.floor(Number(event.currentTarget.value))) })}
        />
      </label>
      <button type="button" aria-pressed={lab.state.other !== null} onClick={() => lab.change({ other: lab.state.other === null ? [] : null })} title="Two settings side by side, with the same seed">
        A/B
      </button>
      {LESSONS.length > 0 && (
        <label>
          <span>Lesson</span>
          <select id="choose-lesson" value={lab.state.lesson ?? ""} onChange={(event) => void lesson(event.currentTarget.value)}>
            <option value="">none</option>
            {LESSONS.map((one, at) => (
              <option value={one.id}>
                {at + 1}. {one.title}
              </option>
            ))}
          </select>
        </label>
      )}
    </header>
  );
}

/** A table of the plan, such as a queue: its kind and its values. */
function inside(table: object): string {
  const { kind, ...rest } = table as { [name: string]: unknown };
  return [kind, ...Object.entries(rest).map(([name, value]) => `${name} ${typeof value === "object" ? JSON.stringify(value) : String(value)}`)].filter(Boolean).join(" ");
}

function words(settings: { [path: string]: unknown }): string {
  return Object.entries(settings)
    .map(([path, value]) => `${path.split(".").slice(-1)[0]} ${typeof value === "object" && value !== null ? inside(value) : String(value)}`)
    .join(", ");
}
