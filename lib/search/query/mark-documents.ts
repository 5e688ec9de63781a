import type { CutTerm, ReachedSegment } from '../segments/cut-postings.js';
import { countsOf, everyField, ordinalShift } from '../segments/posting.js';
import type { ScoreAccumulator } from '../ranking/score-accumulator.js';

// One document's state while a segment is ranked: how many required terms it has, and two flags.
export const excluded = 1 << 8;
export const matched = 1 << 9;
export const requiredCount = excluded - 1;

/** Calls with each ordinal that has the term in one of the fields. */
function visitOrdinals({ cuts }: CutTerm, fields: number, place: number, visit: (ordinal: number) => void): void {
  const { postings, ranges } = cuts[place] as CutTerm['cuts'][number];
  const wanted = countsOf(fields);
  for (let index = 0; index < ranges.length; index += 2) {
    const end = ranges[index + 1] ?? 0;
    for (let at = ranges[index] ?? 0; at < end; at += 1) {
      const posting = postings[at] ?? 0;
      if ((posting & wanted) !== 0) visit(posting >>> ordinalShift);
    }
  }
}

/** Marks every document within reach as found. */
export function markAll(on: ScoreAccumulator, { intervals }: ReachedSegment): void {
  for (let index = 0; index < intervals.length; index += 2) {
    const end = intervals[index + 1] ?? 0;
    for (let ordinal = intervals[index] ?? 0; ordinal < end; ordinal += 1) {
      on.mark(ordinal, (on.states[ordinal] ?? 0) | matched);
    }
  }
}

/** Counts one more required term for every document with it. */
export function markRequired(on: ScoreAccumulator, term: CutTerm, place: number): void {
  visitOrdinals(term, everyField, place, (ordinal) => {
    on.mark(ordinal, (on.states[ordinal] ?? 0) + 1);
  });
}

/** Excludes every document with all the terms of a prohibited word. */
export function markExcluded(on: ScoreAccumulator, terms: readonly CutTerm[], fields: number, place: number): void {
  const [first, ...others] = terms;
  if (first === undefined) return;
  let holders: Set<number> | undefined;
  for (const other of others) {
    const own = new Set<number>();
    visitOrdinals(other, fields, place, (ordinal) => {
      if (holders === undefined || holders.has(ordinal)) own.add(ordinal);
    });
    holders = own;
  }
  visitOrdinals(first, fields, place, (ordinal) => {
    if (holders === undefined || holders.has(ordinal)) on.mark(ordinal, (on.states[ordinal] ?? 0) | excluded);
  });
}
