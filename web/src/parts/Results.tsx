/** Tables: the results of the whole run, and the state at the time that is shown. */

import { useEffect, useState } from "preact/hooks";
import type { Side } from "../state/side";
import { useLab, usePlayer } from "./hooks";
import { bits, seconds, span, trim } from "./words";

/** Rows of a table: with more, the rest is counted. */
const ROWS = 60;

function name(other: boolean, two: boolean): string {
  return two ? `Setting ${other ? "B" : "A"}: ` : "";
}

function titled(words: string): string {
  return `${words[0]?.toUpperCase()}${words.slice(1)}`;
}

export function Results({ side, other, two }: { side: Side; other: boolean; two: boolean }) {
  const { document } = side;
  if (!document) return <p class="pale">{side.busy ? "Simulating…" : "No results."}</p>;
  const links = document.links.filter((link) => link.queue !== "unlimited" || link.utilization > 0.5);
  const [carries, ...mixed] = new Set(links.map((link) => link.carries));
  const unit = carries && mixed.length === 0 ? ` [${carries}]` : "";
  const dropped = (of: { [cause: string]: number }) => Object.entries(of).map(([cause, count]) => `${cause} ${trim(count)}`);
  return (
    <section class="results">
      <h3>
        {titled(`${name(other, two)}results of the run of ${span(document.duration_s)}`)}
      </h3>
      <div class="scroll" role="region" tabIndex={0} aria-label="Flows of the run">
        <table>
          <caption>Flows</caption>
          <thead>
            <tr>
              <th>flow</th>
              <th class="text">transport</th>
              <th>goodput</th>
              <th>retransmitted</th>
              <th>timeouts</th>
              <th>mean RTT</th>
            </tr>
          </thead>
          <tbody>
            {document.flows.slice(0, ROWS).map((flow) => (
              <tr>
                <th scope="row">{flow.name}</th>
                <td class="text">{flow.transport}</td>
                <td>{flow.goodput_bps === null ? "–" : bits(flow.goodput_bps)}</td>
                <td class="wraps">
                  {trim(flow.segments_retransmitted)} of {trim(flow.segments_sent)}
                </td>
                <td>{flow.timeouts}</td>
                <td>{flow.mean_rtt_s === null ? "–" : span(flow.mean_rtt_s)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {document.flows.length > ROWS && <p class="pale">and {document.flows.length - ROWS} more flows</p>}
      </div>
      <div class="scroll" role="region" tabIndex={0} aria-label="Links of the run">
        <table>
          <caption>Links</caption>
          <thead>
            <tr>
              <th>link</th>
              <th class="text">queue</th>
              <th>utilization</th>
              <th>mean queue{unit}</th>
              <th>longest</th>
              <th>dropped</th>
              <th>marked</th>
            </tr>
          </thead>
          <tbody>
            {links.slice(0, ROWS).map((link) => (
              <tr>
                <th scope="row">{link.name}</th>
                <td class="text">{link.queue}</td>
                <td>{(link.utilization * 100).toFixed(1)} %</td>
                <td>{trim(link.mean_backlog)}</td>
                <td>{trim(link.max_backlog)}</td>
                <td class="wraps">{dropped(link.dropped).join(", ") || "0"}</td>
                <td>{trim(link.marked)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="pale">
        Simulated in {trim(side.took_ms)} ms. Goodput and round-trip times are of the time from {span(document.warm_up_s)} on, after the warm-up. Drops and marks are of the whole run.
      </p>
    </section>
  );
}

/** The canvas in words: what waits, and what each sender does, at the time that is shown. It follows a few times a second. */
export function State({ side, other, two }: { side: Side; other: boolean; two: boolean }) {
  const lab = useLab();
  const player = usePlayer();
  const [at, show] = useState(lab.state.at);
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
  const sample = Math.max(0, after(whole.times, at) - 1);
  const before = (event: string, flow: number) => whole.happenings.filter((one) => one.event === event && one.at <= at && one.flow === flow).length;
  const onLine = side.near?.at(at, 0) ?? [];
  return (
    <section class="results">
      <h3>
        {titled(`${name(other, two)}the network at ${seconds(at)}`)}
      </h3>
      <div class="scroll" role="region" tabIndex={0} aria-label="Links now">
        <table>
          <caption>Links: packets that wait and travel</caption>
          <thead>
            <tr>
              <th>link</th>
              <th>{scene.carries} in its queue</th>
              <th>packets on the line</th>
            </tr>
          </thead>
          <tbody>
            {scene.links.slice(0, ROWS).map((link, index) => (
              <tr>
                <th scope="row">{link.name}</th>
                <td>{trim(whole.backlog[index]?.[sample] ?? 0)}</td>
                <td>{side.knows(at) ? onLine.filter((leg) => leg.link === index && leg.near <= at).length : "…"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div class="scroll" role="region" tabIndex={0} aria-label="Flows now">
        <table>
          <caption>Flows</caption>
          <thead>
            <tr>
              <th>flow</th>
              <th>cwnd [segments]</th>
              <th>round trip</th>
              <th>drops so far</th>
              <th>timeouts so far</th>
            </tr>
          </thead>
          <tbody>
            {scene.flows.slice(0, ROWS).map((flow, index) => (
              <tr>
                <th scope="row">{flow.name}</th>
                <td>{number(whole.cwnd[index]?.[sample])}</td>
                <td>{span((whole.rtt[index]?.slice(0, sample + 1) ?? []).findLast((value) => value !== null) ?? 0)}</td>
                <td>{before("drop", index)}</td>
                <td>{before("timeout", index)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function number(value: number | null | undefined): string {
  return value === null || value === undefined ? "–" : trim(value);
}

/** The first index with a later time. */
function after(times: number[], at: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] as number) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}
