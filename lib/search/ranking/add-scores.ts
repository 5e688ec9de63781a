import type { CutTerm, ReachedSegment } from '../segments/cut-postings.js';
import { matched } from '../query/mark-documents.js';
import { minNearness, measureNearness } from '../meaning/measure-nearness.js';
import type { Plan, SoughtTerm } from './plan-bounds.js';
import { countsOf, fieldCount, ordinalShift } from '../segments/posting.js';
import type { ScoreAccumulator } from './score-accumulator.js';

/** Documents read in one step. */
export const maxDocumentsAtOnce = 8192;

/**
 * Adds a term's scores to the documents of a segment. @param which of the plan's terms @param place the segment's among
 * those reached
 */
export function addScores(
  on: ScoreAccumulator,
  { reader }: ReachedSegment,
  { terms, weigher }: Plan,
  which: number,
  place: number,
): void {
  const { cuts, weight, fields, isRequired } = terms[which] as SoughtTerm;
  const { postings, ranges } = cuts[place] as CutTerm['cuts'][number];
  const wanted = countsOf(fields);
  const { lengths } = reader.segment;
  const { states, scores } = on;
  for (let index = 0; index < ranges.length; index += 2) {
    const end = ranges[index + 1] ?? 0;
    for (let at = ranges[index] ?? 0; at < end; at += 1) {
      const posting = postings[at] ?? 0;
      const counts = posting & wanted;
      if (counts === 0) continue;
      const ordinal = posting >>> ordinalShift;
      on.mark(ordinal, ((states[ordinal] ?? 0) | matched) + (isRequired ? 1 : 0));
      scores[ordinal] = (scores[ordinal] ?? 0) + weight * weigher.weigh(counts, lengths, ordinal * fieldCount);
    }
  }
}

/** Adds documents that are near enough in meaning, and to found documents the score of their nearness. */
export function* addMeaning(
  on: ScoreAccumulator,
  { reader, intervals }: ReachedSegment,
  meaning: Int8Array,
  worth: number,
): Generator<void, void> {
  for (let index = 0; index < intervals.length; index += 2) {
    const end = intervals[index + 1] ?? 0;
    for (let ordinal = intervals[index] ?? 0; ordinal < end; ordinal += 1) {
      if (ordinal % maxDocumentsAtOnce === 0) yield;
      const state = on.states[ordinal] ?? 0;
      const nearness = measureNearness(meaning, reader.segment, ordinal);
      if ((state & matched) === 0) {
        if (nearness < minNearness) continue;
        on.mark(ordinal, state | matched);
      }
      on.scores[ordinal] = (on.scores[ordinal] ?? 0) + worth * nearness;
    }
  }
}
