import { answerJson, type Answer } from '../../api/answers/api-answer.js';
import { presentFile } from '../../api/resources/document-content.js';
import { readReading } from '../../api/resources/files.js';
import { route, type Route } from '../../api/route.js';
import { parseLocation } from '../../domain/location.js';
import { formatEtag } from '../../domain/etag.js';
import { decodeText } from '../../text/charset.js';
import { showImage } from '../../operations/documents/show-image.js';
import { commentsOfPage, openPage, type OpenedPage } from '../../operations/documents/open-page.js';
import type { ListedComments } from '../../operations/comments/list-comments.js';
import type { RequestOf } from '../../api/requests/described-request.js';
import { toClaimRecord } from '../../records/claim-record.js';
import { toDocumentRecord, toVersionRecord } from '../../records/document-record.js';
import { toListedCommentRecord } from '../../records/comment-record.js';
import { sealPositionOf } from '../../api/resources/page-query.js';
import { sealOpened } from './opened-page.js';

/** Bytes of text that a page shows. Beyond, it takes a browser too long. */
const maxShown = 512 * 1024;

/** The description's `Reading`. */
function presentReading({ read, comments }: OpenedPage, request: RequestOf<'readForPage'>): Answer {
  const { document, version, role, bytes } = read;
  const isShown = version.kind === 'text' && bytes !== null && bytes.length <= maxShown;
  const reading = {
    document: toDocumentRecord(document, version, read.text),
    current: toVersionRecord(document.current),
    role,
    claims: document.claims.map(toClaimRecord),
    content: isShown ? decodeText(bytes, version.mediaType) : null,
    comments: {
      items: comments.items.map(toListedCommentRecord),
      next_cursor: sealComments(comments, request),
    },
    page: sealOpened(request, document.location),
  };
  return { ...answerJson(200, reading, { ETag: formatEtag(version.id) }), mayCompress: true };
}

/** The cursor with which `/comments` goes on: the same question as that of the pages. */
function sealComments({ next }: ListedComments, request: RequestOf<'readForPage'>): string | null {
  if (next === null) return null;
  const { version } = request.query;
  const query = {
    location: request.location,
    limit: String(commentsOfPage),
    ...(version !== undefined && { version }),
  };
  return sealPositionOf(next, request, { route: 'GET /comments', query });
}

/** A document with what its page needs, and the images in it. */
export const readerRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/reader/{location}',
    operation: openPage,
    read: ({ location, query }) => ({ location, versionId: query.version }),
    present: presentReading,
  }),
  route({
    method: 'GET',
    path: '/images/{location}',
    operation: showImage,
    read: (request) => ({
      ...readReading(request),
      within: parseLocation(request.query.within, 'within'),
    }),
    present: presentFile,
  }),
];
