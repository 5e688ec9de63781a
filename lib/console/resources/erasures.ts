import { answerJson, type Answer } from '../../api/answers/answer.js';
import { jsonOf } from '../../api/requests/checked-request.js';
import type { RequestOf } from '../../api/requests/described-request.js';
import { toAuthorRecord } from '../../records/author-record.js';
import { presentPage, readPage } from '../../api/resources/page.js';
import { route, type Route } from '../../api/route.js';
import { formatTime, formatTimeOrNull } from '../../domain/clock.js';
import type { Erasure } from '../../domain/erasure.js';
import { parseLocation } from '../../domain/location.js';
import type { ErasableSought } from '../../erase/find-erasable.js';
import {
  eraseDocument,
  previewErase,
  type EraseDocumentInput,
  type PreviewedErase,
} from '../../operations/documents/erase-document.js';
import { listOwnErasures, readErasure, type FollowedErasure } from '../../operations/documents/list-erasures.js';
import { repeatablePost } from './principals.js';

function readSought({ query }: RequestOf<'previewErase'>): ErasableSought {
  const { location, document } = query;
  return { location: parseLocation(location), isDeleted: false, documentId: document };
}

/** The description's `ErasePreview`. */
function presentPreview(found: PreviewedErase): Answer {
  const { documentId, location, deletedAt, created, changed, versions, comments, bytes } = found;
  return answerJson(200, {
    document: documentId,
    location,
    deleted_at: formatTimeOrNull(deletedAt),
    created_at: formatTime(created.at),
    created_by: toAuthorRecord(created.by),
    changed_at: formatTime(changed.at),
    changed_by: toAuthorRecord(changed.by),
    versions,
    comments,
    bytes,
    signed_in_until: formatTimeOrNull(found.recentUntil),
  });
}

/** The body EraseRequest. */
function readErase(request: RequestOf<'eraseDocument'>): EraseDocumentInput {
  const { location, document, confirmation } = jsonOf(request);
  return { location: parseLocation(location), documentId: document, confirmation };
}

/** The parts of a receipt that do not change any more. */
function presentReceipt({ id, requestedAt, versions, comments, bytes, finalAt, hindrance }: Erasure): object {
  return {
    id,
    requested_at: formatTime(requestedAt),
    versions,
    comments,
    bytes,
    final_at: formatTimeOrNull(finalAt),
    hindrance,
  };
}

/** The description's `Erasure`. */
function presentFollowed({ by, step, ...erasure }: FollowedErasure): object {
  return {
    ...presentReceipt(erasure),
    phase: erasure.phase,
    step: erasure.phase === 'final' ? 'final' : (step ?? null),
    waits_for: erasure.waitsFor,
    requested_by: toAuthorRecord(by),
  };
}

/** Documents that are destroyed for good. */
export const erasureRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/erase-previews',
    operation: previewErase,
    read: readSought,
    present: presentPreview,
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
    operation: listOwnErasures,
    read: readPage,
    present: presentPage(presentFollowed),
  }),
  route({
    method: 'GET',
    path: '/erasure',
    operation: readErasure,
    read: ({ query }) => ({ erasureId: query.erasure }),
    present: (erasure) => answerJson(200, presentFollowed(erasure)),
  }),
];
