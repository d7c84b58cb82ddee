/** One more flow, as lines at the end of the plan. */

import { useState } from "preact/hooks";
import type { Catalogue } from "../engine/protocol";
import { time, toml } from "../state/toml";
import { useLab } from "./hooks";
import { seconds } from "./words";

export function AddFlow({ catalogue }: { catalogue: Catalogue }) {
  const lab = useLab();
  const scene = lab.first.scene;
  const hosts = scene?.nodes.filter((node) => node.kind === "host").map((node) => node.name) ?? [];
  const like = scene?.flows[0];
  const [given, give] = useState<{ from?: string; to?: string; kind?: string }>({});
  if (hosts.length < 2) return null;
  const valid = (name: string | undefined) => (name !== undefined && hosts.includes(name) ? name : undefined);
  const from = valid(given.from) ?? valid(like?.from) ?? hosts[0] ?? "";
  const to = valid(given.to) ?? valid(like?.to) ?? hosts[1] ?? "";
  const kinds = catalogue.entries.filter((entry) => entry.family === "transport" && entry.parameters.every((one) => !one.required)).map((entry) => entry.name);
  const kind = given.kind ?? "reno";
  const add = () => {
    const names = new Set(scene?.flows.map((one) => one.name));
    let number = 1;
    while (names.has(`added-${number}`)) number += 1;
    const start = Math.max(0, Math.round(lab.state.at * 1e3) / 1e3);
    const lines = [
      "[[flow]]",
      `name = ${toml(`added-${number}`)}`,
      `from = ${toml(from)}`,
      `to = ${toml(to)}`,
      `start = ${toml(time(start))}`,
      'traffic = { kind = "greedy" }',
      `transport = { kind = ${toml(kind)} }`,
    ];
    lab.change({ plan: `${lab.state.plan.trimEnd()}\n\n${lines.join("\n")}\n` });
  };
  const choice = (label: string, value: string, all: string[], name: "from" | "to" | "kind") => (
    <div class="field">
      <label>
        <span>{label}</span>
        <select value={value} onChange={(event) => give({ ...given, [name]: event.currentTarget.value })}>
          {all.map((one) => (
            <option value={one}>{one}</option>
          ))}
        </select>
      </label>
    </div>
  );
  return (
    <details>
      <summary>Add a flow</summary>
      <div class="fields">
        {choice("from", from, hosts, "from")}
        {choice("to", to, hosts, "to")}
        {choice("transport", kind, kinds, "kind")}
        <p class="actions">
          <button type="button" disabled={from === to} onClick={add}>
            Add it from {seconds(Math.max(0, lab.state.at), 3)} on
          </button>
        </p>
      </div>
    </details>
  );
}
