import { formatTime } from '../../domain/clock.js';
import { formatEtag } from '../../domain/etag.js';
import { parseFolderLocation } from '../../domain/location.js';
import { parseLabels } from '../../operations/documents/content.js';
import {
  searchDocuments,
  type FoundText,
  type SearchInput,
  type SearchResults,
} from '../../operations/documents/search-documents.js';
import { answerJson, type Answer } from '../answers/answer.js';
import type { RequestOf } from '../requests/described-request.js';
import { route, type Route } from '../route.js';
import { readPage, sealPosition } from './page.js';

/** The position in a search's cursor is the engine's own, as JSON. */
function readSearch(request: RequestOf<'search'>): SearchInput {
  const { q, location, label, kind } = request.query;
  const { after, limit } = readPage(request);
  return {
    query: q,
    folder: parseFolderLocation(location ?? ''),
    labels: label === undefined ? [] : parseLabels([label]),
    kind,
    limit,
    position: after === '' ? null : (JSON.parse(after) as SearchInput['position']),
  };
}

/** The description's `SearchHit`. */
function presentHit({ document, snippet, highlights }: FoundText): object {
  const { location, name, current, labels } = document;
  return {
    location,
    name,
    kind: current.kind,
    media_type: current.mediaType,
    etag: formatEtag(current.id),
    updated_at: formatTime(current.at),
    labels,
    snippet,
    highlights,
  };
}

/** A page of hits; the position to go on from is sealed for this key and this query alone. */
function presentSearch({ hits, leavesOut, position }: SearchResults, request: RequestOf<'search'>): Answer {
  return answerJson(200, {
    items: hits.map(presentHit),
    ...(leavesOut ? { words_left_out: true } : {}),
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
];
