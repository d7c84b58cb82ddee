/** Addresses, files and pictures to take along. */

import { useState } from "preact/hooks";
import { csv, drawing, figure, picture, plan, record, save as saved } from "../state/files";
import { useLab } from "./hooks";

/** This page is served to this machine alone. */
const HERE = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(location.hostname);

/** Without `files` there is the address alone: what the run shows is not to be told yet. */
/** The height at which a frame shows the whole figure: the network, time, what can be touched, and all graphs [px]. */
function tall(): number {
  const high = (selector: string) => document.querySelector(selector)?.scrollHeight ?? 300;
  return Math.ceil((high(".stage") + high(".courses") + 330) / 10) * 10;
}

export function Share({ files }: { files: boolean }) {
  const lab = useLab();
  const [told, tell] = useState("");
  const address = async (query: string) => `${location.origin}${location.pathname}${query}#${await lab.fragment()}`;
  const copy = async (text: Promise<string>, what: string) => {
    try {
      await navigator.clipboard.writeText(await text);
      tell(`${what} is in the clipboard.`);
    } catch {
      tell("The browser does not allow this page to use the clipboard.");
    }
  };
  const frame = async () => `<iframe src="${await address("?embed=figure")}" width="100%" height="${tall()}" title="dupack playground" loading="lazy"></iframe>`;
  return (
    <div class="share">
      <h3>This state as an address</h3>
      <p class="note">The address holds the plan, all changes, the seed and the time. They are in the part after #, which browsers do not send to servers.</p>
      <p class="actions">
        <button type="button" onClick={() => void copy(address(""), "The address")}>
          Copy the address
        </button>
        <button type="button" onClick={() => void copy(frame(), "The code of the frame")}>
          Copy code to embed it
        </button>
      </p>
      {HERE && (
        <p class="note">
          This page is at {location.host}. The address works on this machine only, while the page is served here, and no other page may embed it. For others, and for frames, put the static
          files of the playground on a web server: <code>make site</code> writes them to <code>out/site/play</code>. The part after # is the same there.
        </p>
      )}
      {files && <Files />}
      <p role="status">{told}</p>
    </div>
  );
}

function Files() {
  const lab = useLab();
  const [told, tell] = useState("");
  const [second, choose] = useState(false);
  const two = lab.second !== null;
  const side = (second && lab.second) || lab.first;
  const whole = side.whole?.ended ? side.whole : null;
  const drawn = side.knows(lab.state.at);
  const flow = side.scene?.flows[Math.max(0, lab.state.flow)]?.name ?? null;
  const name = (lab.state.origin.split("/").at(-1) ?? "plan").replace(/\.toml$/, "") + (two ? (side === lab.first ? "-a" : "-b") : "");
  const save = async (made: Promise<string | Blob | null> | string | null, file: string, type: string) => {
    try {
      const text = await made;
      if (text === null) return;
      saved(text, file, type);
    } catch (error) {
      tell(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <>
      <h3>Files</h3>
      {two && (
        <label class="of note">
          Setting{" "}
          <select value={second ? "b" : "a"} onChange={(event) => choose(event.currentTarget.value === "b")}>
            <option value="a">A</option>
            <option value="b">B</option>
          </select>
        </label>
      )}
      <p class="actions">
        <button type="button" disabled={!side.asked} onClick={() => void save(plan(side), `${name}.toml`, "application/toml")}>
          Plan (TOML)
        </button>
        <button type="button" disabled={!side.text} onClick={() => void save(side.text, `${name}.json`, "application/json")}>
          Results (JSON)
        </button>
        <button type="button" disabled={!whole} onClick={() => void save(whole && csv(whole), `${name}.csv`, "text/csv")}>
          Time series (CSV)
        </button>
        <button type="button" disabled={!side.asked} onClick={() => void save(record(side, null), `${name}-tape.csv`, "text/csv")}>
          Every event (CSV)
        </button>
        <button type="button" disabled={!side.asked || !flow} onClick={() => void save(record(side, flow), `${name}.sqlog`, "application/qlog+json-seq")}>
          qlog of {flow ?? "a flow"}
        </button>
        <button type="button" disabled={!drawn} onClick={() => void save(picture(side === lab.first ? 0 : 1), `${name}.png`, "image/png")}>
          Picture (PNG)
        </button>
        <button type="button" disabled={!drawn} onClick={() => void save(drawing(lab, side), `${name}-network.svg`, "image/svg+xml")}>
          Picture (SVG)
        </button>
        <button type="button" disabled={!whole} onClick={() => void save(whole && figure(whole), `${name}.svg`, "image/svg+xml")}>
          Time series (SVG)
        </button>
      </p>
      <p class="note">
        <code>dupack run</code> accepts this plan, and gives the same numbers.
      </p>
      <p role="status">{told}</p>
    </>
  );
}
