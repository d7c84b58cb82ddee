/** The page. */

import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { LESSONS } from "../lessons";
import { Change } from "./Change";
import { CommandLine } from "./CommandLine";
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
import { Touch } from "./Touch";
import { Why } from "./Why";

type Tab = "lesson" | "change" | "plan" | "why" | "results" | "share";
const TABS: { tab: Tab; label: string }[] = [
  { tab: "change", label: "Change" },
  { tab: "plan", label: "Plan" },
  { tab: "why", label: "Why" },
  { tab: "results", label: "Results" },
  { tab: "share", label: "Share" },
];

/** Panels that tell what the run shows. */
const TELLS = new Set<Tab>(["why", "results"]);

export function App({ embedded }: { embedded: boolean }) {
  const lab = useLab();
  const [chosen, choose] = useState<string | null>(null);
  const lesson = LESSONS.find((one) => one.id === lab.state.lesson);
  const hidden = lesson !== undefined && !lab.answered.has(lesson.id);
  // Before the answer nothing tells what the run shows.
  const tabs = [...(lesson ? [{ tab: "lesson" as Tab, label: "Lesson" }] : []), ...TABS.filter((one) => !hidden || !TELLS.has(one.tab))];
  const tab = tabs.find((one) => one.tab === lab.state.tab)?.tab ?? tabs[0]?.tab ?? "change";
  const open = (tab: Tab) => lab.change({ tab });
  useEffect(() => {
    if (lab.asked) open("why");
  }, [lab.asked]);
  const two = lab.second !== null;
  const pickLink = (link: string) => {
    choose(link);
    if (!lesson) open("change");
  };
  const main = (
    <main>
      <Errors />
      {hidden ? (
        <>
          <Stages pick={pickLink} courses={false} />
          <p class="veil">Choose an answer and press Run it. Then you see packets move, and graphs of the whole run, here.</p>
        </>
      ) : (
        <>
          <Stages pick={pickLink} courses>
            {embedded && <Touch chosen={chosen} choose={choose} compact />}
            {embedded && <Asked />}
          </Stages>
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
        {lesson && (
          <div class="asking">
            <LessonPage lesson={lesson} />
          </div>
        )}
        {main}
        <a class="whole" href={`./${location.hash}`} target="_blank" rel="noopener">
          Open in the playground
        </a>
      </div>
    );
  }
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
      {/* On a narrow screen a lesson stands before the network that it is about, its question and then the answer. */}
      <div class={`body${tab === "lesson" ? " asks" : ""}`}>
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
            {tab === "share" && <Share files={!hidden} />}
          </div>
        </aside>
      </div>
    </div>
  );
}

/** In a frame: why something happened, below the network. */
function Asked() {
  const lab = useLab();
  const { asked } = lab;
  useEffect(() => {
    const press = (event: KeyboardEvent) => event.key === "Escape" && lab.ask(null);
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [lab]);
  if (!asked) return null;
  return (
    <section class="asked">
      <button type="button" class="close" onClick={() => lab.ask(null)} aria-label="Close">
        ×
      </button>
      <Why side={asked.side} flow={asked.flow} at={asked.at} />
    </section>
  );
}

/** The network of each setting, and with `courses` time and what was measured over it; `children` stand between. */
function Stages({ pick, courses, children }: { pick: (link: string) => void; courses: boolean; children?: ComponentChildren }) {
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
          {children}
          <Legend />
          <div class={`sides${lab.second ? " two" : ""}`}>
            {lab.sides.map((side, at) => (
              <div>
                {lab.second && <h3 class="whose">{at > 0 ? "B" : "A"}</h3>}
                <Courses side={side} group="time" />
              </div>
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
  const all = lab.first.scene?.flows ?? [];
  const flows = all.length < 2 ? [] : all;
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
        {lab.first.scene?.carries === "cells" ? "▮ cell, ▬ packet that waits;" : "● data, ○ ack, ▬ packet that waits;"}
        <span class="one">
          <i class="drop" /> drop, timeout
        </span>{" "}
        <span class="one">
          <i class="mark" /> mark, fast retransmit
        </span>
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
      {lab.first.document && <p>The page still shows the last plan without errors.</p>}
      <ul>
        {told.slice(0, 20).map((line) => (
          <li>{line}</li>
        ))}
      </ul>
      {told.length > 20 && <p>and {told.length - 20} more</p>}
    </div>
  );
}
