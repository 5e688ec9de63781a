import { formatTime } from '../../domain/clock.js';
import type { Document } from '../../domain/document.js';
import { formatEtag, type Precondition } from '../../domain/etag.js';
import { parseLocation, segmentsOf, type Location } from '../../domain/location.js';
import { invalidRequest } from '../../domain/refusal.js';
import {
  decodeContent,
  parseLabels,
  parseMediaType,
  parseMessage,
  type ContentSource,
} from '../../operations/documents/content.js';
import { createDocument, type CreateDocumentInput } from '../../operations/documents/create-document.js';
import { deleteDocument, type DeleteDocumentInput, type Deletion } from '../../operations/documents/delete-document.js';
import { listDocuments } from '../../operations/documents/list-documents.js';
import { readDocument, type ReadDocumentInput } from '../../operations/documents/read-document.js';
import { undeleteDocument } from '../../operations/documents/undelete-document.js';
import { updateDocument, type UpdateDocumentInput } from '../../operations/documents/update-document.js';
import { answerJson, type Answer } from '../answers/api-answer.js';
import { jsonOf, type CheckedRequest } from '../requests/checked-request.js';
import type { BodyOf, QueryOf, RequestOf } from '../requests/described-request.js';
import { unknownParameter } from '../requests/parse-target.js';
import { jsonPost, route, type Route } from '../route.js';
import { presentRead, wantsRawForm } from './document-content.js';
import { toDocumentRecord } from '../../records/document-record.js';
import { presentWrittenDocument } from '../answers/written-document.js';
import { presentPage, readPage } from './page-query.js';
import { readFolder, readSentLocation } from './read-location.js';
import { parsePrecondition } from '../requests/parse-precondition.js';
import { readCondition } from '../requests/read-condition.js';

/** The fields of a JSON body, or the query of a raw one: the description's DocumentCreate and DocumentUpdate. */
type SentFields = Partial<QueryOf<'createDocument'> & BodyOf<'createDocument'>>;

type WriteRequest = RequestOf<'createDocument'> | RequestOf<'updateDocument'>;

/**
 * The document from the path, and the form of the read: version, If-None-Match, bytes or JSON, GET or HEAD.
 * @throws Refusal INVALID_REQUEST `bad_field` for an invalid If-Match or If-None-Match
 */
function readReading(request: RequestOf<'headDocument' | 'readDocument'>): ReadDocumentInput {
  const { version } = request.query;
  const known = request.header('if-none-match');
  const isRaw = wantsRawForm(request);
  // HEAD's length of the JSON form is known only with the content (RFC 9110 §9.3.2).
  return {
    location: request.location,
    versionId: version,
    withContent: request.method === 'GET' || !isRaw,
    condition: readCondition(request),
    known: known === undefined ? undefined : parsePrecondition(known, 'If-None-Match'),
    withTextState: !isRaw,
    knowsRecord: !isRaw,
    largest: isRaw ? undefined : request.policy.largestText,
  };
}

/**
 * The new document: DocumentCreate as JSON, or raw bytes with its other fields in the query.
 * @throws Refusal INVALID_REQUEST `missing_field` for a raw body without a location; `bad_location`, `bad_field`,
 * `unknown_field`
 */
function readCreation(request: RequestOf<'createDocument'>): CreateDocumentInput {
  const { location, labels, ...rest } = readFields(request);
  if (location === undefined) {
    throw invalidRequest('missing_field', 'The query parameter location is required with a raw body.', {
      field: 'location',
    });
  }
  if (labels !== undefined && new Set(labels).size < labels.length) {
    throw invalidRequest('bad_field', 'The field labels names a label twice.', { field: 'labels' });
  }
  return {
    location: parseLocation(location),
    content: readContent(request),
    labels: parseLabels(labels),
    ...parseRest(rest),
  };
}

/**
 * The new content: DocumentUpdate as JSON, or raw bytes with its other fields in the query.
 * @throws Refusal INVALID_REQUEST `bad_field`, `unknown_field`
 */
function readUpdate(request: RequestOf<'updateDocument'>): UpdateDocumentInput {
  return {
    location: request.location,
    precondition: readIfMatch(request),
    content: readContent(request),
    isUtf8: isWrittenAsText(request),
    ...parseRest(readFields(request)),
  };
}

/**
 * The document from the path, and its required version.
 * @throws Refusal INVALID_REQUEST `bad_field`
 */
function readDeletion(request: CheckedRequest): DeleteDocumentInput {
  return { location: request.location, precondition: readIfMatch(request) };
}

function readIfMatch(request: CheckedRequest): Precondition {
  return parsePrecondition(request.header('if-match') ?? '', 'If-Match');
}

/** The fields are in the query with a raw body, and only then. */
function readFields(request: WriteRequest): SentFields {
  if (request.body.form === 'raw') return request.query;
  const [stray] = Object.keys(request.sent.parameters);
  if (stray !== undefined) throw unknownParameter(`${stray} beside a JSON body`, [], stray);
  return jsonOf(request);
}

function readContent(request: WriteRequest): ContentSource {
  const { body } = request;
  if (body.form === 'raw') return { stream: body.stream };
  if (body.form === 'json' && body.content !== undefined) return { pieces: body.content.pieces };
  const { content, encoding } = jsonOf(request);
  return { bytes: decodeContent(content, encoding) };
}

/** Whether the content is characters, and not bytes in base64. */
function isWrittenAsText({ body }: WriteRequest): boolean {
  return body.form === 'json' && body.value.encoding !== 'base64';
}

function parseRest({ media_type: mediaType, message }: SentFields): {
  readonly mediaType: string | undefined;
  readonly message: string | null;
} {
  return {
    mediaType: mediaType === undefined ? undefined : parseMediaType(mediaType),
    message: parseMessage(message),
  };
}

/** The address of the record; slashes stay, all else is percent-encoded. */
function pathOfDocument(location: Location): string {
  return `/documents/${segmentsOf(location).map(encodeURIComponent).join('/')}`;
}

/** 201 with the document, its address and its ETag. */
export function presentCreatedDocument(document: Document): Answer {
  return answerJson(201, toDocumentRecord(document), {
    ETag: formatEtag(document.current.id),
    Location: pathOfDocument(document.location),
  });
}

/** 200 with the deleted document, and the version for an undelete. */
function presentDeletion({ location, deletedAt, versionId }: Deletion): Answer {
  const etag = formatEtag(versionId);
  return answerJson(200, { location, deleted: true, deleted_at: formatTime(deletedAt), etag }, { ETag: etag });
}

const path = '/documents/{location}';
/** After a lost answer, If-Match alone would refuse the retry of a write that was done. */
const written = { requires: 'If-Match', mayBeRetried: true, path } as const;
const content = { takes: ['json', 'raw'], carriesContent: true } as const;

/** Documents, and undeletes of them. */
export const documentRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/documents',
    operation: listDocuments,
    read: (request) => ({ location: readFolder(request), ...readPage(request) }),
    present: presentPage((document) => toDocumentRecord(document)),
  }),
  route({
    ...jsonPost,
    ...content,
    path: '/documents',
    operation: createDocument,
    read: readCreation,
    present: presentCreatedDocument,
  }),
  route({ method: 'GET', path, operation: readDocument, read: readReading, present: presentRead }),
  route({ method: 'HEAD', path, operation: readDocument, read: readReading, present: presentRead }),
  route({
    method: 'PUT',
    ...written,
    ...content,
    operation: updateDocument,
    read: readUpdate,
    present: presentWrittenDocument,
  }),
  route({ method: 'DELETE', ...written, operation: deleteDocument, read: readDeletion, present: presentDeletion }),
  route({
    ...jsonPost,
    path: '/undeletes',
    operation: undeleteDocument,
    read: readSentLocation,
    present: presentWrittenDocument,
  }),
];
