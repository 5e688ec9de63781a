import type { CutTerm, ReachedSegment } from '../segments/cut-postings.js';
import { matched, scoredChunk } from '../query/mark-documents.js';
import { minNearness, measureNearness } from '../meaning/measure-nearness.js';
import type { Plan, SoughtTerm } from './plan-bounds.js';
import { countsOf, fieldCount, ordinalShift } from '../segments/posting.js';
import type { ScoreAccumulator } from './score-accumulator.js';
import type { Segment } from '../segments/segment.js';

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
  const { lengths, heads } = reader.segment;
  if (heads !== null)
    return addChunkScores(on, reader.segment, heads, { term: terms[which] as SoughtTerm, weigher, place });
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

/**
 * Like `addScores`, in a segment with long documents. A head collects what its title, name and labels count for, and a
 * chunk what its text adds to that: BM25F of the chunk with the fields of its document is the sum of both. The head is
 * marked as the document.
 */
function addChunkScores(
  on: ScoreAccumulator,
  segment: Segment,
  heads: Uint32Array,
  { term, weigher, place }: { readonly term: SoughtTerm; readonly weigher: Plan['weigher']; readonly place: number },
): void {
  const { cuts, weight, fields, isRequired } = term;
  const { postings, ranges } = cuts[place] as CutTerm['cuts'][number];
  const wanted = countsOf(fields);
  const { lengths } = segment;
  const { states, scores } = on;
  let head = -1;
  let ofHead = 0;
  let headScore = 0;
  for (let index = 0; index < ranges.length; index += 2) {
    const end = ranges[index + 1] ?? 0;
    for (let at = ranges[index] ?? 0; at < end; at += 1) {
      const posting = postings[at] ?? 0;
      const counts = posting & wanted;
      if (counts === 0) continue;
      const ordinal = posting >>> ordinalShift;
      const own = heads[ordinal] ?? 0;
      if (own !== head) {
        head = own;
        on.mark(head, ((states[head] ?? 0) | matched) + (isRequired ? 1 : 0));
        ofHead = ordinal === head ? counts : 0;
        headScore = ofHead === 0 ? 0 : weight * weigher.weigh(ofHead, lengths, head * fieldCount);
        scores[head] = (scores[head] ?? 0) + headScore;
        if (ordinal === head) continue;
      }
      on.mark(ordinal, scoredChunk);
      const both = weigher.weigh(counts | ofHead, lengths, ordinal * fieldCount, head * fieldCount);
      scores[ordinal] = (scores[ordinal] ?? 0) + weight * both - headScore;
    }
  }
}

/** Adds to each long document the score of its best chunk, the first of equals, once all terms are added. */
export function foldChunks(on: ScoreAccumulator, { reader }: ReachedSegment): void {
  const { heads } = reader.segment;
  if (heads === null) return;
  const { scores, states, bestChunks, touched } = on;
  for (const ordinal of touched) {
    if (states[ordinal] !== scoredChunk) continue;
    const head = heads[ordinal] ?? 0;
    const best = bestChunks[head] ?? 0;
    const score = scores[ordinal] ?? 0;
    const bestScore = scores[best] ?? 0;
    if (best === 0 || score > bestScore || (score === bestScore && ordinal < best)) bestChunks[head] = ordinal;
  }
  for (const ordinal of touched) {
    const best = bestChunks[ordinal] ?? 0;
    if (best !== 0) scores[ordinal] = (scores[ordinal] ?? 0) + (scores[best] ?? 0);
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
