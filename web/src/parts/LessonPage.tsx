/** A guided page: the question first, then what the runs show. */

import { useEffect, useState } from "preact/hooks";
import { LESSONS } from "../lessons";
import type { Lesson } from "../lessons/lesson";
import { begin } from "../state/start";
import { useLab } from "./hooks";
import { seconds } from "./words";

export function LessonPage({ lesson }: { lesson: Lesson }) {
  const lab = useLab();
  const [picked, pick] = useState<number | null>(null);
  useEffect(() => pick(null), [lesson.id]);
  const given = lab.answered.get(lesson.id);
  const [first, second] = [lab.first.document, lab.second?.document ?? null];
  const ready = lab.done && first !== null && (lesson.other === null || second !== null);
  const at = LESSONS.indexOf(lesson);
  const next = LESSONS[at + 1];
  // The reader may have changed the plan beyond what the lesson's words are about.
  let right: number | null = null;
  let shown = "";
  try {
    if (ready && first) {
      right = lesson.answer(first, second);
      shown = lesson.shown(first, second);
    }
  } catch {
    shown = "This lesson's flows or links are no longer in the plan.";
  }
  return (
    <article class="lesson">
      <p class="pale">
        Lesson {at + 1} of {LESSONS.length} · {["", "first steps", "for those who know TCP", "for experts"][lesson.level]}
      </p>
      <h2>{lesson.title}</h2>
      {lesson.before && <p class="pale">{lesson.before}</p>}
      {lesson.text.map((paragraph) => (
        <p>{paragraph}</p>
      ))}
      <fieldset>
        <legend>{lesson.question}</legend>
        {lesson.choices.map((choice, number) => (
          <label class={given !== undefined && right === number ? "right" : given === number && right !== null ? "wrong" : ""}>
            <input type="radio" name={`answer-${lesson.id}`} checked={(given ?? picked) === number} disabled={given !== undefined} onChange={() => pick(number)} />
            {choice}
          </label>
        ))}
        {given === undefined && (
          <button type="button" class="primary" disabled={picked === null} onClick={() => picked !== null && lab.answer(lesson.id, picked, lesson.look[0]?.at_s ?? 0)}>
            Run it
          </button>
        )}
      </fieldset>
      {given !== undefined && !ready && <p class="pale">Simulating…</p>}
      {given !== undefined && ready && (
        <>
          <p class="verdict" role="status">
            <b>{right === null ? "" : right === given ? "As you expected. " : "The run shows something else. "}</b>
            {shown}
          </p>
          {lesson.why.map((paragraph) => (
            <p>{paragraph}</p>
          ))}
          {lesson.look.length > 0 && <h3>Look</h3>}
          <ul>
            {lesson.look.map((one) => (
              <li>
                <button type="button" class="time" onClick={() => lab.seek(one.at_s)}>
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
