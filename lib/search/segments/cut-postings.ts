import { expandTerm } from '../query/expand-term.js';
import type { SegmentReader } from './segment-reader.js';
import type { QueryTerm } from '../query/parse-query.js';
import { addCounts, countsMask, countsOf, everyField, ordinalShift } from './posting.js';
import type { Intervals } from '../reachable.js';
import type { ScoreAccumulator } from '../ranking/score-accumulator.js';
import { firstPosting } from './write-segment.js';

/** A segment with its ordinals in the caller's reach; a segment without any is left out of the search. */
export interface ReachedSegment {
  readonly reader: SegmentReader;
  readonly intervals: Intervals;
}

/** The postings of a term within reach: ranges [start, end) of a list, one after the other. */
export interface CutPostings {
  readonly postings: Uint32Array;
  readonly ranges: readonly number[];
}

const nothing: CutPostings = { postings: new Uint32Array(0), ranges: [] };

/** A term cut to the reach: its postings in each reached segment, and the number of live entries with it. */
export interface CutTerm {
  readonly cuts: readonly CutPostings[];
  readonly frequency: number;
}

/**
 * Finds the term's postings within reach. Postings out of reach are never read: binary search leads past them. A
 * pattern with several terms (a wildcard, say) becomes one pseudo-term, which occurs where any of them does. Works in
 * steps.
 * @param on room for the largest of the segments
 */
export function* cutTerm(
  reached: readonly ReachedSegment[],
  term: QueryTerm,
  fields: number,
  on: ScoreAccumulator,
): Generator<void, CutTerm> {
  let frequency = 0;
  const cuts: CutPostings[] = [];
  for (const { reader, intervals } of reached) {
    const places = yield* expandTerm(reader.segment, term);
    const [only] = places;
    let cut = nothing;
    if (only !== undefined) {
      cut =
        places.length === 1
          ? cutPostings(reader, only, intervals)
          : yield* unitePostings(reader, places, intervals, on.counts);
      frequency += countLive(reader, cut, fields);
    }
    cuts.push(cut);
    yield;
  }
  return { cuts, frequency };
}

function cutPostings({ segment }: SegmentReader, term: number, intervals: Intervals): CutPostings {
  const start = segment.postingStarts[term] ?? 0;
  const end = segment.postingStarts[term + 1] ?? 0;
  const ranges: number[] = [];
  if (end - start < intervals.length >>> 1) {
    for (let at = start; at < end; at += 1) {
      if (isWithinIntervals(intervals, (segment.postings[at] ?? 0) >>> ordinalShift)) pushRange(ranges, at, at + 1);
    }
  } else if (intervals[0] === 0 && intervals[1] === segment.entries) ranges.push(start, end);
  else {
    let from = start;
    for (let index = 0; index < intervals.length && from < end; index += 2) {
      const low = firstPosting(segment.postings, intervals[index] ?? 0, from, end);
      from = firstPosting(segment.postings, intervals[index + 1] ?? 0, low, end);
      if (low < from) pushRange(ranges, low, from);
    }
  }
  return ranges.length === 0 ? nothing : { postings: segment.postings, ranges };
}

function pushRange(ranges: number[], start: number, end: number): void {
  if (ranges[ranges.length - 1] === start) ranges[ranges.length - 1] = end;
  else ranges.push(start, end);
}

function isWithinIntervals(intervals: Intervals, ordinal: number): boolean {
  let low = 0;
  let high = intervals.length >>> 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((intervals[2 * middle + 1] ?? 0) <= ordinal) low = middle + 1;
    else high = middle;
  }
  return 2 * low < intervals.length && (intervals[2 * low] ?? 0) <= ordinal;
}

/** Postings of a pseudo-term that are added up in one step. */
const maxDocumentsAtOnce = 1 << 17;

/** @param added room for every ordinal; all zero before and after */
function* unitePostings(
  reader: SegmentReader,
  terms: readonly number[],
  intervals: Intervals,
  added: Uint16Array,
): Generator<void, CutPostings> {
  let touched = new Uint32Array(64);
  let count = 0;
  let sinceRest = 0;
  const { postings, postingStarts, entries, heads } = reader.segment;
  const isWhole = intervals[0] === 0 && intervals[1] === entries;
  for (const term of terms) {
    const ranges = isWhole ? undefined : cutPostings(reader, term, intervals).ranges;
    for (let index = 0; index < (ranges?.length ?? 2); index += 2) {
      const start = (ranges === undefined ? postingStarts[term] : ranges[index]) ?? 0;
      const end = (ranges === undefined ? postingStarts[term + 1] : ranges[index + 1]) ?? 0;
      // Each posting of a term is of another document, so it cannot touch more documents than that.
      if (count + end - start > touched.length) touched = growTo(touched, 2 * (count + end - start));
      count = addPostings(postings, start, end, added, touched, count);
      sinceRest += end - start;
    }
    if (sinceRest < maxDocumentsAtOnce) continue;
    sinceRest = 0;
    yield;
  }
  if (count === 0) return nothing;
  // A long document's entries have to follow each other.
  const united = heads === null ? touched.subarray(0, count) : inOrder(touched.subarray(0, count), added);
  for (let index = 0; index < count; index += 1) {
    const ordinal = united[index] ?? 0;
    united[index] = ((ordinal << ordinalShift) | (added[ordinal] ?? 0)) >>> 0;
    added[ordinal] = 0;
  }
  return { postings: united, ranges: [0, count] };
}

/** The touched ordinals in order: sorted, or all in turn where a sort would take longer. */
function inOrder(touched: Uint32Array, added: Uint16Array): Uint32Array {
  if (touched.length < added.length >>> 5) return touched.sort();
  let count = 0;
  for (let ordinal = 0; count < touched.length; ordinal += 1) {
    if (added[ordinal] === 0) continue;
    touched[count] = ordinal;
    count += 1;
  }
  return touched;
}

/** Adds the postings in [start, end) up by document. @returns how many documents are touched then */
function addPostings(
  postings: Uint32Array,
  start: number,
  end: number,
  added: Uint16Array,
  touched: Uint32Array,
  from: number,
): number {
  let count = from;
  for (let at = start; at < end; at += 1) {
    const posting = postings[at] ?? 0;
    const ordinal = posting >>> ordinalShift;
    const before = added[ordinal] ?? 0;
    if (before === 0) {
      touched[count] = ordinal;
      count += 1;
      added[ordinal] = posting & countsMask;
    } else added[ordinal] = addCounts(before, posting & countsMask);
  }
  return count;
}

function growTo(list: Uint32Array, length: number): Uint32Array<ArrayBuffer> {
  const grown = new Uint32Array(length);
  grown.set(list);
  return grown;
}

/** Live entries with the term in one of the fields. */
function countLive(reader: SegmentReader, { postings, ranges }: CutPostings, fields: number): number {
  let all = 0;
  for (let index = 0; index < ranges.length; index += 2) all += (ranges[index + 1] ?? 0) - (ranges[index] ?? 0);
  if (fields === everyField && reader.dead === 0) return all;
  let count = 0;
  const wanted = countsOf(fields);
  for (let index = 0; index < ranges.length; index += 2) {
    const end = ranges[index + 1] ?? 0;
    for (let at = ranges[index] ?? 0; at < end; at += 1) {
      const posting = postings[at] ?? 0;
      if ((posting & wanted) !== 0 && !reader.isDead(posting >>> ordinalShift)) count += 1;
    }
  }
  return count;
}
