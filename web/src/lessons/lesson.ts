/** Guided pages: a question, the reader's guess, and what the runs show. */

import type { Document } from "../engine/protocol";

export interface Lesson {
  /** Part of an address: lower-case letters and hyphens. */
  id: string;
  title: string;
  /** From 1, for those who know what TCP is, to 3. */
  level: 1 | 2 | 3;
  /** What a student should know before. One sentence, or none. */
  before?: string;
  /** Key of a bundled plan such as `dumbbell`, or the text of a plan. */
  plan: { bundled: string } | { text: string };
  /** Overrides of the first setting. */
  sets: string[];
  /** What the second setting, B, has beyond these; null if one setting is enough. */
  other: string[] | null;
  /** Paragraphs that lead to the question. */
  text: string[];
  question: string;
  choices: string[];
  /** Number of the choice that the runs support, from their results: nothing is written down beforehand. */
  answer(first: Document, second: Document | null): number;
  /** What the runs show, in numbers. */
  shown(first: Document, second: Document | null): string;
  /** Why. Paragraphs. */
  why: string[];
  /** What to look at: a time of the first setting, and what happens there. */
  look: { at_s: number; text: string }[];
  /** What to try next. */
  try: string[];
  /** A value of the first setting that the reader moves, and what is read of each run. */
  slider?: { title: string; label: string; path: string; values: number[]; measured: string; measure(of: Document): string };
  /** Sources for teachers. */
  references: string[];
}

/** A flow of a run by its name. */
export function flow(document: Document, name: string): Document["flows"][number] {
  const found = document.flows.find((one) => one.name === name);
  if (!found) throw new Error(`no flow ${name}`);
  return found;
}

/** A link of a run by its name. */
export function link(document: Document, name: string): Document["links"][number] {
  const found = document.links.find((one) => one.name === name);
  if (!found) throw new Error(`no link ${name}`);
  return found;
}
