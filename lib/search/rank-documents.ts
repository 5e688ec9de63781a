import { compareText, type Location } from '../domain/location.js';
import type { DocumentKind } from '../domain/document.js';
import { binaryFlag } from './analyze-document.js';
import { BestDocuments, type Candidate } from './best-documents.js';
import { cutTerm, type CutPostings, type CutTerm, type ReachedSegment } from './cut-postings.js';
import { labelTerm } from './expand-term.js';
import { gatherStatistics } from './gather-statistics.js';
import type { LivingSegment } from './living-segment.js';
import type { Query, QueryTerm } from './parse-query.js';
import { leastNearness, meaningWeight, measureNearness } from './meaning/measure-nearness.js';
import { nthLargest } from './nth-largest.js';
import { countsMask, countsOf, everyField, fieldCount, ordinalShift } from './posting.js';
import { openSheet, type Sheet } from './sheet.js';
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

// One document's state while a segment is ranked: how many required terms it has, and two flags.
const excluded = 1 << 8;
const matched = 1 << 9;
const requiredCount = excluded - 1;

/** Sums of the same numbers in another order differ by less. */
const almostOne = 1 + 1e-9;

/** A neighbour is rare when at most one document in so many has it. */
const rareShare = 16;

/** Ranks the documents within reach. Nothing out of reach enters any figure or any list. */
export function rankDocuments(reached: readonly ReachedSegment[], request: RankRequest): Ranking {
  const { query, widened, labels, meaning } = request;
  const scored: SoughtTerm[] = [];
  const prohibited: { readonly terms: readonly CutTerm[]; readonly fields: number }[] = [];
  for (const { presence, terms, fields, boost } of query.clauses) {
    const cut = terms.map((term) => cutTerm(reached, term, fields));
    if (presence === 'prohibited') prohibited.push({ terms: cut, fields });
    else scored.push(...cut.map((each) => ({ ...each, weight: boost, fields, isRequired: presence === 'required' })));
  }
  const isExclusive = scored.length === 0;
  const named = scored.length;
  for (const { term, weight } of widened) {
    scored.push({ ...cutTerm(reached, term, everyField), weight, fields: everyField, isRequired: false });
  }
  const filters = labels.map((label) => cutTerm(reached, labelTerm(label), everyField));
  const statistics = request.after?.statistics ?? gatherStatistics(reached, scored);
  const weigher = new Weigher(statistics);
  const weighed = weighTerms(scored, named, statistics);
  /** Terms that are read in full; those after them are frequent neighbours, which add little. */
  const full = weighed.filter(
    (term, index) => index < named || term.frequency * rareShare <= statistics.documents,
  ).length;
  /** No document gets more than this by the others and by meaning alone; a little more, for the last digits of sums. */
  /** What the nearest meaning is worth: part of all that words can be. */
  const meaningWorth =
    meaning === undefined ? 0 : meaningWeight * weighed.slice(0, named).reduce((sum, { weight }) => sum + weight, 0);
  const mostByOthers = (weighed.slice(full).reduce((sum, { weight }) => sum + weight, 0) + meaningWorth) * almostOne;
  const required = scored.filter(({ isRequired }) => isRequired).length + filters.length;
  const best = new BestDocuments(request.most);
  reached.forEach((segment, place) => {
    const sheet = openSheet(segment.living.segment.documents);
    const addTerms = (from: number, to: number): void => {
      for (let index = from; index < to; index += 1) {
        addScores(sheet, segment, weighed[index] as SoughtTerm, place, weigher);
      }
    };
    const { lengths } = segment.living.segment;
    const liftScore = (score: number, ordinal: number): number => {
      let lifted = score;
      for (const { cuts, weight } of weighed.slice(full)) {
        const counts = countsAt(cuts[place] as CutPostings, ordinal);
        if (counts !== 0) lifted += weight * weigher.weigh(counts, lengths, ordinal * fieldCount);
      }
      if (meaning !== undefined) lifted += meaningWorth * measureNearness(meaning, segment.living.segment, ordinal);
      return lifted;
    };
    try {
      addTerms(0, full);
      if (isExclusive) markAll(sheet, segment);
      for (const filter of filters) markRequired(sheet, filter, place);
      for (const { terms, fields } of prohibited) markExcluded(sheet, terms, fields, place);
      const eligible = { living: segment.living, kind: request.kind, required };
      const isOpen = full < weighed.length || meaningWorth > 0;
      const least = isOpen && request.after === undefined ? leastWanted(sheet, eligible, best) : -1;
      if (least > mostByOthers) {
        // What only the others speak for comes to nothing; of the rest, what they can lift is looked at.
        for (const ordinal of sheet.touched) {
          const score = sheet.scores[ordinal] ?? 0;
          if ((score + mostByOthers) * almostOne < least || !isEligible(sheet, ordinal, eligible)) continue;
          best.offer(segment.living, ordinal, liftScore(score, ordinal));
        }
      } else {
        addTerms(full, weighed.length);
        if (meaning !== undefined) addMeaning(sheet, segment, meaning, meaningWorth);
        offerAll(sheet, eligible, request.after, best);
      }
    } finally {
      sheet.clear();
    }
  });
  return { candidates: best.inOrder(), statistics };
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
  { cuts, weight, fields, isRequired }: SoughtTerm,
  place: number,
  weigher: Weigher,
): void {
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
function addMeaning(on: Sheet, { living, intervals }: ReachedSegment, meaning: Int8Array, worth: number): void {
  for (let index = 0; index < intervals.length; index += 2) {
    const end = intervals[index + 1] ?? 0;
    for (let ordinal = intervals[index] ?? 0; ordinal < end; ordinal += 1) {
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

function markAll(on: Sheet, { intervals }: ReachedSegment): void {
  for (let index = 0; index < intervals.length; index += 2) {
    const end = intervals[index + 1] ?? 0;
    for (let ordinal = intervals[index] ?? 0; ordinal < end; ordinal += 1) {
      on.mark(ordinal, (on.states[ordinal] ?? 0) | matched);
    }
  }
}

function markRequired(on: Sheet, term: CutTerm, place: number): void {
  visitOrdinals(term, everyField, place, (ordinal) => {
    on.mark(ordinal, (on.states[ordinal] ?? 0) + 1);
  });
}

/** What has all the terms of a prohibited word is out. */
function markExcluded(on: Sheet, terms: readonly CutTerm[], fields: number, place: number): void {
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

function offerAll(on: Sheet, eligible: Eligibility, after: SearchPosition | undefined, best: BestDocuments): void {
  const { living } = eligible;
  for (const ordinal of on.touched) {
    if (!isEligible(on, ordinal, eligible)) continue;
    const score = on.scores[ordinal] ?? 0;
    if (after !== undefined) {
      if (score > after.score) continue;
      if (score === after.score && compareText(living.locationOf(ordinal), after.location) <= 0) continue;
    }
    best.offer(living, ordinal, score);
  }
}

/** A score that the last of the best will have at least; -1 when there are too few to tell. */
function leastWanted(on: Sheet, eligible: Eligibility, best: BestDocuments): number {
  const scores = new Float64Array(on.touched.length);
  let count = 0;
  for (const ordinal of on.touched) {
    if (!isEligible(on, ordinal, eligible)) continue;
    scores[count] = on.scores[ordinal] ?? 0;
    count += 1;
  }
  return Math.max(nthLargest(scores.subarray(0, count), best.most), best.leastKept);
}

/** The packed counts of the document in the term's postings; 0 when it isn't there. For documents within reach. */
function countsAt({ postings, ranges }: CutPostings, ordinal: number): number {
  const end = ranges[ranges.length - 1] ?? 0;
  const at = firstPosting(postings, ordinal, ranges[0] ?? 0, end);
  const posting = at < end ? (postings[at] ?? 0) : 0;
  return at < end && posting >>> ordinalShift === ordinal ? posting & countsMask : 0;
}
