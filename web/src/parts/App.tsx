/** The page. */

import { useEffect, useState } from "preact/hooks";
import { LESSONS } from "../lessons";
import { command } from "../state/state";
import { Change } from "./Change";
import { Controls, Keys } from "./Controls";
import { Courses } from "./Courses";
import { Events } from "./Events";
import { Header } from "./Header";
import { useLab } from "./hooks";
import { LessonPage } from "./LessonPage";
import { Plan } from "./Plan";
import { Results, State } from "./Results";
import { Share } from "./Share";
import { Stage } from "./Stage";

type Tab = "lesson" | "change" | "plan" | "why" | "results" | "share";
const TABS: { tab: Tab; label: string }[] = [
  { tab: "change", label: "Change" },
  { tab: "plan", label: "Plan" },
  { tab: "why", label: "Why" },
  { tab: "results", label: "Results" },
  { tab: "share", label: "Share" },
];

export function App({ embedded }: { embedded: boolean }) {
  const lab = useLab();
  const [tab, open] = useState<Tab>("change");
  const [chosen, choose] = useState<string | null>(null);
  const lesson = LESSONS.find((one) => one.id === lab.state.lesson);
  useEffect(() => {
    if (lesson) open("lesson");
    else if (tab === "lesson") open("change");
  }, [lesson?.id]);
  useEffect(() => {
    if (lab.asked) open("why");
  }, [lab.asked]);
  const two = lab.second !== null;
  const pickLink = (link: string) => {
    choose(link);
    if (!lesson) open("change");
  };
  const hidden = lesson !== undefined && !lab.answered.has(lesson.id);
  const main = (
    <main>
      <Errors />
      {hidden ? (
        <>
          <Stages pick={pickLink} courses={false} />
          <p class="veil">Choose an answer and run it. Then packets move, and the courses of the whole run appear here.</p>
        </>
      ) : (
        <>
          <Stages pick={pickLink} courses />
          {!embedded && (
            <details class="table-view">
              <summary>The network as tables</summary>
              {lab.sides.map((side, at) => (
                <State side={side} other={at > 0} two={two} />
              ))}
            </details>
          )}
          <CommandLine />
        </>
      )}
    </main>
  );
  if (embedded) {
    return (
      <div class="page embedded">
        <Keys />
        {main}
        <a class="whole" href={`./${location.hash}`} target="_blank" rel="noopener">
          Open in the playground
        </a>
      </div>
    );
  }
  const tabs = lesson ? [{ tab: "lesson" as Tab, label: "Lesson" }, ...TABS] : TABS;
  const arrow = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    const at = (tabs.findIndex((one) => one.tab === tab) + step + tabs.length) % tabs.length;
    const next = tabs[at]?.tab ?? "change";
    open(next);
    requestAnimationFrame(() => document.getElementById(`tab-${next}`)?.focus());
  };
  return (
    <div class="page">
      <Keys />
      <Header />
      {/* On a narrow screen a lesson's question stands before the network that it is about. */}
      <div class={`body${hidden ? " asks" : ""}`}>
        {main}
        <aside aria-label="Panels">
          <div class="tabs" role="tablist" onKeyDown={arrow}>
            {tabs.map((one) => (
              <button
                type="button"
                role="tab"
                id={`tab-${one.tab}`}
                aria-selected={tab === one.tab}
                aria-controls="panel"
                tabIndex={tab === one.tab ? 0 : -1}
                onClick={() => open(one.tab)}
              >
                {one.label}
              </button>
            ))}
          </div>
          <div id="panel" role="tabpanel" aria-labelledby={`tab-${tab}`} tabIndex={0}>
            {tab === "lesson" && lesson && <LessonPage lesson={lesson} />}
            {tab === "change" && <Change chosen={chosen} choose={choose} />}
            {tab === "plan" && <Plan />}
            {tab === "why" && lab.sides.map((side, at) => <Events side={side} other={at > 0} two={two} />)}
            {tab === "results" && lab.sides.map((side, at) => <Results side={side} other={at > 0} two={two} />)}
            {tab === "share" && <Share />}
          </div>
        </aside>
      </div>
    </div>
  );
}

function Stages({ pick, courses }: { pick: (link: string) => void; courses: boolean }) {
  const lab = useLab();
  return (
    <>
      <div class={`sides${lab.second ? " two" : ""}`}>
        {lab.sides.map((side, at) => (
          <Stage side={side} other={at > 0} choose={pick} />
        ))}
      </div>
      {courses && (
        <>
          <Controls />
          <Legend />
          <div class={`sides${lab.second ? " two" : ""}`}>
            {lab.sides.map((side) => (
              <Courses side={side} group="time" />
            ))}
          </div>
        </>
      )}
    </>
  );
}

/** Flows by colour; one that is chosen is shown alone. */
function Legend() {
  const lab = useLab();
  const flows = lab.first.scene?.flows ?? [];
  if (flows.length < 2) return null;
  const most = 20;
  return (
    <div class="legend" role="group" aria-label="Flows">
      {flows.slice(0, most).map((flow, at) => (
        <button type="button" class={`chip flow-${at % 8}`} aria-pressed={lab.state.flow === at} onClick={() => lab.change({ flow: lab.state.flow === at ? -1 : at })}>
          {flow.name}
        </button>
      ))}
      {flows.length > most && <span class="pale">and {flows.length - most} more</span>}
      <span class="marks">
        <i class="drop" /> drop, timeout <i class="mark" /> mark, fast retransmit
      </span>
    </div>
  );
}

function Errors() {
  const lab = useLab();
  const all = [...lab.errors, ...lab.sides.flatMap((side) => side.errors)];
  const told = [...new Set(all)];
  if (told.length === 0) return null;
  return (
    <div class="errors" role="alert">
      {lab.first.scene && <p>The page still shows the last plan without errors.</p>}
      <ul>
        {told.slice(0, 20).map((line) => (
          <li>{line}</li>
        ))}
      </ul>
      {told.length > 20 && <p>and {told.length - 20} more</p>}
    </div>
  );
}

/** What to type for the same numbers. */
function CommandLine() {
  const lab = useLab();
  const [copied, copy] = useState(false);
  const settings = lab.checked?.points[lab.state.point]?.settings;
  const told = command(lab.asks(), settings);
  const act = async () => {
    await navigator.clipboard.writeText(told);
    copy(true);
    setTimeout(() => copy(false), 1500);
  };
  return (
    <div class="command">
      <span class="pale">The same numbers on a command line:</span>
      <code>{told}</code>
      <button type="button" onClick={() => void act()}>
        {copied ? "Copied" : "Copy"}
      </button>
    </div>
  );
}
