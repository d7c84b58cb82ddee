/** Fields of a form, made from what the engine says of each parameter: its kind, its default, its units, what it means. */

import { useState } from "preact/hooks";
import type { Catalogue, Entry, Parameter, Table, Value } from "../engine/protocol";
import type { Lab } from "../state/lab";
import { value as setValue } from "../state/state";
import { toml } from "../state/toml";

export function keyOf(catalogue: Catalogue | null, section: string, name: string): Parameter | undefined {
  return catalogue?.sections.find((one) => one.name === section)?.parameters.find((one) => one.name === name);
}

interface PartOf {
  lab: Lab;
  path: string;
  label: string;
  table: Value | undefined;
  family: string;
  catalogue: Catalogue;
  carries: string;
  /** What a plan without it has. */
  absent?: string | null;
}

/** A table with a kind, such as a queue: the kinds, and the parameters of the one that is chosen. */
export function Part({ lab, path, label, table, family, catalogue, carries, absent }: PartOf) {
  const [all, showAll] = useState(false);
  const own = typeof table === "object" && !Array.isArray(table) ? table : {};
  const kind = typeof own.kind === "string" ? own.kind : "";
  const entries = catalogue.entries.filter((entry) => entry.family === family && (!carries || !entry.carries || entry.carries.includes(carries)));
  const entry = entries.find((one) => one.name === kind);
  const parameters = entry ? [...entry.parameters, ...(family === "transport" ? catalogue.transports : [])] : [];
  const shown = parameters.filter((one) => all || own[one.name] !== undefined || one.required || (entry?.parameters.includes(one) ?? false));
  const pick = (kind: string, other: boolean) => lab.setting(path, kind === "" ? null : toml(carried(own, entries, kind, parametersOf(catalogue, family, kind))), other);
  const otherKind = lab.state.other === null ? undefined : kindOf(setValue(lab.state.other, path));
  return (
    <>
      <div class="field kind">
        <label>
          <span>{label}</span>
          <select value={kind} data-path={path} onChange={(event) => pick(event.currentTarget.value, false)} title={entry?.summary}>
            {!entry && <option value={kind}>{kind || (absent ? `default: ${absent}` : "none")}</option>}
            {entry && setValue(lab.state.sets, path) !== undefined && <option value="">as in the plan</option>}
            {entries.map((one) => (
              <option value={one.name}>{one.name}</option>
            ))}
          </select>
        </label>
        {lab.state.other !== null && (
          <select class="b" aria-label={`${label} of B`} value={otherKind ?? ""} onChange={(event) => pick(event.currentTarget.value, true)}>
            <option value="">as A</option>
            {entries.map((one) => (
              <option value={one.name}>{one.name}</option>
            ))}
          </select>
        )}
      </div>
      {entry && <p class="help">{entry.summary}</p>}
      {shown.map((parameter) => (
        <Field key={parameter.name} lab={lab} path={`${path}.${parameter.name}`} label={parameter.name} value={own[parameter.name]} parameter={parameter} />
      ))}
      {shown.length < parameters.length && (
        <button type="button" class="more" onClick={() => showAll(true)}>
          {parameters.length - shown.length} more parameters of {kind}
        </button>
      )}
    </>
  );
}

function parametersOf(catalogue: Catalogue, family: string, kind: string): Parameter[] {
  const entry = catalogue.entries.find((one) => one.family === family && one.name === kind);
  return [...(entry?.parameters ?? []), ...(family === "transport" ? catalogue.transports : [])];
}

/** A table of another kind, with the values that both kinds know. */
function carried(own: Table, entries: Entry[], kind: string, parameters: Parameter[]): Table {
  const table: Table = { kind };
  const known = new Set(parameters.map((one) => one.name));
  for (const [name, value] of Object.entries(own)) if (name !== "kind" && known.has(name)) table[name] = value;
  // What must be given and is not known of the kind before: a usual value.
  for (const one of parameters) {
    if (!one.required || table[one.name] !== undefined) continue;
    const usual = USUAL[one.kind];
    if (usual !== undefined) table[one.name] = usual;
    else if (one.kind === "discipline") table[one.name] = entries.some((entry) => entry.name === own.kind) && own.kind !== kind ? own : { kind: "drop-tail", buffer: "40 packets" };
  }
  return table;
}

const USUAL: { [kind: string]: Value } = {
  room: "40 packets",
  rate: "1 Mb/s",
  share: 0.01,
  "mean-packets": "10 packets",
  packets: "10 packets",
  factor: 2,
  time: "100 ms",
  window: "100 kB",
  count: 3,
};

function kindOf(text: string | undefined): string | undefined {
  return text === undefined ? undefined : /kind\s*=\s*"([^"]*)"/.exec(text)?.[1];
}

export function Field({ lab, path, label, value, parameter }: { lab: Lab; path: string; label: string; value: Value | undefined; parameter: Parameter | undefined }) {
  const text = value === undefined ? "" : typeof value === "string" ? value : toml(value);
  const error = lab.errors.find((line) => line.includes(`: ${path}: `) || line.startsWith(`${path}: `));
  const input = (other: boolean) => {
    const shown = other ? (setValue(lab.state.other ?? [], path) ?? "") : (setValue(lab.state.sets, path) ?? text);
    const set = (text: string) => lab.setting(path, text.trim() === "" ? null : text, other);
    const name = other ? `${label} of B` : undefined;
    if (parameter?.words) {
      return (
        <select value={shown} aria-label={name} class={other ? "b" : ""} onChange={(event) => set(event.currentTarget.value)}>
          <option value="">{other ? "as A" : (parameter.default ?? "")}</option>
          {parameter.words.map((word) => (
            <option value={word}>{word}</option>
          ))}
        </select>
      );
    }
    const hint = other ? "as A" : (parameter?.default ?? "");
    return <input type="text" class={other ? "b" : ""} aria-label={name} value={shown} placeholder={hint} spellcheck={false} onInput={(event) => set(event.currentTarget.value)} />;
  };
  const changed = setValue(lab.state.sets, path) !== undefined;
  const [helps, help] = useState(false);
  const id = `help-${path}`;
  return (
    <div class={`field${changed ? " changed" : ""}${error ? " wrong" : ""}`}>
      <label>
        <span>{label}</span>
        {input(false)}
      </label>
      {lab.state.other !== null && input(true)}
      {parameter && (
        <button type="button" class="ask" aria-label={`What ${label} is`} aria-expanded={helps} aria-controls={id} onClick={() => help(!helps)}>
          ?
        </button>
      )}
      {parameter && helps && (
        <p class="help" id={id}>
          {parameter.help} Write {parameter.written}.{parameter.default !== null && parameter.default !== undefined ? ` Default: ${parameter.default}.` : ""}
        </p>
      )}
      {error && <p class="warn">{error.slice(error.indexOf(path) + path.length + 2)}</p>}
    </div>
  );
}

/** Keys of a section that have fields of their own, or that only the plan's text can give: names, ends, members, files. */
const STRUCTURE = new Set(["name", "from", "to", "members", "pairs", "vc", "carries"]);

/** All keys of an item of a section: a part for each family of words, a field for each value. `first` are shown at once, the rest on demand. */
export function Values({ lab, section, item, path, first, catalogue }: { lab: Lab; section: string; item: Table; path: string; first: string[]; catalogue: Catalogue }) {
  const [all, showAll] = useState(false);
  const families = new Set(catalogue.entries.map((entry) => entry.family));
  const known = catalogue.sections.find((one) => one.name === section)?.parameters ?? [];
  const keys = known.filter((one) => !STRUCTURE.has(one.name) && one.kind !== "file");
  const shown = keys.filter((one) => first.includes(one.name) || item[one.name] !== undefined || all);
  const order = (one: Parameter) => (first.includes(one.name) ? first.indexOf(one.name) : first.length);
  const carries = String(item.carries ?? "");
  return (
    <>
      {shown
        .sort((a, b) => order(a) - order(b))
        .map((one) => {
          const at = `${path}.${one.name}`;
          const family = one.name.replace(/^back_/, "");
          if (one.kind !== "name" || !families.has(family)) return <Field key={at} lab={lab} path={at} label={one.name} value={item[one.name]} parameter={one} />;
          const part = { lab, path: at, label: one.name, table: item[one.name], family, catalogue, absent: one.default };
          return <Part key={at} {...part} carries={family === "queue" ? carries : ""} />;
        })}
      {shown.length < keys.length && (
        <button type="button" class="more" onClick={() => showAll(true)}>
          {keys.length - shown.length} more values of this {section}
        </button>
      )}
    </>
  );
}
