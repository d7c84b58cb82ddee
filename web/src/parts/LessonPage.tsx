/** A guided page: the question first, then what the runs show. */

import { useEffect, useRef, useState } from "preact/hooks";
import { LESSONS } from "../lessons";
import type { Lesson } from "../lessons/lesson";
import { begin } from "../state/start";
import { value as setting } from "../state/state";
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
  // On a narrow screen it may stand below what is seen.
  useEffect(() => verdict.current?.scrollIntoView({ block: "nearest" }), [given !== undefined && ready]);
  const show = (at_s: number) => {
    lab.seek(at_s);
    // On a narrow screen the network is below.
    document.querySelector(".stage")?.scrollIntoView({ block: "nearest" });
  };
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
      {given !== undefined && !ready && <p class="pale">Simulating…</p>}
      {given !== undefined && ready && (
        <>
          <p class="verdict" role="status" ref={verdict}>
            {right !== null && (
              <>
                <b>{right === given ? "As you expected: " : "The run shows something else: "}</b>
                {lesson.choices[right]}{" "}
              </>
            )}
            {shown}
          </p>
          <p class="actions">
            <button type="button" onClick={() => (lab.again(lesson.id), pick(null))}>
              Answer again
            </button>
          </p>
        </>
      )}
      {/* It stays while its own runs are under way. */}
      {given !== undefined && lesson.slider && <Slider slider={lesson.slider} />}
      {given !== undefined && ready && (
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
