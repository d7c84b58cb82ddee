/** What a reader can change: links at the time that is shown, and every value of the plan. */

import { useState } from "preact/hooks";
import type { Catalogue, Entry, Parameter, Table, Value } from "../engine/protocol";
import type { Lab } from "../state/lab";
import { value as setValue } from "../state/state";
import { toml } from "../state/toml";
import { AddFlow } from "./AddFlow";
import { useLab } from "./hooks";
import { bits, seconds, span } from "./words";

/** With more flows their fields are shown when asked for. */
const FEW = 2;

export function Change({ chosen, choose }: { chosen: string | null; choose: (link: string) => void }) {
  const lab = useLab();
  const table = lab.settled?.table;
  const flows = table ? sections(table, "flow") : [];
  if (!table || !lab.catalogue) return <p class="pale">The plan has errors. Its values can be changed here when the errors are corrected.</p>;
  return (
    <div class="change">
      <Now chosen={chosen} choose={choose} />
      {lab.state.other !== null && <p class="note">The second column is setting B. If a field of B is empty, B has the value of A.</p>}
      <Section lab={lab} title="Run" path="" table={table} names={["duration", "warm_up", "seed"]} open />
      {sections(table, "link").map((link) => (
        <Link lab={lab} link={link} catalogue={lab.catalogue as Catalogue} />
      ))}
      {flows.map((flow) => (
        <Flow lab={lab} flow={flow} catalogue={lab.catalogue as Catalogue} open={flows.length <= FEW} />
      ))}
      <AddFlow catalogue={lab.catalogue} />
    </div>
  );
}

function sections(table: Table, name: string): Table[] {
  const found = table[name];
  return Array.isArray(found) ? (found.filter((one) => typeof one === "object" && !Array.isArray(one)) as Table[]) : [];
}

/** Acts on a link at the time that is shown. */
function Now({ chosen, choose }: { chosen: string | null; choose: (link: string) => void }) {
  const lab = useLab();
  const scene = lab.first.scene;
  if (!scene || scene.links.length === 0) return null;
  const name = chosen ?? scene.links.find((link) => link.queue)?.name ?? scene.links[0]?.name ?? "";
  const link = scene.links.find((one) => one.name === name) ?? scene.links[0];
  if (!link) return null;
  const { rate_bps: rate = link.rate_bps, delay_s: delay = link.delay_ps / 1e12, up = true } = lab.now(link.name);
  const least = Math.max(1e-6, link.delay_ps / 1e12);
  const touched = lab.state.changes.length + lab.state.losses.length;
  return (
    <fieldset class="now">
      <legend>From {seconds(Math.max(0, lab.state.at), 3)} on</legend>
      <label>
        Link
        <select value={link.name} onChange={(event) => choose(event.currentTarget.value)}>
          {scene.links.map((one) => (
            <option value={one.name}>{one.name}</option>
          ))}
        </select>
      </label>
      <label>
        Rate: {bits(rate)}
        <input
          type="range"
          min={-1.3}
          max={1}
          step={0.02}
          value={Math.log10(rate / link.rate_bps)}
          aria-valuetext={bits(rate)}
          onInput={(event) => lab.touch(link.name, { rate_bps: nice(link.rate_bps * 10 ** Number(event.currentTarget.value)) })}
        />
      </label>
      <label>
        Delay: {span(delay)}
        <input
          type="range"
          min={-1.3}
          max={1.3}
          step={0.02}
          value={Math.log10(Math.max(delay, 1e-9) / least)}
          aria-valuetext={span(delay)}
          onInput={(event) => lab.touch(link.name, { delay_s: nice(least * 10 ** Number(event.currentTarget.value)) })}
        />
      </label>
      <p class="actions">
        <button type="button" onClick={() => lab.touch(link.name, { up: !up })}>
          {up ? "Break this link" : "Repair this link"}
        </button>
        {touched > 0 && (
          <button type="button" onClick={() => lab.untouch()}>
            Undo {touched === 1 ? "this change" : `all ${touched} changes`}
          </button>
        )}
      </p>
      <Next />
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
  if (!one) return <p class="note">Click a packet in the network to drop it.</p>;
  const drop = () => {
    const done = lab.loseNext(one.at);
    tell("link" in done ? `The next packet of ${one.flow.name} that ${done.link} sends is lost.` : done.why);
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
        {told || "Or click a packet in the network to drop it."}
      </p>
    </>
  );
}

function nice(rate: number): number {
  return Number(rate.toPrecision(3));
}

function Section({ lab, title, path, table, names, open = false }: { lab: Lab; title: string; path: string; table: Table; names: string[]; open?: boolean }) {
  return (
    <details open={open}>
      <summary>{title}</summary>
      <div class="fields">
        {names.map((name) => (
          <Field lab={lab} path={path ? `${path}.${name}` : name} label={name} value={table[name]} parameter={keyOf(lab.catalogue, "", name)} />
        ))}
      </div>
    </details>
  );
}

function Link({ lab, link, catalogue }: { lab: Lab; link: Table; catalogue: Catalogue }) {
  const name = String(link.name);
  const base = `link.${name}`;
  return (
    <details open={link.queue !== undefined}>
      <summary>
        Link <b>{name}</b>
        <span class="pale">
          {String(link.from)} to {String(link.to)}
        </span>
      </summary>
      <div class="fields">
        {["rate", "delay"].map((one) => (
          <Field lab={lab} path={`${base}.${one}`} label={one} value={link[one]} parameter={keyOf(catalogue, "link", one)} />
        ))}
        <Part lab={lab} path={`${base}.queue`} label="queue" table={link.queue} family="queue" catalogue={catalogue} carries={String(link.carries)} />
        {link.back_queue !== undefined && (
          <Part lab={lab} path={`${base}.back_queue`} label="back_queue" table={link.back_queue} family="queue" catalogue={catalogue} carries={String(link.carries)} />
        )}
        <Part lab={lab} path={`${base}.loss`} label="loss" table={link.loss} family="loss" catalogue={catalogue} carries="" />
      </div>
    </details>
  );
}

function Flow({ lab, flow, catalogue, open }: { lab: Lab; flow: Table; catalogue: Catalogue; open: boolean }) {
  const name = String(flow.name);
  const base = `flow.${name}`;
  return (
    <details open={open}>
      <summary>
        Flow <b>{name}</b>
        <span class="pale">
          {String(flow.from)} to {String(flow.to)}
        </span>
      </summary>
      <div class="fields">
        <Field lab={lab} path={`${base}.start`} label="start" value={flow.start} parameter={keyOf(catalogue, "flow", "start")} />
        <Part lab={lab} path={`${base}.transport`} label="transport" table={flow.transport} family="transport" catalogue={catalogue} carries="" />
        <Part lab={lab} path={`${base}.traffic`} label="traffic" table={flow.traffic} family="traffic" catalogue={catalogue} carries="" />
      </div>
    </details>
  );
}

function keyOf(catalogue: Catalogue | null, section: string, name: string): Parameter | undefined {
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
}

/** A table with a kind, such as a queue: the kinds, and the parameters of the one that is chosen. */
function Part({ lab, path, label, table, family, catalogue, carries }: PartOf) {
  const [all, showAll] = useState(false);
  const own = typeof table === "object" && !Array.isArray(table) ? table : {};
  const kind = typeof own.kind === "string" ? own.kind : "";
  const entries = catalogue.entries.filter((entry) => entry.family === family && (!carries || !entry.carries || entry.carries.includes(carries)));
  const entry = entries.find((one) => one.name === kind);
  const parameters = [...(entry?.parameters ?? []), ...(family === "transport" ? catalogue.transports : [])];
  const shown = parameters.filter((one) => all || own[one.name] !== undefined || one.required || (entry?.parameters.includes(one) ?? false));
  const pick = (kind: string, other: boolean) => lab.setting(path, kind === "" ? null : toml(carried(own, entries, kind, parametersOf(catalogue, family, kind))), other);
  const otherKind = lab.state.other === null ? undefined : kindOf(setValue(lab.state.other, path));
  return (
    <>
      <div class="field kind">
        <label>
          {label}
          <select value={kind} data-path={path} onChange={(event) => pick(event.currentTarget.value, false)} title={entry?.summary}>
            {!entry && <option value={kind}>{kind || "none"}</option>}
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
        <Field lab={lab} path={`${path}.${parameter.name}`} label={parameter.name} value={own[parameter.name]} parameter={parameter} />
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

function Field({ lab, path, label, value, parameter }: { lab: Lab; path: string; label: string; value: Value | undefined; parameter: Parameter | undefined }) {
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
  return (
    <div class={`field${changed ? " changed" : ""}${error ? " wrong" : ""}`}>
      <label title={parameter ? `${parameter.help} Write ${parameter.written}.` : undefined}>
        <span>{label}</span>
        {input(false)}
      </label>
      {lab.state.other !== null && input(true)}
      {error && <p class="warn">{error.slice(error.indexOf(path) + path.length + 2)}</p>}
    </div>
  );
}
