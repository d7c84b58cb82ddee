/** What a reader can change: links at the time that is shown, and every value of the plan. */

import type { Catalogue, Table } from "../engine/protocol";
import type { Lab } from "../state/lab";
import { AddFlow } from "./AddFlow";
import { Field, keyOf, Part, Values } from "./Fields";
import { useLab } from "./hooks";
import { Touch } from "./Touch";

/** With more flows, or more links with a queue, their fields are shown when asked for. */
const FEW = 2;
const FEW_QUEUES = 3;

export function Change({ chosen, choose }: { chosen: string | null; choose: (link: string) => void }) {
  const lab = useLab();
  const table = lab.settled?.table;
  const flows = table ? sections(table, "flow") : [];
  const queues = table ? sections(table, "link").filter((link) => link.queue !== undefined).length : 0;
  if (!table || !lab.catalogue) return <p class="pale">The plan has errors; its values can be changed here once it has none.</p>;
  return (
    <div class="change">
      <Touch chosen={chosen} choose={choose} />
      {lab.state.other !== null && <p class="note">The second column is setting B. If a field of B is empty, B has the value of A.</p>}
      <Run lab={lab} table={table} catalogue={lab.catalogue} />
      {sections(table, "link").map((link) => (
        <Item lab={lab} section="link" item={link} catalogue={lab.catalogue as Catalogue} first={["rate", "delay", "queue", "loss"]} open={link.queue !== undefined && queues <= FEW_QUEUES} />
      ))}
      {flows.map((flow) => (
        <Item lab={lab} section="flow" item={flow} catalogue={lab.catalogue as Catalogue} first={["start", "transport", "traffic"]} open={flows.length <= FEW} />
      ))}
      {sections(table, "host").map((host) => (
        <Item lab={lab} section="host" item={host} catalogue={lab.catalogue as Catalogue} first={["count"]} open={false} />
      ))}
      <AddFlow catalogue={lab.catalogue} />
      <p class="note">Which nodes a link joins, names, members of groups, files and sweeps are in the text of the plan.</p>
    </div>
  );
}

function sections(table: Table, name: string): Table[] {
  const found = table[name];
  return Array.isArray(found) ? (found.filter((one) => typeof one === "object" && !Array.isArray(one)) as Table[]) : [];
}

/** Values of the whole run, and those of a topology, from which links and hosts are made. */
const RUN = ["duration", "warm_up", "seed", "sample", "percentiles", "batches", "detune", "routing"];

function Run({ lab, table, catalogue }: { lab: Lab; table: Table; catalogue: Catalogue }) {
  const field = (name: string) => <Field lab={lab} path={name} label={name} value={table[name]} parameter={keyOf(catalogue, "", name)} />;
  return (
    <>
      <details open>
        <summary>Run</summary>
        <div class="fields">{RUN.slice(0, 3).map(field)}</div>
        <details class="inner">
          <summary>More of the run</summary>
          <div class="fields">{RUN.slice(3).map(field)}</div>
        </details>
      </details>
      {lab.topology && (
        <details>
          <summary>Topology</summary>
          <div class="fields">
            <Part lab={lab} path="topology" label="topology" table={lab.topology} family="topology" catalogue={catalogue} carries="" />
          </div>
        </details>
      )}
    </>
  );
}

/** A link, a flow or a host, with its values. */
function Item({ lab, section, item, catalogue, first, open }: { lab: Lab; section: string; item: Table; catalogue: Catalogue; first: string[]; open: boolean }) {
  const name = String(item.name);
  return (
    <details open={open}>
      <summary>
        {section[0]?.toUpperCase()}
        {section.slice(1)} <b>{name}</b>
        {item.from !== undefined && (
          <span class="pale">
            {String(item.from)} to {String(item.to)}
          </span>
        )}
      </summary>
      <div class="fields">
        <Values lab={lab} section={section} item={item} path={`${section}.${name}`} first={first} catalogue={catalogue} />
      </div>
    </details>
  );
}
