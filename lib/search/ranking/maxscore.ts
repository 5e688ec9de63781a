import type { DocumentKind } from '../../domain/document.js';
import { compareText } from '../../domain/location.js';
import { addMeaning, addScores, liftScore, maxDocumentsAtOnce } from './add-scores.js';
import { binaryFlag } from '../analysis/analyze-document.js';
import type { BestDocuments } from './best-documents.js';
import type { ReachedSegment } from '../segments/cut-postings.js';
import { LargestScores } from './largest-scores.js';
import type { LivingSegment } from '../segments/segment-reader.js';
import { excluded, matched, requiredCount } from '../query/mark-documents.js';
import { almostOne, type Plan } from './plan-bounds.js';
import type { SearchPosition } from './search-position.js';
import type { Sheet } from './score-accumulator.js';

/** What decides, for the documents of one segment, which are offered. */
export interface Offering {
  readonly plan: Plan;
  readonly place: number;
  readonly eligible: Eligibility;
  readonly after: SearchPosition | undefined;
  readonly best: BestDocuments;
}

/** What decides, besides the terms, whether a document is a hit. */
interface Eligibility {
  readonly living: LivingSegment;
  readonly kind: DocumentKind | undefined;
  readonly required: number;
}

/**
 * Adds the frequent neighbours, the rarest first, and meaning; only until no document that has nothing else can come
 * onto the page. From then on they can do no more than lift documents that are close to it, which are looked at one
 * by one.
 */
export function* offerBest(on: Sheet, segment: ReachedSegment, offering: Offering): Generator<void, void> {
  const { plan, place } = offering;
  const { terms, rare, maxFrom, meaning, meaningWorth } = plan;
  for (let added = rare; ;) {
    const maxLeft = maxFrom[added] ?? 0;
    const isAll = added === terms.length;
    if (isAll && meaning === undefined) break;
    const least = minWanted(on, offering, maxLeft);
    if (least > maxLeft) return yield* offerLifted(on, segment, offering, added, least);
    if (isAll) break;
    // Looking again costs as much as a term or two.
    const next = Math.max(added + 1, (added + terms.length) >>> 1);
    for (; added < next; added += 1) addScores(on, segment, plan, added, place);
    yield;
  }
  if (meaning !== undefined) yield* addMeaning(on, segment, meaning, meaningWorth);
  offerAdded(on, segment, offering);
}

/** Offers the documents that have all of their score. */
function offerAdded(on: Sheet, { living }: ReachedSegment, { eligible, after, best }: Offering): void {
  for (const ordinal of on.touched) {
    const score = on.scores[ordinal] ?? 0;
    if (score >= best.minKept && isEligible(on, ordinal, eligible)) offer(living, ordinal, score, after, best);
  }
}

/**
 * Offers the documents that what has not been added yet can lift onto the page.
 * @param added the terms before this one are in the scores
 * @param least a score that the last of the page will have at least
 */
function* offerLifted(
  on: Sheet,
  segment: ReachedSegment,
  { plan, place, eligible, after, best }: Offering,
  added: number,
  least: number,
): Generator<void, void> {
  const maxLeft = plan.maxFrom[added] ?? 0;
  let wanted = least;
  let looked = 0;
  for (const ordinal of on.touched) {
    looked += 1;
    if (looked % maxDocumentsAtOnce === 0) yield;
    const score = on.scores[ordinal] ?? 0;
    if ((score + maxLeft) * almostOne < wanted || !isEligible(on, ordinal, eligible)) continue;
    const lifted = liftScore(score, ordinal, segment, plan, added, place, wanted);
    if (lifted < wanted) continue;
    offer(segment.living, ordinal, lifted, after, best);
    wanted = Math.max(wanted, best.minKept);
  }
}

function isEligible(on: Sheet, ordinal: number, { living, kind, required }: Eligibility): boolean {
  const state = on.states[ordinal] ?? 0;
  if ((state & (matched | excluded)) !== matched || (state & requiredCount) !== required) return false;
  if (living.dead > 0 && living.isDead(ordinal)) return false;
  if (kind === undefined) return true;
  return ((living.segment.flags[ordinal] ?? 0) & binaryFlag) === (kind === 'binary' ? binaryFlag : 0);
}

/** Offers what comes after the position. */
function offer(
  living: LivingSegment,
  ordinal: number,
  score: number,
  after: SearchPosition | undefined,
  best: BestDocuments,
): void {
  if (after !== undefined) {
    if (score > after.score) return;
    if (score === after.score && compareText(living.locationOf(ordinal), after.location) <= 0) return;
  }
  best.offer(living, ordinal, score);
}

/** A score that the last of the page will have at least; -1 when there are too few to tell. */
function minWanted(on: Sheet, { eligible, after, best }: Offering, maxLeft: number): number {
  // Of those that may yet be lifted above where the page begins, nothing is known.
  const ceiling = after === undefined ? Number.POSITIVE_INFINITY : after.score;
  const largest = new LargestScores(best.most);
  let least = -1;
  for (const ordinal of on.touched) {
    const score = on.scores[ordinal] ?? 0;
    if (score <= least || (score + maxLeft) * almostOne >= ceiling || !isEligible(on, ordinal, eligible)) continue;
    largest.add(score);
    least = largest.least;
  }
  return Math.max(least, best.minKept);
}
