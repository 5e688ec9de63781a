import { answerJson } from '../../api/answers/api-answer.js';
import { jsonOf } from '../../api/requests/checked-request.js';
import type { RequestOf } from '../../api/requests/described-request.js';
import { toErasePreviewRecord, toErasureRecord } from '../../records/erasure-record.js';
import { presentPage, readPage } from '../../api/resources/page-query.js';
import { route, type Route } from '../../api/route.js';
import { parseLocation } from '../../domain/location.js';
import type { ErasableSought } from '../../erase/find-erasable.js';
import { eraseDocument, previewErase, type EraseDocumentInput } from '../../operations/documents/erase-document.js';
import { listErasures, readErasure } from '../../operations/documents/list-erasures.js';
import { repeatablePost } from './principals.js';

function readSought({ query }: RequestOf<'previewErase'>): ErasableSought {
  const { location, document } = query;
  return { location: parseLocation(location), isDeleted: false, documentId: document };
}

/** The body EraseRequest. */
function readErase(request: RequestOf<'eraseDocument'>): EraseDocumentInput {
  const { location, document, confirmation } = jsonOf(request);
  return { location: parseLocation(location), documentId: document, confirmation };
}

/** Documents that are destroyed for good. */
export const erasureRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/erase-previews',
    operation: previewErase,
    read: readSought,
    present: (found) => answerJson(200, toErasePreviewRecord(found)),
  }),
  route({
    ...repeatablePost,
    path: '/erasures',
    operation: eraseDocument,
    read: readErase,
    present: ({ id }) => answerJson(202, { id }),
  }),
  route({
    method: 'GET',
    path: '/erasures',
    operation: listErasures,
    read: readPage,
    present: presentPage(toErasureRecord),
  }),
  route({
    method: 'GET',
    path: '/erasure',
    operation: readErasure,
    read: ({ query }) => ({ erasureId: query.erasure }),
    present: (erasure) => answerJson(200, toErasureRecord(erasure)),
  }),
];
