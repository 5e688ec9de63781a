import type { CutTerm, ReachedSegment } from '../segments/cut-postings.js';
import { countsOf, everyField, ordinalShift } from '../segments/posting.js';
import type { ScoreAccumulator } from '../ranking/score-accumulator.js';

// One document's state while a segment is ranked: how many required terms it has, and two flags. A chunk with a score
// has a flag of its own, because it is no hit.
export const excluded = 1 << 8;
export const matched = 1 << 9;
export const scoredChunk = 1 << 10;
export const requiredCount = excluded - 1;

/** Calls once with each document that has the term in one of the fields: with the ordinal where it begins. */
function visitDocuments(
  { reader }: ReachedSegment,
  { cuts }: CutTerm,
  { fields, place }: { readonly fields: number; readonly place: number },
  visit: (ordinal: number) => void,
): void {
  const { postings, ranges } = cuts[place] as CutTerm['cuts'][number];
  const { heads } = reader.segment;
  const wanted = countsOf(fields);
  let last = -1;
  for (let index = 0; index < ranges.length; index += 2) {
    const end = ranges[index + 1] ?? 0;
    for (let at = ranges[index] ?? 0; at < end; at += 1) {
      const posting = postings[at] ?? 0;
      if ((posting & wanted) === 0) continue;
      const ordinal = posting >>> ordinalShift;
      const document = heads === null ? ordinal : (heads[ordinal] ?? 0);
      if (document !== last) visit(document);
      last = document;
    }
  }
}

/** Marks every document within reach as found. */
export function markAll(on: ScoreAccumulator, { reader, intervals }: ReachedSegment): void {
  for (let index = 0; index < intervals.length; index += 2) {
    const end = intervals[index + 1] ?? 0;
    for (let ordinal = intervals[index] ?? 0; ordinal < end; ordinal += 1) {
      if (!reader.segment.isChunk(ordinal)) on.mark(ordinal, (on.states[ordinal] ?? 0) | matched);
    }
  }
}

/** Counts one more required term for every document with it. */
export function markRequired(on: ScoreAccumulator, segment: ReachedSegment, term: CutTerm, place: number): void {
  visitDocuments(segment, term, { fields: everyField, place }, (ordinal) => {
    on.mark(ordinal, (on.states[ordinal] ?? 0) + 1);
  });
}

/** Excludes every document with all the terms of a prohibited word. */
export function markExcluded(
  on: ScoreAccumulator,
  segment: ReachedSegment,
  terms: readonly CutTerm[],
  where: { readonly fields: number; readonly place: number },
): void {
  const [first, ...others] = terms;
  if (first === undefined) return;
  let holders: Set<number> | undefined;
  for (const other of others) {
    const own = new Set<number>();
    visitDocuments(segment, other, where, (ordinal) => {
      if (holders === undefined || holders.has(ordinal)) own.add(ordinal);
    });
    holders = own;
  }
  visitDocuments(segment, first, where, (ordinal) => {
    if (holders === undefined || holders.has(ordinal)) on.mark(ordinal, (on.states[ordinal] ?? 0) | excluded);
  });
}
