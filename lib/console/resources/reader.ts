import { answerJson, type Answer } from '../../api/answers/answer.js';
import { presentFile } from '../../api/resources/document-content.js';
import { readReading } from '../../api/resources/files.js';
import { presentAuthor, presentDocument, presentVersion } from '../../api/resources/document-record.js';
import { route, type Route } from '../../api/route.js';
import type { Claim } from '../../domain/claim.js';
import { formatTime } from '../../domain/clock.js';
import { parseLocation } from '../../domain/location.js';
import { formatEtag } from '../../domain/etag.js';
import { decodeText } from '../../text/charset.js';
import { showImage } from '../../operations/documents/show-image.js';
import { readDocument, type DocumentRead } from '../../operations/documents/read-document.js';

/** Bytes of text that a page shows. Beyond, it takes a browser too long. */
const maxShown = 512 * 1024;

/** The description's `HeldClaim`. */
function presentClaim({ id, section, holdsDocument, holder, purpose, claimedAt, expiresAt }: Claim): object {
  return {
    id,
    section,
    holds_document: holdsDocument,
    holder: presentAuthor(holder),
    purpose,
    claimed_at: formatTime(claimedAt),
    expires_at: formatTime(expiresAt),
  };
}

/** The description's `Reading`. */
function presentReading({ document, version, role, bytes }: DocumentRead): Answer {
  const isShown = version.kind === 'text' && bytes !== null && bytes.length <= maxShown;
  const reading = {
    document: presentDocument(document, version),
    current: presentVersion(document.current),
    role,
    claims: document.claims.map(presentClaim),
    content: isShown ? decodeText(bytes, version.mediaType) : null,
  };
  return { ...answerJson(200, reading, { ETag: formatEtag(version.id) }), mayCompress: true };
}

/** A document with what its page needs, and the images in it. */
export const readerRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/reader/{location}',
    operation: readDocument,
    read: ({ location, query }) => ({
      location,
      versionId: (query as { readonly version?: string }).version,
      withContent: true,
    }),
    present: presentReading,
  }),
  route({
    method: 'GET',
    path: '/images/{location}',
    operation: showImage,
    read: (request) => ({
      ...readReading(request),
      within: parseLocation((request.query as { readonly within: string }).within, 'within'),
    }),
    present: presentFile,
  }),
];
