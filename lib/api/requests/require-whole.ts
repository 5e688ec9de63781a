import type { IncomingHttpHeaders } from 'node:http';
import { invalidRequest, type Refusal } from '../../domain/refusal.js';
import { mediaTypeOf } from '../../http/read-body.js';

/** A sign in a request's head that its body is something else than the document's bytes. */
interface Sign {
  readonly header: string;
  /** Whether the header's value says so. In small letters, without surrounding blanks. */
  readonly says: (value: string) => boolean;
  /** What the body is, as the object of "The body is". */
  readonly what: string;
  readonly remedy: string;
}

const bytesAlone = 'Send the bytes of the file alone, as curl -T FILE does.';
const wholeAlone = 'Send the whole document in one request.';
const unsigned = 'To store it as it is, leave out Content-Type.';

const patchTypes = new Set(['application/json-patch+json', 'application/merge-patch+json']);
const partTypes = new Set(['message/partial', 'message/external-body']);
/** The transfer encodings of MIME that leave bytes as they are (RFC 2045 §6.2). */
const plainTransfers = new Set(['7bit', '8bit', 'binary']);
const always = (): boolean => true;

const signs: readonly Sign[] = [
  {
    header: 'content-encoding',
    says: (value) => value !== 'identity',
    what: 'encoded',
    remedy: 'Send the bytes of the document, not compressed.',
  },
  { header: 'content-type', says: (value) => value.startsWith('multipart/'), what: 'an envelope', remedy: bytesAlone },
  { header: 'content-type', says: (value) => partTypes.has(value), what: 'a part of a message', remedy: unsigned },
  {
    header: 'content-type',
    says: (value) => patchTypes.has(value),
    what: 'a patch',
    remedy: `${wholeAlone} ${unsigned}`,
  },
  {
    header: 'content-transfer-encoding',
    says: (value) => !plainTransfers.has(value),
    what: 'encoded',
    remedy: 'Send the bytes of the document, not encoded.',
  },
  // RFC 9110 §14.5 asks for a refusal where parts cannot be stored.
  { header: 'content-range', says: always, what: 'a part', remedy: wholeAlone },
  // Uploads in several requests: tus, its successor at the IETF, ownCloud, and signed pieces of S3.
  { header: 'upload-offset', says: always, what: 'a part', remedy: wholeAlone },
  { header: 'upload-complete', says: (value) => value !== '?1', what: 'a part', remedy: wholeAlone },
  { header: 'oc-chunked', says: always, what: 'a part', remedy: wholeAlone },
  {
    header: 'x-amz-content-sha256',
    says: (value) => value.startsWith('streaming-'),
    what: 'in signed pieces',
    remedy: bytesAlone,
  },
  {
    header: 'x-http-method-override',
    says: (value) => value !== 'put',
    what: 'meant for another method',
    remedy: 'Send the method itself.',
  },
];

/**
 * Requires that the body of a request is the document as it is, and not an envelope around it, a part, a patch or an
 * encoding. The envelope would be stored as the document, in the place of good content.
 * @throws Refusal INVALID_REQUEST `unsupported_media_type` for a media type or an encoding, else `bad_field`
 */
export function requireWhole(headers: IncomingHttpHeaders): void {
  for (const sign of signs) {
    const value = headers[sign.header];
    if (value === undefined) continue;
    const said = String(value);
    const read = sign.header === 'content-type' ? mediaTypeOf(said) : said.trim().toLowerCase();
    if (read !== undefined && sign.says(read)) throw refuse(sign);
  }
}

const digestHeaders = ['content-digest', 'repr-digest'] as const;
const digestPattern = /(?:^|,)[ \t]*sha-256=:([A-Za-z0-9+/]{43}=):/;

/**
 * The SHA-256 that a request states for its body (RFC 9530 §2 and §3: without an encoding both headers mean the same).
 * Other hashes are not read.
 * @throws Refusal INVALID_REQUEST `bad_field` where it is not a SHA-256 in base64
 */
export function readStatedHash(headers: IncomingHttpHeaders): StatedHash | undefined {
  for (const header of digestHeaders) {
    const value = headers[header];
    if (value === undefined || !String(value).includes('sha-256')) continue;
    const field = nameOf(header);
    const hash = digestPattern.exec(String(value))?.[1];
    if (hash !== undefined) return { field, hash: Buffer.from(hash, 'base64') };
    throw invalidRequest('bad_field', `${field} must state a SHA-256 as sha-256=:BASE64:.`, { field });
  }
  return undefined;
}

/** A hash from the head of a request. */
export interface StatedHash {
  /** The header that states it. */
  readonly field: string;
  readonly hash: Buffer;
}

/** @throws Refusal INVALID_REQUEST `bad_field` where the body that came has another hash than its head states */
export function requireHash({ field, hash }: StatedHash, digest: Buffer): void {
  if (hash.equals(digest)) return;
  throw invalidRequest('bad_field', `The body that arrived does not have the SHA-256 of ${field}. Send it again.`, {
    field,
  });
}

function refuse({ header, what, remedy }: Sign): Refusal {
  const message = `The body is ${what}, by the header ${nameOf(header)}. ${remedy}`;
  return header === 'content-type' || header === 'content-encoding'
    ? invalidRequest('unsupported_media_type', message)
    : invalidRequest('bad_field', message, { field: nameOf(header) });
}

/** As documents of the protocols write it. */
function nameOf(header: string): string {
  return header.replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase());
}
