/** How the page begins: with the state of its address, a bundled plan that it names, a lesson, or the first starter. */

import type { Lesson } from "../lessons/lesson";
import { LESSONS } from "../lessons";
import type { Lab } from "./lab";
import { bundled } from "./plans";
import { unpack } from "./share";
import { EMPTY, type State } from "./state";

/** The state of a lesson's beginning. */
export async function lessonState(lesson: Lesson): Promise<State> {
  const given = lesson.plan;
  const found = "bundled" in given ? bundled(given.bundled) : undefined;
  const plan = "text" in given ? given.text : ((await found?.text()) ?? "");
  const origin = found?.origin ?? `${lesson.id}.toml`;
  return { ...structuredClone(EMPTY), plan, origin, sets: [...lesson.sets], other: lesson.other && [...lesson.other], lesson: lesson.id, at: 0 };
}

export async function begin(lab: Lab, lesson: Lesson): Promise<void> {
  await lab.set(lessonState(lesson));
}

/** The state of an address: `#1.…` from a shared one, `#plan=KEY&set=PATH=VALUE&at=SECONDS` or `#lesson=ID` from a link. */
export async function addressed(fragment: string): Promise<State> {
  const text = fragment.replace(/^#/, "");
  if (text.startsWith("1.")) return unpack(text);
  const asked = new URLSearchParams(text);
  const id = asked.get("lesson");
  const lesson = LESSONS.find((one) => one.id === id);
  if (lesson) return lessonState(lesson);
  if (id !== null) throw new Error(`no lesson ${JSON.stringify(id)}; there are ${LESSONS.map((one) => one.id).join(", ")}`);
  const key = asked.get("plan") ?? "dumbbell";
  const plan = bundled(key);
  if (!plan) throw new Error(`no plan ${JSON.stringify(key)} comes with dupack`);
  const state = { ...structuredClone(EMPTY), plan: await plan.text(), origin: plan.origin, sets: asked.getAll("set") };
  const number = (name: string) => {
    const text = asked.get(name);
    if (text !== null && !(text !== "" && Number(text) >= 0)) throw new Error(`${name}: ${JSON.stringify(text)} is no number; write one of at least 0`);
    return text === null ? NaN : Number(text);
  };
  if (number("at") >= 0) state.at = number("at");
  if (number("seed") >= 0) state.seed = Math.floor(number("seed"));
  if (number("point") >= 0) state.point = Math.floor(number("point"));
  return asked.has("other") ? { ...state, other: asked.getAll("other").filter((one) => one !== "") } : state;
}

/** The plan of `dupack play PLAN`, which the server gives beside the page; none on a static host. */
export async function served(): Promise<State | null> {
  if (!document.querySelector('meta[name="dupack-served"]')) return null;
  const answer = await fetch("./plan.json");
  if (!answer.ok) return null;
  const found = (await answer.json()) as { plan: string; origin: string; sets: string[]; seed: number | null };
  return { ...structuredClone(EMPTY), ...found };
}
