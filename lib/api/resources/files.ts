import { formatEtag } from '../../domain/etag.js';
import { invalidRequest } from '../../domain/refusal.js';
import { parseMediaType, parseMessage } from '../../operations/documents/content.js';
import { createDocument, type CreateDocumentInput } from '../../operations/documents/create-document.js';
import { readDocument, type ReadDocumentInput } from '../../operations/documents/read-document.js';
import { updateDocument, type UpdateDocumentInput } from '../../operations/documents/update-document.js';
import type { RequestOf } from '../requests/described-request.js';
import { parsePrecondition } from '../requests/parse-precondition.js';
import { firstByteOf } from '../requests/parse-range.js';
import { readCondition } from '../requests/read-condition.js';
import { route, type Route } from '../route.js';
import { presentFile } from './document-content.js';
import { presentWrittenDocument } from '../answers/written-document.js';
import { presentCreatedDocument } from './documents.js';

/**
 * The document from the path, and the wanted part of it.
 * @throws Refusal INVALID_REQUEST `bad_field` for an invalid If-Match or If-None-Match
 */
export function readReading(request: RequestOf<'readFile' | 'showImage'>): ReadDocumentInput {
  const { version } = request.query;
  const known = request.header('if-none-match');
  const condition = request.header('if-range')?.trim();
  const first = request.method === 'GET' ? firstByteOf(request.header('range')) : undefined;
  return {
    location: request.location,
    versionId: version,
    withContent: request.method === 'GET',
    condition: readCondition(request),
    known: known === undefined ? undefined : parsePrecondition(known, 'If-None-Match'),
    firstByte: ({ id }) => (condition === undefined || condition === formatEtag(id) ? first : undefined),
  };
}

/** The body as content, its media type and its note. @throws Refusal INVALID_REQUEST `bad_field` */
function readFile({
  body,
  query,
}: RequestOf<'writeFile'>): Pick<UpdateDocumentInput, 'content' | 'mediaType' | 'message'> {
  if (body.form !== 'raw') throw new Error('The body was not taken as bytes.');
  const { message } = query;
  return {
    content: { stream: body.stream },
    mediaType: body.mediaType === undefined ? undefined : parseMediaType(body.mediaType),
    message: parseMessage(message),
  };
}

/** @throws Refusal INVALID_REQUEST `bad_field` unless `If-None-Match: *` is the only precondition */
function readCreation(request: RequestOf<'writeFile'>): CreateDocumentInput {
  const field = 'If-None-Match';
  if (request.header(field)?.trim() !== '*' || request.header('If-Match') !== undefined) {
    throw invalidRequest('bad_field', 'If-None-Match must be * here, and stand without If-Match.', { field });
  }
  return { location: request.location, labels: [], ...readFile(request) };
}

function readUpdate(request: RequestOf<'writeFile'>): UpdateDocumentInput {
  const precondition = parsePrecondition(request.header('If-Match') ?? '', 'If-Match');
  return { location: request.location, precondition, ...readFile(request) };
}

const path = '/files/{location}';
const put = { method: 'PUT', path, takes: ['file'], carriesContent: true } as const;

/** The precondition makes a retry harmless: the second request finds the document there, and is refused. */
const creation = route({
  ...put,
  mayBeRetried: true,
  operation: createDocument,
  read: readCreation,
  present: presentCreatedDocument,
});

const update = route({
  ...put,
  requires: 'If-Match',
  mayBeRetried: true,
  operation: updateDocument,
  read: readUpdate,
  present: presentWrittenDocument,
});

/** Documents as bytes, at addresses of their own. */
export const fileRoutes: readonly Route[] = [
  route({ method: 'GET', path, operation: readDocument, read: readReading, present: presentFile }),
  { ...update, variantFor: (header) => (header('If-None-Match') === undefined ? undefined : creation) },
];
