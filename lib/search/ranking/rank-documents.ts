import { invalidRequest, type Refusal } from '../../domain/refusal.js';
import type { DocumentKind } from '../../domain/document.js';
import { addScores, foldChunks } from './add-scores.js';
import { BestDocuments, type Candidate } from './best-documents.js';
import { cutTerm, type CutTerm, type ReachedSegment } from '../segments/cut-postings.js';
import { labelTerm } from '../query/expand-term.js';
import { markAll, markExcluded, markRequired } from '../query/mark-documents.js';
import type { SearchPosition } from './search-position.js';
import { offerBest } from './maxscore.js';
import { type Query, countedTerms } from '../query/parse-query.js';
import { makePlan, type Sought, type SoughtTerm } from './plan-bounds.js';
import { everyField } from '../segments/posting.js';
import { countMost } from '../segments/reach-segments.js';
import { figureCount } from '../segments/segment.js';
import { releaseAccumulator, takeAccumulator, type ScoreAccumulator } from './score-accumulator.js';
import { type Statistics, addFigures, inverseFrequency } from './weigh.js';

export interface RankRequest {
  readonly query: Query;
  /** The query's direction, when meaning counts. */
  readonly meaning: Int8Array | undefined;
  /** All of them; they narrow the hits and leave scores alone. */
  readonly labels: readonly string[];
  readonly kind: DocumentKind | undefined;
  readonly most: number;
  /** Whether each chunk with terms of the query is a candidate. Meaning then counts for nothing. */
  readonly everyPlace?: boolean;
  readonly after: SearchPosition | undefined;
}

export interface Ranking {
  readonly candidates: readonly Candidate[];
  readonly statistics: Statistics;
}

/**
 * Ranks the documents within reach. No document out of reach enters any figure or any list. Works in steps, so that an
 * expensive search does not delay other requests.
 * @param reached as they are at one moment, the largest first: nothing about them may change until it is done
 */
export function* rankDocuments(reached: readonly ReachedSegment[], request: RankRequest): Generator<void, Ranking> {
  const accumulator = takeAccumulator(countMost(reached));
  const all = yield* cutTerms(reached, request, accumulator);
  const before = request.after?.statistics;
  const rarest =
    request.query.question === undefined ? undefined : keepRarest(all, gatherStatistics(reached, []).entries, before);
  const sought = rarest?.sought ?? all;
  const { scored, filters, prohibited } = sought;
  const statistics = before ?? { ...gatherStatistics(reached, scored), ...choiceOf(rarest) };
  const { everyPlace = false } = request;
  const plan = makePlan(sought, statistics, everyPlace ? undefined : request.meaning);
  const required = scored.filter(({ isRequired }) => isRequired).length + filters.length;
  const best = new BestDocuments(request.most);
  for (const [place, segment] of reached.entries()) {
    const eligible = { reader: segment.reader, kind: request.kind, required };
    for (let index = 0; index < scored.length; index += 1) {
      addScores(accumulator, segment, plan, index, place);
      yield;
    }
    foldChunks(accumulator, segment);
    yield;
    if (scored.length === 0 || request.query.readsAll) markAll(accumulator, segment);
    for (const filter of filters) markRequired(accumulator, segment, filter, place);
    for (const { terms, fields } of prohibited) {
      markExcluded(accumulator, segment, terms, { fields, place });
      yield;
    }
    yield* offerBest(accumulator, segment, { plan, eligible, everyPlace, after: request.after, best });
    accumulator.clear();
    yield;
  }
  releaseAccumulator(accumulator);
  return { candidates: best.inOrder(), statistics };
}

function choiceOf(rarest: Rarest | undefined): Pick<Statistics, 'rarest'> {
  return rarest === undefined ? {} : { rarest: { places: rarest.places, leavesOut: rarest.leavesOut } };
}

function* cutTerms(
  reached: readonly ReachedSegment[],
  { query, labels }: RankRequest,
  on: ScoreAccumulator,
): Generator<void, Sought> {
  const scored: SoughtTerm[] = [];
  const prohibited: { readonly terms: readonly CutTerm[]; readonly fields: number }[] = [];
  for (const { presence, terms, fields, boost, occurrences = 1 } of query.clauses) {
    const cut: CutTerm[] = [];
    for (const term of terms) cut.push(yield* cutTerm(reached, term, fields, on));
    if (presence === 'prohibited') prohibited.push({ terms: cut, fields });
    else {
      const isRequired = presence === 'required';
      scored.push(...cut.map((each) => ({ ...each, weight: boost, occurrences, fields, isRequired })));
    }
  }
  const filters: CutTerm[] = [];
  for (const label of labels) filters.push(yield* cutTerm(reached, labelTerm(label), everyField, on));
  return { scored, filters, prohibited };
}

/** The refusal of a position from which the index cannot continue. */
export function strangePosition(): Refusal {
  const message = 'Search reads text differently since the previous page. Start again without the cursor.';
  return invalidRequest('bad_cursor', message, { field: 'cursor' });
}

/** Exact whole numbers over the intervals, without deleted entries. */
function gatherStatistics(reached: readonly ReachedSegment[], terms: readonly CutTerm[]): Statistics {
  let entries = 0;
  const figures = Array.from({ length: figureCount }, () => 0);
  for (const { reader, intervals } of reached) {
    const { sums } = reader.segment;
    for (let index = 0; index < intervals.length; index += 2) {
      const start = intervals[index] ?? 0;
      const end = intervals[index + 1] ?? 0;
      entries += end - start;
      addFigures(figures, sums, start, end, 1);
      if (reader.dead === 0) continue;
      for (let ordinal = start; ordinal < end; ordinal += 1) {
        if (reader.tombstones[ordinal >>> 5] === 0) ordinal |= 31;
        else if (reader.isDead(ordinal)) {
          entries -= 1;
          addFigures(figures, sums, ordinal, ordinal + 1, -1);
        }
      }
    }
  }
  return { entries, figures, frequencies: terms.map(({ frequency }) => frequency) };
}

/** The terms of a long question that count, and whether others were found but left out. */
interface Rarest {
  readonly sought: Sought;
  /** Their places among the question's terms, in order. */
  readonly places: readonly number[];
  readonly leavesOut: boolean;
}

/**
 * Of a long question, the terms that weigh most: rare in the caller's reach, times how often the question says them. A
 * term without a document there does not count. Among equals, the first in the question counts.
 * @param entries in the reach
 * @param before the statistics of the page before: its choice is kept
 */
function keepRarest(sought: Sought, entries: number, before: Statistics | undefined): Rarest {
  const found = sought.scored
    .map(({ frequency, occurrences }, place) => ({
      frequency,
      place,
      weight: occurrences * inverseFrequency(entries, frequency),
    }))
    .filter(({ frequency }) => frequency > 0);
  const rarest = found.toSorted((a, b) => b.weight - a.weight || a.place - b.place).slice(0, countedTerms);
  const chosen = before?.rarest ?? {
    // With no term at all, every document would match: one without any document stays.
    places: rarest.length === 0 ? [0] : rarest.map(({ place }) => place).toSorted((a, b) => a - b),
    leavesOut: found.length > rarest.length,
  };
  const scored = chosen.places.flatMap((place) => sought.scored[place] ?? []);
  return { sought: { ...sought, scored }, ...chosen };
}
