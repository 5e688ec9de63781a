import { compareText, type Location } from '../domain/location.js';
import { invalidRequest, type Refusal } from '../domain/refusal.js';
import type { DocumentKind } from '../domain/document.js';
import { binaryFlag } from './analyze-document.js';
import { BestDocuments, type Candidate } from './best-documents.js';
import { cutTerm, type CutPostings, type CutTerm, type ReachedSegment } from './cut-postings.js';
import { labelTerm } from './expand-term.js';
import { gatherStatistics } from './gather-statistics.js';
import type { LivingSegment } from './living-segment.js';
import type { Query, QueryTerm } from './parse-query.js';
import { leastNearness, meaningWeight, measureNearness } from './meaning/measure-nearness.js';
import { LargestScores } from './largest-scores.js';
import { excluded, markAll, markExcluded, markRequired, matched, requiredCount } from './mark-documents.js';
import { countsMask, countsOf, everyField, fieldCount, ordinalShift } from './posting.js';
import { giveBackSheet, takeSheet, type Sheet } from './sheet.js';
import { inverseFrequency, Weigher, type Statistics } from './weigh.js';
import { firstPosting } from './write-segment.js';

/** A term that adds to scores although the query does not name it: a neighbour in meaning. */
export interface WidenedTerm {
  readonly term: QueryTerm;
  readonly weight: number;
}

/** Where a page ended, with the statistics that its scores were made of: later pages are scored alike. */
export interface SearchPosition {
  readonly statistics: Statistics;
  readonly score: number;
  readonly location: Location;
  /** How words were read and ranked: with another manner, scores don't go on from this one. */
  readonly manner: string;
}

export interface RankRequest {
  readonly query: Query;
  readonly widened: readonly WidenedTerm[];
  /** Where the query points, when meaning is to count. */
  readonly meaning: Int8Array | undefined;
  /** All of them; they narrow what is found and leave scores alone. */
  readonly labels: readonly string[];
  readonly kind: DocumentKind | undefined;
  readonly most: number;
  readonly after: SearchPosition | undefined;
}

export interface Ranking {
  readonly candidates: readonly Candidate[];
  readonly statistics: Statistics;
}

interface SoughtTerm extends CutTerm {
  readonly weight: number;
  readonly fields: number;
  readonly isRequired: boolean;
}

/** A neighbour is rare when at most one document in so many has it: its postings cost less than looking whether. */
const rareShare = 16;

/** Documents that are looked at before others may have their turn. */
const mostAtOnce = 8192;

/** Sums of the same numbers in another order differ by less. */
const almostOne = 1 + 1e-9;

/**
 * Ranks the documents within reach. Nothing out of reach enters any figure or any list. Rests where it yields, so that
 * nobody waits long behind a search that is much work.
 * @param reached as they are at one moment: nothing about them may change until it is done
 */
export function* rankDocuments(reached: readonly ReachedSegment[], request: RankRequest): Generator<void, Ranking> {
  const sheet = takeSheet(reached.reduce((most, { living }) => Math.max(most, living.segment.documents), 0));
  const sought = yield* cutTerms(reached, request, sheet);
  const { scored, named, filters, prohibited } = sought;
  const statistics = request.after?.statistics ?? gatherStatistics(reached, scored);
  const plan = makePlan(sought, statistics, request.meaning);
  const required = scored.filter(({ isRequired }) => isRequired).length + filters.length;
  const best = new BestDocuments(request.most);
  for (const [place, segment] of reached.entries()) {
    const eligible = { living: segment.living, kind: request.kind, required };
    for (let index = 0; index < named; index += 1) {
      addScores(sheet, segment, plan, index, place);
      yield;
    }
    if (named === 0) markAll(sheet, segment);
    for (const filter of filters) markRequired(sheet, filter, place);
    for (const { terms, fields } of prohibited) {
      markExcluded(sheet, terms, fields, place);
      yield;
    }
    for (let index = named; index < plan.rare; index += 1) addScores(sheet, segment, plan, index, place);
    yield* offerBest(sheet, segment, { plan, place, eligible, after: request.after, best });
    sheet.clear();
    yield;
  }
  giveBackSheet(sheet);
  return { candidates: best.inOrder(), statistics };
}

/** A query's terms, cut to the reach. */
interface Sought {
  /** Those that add to scores; the ones that the query names come first. */
  readonly scored: readonly SoughtTerm[];
  /** How many of them the query names. */
  readonly named: number;
  readonly filters: readonly CutTerm[];
  readonly prohibited: readonly { readonly terms: readonly CutTerm[]; readonly fields: number }[];
}

function* cutTerms(
  reached: readonly ReachedSegment[],
  { query, widened, labels }: RankRequest,
  on: Sheet,
): Generator<void, Sought> {
  const scored: SoughtTerm[] = [];
  const prohibited: { readonly terms: readonly CutTerm[]; readonly fields: number }[] = [];
  for (const { presence, terms, fields, boost } of query.clauses) {
    const cut: CutTerm[] = [];
    for (const term of terms) cut.push(yield* cutTerm(reached, term, fields, on));
    if (presence === 'prohibited') prohibited.push({ terms: cut, fields });
    else scored.push(...cut.map((each) => ({ ...each, weight: boost, fields, isRequired: presence === 'required' })));
  }
  const named = scored.length;
  for (const { term, weight } of widened) {
    const cut = yield* cutTerm(reached, term, everyField, on);
    scored.push({ ...cut, weight, fields: everyField, isRequired: false });
  }
  const filters: CutTerm[] = [];
  for (const label of labels) filters.push(yield* cutTerm(reached, labelTerm(label), everyField, on));
  return { scored, named, filters, prohibited };
}

function makePlan({ scored, named }: Sought, statistics: Statistics, meaning: Int8Array | undefined): Plan {
  const weighed = weighTerms(scored, named, statistics);
  /** What the nearest meaning is worth: part of all that words can be. */
  const meaningWorth =
    meaning === undefined ? 0 : meaningWeight * weighed.slice(0, named).reduce((sum, { weight }) => sum + weight, 0);
  const isRare = ({ frequency }: SoughtTerm): boolean => frequency * rareShare <= statistics.documents;
  return {
    terms: weighed,
    rare: weighed.filter((term, index) => index < named || isRare(term)).length,
    mostFrom: sumFrom(weighed, meaningWorth),
    weigher: new Weigher(statistics),
    meaning,
    meaningWorth,
  };
}

/** How scores are added up. */
interface Plan {
  /** In the order in which they are added; those that the query names come first. */
  readonly terms: readonly SoughtTerm[];
  /** Those before this one are named, or rare. */
  readonly rare: number;
  /** No document gets more than this by the terms from here on, and by meaning. */
  readonly mostFrom: readonly number[];
  readonly weigher: Weigher;
  readonly meaning: Int8Array | undefined;
  readonly meaningWorth: number;
}

function sumFrom(terms: readonly SoughtTerm[], meaningWorth: number): number[] {
  const sums = [meaningWorth];
  for (const { weight } of terms.toReversed()) sums.push((sums.at(-1) ?? 0) + weight);
  return sums.toReversed().map((sum) => sum * almostOne);
}

interface Offering {
  readonly plan: Plan;
  readonly place: number;
  readonly eligible: Eligibility;
  readonly after: SearchPosition | undefined;
  readonly best: BestDocuments;
}

/**
 * Adds the frequent neighbours, the rarest first, and meaning; only until no document that has nothing else can come
 * onto the page. From then on they can do no more than lift documents that are close to it, which are looked at one
 * by one.
 */
function* offerBest(
  on: Sheet,
  segment: ReachedSegment,
  { plan, place, eligible, after, best }: Offering,
): Generator<void, void> {
  const { terms, rare, mostFrom, meaning, meaningWorth } = plan;
  for (let added = rare; ;) {
    const mostLeft = mostFrom[added] ?? 0;
    const isAll = added === terms.length;
    if (isAll && meaning === undefined) break;
    const least = leastWanted(on, eligible, { mostLeft, after, best });
    if (least > mostLeft) {
      let wanted = least;
      let looked = 0;
      for (const ordinal of on.touched) {
        looked += 1;
        if (looked % mostAtOnce === 0) yield;
        const score = on.scores[ordinal] ?? 0;
        if ((score + mostLeft) * almostOne < wanted || !isEligible(on, ordinal, eligible)) continue;
        const lifted = liftScore(score, ordinal, segment, plan, added, place, wanted);
        if (lifted < wanted) continue;
        offer(segment.living, ordinal, lifted, after, best);
        wanted = Math.max(wanted, best.leastKept);
      }
      return;
    }
    if (isAll) break;
    // Looking again costs as much as a term or two.
    const next = Math.max(added + 1, (added + terms.length) >>> 1);
    for (; added < next; added += 1) addScores(on, segment, plan, added, place);
    yield;
  }
  if (meaning !== undefined) yield* addMeaning(on, segment, meaning, meaningWorth);
  for (const ordinal of on.touched) {
    const score = on.scores[ordinal] ?? 0;
    if (score >= best.leastKept && isEligible(on, ordinal, eligible))
      offer(segment.living, ordinal, score, after, best);
  }
}

/**
 * What the score comes to with the terms from `from` on, and meaning: the same sum as if all were added, unless it
 * shows on the way that it stays below what is wanted.
 */
function liftScore(
  score: number,
  ordinal: number,
  { living }: ReachedSegment,
  { terms, mostFrom, weigher, meaning, meaningWorth }: Plan,
  from: number,
  place: number,
  wanted: number,
): number {
  let lifted = score;
  for (let index = from; index < terms.length; index += 1) {
    if ((lifted + (mostFrom[index] ?? 0)) * almostOne < wanted) return lifted;
    const { cuts, weight } = terms[index] as SoughtTerm;
    const counts = countsAt(cuts[place] as CutPostings, ordinal);
    if (counts !== 0) lifted += weight * weigher.weigh(counts, living.segment.lengths, ordinal * fieldCount);
  }
  if (meaning !== undefined) lifted += meaningWorth * measureNearness(meaning, living.segment, ordinal);
  return lifted;
}

/**
 * Terms with what a full match of them is worth, in the order in which scores are added up: those that the query
 * names, then their neighbours, rare ones first. The statistics alone decide, so that every page adds alike.
 */
function weighTerms(scored: readonly SoughtTerm[], named: number, statistics: Statistics): SoughtTerm[] {
  const weighed = scored.map((term, index) => {
    const frequency = statistics.frequencies[index] ?? 0;
    return { ...term, frequency, weight: term.weight * inverseFrequency(statistics.documents, frequency) };
  });
  return [...weighed.slice(0, named), ...weighed.slice(named).sort((a, b) => a.frequency - b.frequency)];
}

function addScores(
  on: Sheet,
  { living }: ReachedSegment,
  { terms, weigher }: Plan,
  which: number,
  place: number,
): void {
  const { cuts, weight, fields, isRequired } = terms[which] as SoughtTerm;
  const { postings, ranges } = cuts[place] as CutTerm['cuts'][number];
  const wanted = countsOf(fields);
  const { lengths } = living.segment;
  for (let index = 0; index < ranges.length; index += 2) {
    const end = ranges[index + 1] ?? 0;
    for (let at = ranges[index] ?? 0; at < end; at += 1) {
      const posting = postings[at] ?? 0;
      const counts = posting & wanted;
      if (counts === 0) continue;
      const ordinal = posting >>> ordinalShift;
      on.mark(ordinal, ((on.states[ordinal] ?? 0) | matched) + (isRequired ? 1 : 0));
      on.scores[ordinal] = (on.scores[ordinal] ?? 0) + weight * weigher.weigh(counts, lengths, ordinal * fieldCount);
    }
  }
}

/** What is near enough in meaning is found; what has been found counts for as near as it is. */
function* addMeaning(
  on: Sheet,
  { living, intervals }: ReachedSegment,
  meaning: Int8Array,
  worth: number,
): Generator<void, void> {
  for (let index = 0; index < intervals.length; index += 2) {
    const end = intervals[index + 1] ?? 0;
    for (let ordinal = intervals[index] ?? 0; ordinal < end; ordinal += 1) {
      if (ordinal % mostAtOnce === 0) yield;
      const state = on.states[ordinal] ?? 0;
      const nearness = measureNearness(meaning, living.segment, ordinal);
      if ((state & matched) === 0) {
        if (nearness < leastNearness) continue;
        on.mark(ordinal, state | matched);
      }
      on.scores[ordinal] = (on.scores[ordinal] ?? 0) + worth * nearness;
    }
  }
}

/** What decides, besides the terms, whether a document is a hit. */
interface Eligibility {
  readonly living: LivingSegment;
  readonly kind: DocumentKind | undefined;
  readonly required: number;
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
function leastWanted(
  on: Sheet,
  eligible: Eligibility,
  { mostLeft, after, best }: { mostLeft: number; after: SearchPosition | undefined; best: BestDocuments },
): number {
  // Of those that may yet be lifted above where the page begins, nothing is known.
  const ceiling = after === undefined ? Number.POSITIVE_INFINITY : after.score;
  const largest = new LargestScores(best.most);
  let least = -1;
  for (const ordinal of on.touched) {
    const score = on.scores[ordinal] ?? 0;
    if (score <= least || (score + mostLeft) * almostOne >= ceiling || !isEligible(on, ordinal, eligible)) continue;
    largest.add(score);
    least = largest.least;
  }
  return Math.max(least, best.leastKept);
}

/** The packed counts of the document in the term's postings; 0 when it isn't there. For documents within reach. */
function countsAt({ postings, ranges }: CutPostings, ordinal: number): number {
  const end = ranges[ranges.length - 1] ?? 0;
  const at = firstPosting(postings, ordinal, ranges[0] ?? 0, end);
  const posting = at < end ? (postings[at] ?? 0) : 0;
  return at < end && posting >>> ordinalShift === ordinal ? posting & countsMask : 0;
}

/** What is said of a position that the index does not go on from. */
export function strangePosition(): Refusal {
  const message = 'Search reads words otherwise since the page before was made. Start again without the cursor.';
  return invalidRequest('bad_cursor', message, { field: 'cursor' });
}
