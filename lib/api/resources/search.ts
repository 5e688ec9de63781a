import { parseFolderLocation } from '../../domain/location.js';
import { parseLabels } from '../../operations/documents/content.js';
import { searchDocuments, type SearchInput, type SearchResults } from '../../operations/documents/search-documents.js';
import { searchLines, type LineResults, type SearchLinesInput } from '../../operations/documents/search-lines.js';
import { toLineRecord } from '../../records/line-record.js';
import { toFolderRecord } from '../../records/folder-record.js';
import { toHitRecord } from '../../records/search-hit-record.js';
import { answerJson, type Answer } from '../answers/api-answer.js';
import type { RequestOf } from '../requests/described-request.js';
import { route, type Route } from '../route.js';
import { readPage, sealPosition } from './page-query.js';

/** The position in a search's cursor is the engine's own, as JSON. */
function readSearch(request: RequestOf<'search'>): SearchInput {
  const { q, location, label, kind, partial, places } = request.query;
  const { after, limit } = readPage(request);
  return {
    query: q,
    location: parseFolderLocation(location ?? ''),
    labels: label === undefined ? [] : parseLabels([label]),
    kind,
    isPartial: partial,
    withPlaces: places,
    limit,
    position: after === '' ? null : (JSON.parse(after) as SearchInput['position']),
  };
}

/** A page of hits; the position to go on from is sealed for this key and this query alone. */
function presentSearch(
  { hits, folders, leavesOut, didYouMean, position }: SearchResults,
  request: RequestOf<'search'>,
): Answer {
  return answerJson(200, {
    items: hits.map(toHitRecord),
    ...(folders.length > 0 ? { folders: folders.map(toFolderRecord) } : {}),
    ...(leavesOut ? { words_left_out: true } : {}),
    ...(didYouMean.length > 0 ? { did_you_mean: didYouMean.map(({ word }) => word) } : {}),
    next_cursor: position === null ? null : sealPosition(JSON.stringify(position), request),
  });
}

/** The position in the cursor is the operation's own, as JSON. */
function readLines(request: RequestOf<'searchLines'>): SearchLinesInput {
  const { q, match, location, label, context } = request.query;
  const { after, limit } = readPage(request);
  return {
    query: q,
    match,
    location: parseFolderLocation(location ?? ''),
    labels: label === undefined ? [] : parseLabels([label]),
    context,
    limit,
    position: after === '' ? null : (JSON.parse(after) as SearchLinesInput['position']),
    departure: () => request.departure(),
    charge: (requests) => request.charge(requests),
  };
}

function presentLines({ items, position }: LineResults, request: RequestOf<'searchLines'>): Answer {
  return answerJson(200, {
    items: items.map(toLineRecord),
    next_cursor: position === null ? null : sealPosition(JSON.stringify(position), request),
  });
}

/** Search in the texts of documents. */
export const searchRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/search',
    operation: searchDocuments,
    read: readSearch,
    present: presentSearch,
  }),
  route({
    method: 'GET',
    path: '/search/lines',
    operation: searchLines,
    read: readLines,
    present: presentLines,
  }),
];
