import { type Precondition } from '../domain/etag.js';
import { parseFolderLocation, parseLocation } from '../domain/location.js';
import { invalidRequest } from '../domain/refusal.js';
import {
  decodeContent,
  parseLabels,
  parseMediaType,
  parseMessage,
  type ContentSource,
} from '../operations/documents/content.js';
import type { CreateDocumentInput } from '../operations/documents/create-document.js';
import type { DeleteDocumentInput } from '../operations/documents/delete-document.js';
import type { ListInput } from '../operations/documents/list-documents.js';
import type { ReadDocumentInput } from '../operations/documents/read-document.js';
import type { UpdateDocumentInput } from '../operations/documents/update-document.js';
import { unknownParameter } from './parse-target.js';
import { wantsRawForm } from './present-content.js';
import { readPage } from './read-page.js';
import type { CheckedRequest } from './checked-request.js';
import { parsePrecondition } from './parse-precondition.js';

/** The fields of a JSON body, or the query of a raw one: the description's DocumentCreate and DocumentUpdate. */
interface SentFields {
  readonly location?: string;
  readonly media_type?: string;
  readonly message?: string;
  readonly labels?: readonly string[];
}

interface SentBody extends SentFields {
  readonly content: string;
  readonly encoding?: 'utf-8' | 'base64';
}

/**
 * The folder from the query, the root when it is left out, and the page.
 * @throws Refusal INVALID_REQUEST `bad_location`, `bad_cursor`
 */
export function readListRequest(request: CheckedRequest): ListInput {
  const { location = '' } = request.query as { readonly location?: string };
  return { location: parseFolderLocation(location), ...readPage(request) };
}

/**
 * The document from the path, and what decides how much of it is read: the version, what the client has already
 * (If-None-Match), whether it wants bytes or JSON, and GET or HEAD.
 * @throws Refusal INVALID_REQUEST `bad_field` for an If-None-Match that is none
 */
export function readReadRequest(request: CheckedRequest): ReadDocumentInput {
  const { version } = request.query as { readonly version?: string };
  const known = request.header('if-none-match');
  const isRaw = wantsRawForm(request);
  // The length that HEAD tells of the JSON form is known only with the content (RFC 9110 §9.3.2).
  return {
    location: request.location,
    versionId: version,
    withContent: request.method === 'GET' || !isRaw,
    known: known === undefined ? undefined : parsePrecondition(known, 'If-None-Match'),
    largest: isRaw ? undefined : request.policy.largestText,
  };
}

/**
 * The new document: DocumentCreate as JSON, or raw bytes with what describes them in the query.
 * @throws Refusal INVALID_REQUEST `missing_field` for a raw body without a location; `bad_location`, `bad_field`, `unknown_field`
 */
export function readCreateRequest(request: CheckedRequest): CreateDocumentInput {
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
 * The new content: DocumentUpdate as JSON, or raw bytes with what describes them in the query.
 * @throws Refusal INVALID_REQUEST `bad_field`, `unknown_field`
 */
export function readUpdateRequest(request: CheckedRequest): UpdateDocumentInput {
  return {
    location: request.location,
    precondition: readIfMatch(request),
    content: readContent(request),
    ...parseRest(readFields(request)),
  };
}

/**
 * The document from the path, and the version that it must have.
 * @throws Refusal INVALID_REQUEST `bad_field`
 */
export function readDeleteRequest(request: CheckedRequest): DeleteDocumentInput {
  return { location: request.location, precondition: readIfMatch(request) };
}

function readIfMatch(request: CheckedRequest): Precondition {
  return parsePrecondition(request.header('if-match') ?? '', 'If-Match');
}

/** With a raw body what describes it is in the query, and only then. */
function readFields({ body, query, sent }: CheckedRequest): SentFields {
  if (body.form === 'raw') return query;
  const [stray] = Object.keys(sent.parameters);
  if (stray !== undefined) throw unknownParameter(`${stray} beside a JSON body`, [], stray);
  return (body.form === 'json' ? body.value : {}) as SentFields;
}

function readContent({ body }: CheckedRequest): ContentSource {
  if (body.form === 'raw') return { stream: body.stream };
  if (body.form === 'json' && body.content !== undefined) return { pieces: body.content.pieces };
  const { content, encoding } = (body.form === 'json' ? body.value : { content: '' }) as SentBody;
  return { bytes: decodeContent(content, encoding) };
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
