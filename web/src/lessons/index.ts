/** All lessons, in the order in which they are best read. */

import type { Lesson } from "./lesson";

export const LESSONS: Lesson[] = [];
