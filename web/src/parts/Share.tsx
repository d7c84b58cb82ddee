/** Addresses, files and pictures to take along. */

import { useState } from "preact/hooks";
import { csv, figure, picture, record } from "../state/files";
import { useLab } from "./hooks";

export function Share() {
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
  const frame = async () => `<iframe src="${await address("?embed=figure")}" width="100%" height="760" title="dupack playground" loading="lazy"></iframe>`;
  const name = (lab.state.origin.split("/").at(-1) ?? "plan").replace(/\.toml$/, "");
  const save = (text: string | Blob | null, file: string, type: string) => {
    if (text === null) return;
    const link = document.createElement("a");
    link.href = URL.createObjectURL(typeof text === "string" ? new Blob([text], { type }) : text);
    link.download = file;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  };
  const side = lab.first;
  return (
    <div class="share">
      <h3>This state as an address</h3>
      <p class="note">It holds the plan, all changes, the seed and the time. Only the part after # has them, which browsers do not send to servers.</p>
      <p class="actions">
        <button type="button" onClick={() => void copy(address(""), "The address")}>
          Copy the address
        </button>
        <button type="button" onClick={() => void copy(frame(), "The code of the frame")}>
          Copy code to embed it
        </button>
      </p>
      <h3>Files</h3>
      <p class="actions">
        <button type="button" disabled={!lab.settled} onClick={() => save(lab.settled?.text ?? null, `${name}.toml`, "application/toml")}>
          Plan (TOML)
        </button>
        <button type="button" disabled={!side.text} onClick={() => save(side.text, `${name}.json`, "application/json")}>
          Results (JSON)
        </button>
        <button type="button" disabled={!side.whole?.ended} onClick={() => save(side.whole && csv(side.whole), `${name}.csv`, "text/csv")}>
          Courses (CSV)
        </button>
        <button type="button" onClick={() => void record(lab, "tape").then((text) => save(text, `${name}-tape.csv`, "text/csv"), tell)}>
          Every event (CSV)
        </button>
        <button type="button" onClick={() => void record(lab, "qlog").then((text) => save(text, `${name}.sqlog`, "application/qlog+json-seq"), tell)}>
          qlog of {lab.first.scene?.flows[Math.max(0, lab.state.flow)]?.name ?? "a flow"}
        </button>
        <button type="button" onClick={() => void picture("canvas", name).then((blob) => save(blob, `${name}.png`, "image/png"))}>
          Picture (PNG)
        </button>
        <button type="button" disabled={!side.whole?.ended} onClick={() => save(figure(lab), `${name}.svg`, "image/svg+xml")}>
          Courses (SVG)
        </button>
      </p>
      <p class="note">`dupack run` takes the plan as it is, and gives the same numbers.</p>
      <p role="status">{told}</p>
    </div>
  );
}
