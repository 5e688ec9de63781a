import type { Location } from '../domain/location.js';
import { runCooperatively } from '../scheduling/run-cooperatively.js';
import { foldText, isWithoutSpaces } from './analysis/split-words.js';
import type { Languages } from './languages/languages.js';
import { findMeaning } from './meaning/find-meaning.js';
import type { WordVectors } from './meaning/word-vectors.js';
import { maxPhraseCandidates } from './query/check-phrases.js';
import { findWindows } from './query/find-windows.js';
import { minPrefixLength, parseQuery, type Clause, type Query } from './query/parse-query.js';
import type { SearchOptions } from './query/search-options.js';
import type { SearchPage, SearchRequest, Suggestion } from './query/search-request.js';
import { queryOfStem, suggestStems } from './query/suggest-spellings.js';
import { findVariants } from './query/vary-spelling.js';
import { pickHits } from './ranking/pick-hits.js';
import { rankDocuments, strangePosition, type Ranking } from './ranking/rank-documents.js';
import { everyField } from './segments/posting.js';
import { reachSegments } from './segments/reach-segments.js';
import type { SegmentSet } from './segments/segment-set.js';

/** What a search reads. */
export interface Searched {
  readonly segmentSet: SegmentSet;
  readonly languages: Languages;
  /** The version of the analysis of its documents. */
  readonly analysis: number;
  /** Null for words alone. */
  readonly vectors: WordVectors | null;
  readonly readText: SearchOptions['readText'];
}

/** See `SearchIndex.search`. */
export async function runSearch(searched: Searched, request: SearchRequest): Promise<SearchPage> {
  const query = await runCooperatively(findVariants(readQuery(searched, request), searched.languages));
  if (query.clauses.length === 0 && query.phrases.length === 0)
    return { hits: [], query, leavesOut: false, position: null };
  return findPage(searched, query, request);
}

function readQuery({ languages }: Searched, { query, syntax, isPartial = false }: SearchRequest): Query {
  const read = parseQuery(query, syntax, languages);
  // A question has words enough.
  if (!isPartial || read.question !== undefined) return read;
  return { ...read, clauses: [...read.clauses, ...readBeginning(query, languages)] };
}

/** A word alone at the end of a query: without a sign, a field or quotes, which stand for something finished. */
const lastWord = /(?:^|\s)([\p{L}\p{N}\p{M}]+)$/u;

/** Makes documents with the whole word come before those with a longer one. */
const beginningBoost = 0.5;

/**
 * The last word of a query that is still being typed, as the beginning of longer words.
 * @returns nothing for a short word, for one in a script without spaces, and behind a blank, which ends it
 */
function readBeginning(text: string, languages: Languages): Clause[] {
  const word = foldText(lastWord.exec(text)?.[1] ?? '');
  if (Array.from(word).length < minPrefixLength || isWithoutSpaces(word)) return [];
  const term = { type: 'wildcard' as const, pattern: `${word}*`, stems: languages.stemsOfBeginning(word) };
  return [{ presence: 'optional', boost: beginningBoost, fields: everyField, terms: [term] }];
}

/** See `SearchIndex.suggest`. */
export async function runSuggest(searched: Searched, request: SearchRequest): Promise<Suggestion[]> {
  const { reach, filters = {}, query } = request;
  const asked = readQuery(searched, request);
  const reached = reachSegments(searched.segmentSet.segments, reach, filters.folder);
  const suggestions: Suggestion[] = [];
  for (const stem of await runCooperatively(suggestStems(reached, query, asked, searched.languages))) {
    const page = await findPage(searched, queryOfStem(stem), { reach, filters, query, limit: 1 });
    const [hit] = page.hits;
    if (hit !== undefined) suggestions.push({ hit, query: page.query });
  }
  return suggestions;
}

async function findPage(searched: Searched, query: Query, request: SearchRequest): Promise<SearchPage> {
  const { segmentSet, readText } = searched;
  const manner = mannerOf(searched);
  if (request.position && request.position.manner !== manner) throw strangePosition();
  const most = query.phrases.length > 0 ? Math.max(maxPhraseCandidates, request.limit) : request.limit;
  const { version } = segmentSet;
  const { candidates, statistics } = await runCooperatively(rank(searched, request, query, most + 1));
  const found = candidates.map(({ reader, ordinal, score, chunk }) => ({
    hit: {
      key: reader.segment.keys[ordinal] ?? 0,
      location: reader.locationOf(ordinal),
      chunkStart: chunk === 0 ? 0 : (reader.segment.chunkStarts[chunk] ?? 0),
    },
    score,
  }));
  const { hits, examined } = await pickHits(
    found.slice(0, most).map(({ hit }) => hit),
    {
      limit: request.limit,
      phrases: query.phrases,
      readText,
      windowsOf: (place, { terms }) => {
        const { reader, ordinal } = candidates[place] as (typeof candidates)[number];
        return findWindows(reader.segment, ordinal, terms);
      },
      // A document renamed during a pause is shown at its new location; its place in the order is the old one.
      present: (hit) =>
        version === segmentSet.version ? hit : { ...hit, location: locationOf(segmentSet, hit.key) ?? hit.location },
    },
  );
  const last = found[examined - 1];
  const isEnd = last === undefined || examined === found.length;
  const end = isEnd ? null : { statistics, score: last.score, location: last.hit.location, manner };
  const leavesOut = query.question?.isCut === true || statistics.rarest?.leavesOut === true;
  return { hits, query, leavesOut, position: end };
}

/** Over the index as it is now, whatever is written while it yields. */
function rank(
  { segmentSet, vectors }: Searched,
  { reach, filters = {}, position }: SearchRequest,
  query: Query,
  most: number,
): Generator<void, Ranking> {
  return rankDocuments(reachSegments(segmentSet.segments, reach, filters.folder), {
    query,
    meaning: vectors === null ? undefined : findMeaning(query, vectors),
    labels: filters.labels ?? [],
    kind: filters.kind,
    most,
    after: position ?? undefined,
  });
}

/** Changes with how words are read and ranked, and with the form of the statistics. */
function mannerOf({ languages, analysis, vectors }: Searched): string {
  return `${analysis} ${languages.codes.join()}${vectors === null ? '' : ' meaning'}`;
}

function locationOf(segmentSet: SegmentSet, key: number): Location | undefined {
  const place = segmentSet.findKey(key);
  return place?.reader.locationOf(place.ordinal);
}
