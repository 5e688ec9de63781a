import { formatEtag } from '../../domain/etag.js';
import type { DocumentRead } from '../../operations/documents/read-document.js';
import { charsetOf, decodeAs } from '../../text/charset.js';
import type { Answer, AnswerBody } from '../answers/api-answer.js';
import { nameDownload } from '../answers/name-download.js';
import { parseRange, type ByteRange } from '../requests/parse-range.js';
import { toDocumentRecord, type DocumentRecord } from '../../records/document-record.js';
import { streamDocument, streamedFrom } from '../answers/stream-document.js';
import { writeText } from '../answers/write-json-text.js';
import type { CheckedRequest } from '../requests/checked-request.js';
import type { QueryOf } from '../requests/described-request.js';

/** A browser saves content of this type. */
const unknownType = 'application/octet-stream';
/** Nothing in a document can run, whichever way a browser reads it. */
export const sandbox = "default-src 'none'; frame-ancestors 'none'; sandbox";

/** A document with its content: 304 where the caller has it, bytes where only bytes are wanted, else JSON. */
export function presentRead(read: DocumentRead, request: CheckedRequest): Answer {
  const headers = { ...namesOf(read), Vary: 'Accept, Accept-Encoding' };
  if (read.isKnown) return { status: 304, headers, body: { form: 'none' } };
  if (wantsRawForm(request)) return presentRaw(read, request, headers);
  const record = recordOf(read);
  const isText = read.version.kind === 'text';
  const { bytes } = read;
  if (bytes === null || bytes.length > streamedFrom) return presentStreamed(read, headers);
  const charset = isText ? charsetOf(bytes, read.version.mediaType) : undefined;
  const body =
    isText && read.isHeld && charset === 'utf-8'
      ? writeText(record, bytes)
      : {
          form: 'json' as const,
          value: isText
            ? { ...record, content: decodeAs(bytes, charset), encoding: 'utf-8' }
            : { ...record, content: bytes.toString('base64'), encoding: 'base64' },
        };
  return { status: 200, headers, body, mayCompress: true };
}

/** The bytes of a document, under its media type. A browser saves them where the request says so. */
export function presentFile(read: DocumentRead, request: CheckedRequest<Partial<QueryOf<'readFile'>>>): Answer {
  const headers = { ...namesOf(read), Vary: 'Accept-Encoding' };
  if (read.isKnown) return { status: 304, headers, body: { form: 'none' } };
  const { download = false } = request.query;
  const answer = presentRaw(read, request, headers, download);
  return { ...answer, mayCompress: read.version.kind === 'text' && request.header('range') === undefined };
}

/**
 * The version's ETag and time. The time is no strong validator: two versions may have the same second. So a date makes
 * no answer shorter, and only If-Unmodified-Since is heeded.
 */
function namesOf({ version, isKnown }: DocumentRead): Record<string, string> {
  const names = { ETag: formatEtag(version.id) };
  return isKnown ? names : { ...names, 'Last-Modified': new Date(version.at).toUTCString() };
}

/** The record, and for a file how far its text is. */
function recordOf({ document, version, text }: DocumentRead): DocumentRecord {
  return toDocumentRecord(document, version, text);
}

/** As JSON, written while it is sent: its length is known only at its end. */
function presentStreamed(read: DocumentRead, headers: Record<string, string>): Answer {
  const { bytes, version } = read;
  const open = async () => (bytes === null ? openStream(read) : [bytes]);
  const body = streamDocument(recordOf(read), version, open);
  return { status: 200, headers, body, mayCompress: true };
}

/** `Accept: application/octet-stream`, and nothing else beside it. */
export function wantsRawForm(request: CheckedRequest): boolean {
  const accept = request.header('accept') ?? '';
  return !accept.includes(',') && (accept.split(';')[0] ?? '').trim().toLowerCase() === 'application/octet-stream';
}

function presentRaw(
  read: DocumentRead,
  request: CheckedRequest,
  common: Readonly<Record<string, string>>,
  isSaved = false,
): Answer {
  const { document, version } = read;
  const headers = {
    ...common,
    'Content-Type': version.mediaType,
    'Content-Disposition': nameDownload(document.name, isSaved ? unknownType : version.mediaType),
    'Content-Security-Policy': sandbox,
    'Accept-Ranges': 'bytes',
  };
  const range = request.method === 'HEAD' ? undefined : readRange(request, version.size, common['ETag']);
  if (range === undefined) return { status: 200, headers, body: cut(read, { start: 0, end: version.size }) };
  const contentRange = `bytes ${range.start}-${range.end - 1}/${version.size}`;
  return { status: 206, headers: { ...headers, 'Content-Range': contentRange }, body: cut(read, range) };
}

/** If-Range takes an entity-tag, compared strongly. Dates never match, since two versions may have the same second. */
function readRange(request: CheckedRequest, size: number, etag: string | undefined): ByteRange | undefined {
  const condition = request.header('if-range');
  if (condition !== undefined && condition.trim() !== etag) return undefined;
  return parseRange(request.header('range'), size);
}

function cut(read: DocumentRead, { start, end }: ByteRange): AnswerBody {
  return read.bytes === null
    ? { form: 'stream', open: () => openStream(read), start, length: end - start }
    : { form: 'bytes', bytes: read.bytes.subarray(start, end) };
}

function openStream(read: DocumentRead): ReturnType<NonNullable<DocumentRead['openStream']>> {
  if (read.openStream === null) throw new Error('The content was not read.');
  return read.openStream();
}
