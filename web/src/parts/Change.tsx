/** What a reader can change: links at the time that is shown, and every value of the plan. */

import { useState } from "preact/hooks";
import type { Catalogue, Table } from "../engine/protocol";
import type { Lab } from "../state/lab";
import { AddFlow } from "./AddFlow";
import { Field, keyOf, Part, Values } from "./Fields";
import { useLab } from "./hooks";
import { Touch } from "./Touch";

/** With more flows, or more links with a queue, their fields are shown when asked for. */
const FEW = 2;
const FEW_QUEUES = 3;
/** Links, flows or hosts that have fields; of more, the rest is in the text of the plan. */
const MOST = 100;

export function Change({ chosen, choose }: { chosen: string | null; choose: (link: string) => void }) {
  const lab = useLab();
  const table = lab.settled?.table;
  const flows = table ? sections(table, "flow") : [];
  const links = table ? sections(table, "link") : [];
  const queues = links.filter((link) => link.queue !== undefined).length;
  if (!table || !lab.catalogue) return <p class="pale">The plan has errors; its values can be changed here once it has none.</p>;
  return (
    <div class="change">
      <Touch chosen={chosen} choose={choose} />
      {lab.state.other !== null && <p class="note">Enter what differs in setting B in the second column. Where it is empty, B is the same as A.</p>}
      <Run lab={lab} table={table} catalogue={lab.catalogue} />
      <Items section="link" items={links} first={["rate", "delay", "queue", "loss"]} open={(link) => link.queue !== undefined && queues <= FEW_QUEUES} />
      <Items section="flow" items={flows} first={["start", "transport", "traffic"]} open={() => flows.length <= FEW} />
      <Items section="host" items={sections(table, "host")} first={["count"]} open={() => false} />
      <AddFlow catalogue={lab.catalogue} />
      <p class="note">To change names, the ends of links, groups, files or sweeps, edit the text under Plan.</p>
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
  const field = (name: string) => <Field key={`${lab.state.origin} ${name}`} lab={lab} path={name} label={name} value={table[name]} parameter={keyOf(catalogue, "", name)} />;
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

/** The links, flows or hosts of the plan. */
function Items({ section, items, first, open }: { section: string; items: Table[]; first: string[]; open: (item: Table) => boolean }) {
  const lab = useLab();
  const { catalogue } = lab;
  if (!catalogue) return null;
  return (
    <>
      {items.slice(0, MOST).map((item) => (
        <Item key={`${lab.state.origin} ${String(item.name)}`} lab={lab} section={section} item={item} catalogue={catalogue} first={first} open={open(item)} />
      ))}
      {items.length > MOST && (
        <p class="note">
          {(items.length - MOST).toLocaleString("en")} more {section}s are in the text under Plan.
        </p>
      )}
    </>
  );
}

/** A link, a flow or a host, with its values. */
function Item({ lab, section, item, catalogue, first, open }: { lab: Lab; section: string; item: Table; catalogue: Catalogue; first: string[]; open: boolean }) {
  const name = String(item.name);
  // The fields of many links would take long to make: those that are shown are made.
  const [shown, show] = useState(open);
  return (
    <details open={open} onToggle={(event) => show(event.currentTarget.open)}>
      <summary>
        {section[0]?.toUpperCase()}
        {section.slice(1)} <b>{name}</b>
        {item.from !== undefined && (
          <span class="pale">
            {String(item.from)} to {String(item.to)}
          </span>
        )}
      </summary>
      {shown && (
        <div class="fields">
          <Values lab={lab} section={section} item={item} path={`${section}.${name}`} first={first} catalogue={catalogue} />
        </div>
      )}
    </details>
  );
}
