/** The plan as text. */

import { useLab } from "./hooks";

export function Plan() {
  const lab = useLab();
  const { plan, sets } = lab.state;
  return (
    <div class="plan">
      <label for="plan-text">
        {lab.state.origin}
        {sets.length > 0 && <span class="pale"> and {sets.length === 1 ? "one change" : `${sets.length} changes`} below</span>}
      </label>
      <textarea
        id="plan-text"
        value={plan}
        spellcheck={false}
        rows={24}
        wrap="off"
        onInput={(event) => lab.change({ plan: event.currentTarget.value }, true)}
      />
      <p class="actions">
        <label class="file">
          Open a file
          <input type="file" accept=".toml" onChange={(event) => void lab.open(event.currentTarget.files?.[0])} />
        </label>
        {sets.length > 0 && (
          <button type="button" onClick={() => lab.change({ sets: [] })}>
            Remove all changes
          </button>
        )}
      </p>
      {sets.length > 0 && (
        <ul class="sets">
          {sets.map((set) => (
            <li>
              <code>{set}</code>
              <button type="button" aria-label={`Remove ${set}`} onClick={() => lab.change({ sets: sets.filter((one) => one !== set) })}>
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
      <p class="note">You can also drag a file with a plan onto this page.</p>
    </div>
  );
}
