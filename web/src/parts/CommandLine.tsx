/** What to type for the same numbers, and what must be there first. */

import { useEffect, useState } from "preact/hooks";
import { STARTER, bundled, BUNDLED } from "../state/plans";
import { command } from "../state/state";
import { save } from "../state/files";
import { shell } from "../state/toml";
import { useLab } from "./hooks";

/** The name under which an edited plan is saved: not that of the file that it was. */
export function saved(origin: string, known: boolean): string {
  const name = (origin.split("/").at(-1) ?? "plan").replace(/\.toml$/, "").replace(/^-+/, "");
  return `${name || "plan"}${known ? "-edited" : ""}.toml`;
}

export function CommandLine() {
  const lab = useLab();
  const [copied, copy] = useState(false);
  const { origin, plan } = lab.state;
  const key = BUNDLED.find((one) => one.origin === origin)?.key ?? "";
  const [own, know] = useState<{ key: string; text: string } | null>(null);
  useEffect(() => {
    let current = true;
    void bundled(key)
      ?.text()
      .then((text) => current && know({ key, text }));
    return () => {
      current = false;
    };
  }, [key]);
  // A file that was opened, or a plan that comes with dupack. Of an address nobody knows whether there is such a file.
  const file = lab.files.get(origin) ?? (own?.key === key ? own.text : undefined);
  const same = file === plan;
  const name = same ? origin : saved(origin, file !== undefined);
  const settings = lab.checked?.points[lab.state.point]?.settings;
  const told = command({ ...lab.asks(), origin: name }, settings);
  const act = async () => {
    await navigator.clipboard.writeText(told);
    copy(true);
    setTimeout(() => copy(false), 1500);
  };
  const starter = same && !lab.files.has(origin) && STARTER.test(key);
  return (
    <section class="commands" aria-label="Command line">
      <p class="pale first">
        {same ? "This command gives the same numbers." : "This plan is not in a file yet. Save it, then this command gives the same numbers."}
        {starter && (
          <>
            {" "}
            If you do not have the file, write it first: <code>dupack new {shell(origin)} --topology {key}</code>
          </>
        )}
        {same && !starter && !lab.files.has(origin) && " Run it in the folder of dupack's sources; elsewhere, save the plan first (Share, Plan)."}
      </p>
      <div class="command">
        {!same && (
          <button type="button" class="save" onClick={() => save(plan, name, "application/toml")}>
            Save {name}
          </button>
        )}
        <code>{told}</code>
        <button type="button" onClick={() => void act()}>
          {copied ? "Copied" : "Copy"}
        </button>
      </div>
    </section>
  );
}
