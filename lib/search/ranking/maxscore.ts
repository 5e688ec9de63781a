import type { DocumentKind } from '../../domain/document.js';
import { compareText } from '../../domain/location.js';
import { addMeaning, maxDocumentsAtOnce } from './add-scores.js';
import { binaryFlag } from '../analysis/analyze-document.js';
import type { BestDocuments, Candidate } from './best-documents.js';
import type { ReachedSegment } from '../segments/cut-postings.js';
import { LargestScores } from './largest-scores.js';
import { measureNearness } from '../meaning/measure-nearness.js';
import type { SegmentReader } from '../segments/segment-reader.js';
import { excluded, matched, requiredCount, scoredChunk } from '../query/mark-documents.js';
import { almostOne, type Plan } from './plan-bounds.js';
import type { SearchPosition } from './search-position.js';
import type { ScoreAccumulator } from './score-accumulator.js';

/** Decides which documents of one segment are offered. */
export interface Offering {
  readonly plan: Plan;
  readonly eligible: Eligibility;
  /** Whether each chunk with terms of the query is offered. */
  readonly everyPlace: boolean;
  readonly after: SearchPosition | undefined;
  readonly best: BestDocuments;
}

/** Decides, besides the terms, whether a document is a hit. */
interface Eligibility {
  readonly reader: SegmentReader;
  readonly kind: DocumentKind | undefined;
  readonly required: number;
}

/**
 * Offers the documents of a segment whose terms are added up. This is MaxScore (Turtle and Flood, "Query Evaluation:
 * Strategies and Optimizations", 1995). Terms are the essential part of a score. Meaning is left out where its upper
 * bound shows that it cannot bring a document onto the page.
 */
export function* offerBest(on: ScoreAccumulator, segment: ReachedSegment, offering: Offering): Generator<void, void> {
  const { meaning, meaningWorth, maxMeaning } = offering.plan;
  if (meaning !== undefined) {
    const threshold = findThreshold(on, offering);
    // No document without a term of the query can come onto the page.
    if (threshold > maxMeaning) return yield* offerAboveBound(on, segment, offering, meaning, threshold);
    yield* addMeaning(on, segment, meaning, meaningWorth);
  }
  offerAdded(on, segment, offering);
}

/** Offers the documents with complete scores. */
function offerAdded(on: ScoreAccumulator, { reader }: ReachedSegment, offering: Offering): void {
  const { eligible, everyPlace, after, best } = offering;
  const { touched, scores } = on;
  let { minKept } = best;
  for (let index = 0; index < touched.length; index += 1) {
    const ordinal = touched[index] ?? 0;
    const score = scores[ordinal] ?? 0;
    if (score < minKept || !isEligible(on, ordinal, eligible)) continue;
    const chunk = on.bestChunks[ordinal] ?? 0;
    if (everyPlace && chunk !== 0) offerChunks(on, { reader, ordinal, score, chunk }, best);
    else offer({ reader, ordinal, score, chunk }, after, best);
    ({ minKept } = best);
  }
}

/** @param document with its best chunk, and the score of both */
function offerChunks(on: ScoreAccumulator, { reader, ordinal, score, chunk }: Candidate, best: BestDocuments): void {
  const { states, scores } = on;
  const ofHead = score - (scores[chunk] ?? 0);
  const end = reader.segment.endOf(ordinal);
  for (let each = ordinal + 1; each < end; each += 1) {
    if (states[each] === scoredChunk) best.offer({ reader, ordinal, score: ofHead + (scores[each] ?? 0), chunk: each });
  }
}

/**
 * Compares the meaning only of documents whose upper bound reaches the threshold, and offers them.
 * @param least a lower bound of the score of the page's last hit
 */
function* offerAboveBound(
  on: ScoreAccumulator,
  { reader }: ReachedSegment,
  { plan: { meaningWorth, maxMeaning }, eligible, after, best }: Offering,
  meaning: Int8Array,
  least: number,
): Generator<void, void> {
  let threshold = least;
  let looked = 0;
  for (const ordinal of on.touched) {
    looked += 1;
    if (looked % maxDocumentsAtOnce === 0) yield;
    const added = on.scores[ordinal] ?? 0;
    if ((added + maxMeaning) * almostOne < threshold || !isEligible(on, ordinal, eligible)) continue;
    const score = added + meaningWorth * measureNearness(meaning, reader.segment, ordinal);
    if (score < threshold) continue;
    offer({ reader, ordinal, score, chunk: on.bestChunks[ordinal] ?? 0 }, after, best);
    threshold = Math.max(threshold, best.minKept);
  }
}

function isEligible(on: ScoreAccumulator, ordinal: number, { reader, kind, required }: Eligibility): boolean {
  const state = on.states[ordinal] ?? 0;
  if ((state & (matched | excluded)) !== matched || (state & requiredCount) !== required) return false;
  if (reader.dead > 0 && reader.isDead(ordinal)) return false;
  if (kind === undefined) return true;
  return ((reader.segment.flags[ordinal] ?? 0) & binaryFlag) === (kind === 'binary' ? binaryFlag : 0);
}

/** Offers the documents after the position. */
function offer(candidate: Candidate, after: SearchPosition | undefined, best: BestDocuments): void {
  const { reader, ordinal, score } = candidate;
  if (after !== undefined) {
    if (score > after.score) return;
    if (score === after.score && compareText(reader.locationOf(ordinal), after.location) <= 0) return;
  }
  best.offer(candidate);
}

/** A lower bound of the score of the page's last hit; -1 when too few documents are found. */
function findThreshold(on: ScoreAccumulator, { plan: { maxMeaning }, eligible, after, best }: Offering): number {
  // Meaning may place a document above this score on an earlier page, so such documents give no bound.
  const ceiling = after === undefined ? Number.POSITIVE_INFINITY : after.score;
  const largest = new LargestScores(best.most);
  let least = -1;
  for (const ordinal of on.touched) {
    const score = on.scores[ordinal] ?? 0;
    if (score <= least || (score + maxMeaning) * almostOne >= ceiling || !isEligible(on, ordinal, eligible)) continue;
    largest.add(score);
    least = largest.least;
  }
  return Math.max(least, best.minKept);
}
