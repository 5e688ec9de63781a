import type { Location } from '../domain/location.js';
import { runCooperatively } from '../scheduling/run-cooperatively.js';
import { foldText, isWithoutSpaces } from './analysis/split-words.js';
import type { Languages } from './languages/languages.js';
import { findMeaning } from './meaning/find-meaning.js';
import type { WordVectors } from './meaning/word-vectors.js';
import { maxPhraseCandidates } from './query/check-phrases.js';
import { findFolders, narrowToFolders } from './query/find-folders.js';
import { findWindows } from './query/find-windows.js';
import { minPrefixLength, parseQuery, type Clause, type Query } from './query/parse-query.js';
import { readFolderName } from './query/read-folder-filters.js';
import type { SearchOptions } from './query/search-options.js';
import type { SearchPage, SearchRequest, Suggestion } from './query/search-request.js';
import { queryOfStem, suggestStems } from './query/suggest-spellings.js';
import { findVariants } from './query/vary-spelling.js';
import { pickHits } from './ranking/pick-hits.js';
import { rankDocuments, strangePosition, type Ranking } from './ranking/rank-documents.js';
import type { ReachedSegment } from './segments/cut-postings.js';
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
  const { clauses, phrases, folders } = query;
  if (clauses.length === 0 && phrases.length === 0 && folders.length === 0)
    return { hits: [], folders: [], query, leavesOut: false, position: null };
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
 * @returns undefined for a short word, for one in a script without spaces, and behind a blank, which ends it
 */
function beginningOf(text: string): string | undefined {
  const word = foldText(lastWord.exec(text)?.[1] ?? '');
  return Array.from(word).length < minPrefixLength || isWithoutSpaces(word) ? undefined : word;
}

function readBeginning(text: string, languages: Languages): Clause[] {
  const word = beginningOf(text);
  if (word === undefined) return [];
  const term = { type: 'wildcard' as const, pattern: `${word}*`, stems: languages.stemsOfBeginning(word) };
  return [{ presence: 'optional', boost: beginningBoost, fields: everyField, terms: [term] }];
}

/** See `SearchIndex.suggest`. */
export async function runSuggest(searched: Searched, request: SearchRequest): Promise<Suggestion[]> {
  const { reach, filters = {}, query } = request;
  const asked = readQuery(searched, request);
  const suggestions: Suggestion[] = [];
  for (const stem of await runCooperatively(suggest(searched, request, asked))) {
    const page = await findPage(searched, queryOfStem(stem, asked), { reach, filters, query, limit: 1 });
    const [hit] = page.hits;
    if (hit !== undefined) suggestions.push({ hit, query: page.query });
  }
  return suggestions;
}

function* suggest(searched: Searched, request: SearchRequest, asked: Query): Generator<void, string[]> {
  const reached = yield* reachedBy(searched, request, asked);
  return yield* suggestStems(reached, request.query, asked, searched.languages);
}

/** What the search looks at: what is in reach, and what the filters by folder leave of it. */
function* reachedBy(
  { segmentSet, languages }: Searched,
  { reach, filters = {} }: SearchRequest,
  { folders }: Query,
): Generator<void, ReachedSegment[]> {
  const reached = reachSegments(segmentSet.segments, reach, filters.folder);
  return folders.length === 0 ? reached : yield* narrowToFolders(reached, folders, languages);
}

async function findPage(searched: Searched, query: Query, request: SearchRequest): Promise<SearchPage> {
  const { segmentSet, readText } = searched;
  const manner = mannerOf(searched);
  if (request.position && request.position.manner !== manner) throw strangePosition();
  const most = query.phrases.length > 0 ? Math.max(maxPhraseCandidates, request.limit) : request.limit;
  const everyPlace = request.everyPlace === true && query.phrases.length === 0;
  const { version } = segmentSet;
  const { candidates, statistics, folders } = await runCooperatively(
    rank(searched, { ...request, everyPlace }, query, most + 1),
  );
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
  const isEnd = last === undefined || examined === found.length || everyPlace;
  const end = isEnd ? null : { statistics, score: last.score, location: last.hit.location, manner };
  const leavesOut = query.question?.isCut === true || statistics.rarest?.leavesOut === true;
  return { hits, folders, query, leavesOut, position: end };
}

/** Over the index as it is now, whatever is written while it yields. */
function* rank(
  searched: Searched,
  request: SearchRequest,
  query: Query,
  most: number,
): Generator<void, Ranking & Pick<SearchPage, 'folders'>> {
  const { vectors } = searched;
  const { filters = {}, position, everyPlace = false } = request;
  const reached = yield* reachedBy(searched, request, query);
  const folders = yield* findNamed(searched, request, query, reached);
  const ranking = yield* rankDocuments(reached, {
    query,
    meaning: vectors === null ? undefined : findMeaning(query, vectors),
    labels: filters.labels ?? [],
    kind: filters.kind,
    most,
    everyPlace,
    after: position ?? undefined,
  });
  return { ...ranking, folders };
}

/** Folders with the name that is sought: before the first page, where the query asks for no document or kind of them. */
function* findNamed(
  { languages }: Searched,
  { query: text, filters = {}, position, isPartial = false, everyPlace = false }: SearchRequest,
  query: Query,
  reached: readonly ReachedSegment[],
): Generator<void, Location[]> {
  const isNarrowed = query.folders.length > 0 || filters.kind !== undefined || (filters.labels ?? []).length > 0;
  if (isNarrowed || everyPlace || position) return [];
  const words = readFolderName(text, languages, isPartial ? beginningOf(text) : undefined);
  return yield* findFolders(reached, words, languages, filters.folder);
}

/** Changes with how words are read and ranked, and with the form of the statistics. */
function mannerOf({ languages, analysis, vectors }: Searched): string {
  return `${analysis} ${languages.codes.join()}${vectors === null ? '' : ' meaning'}`;
}

function locationOf(segmentSet: SegmentSet, key: number): Location | undefined {
  const place = segmentSet.findKey(key);
  return place?.reader.locationOf(place.ordinal);
}
