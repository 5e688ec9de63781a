import { compareText, type Location } from '../domain/location.js';
import type { DocumentKind } from '../domain/document.js';
import { binaryFlag } from './analyze-document.js';
import { BestDocuments, type Candidate } from './best-documents.js';
import { cutTerm, type CutTerm, type ReachedSegment } from './cut-postings.js';
import { labelTerm } from './expand-term.js';
import type { Query, QueryTerm } from './parse-query.js';
import { countsOf, everyField, fieldCount, fieldNames, mostDocuments, ordinalShift } from './posting.js';
import { addLengths, inverseFrequency, Weigher, type Statistics } from './weigh.js';

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

/** Ranks the documents within reach. Nothing out of reach enters any figure or any list. */
export function rankDocuments(reached: readonly ReachedSegment[], request: RankRequest): Ranking {
  const { query, widened, labels } = request;
  const scored: SoughtTerm[] = [];
  const prohibited: { readonly terms: readonly CutTerm[]; readonly fields: number }[] = [];
  for (const { presence, terms, fields, boost } of query.clauses) {
    const cut = terms.map((term) => cutTerm(reached, term, fields));
    if (presence === 'prohibited') prohibited.push({ terms: cut, fields });
    else scored.push(...cut.map((each) => ({ ...each, weight: boost, fields, isRequired: presence === 'required' })));
  }
  const isExclusive = scored.length === 0;
  for (const { term, weight } of widened) {
    scored.push({ ...cutTerm(reached, term, everyField), weight, fields: everyField, isRequired: false });
  }
  const filters = labels.map((label) => cutTerm(reached, labelTerm(label), everyField));
  const statistics = request.after?.statistics ?? gatherStatistics(reached, scored);
  const weigher = new Weigher(statistics);
  const weights = scored.map(
    ({ weight }, index) => weight * inverseFrequency(statistics.documents, statistics.frequencies[index] ?? 0),
  );
  const required = scored.filter(({ isRequired }) => isRequired).length + filters.length;
  const best = new BestDocuments(request.most);
  reached.forEach((segment, place) => {
    const sheet = openSheet(segment.living.segment.documents);
    try {
      scored.forEach((term, index) => {
        addScores(sheet, segment, term, place, weights[index] ?? 0, weigher);
      });
      if (isExclusive) markAll(sheet, segment);
      for (const filter of filters) markRequired(sheet, filter, place);
      for (const { terms, fields } of prohibited) markExcluded(sheet, terms, fields, place);
      offerAll(sheet, segment, request, required, best);
    } finally {
      sheet.clear();
    }
  });
  return { candidates: best.inOrder(), statistics };
}

/** Exact whole numbers over the intervals, less what is dead in them. */
function gatherStatistics(reached: readonly ReachedSegment[], terms: readonly SoughtTerm[]): Statistics {
  let documents = 0;
  const lengths = fieldNames.map(() => 0);
  for (const { living, intervals } of reached) {
    const { sums, lengths: own } = living.segment;
    for (let index = 0; index < intervals.length; index += 2) {
      const start = intervals[index] ?? 0;
      const end = intervals[index + 1] ?? 0;
      documents += end - start;
      addLengths(lengths, sums, end * fieldCount, 1);
      addLengths(lengths, sums, start * fieldCount, -1);
      if (living.dead === 0) continue;
      for (let ordinal = start; ordinal < end; ordinal += 1) {
        if (living.tombstones[ordinal >>> 5] === 0) ordinal |= 31;
        else if (living.isDead(ordinal)) {
          documents -= 1;
          addLengths(lengths, own, ordinal * fieldCount, -1);
        }
      }
    }
  }
  return { documents, lengths, frequencies: terms.map(({ frequency }) => frequency) };
}

/** Room to rank one segment in, used again and again; all zero between uses. */
class Sheet {
  readonly scores: Float64Array;
  readonly states: Uint16Array;
  readonly #touched: Uint32Array;
  #count = 0;

  constructor(documents: number) {
    this.scores = new Float64Array(documents);
    this.states = new Uint16Array(documents);
    this.#touched = new Uint32Array(documents);
  }

  mark(ordinal: number, state: number): void {
    if (this.states[ordinal] === 0) {
      this.#touched[this.#count] = ordinal;
      this.#count += 1;
    }
    this.states[ordinal] = state;
  }

  get touched(): Uint32Array {
    return this.#touched.subarray(0, this.#count);
  }

  clear(): void {
    for (const ordinal of this.touched) {
      this.scores[ordinal] = 0;
      this.states[ordinal] = 0;
    }
    this.#count = 0;
  }
}

let kept = new Sheet(0);

function openSheet(documents: number): Sheet {
  if (kept.states.length < documents) kept = new Sheet(Math.min(mostDocuments, 2 * documents));
  return kept;
}

function addScores(
  on: Sheet,
  { living }: ReachedSegment,
  { cuts, fields, isRequired }: SoughtTerm,
  place: number,
  weight: number,
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

function offerAll(
  on: Sheet,
  { living }: ReachedSegment,
  { kind, after }: RankRequest,
  required: number,
  best: BestDocuments,
): void {
  for (const ordinal of on.touched) {
    const state = on.states[ordinal] ?? 0;
    if ((state & (matched | excluded)) !== matched || (state & requiredCount) !== required) continue;
    if (living.dead > 0 && living.isDead(ordinal)) continue;
    if (
      kind !== undefined &&
      ((living.segment.flags[ordinal] ?? 0) & binaryFlag) !== (kind === 'binary' ? binaryFlag : 0)
    )
      continue;
    const score = on.scores[ordinal] ?? 0;
    if (after !== undefined) {
      if (score > after.score) continue;
      if (score === after.score && compareText(living.locationOf(ordinal), after.location) <= 0) continue;
    }
    best.offer(living, ordinal, score);
  }
}
