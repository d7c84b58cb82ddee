/** A guided page: the question first, then what the runs show. */

import { useEffect, useRef, useState } from "preact/hooks";
import { LESSONS } from "../lessons";
import type { Document } from "../engine/protocol";
import type { Lesson } from "../lessons/lesson";
import { begin } from "../state/start";
import { put, value as setting } from "../state/state";
import { useLab } from "./hooks";
import { seconds } from "./words";

/** One value of setting A, and what the runs with it have given. */
function Slider({ slider }: { slider: NonNullable<Lesson["slider"]> }) {
  const lab = useLab();
  const [measured, keep] = useState<Map<number, string>>(new Map());
  const now = Number(setting(lab.state.sets, slider.path));
  const { document } = lab.first;
  useEffect(() => {
    if (lab.done && document && slider.values.includes(now)) keep((before) => new Map(before).set(now, slider.measure(document)));
  }, [document, lab.done]);
  const at = Math.max(0, slider.values.indexOf(now));
  return (
    <section class="slider">
      <h3>{slider.title}</h3>
      <label>
        {slider.label}: {slider.values[at]}
        <input
          type="range"
          min={0}
          max={slider.values.length - 1}
          step={1}
          value={at}
          aria-valuetext={String(slider.values[at])}
          onInput={(event) => lab.setting(slider.path, String(slider.values[Number(event.currentTarget.value)] ?? ""))}
        />
      </label>
      <table>
        <caption>Setting A, a row for each value that was run</caption>
        <thead>
          <tr>
            <th>{slider.label}</th>
            <th>{slider.measured}</th>
          </tr>
        </thead>
        <tbody>
          {[...measured]
            .sort(([a], [b]) => a - b)
            .map(([value, told]) => (
              <tr aria-current={value === now ? "true" : undefined}>
                <td>{value}</td>
                <td>{told}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </section>
  );
}

/** What the runs say of a lesson's question. */
function judged(lesson: Lesson, first: Document, second: Document | null): { right: number | null; shown: string } {
  try {
    return { right: lesson.answer(first, second), shown: lesson.shown(first, second) };
  } catch {
    // The address may have another plan than the lesson.
    return { right: null, shown: "This lesson's flows or links are no longer in the plan." };
  }
}

export function LessonPage({ lesson }: { lesson: Lesson }) {
  const lab = useLab();
  const [picked, pick] = useState<number | null>(null);
  useEffect(() => pick(null), [lesson.id]);
  const given = lab.answered.get(lesson.id);
  const [first, second] = [lab.first.document, lab.second?.document ?? null];
  const ready = lab.done && first !== null && (lesson.other === null || second !== null);
  const at = LESSONS.indexOf(lesson);
  const next = LESSONS[at + 1];
  const verdict = useRef<HTMLParagraphElement>(null);
  const show = (at_s: number) => {
    lab.seek(at_s);
    // On a narrow screen the network is below.
    document.querySelector(".stage")?.scrollIntoView({ block: "nearest" });
  };
  const { plan, sets, other, seed, point, changes, losses } = lab.state;
  const of = JSON.stringify([plan, lesson.slider ? put(sets, lesson.slider.path, null) : sets, other, seed, point, changes, losses]);
  if (given !== undefined && ready && first && !lab.verdicts.has(lesson.id)) lab.verdicts.set(lesson.id, { ...judged(lesson, first, second), of });
  const told = lab.verdicts.get(lesson.id);
  const right = told?.right ?? null;
  // On a narrow screen it may stand below what is seen.
  useEffect(() => verdict.current?.scrollIntoView({ block: "nearest" }), [given !== undefined && told !== undefined]);
  return (
    <article class="lesson">
      <p class="pale">
        Lesson {at + 1} of {LESSONS.length} · {["", "first steps", "for those who know TCP", "for experts"][lesson.level]}
      </p>
      <h2>{lesson.title}</h2>
      {lesson.before && <p class="pale">Before you start: {lesson.before}</p>}
      {lesson.text.map((paragraph) => (
        <p>{paragraph}</p>
      ))}
      <fieldset>
        <legend>{lesson.question}</legend>
        {lesson.choices.map((choice, number) => (
          <label class={given !== undefined && right === number ? "right" : given === number && right !== null ? "wrong" : ""}>
            <input type="radio" name={`answer-${lesson.id}`} checked={(given ?? picked) === number} disabled={given !== undefined} onChange={() => pick(number)} />
            <span>
              {choice}
              {given !== undefined && right === number && <b class="is"> ✓ what the run shows</b>}
              {given === number && right !== null && right !== number && <b class="is"> ✗ your answer</b>}
            </span>
          </label>
        ))}
        {given === undefined && (
          <button type="button" class="primary" disabled={picked === null} onClick={() => picked !== null && lab.answer(lesson.id, picked, lesson.look[0]?.at_s ?? 0)}>
            Run it
          </button>
        )}
      </fieldset>
      {given !== undefined && !told && <p class="pale">Simulating…</p>}
      {given !== undefined && told && (
        <>
          <p class="verdict" role="status" ref={verdict}>
            {right !== null && (
              <>
                <b>{right === given ? "Right: " : "Not quite. The run shows: "}</b>
                {lesson.choices[right]}{" "}
              </>
            )}
            {told.shown}
          </p>
          {told.of !== of && <p class="note">You have changed the lesson's plan since. The answer, and the times below, are of its own plan.</p>}
          <p class="actions">
            {told.of !== of && (
              <button type="button" onClick={() => void begin(lab, lesson)}>
                Restore the lesson's plan
              </button>
            )}
            <button type="button" onClick={() => (lab.again(lesson.id), pick(null))}>
              Answer again
            </button>
            <button type="button" class="narrow" onClick={() => document.querySelector(".stage")?.scrollIntoView()}>
              Show the network
            </button>
          </p>
        </>
      )}
      {/* It stays while its own runs are under way. */}
      {given !== undefined && lesson.slider && <Slider slider={lesson.slider} />}
      {given !== undefined && told && (
        <>
          {lesson.why.map((paragraph) => (
            <p>{paragraph}</p>
          ))}
          {lesson.look.length > 0 && <h3>Look</h3>}
          <ul>
            {lesson.look.map((one) => (
              <li>
                <button type="button" class="time" onClick={() => show(one.at_s)}>
                  {seconds(one.at_s, 3)}
                </button>{" "}
                {one.text}
              </li>
            ))}
          </ul>
          {lesson.try.length > 0 && <h3>Try</h3>}
          <ul>
            {lesson.try.map((one) => (
              <li>{one}</li>
            ))}
          </ul>
          <h3>References</h3>
          <ul class="references">
            {lesson.references.map((one) => (
              <li>{one}</li>
            ))}
          </ul>
          {next && (
            <button type="button" class="primary" onClick={() => void begin(lab, next)}>
              Next: {next.title}
            </button>
          )}
        </>
      )}
    </article>
  );
}
