import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { examineShape, type ShapeLimits } from '../../http/json-shape.js';
import { defaultPolicy, type Policy } from '../../domain/policy.js';
import { invalidRequest, Refusal } from '../../domain/refusal.js';
import { requireWellFormed } from '../../domain/well-formed.js';
import { runCooperatively } from '../../scheduling/run-cooperatively.js';
import { contentTooLarge } from '../../operations/documents/content.js';
import { gatherBody, inviteBody, mediaTypeOf, readPieces, statedLength } from '../../http/read-body.js';
import { splitBody, type LongContent } from './long-content.js';
import { readStatedHash, requireHash, requireWhole } from './require-whole.js';

/** A body read as it comes. Its hash is known once it was read to the end. */
export interface RawBody {
  readonly form: 'raw';
  /** The media type as sent, where a route takes every type; undefined where it says nothing of the content. */
  readonly mediaType?: string | undefined;
  readonly stream: AsyncIterable<Uint8Array>;
  /** SHA-256 of the bytes read. */
  digest(): Buffer;
  /** Reads the rest of the stream. @throws Refusal INVALID_REQUEST `content_too_large` */
  takeRest(): Promise<void>;
}

export type BodyLimits = Pick<Policy, 'largestText' | 'largestBlob'>;

export interface JsonBody<Json = unknown> {
  readonly form: 'json';
  readonly value: Json;
  /** The content of a long body, which stands in `value` as ''. */
  readonly content?: LongContent;
}

export type Body<Json = unknown> = { readonly form: 'none' } | JsonBody<Json> | RawBody;

/** `file` is the bytes of a document, under a media type of their own. */
export type BodyForm = 'json' | 'raw' | 'file';

const mediaTypes = { json: 'application/json', raw: 'application/octet-stream' } as const;
/** What programs send where nothing is known of the content. */
const unsaid = new Set(['', 'application/octet-stream', 'application/x-www-form-urlencoded']);

/** The limit of every JSON body, even with a larger limit for documents. Bytes. */
const maxJsonBytes = 64 * 1024 * 1024;
/** Limit of a JSON body beside a document's content. Bytes. */
const envelope = 64 * 1024;
/** Bytes of a raw body too small to count among the uploads under way. */
const smallUpload = 1024 * 1024;
/** Bytes above which a body is parsed piece by piece. */
const longBody = 256 * 1024;
/** No valid request has more values; parsing and checking a flood of them would cost more than sending it. */
const maxShape: ShapeLimits = { deepest: 64, maxValues: 1000 };

/**
 * The limits for reading a body. The retry of an answered request is read to its end, even if the limits are lower now.
 * Its answer is the first one, found by the hash of the whole body.
 */
export function limitsOf({ largestText, largestBlob }: Policy, isRetried: boolean): BodyLimits {
  if (!isRetried) return { largestText, largestBlob };
  return {
    largestText: Math.max(largestText, defaultPolicy.largestText),
    largestBlob: Math.max(largestBlob, defaultPolicy.largestBlob),
  };
}

/**
 * The body's form, by its media type alone. Parameters are dropped, since the validator would compile and keep a schema
 * for each spelling. Only another charset than UTF-8 would make a difference, and is refused.
 * @throws Refusal INVALID_REQUEST `unsupported_media_type`
 */
export function chooseForm(headers: IncomingMessage['headers'], forms: readonly BodyForm[]): BodyForm {
  if (forms.includes('file')) {
    requireWhole(headers);
    return 'file';
  }
  return chooseByType(headers, forms as readonly Exclude<BodyForm, 'file'>[]);
}

function chooseByType(
  headers: IncomingMessage['headers'],
  forms: readonly Exclude<BodyForm, 'file'>[],
): Exclude<BodyForm, 'file'> {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';');
  const form = forms.find((each) => mediaTypes[each] === type.trim());
  const charset = parameters.map((each) => each.trim()).find((each) => each.startsWith('charset='));
  const isForeign = charset !== undefined && !/^charset="?utf-?8"?$/.test(charset);
  const coding = headers['content-encoding'] ?? 'identity';
  if (form === undefined || coding !== 'identity' || (form === 'json' && isForeign)) {
    const names = forms.map((each) => mediaTypes[each]).join(' or ');
    throw invalidRequest('unsupported_media_type', `Send the body as ${names}, in UTF-8 and not compressed.`);
  }
  if (form === 'raw') requireWhole(headers);
  return form;
}

/** The header value for the form, without parameters. */
export function nameForm(form: Exclude<BodyForm, 'file'>): string {
  return mediaTypes[form];
}

/** How a body is read. */
export interface BodyReading {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly limits: BodyLimits;
  /** Whether the body can hold a document's content; every other body is small. */
  readonly carriesContent: boolean;
  /**
   * Takes room in memory for so many bytes; called before more than some kilobytes are read.
   * @throws Refusal RATE_LIMITED, UNAVAILABLE when there is none; NOT_FOUND for a caller without any right to write
   */
  readonly takeRoom: (bytes: number) => Promise<void>;
  /** Takes a place among raw uploads; called before a large one is read. @throws Refusal RATE_LIMITED, UNAVAILABLE */
  readonly takeUpload: () => Promise<void>;
}

/**
 * Reads a JSON body whole. Its shape is checked before it is parsed, and a long one is parsed piece by piece.
 * @throws Refusal INVALID_REQUEST `body_too_large`, before reading where its length is stated; `bad_json`; `bad_field`
 * for a repeated member, invalid Unicode, too many values or too deep nesting. Refusals of `takeRoom`
 */
export async function readJson({ request, response, limits, ...reading }: BodyReading): Promise<Body> {
  // Six bytes of JSON can stand for one byte of text.
  const limit = reading.carriesContent ? Math.min(maxJsonBytes, limits.largestText * 6 + envelope) : envelope;
  const stated = statedLength(request);
  if (stated > limit) throw bodyTooLarge(limit);
  if (stated > envelope) await reading.takeRoom(stated);
  inviteBody(request, response);
  const bytes = await gatherBody(request, {
    stated,
    admit: (before, after) => {
      if (after > limit) throw bodyTooLarge(limit);
      // A body without a stated length is counted at its maximum.
      const isUnstated = stated <= envelope && before <= envelope && after > envelope;
      return isUnstated ? reading.takeRoom(limit) : undefined;
    },
    explain: bodyTooShort,
  });
  const fault = await runCooperatively(examineShape(bytes, maxShape));
  if (fault !== undefined) {
    throw invalidRequest('bad_field', `The body ${fault.problem}.`, { field: fault.member ?? 'body' });
  }
  try {
    return bytes.length > longBody ? await parseLong(bytes, limits) : { form: 'json', value: parseWhole(bytes) };
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw invalidRequest('bad_json', 'The body is not valid JSON in UTF-8.');
  }
}

function parseWhole(bytes: Buffer): unknown {
  const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  requireWellFormed(value, 'body');
  return value;
}

async function parseLong(bytes: Buffer, { largestText }: BodyLimits): Promise<Body> {
  const split = await runCooperatively(splitBody(bytes, envelope, largestText));
  if (split === undefined) throw invalidRequest('body_too_large', tooMuchBesideContent, { limit: envelope });
  // The decoder of the content refuses it there.
  requireWellFormed(split.value, 'body');
  return { form: 'json', ...split };
}

const tooMuchBesideContent = `Beside its content the body is over the limit of ${envelope} bytes.`;

/** A document's bytes of any media type. @throws Refusal as `takeRaw` does */
export function takeFile(reading: BodyReading): RawBody {
  const sent = reading.request.headers['content-type'];
  const isSaid = !unsaid.has(mediaTypeOf(sent) ?? '');
  return { ...takeRaw(reading), mediaType: isSaid ? sent : undefined };
}

/**
 * Takes a raw body as it comes; its reader limits its length again. At its end, the stream throws the refusal of a body
 * that does not have the stated hash.
 * @throws Refusal INVALID_REQUEST `content_too_large` where its stated length is over the limit; `bad_field`
 */
export function takeRaw({ request, response, limits: { largestBlob }, takeUpload }: BodyReading): RawBody {
  const stated = statedLength(request);
  if (stated > largestBlob) throw contentTooLarge(largestBlob);
  const isSmall = request.headers['content-length'] !== undefined && stated <= smallUpload;
  const wanted = readStatedHash(request.headers);
  const hash = createHash('sha256');
  let digest: Buffer | undefined;
  let size = 0;
  const digestOnce = (): Buffer => (digest ??= hash.digest());
  async function* take(isInvited: boolean): AsyncGenerator<Uint8Array> {
    if (!isSmall) await takeUpload();
    if (!isInvited) inviteBody(request, response);
    for await (const piece of readPieces(request, bodyTooShort)) {
      hash.update(piece);
      size += piece.length;
      yield piece;
    }
    if (wanted !== undefined) requireHash(wanted, digestOnce());
  }
  return {
    form: 'raw',
    stream: take(false),
    digest: digestOnce,
    async takeRest() {
      if (request.readableEnded) return;
      for await (const _ of take(true)) if (size > largestBlob) throw contentTooLarge(largestBlob);
    },
  };
}

function bodyTooShort(): Refusal {
  return invalidRequest('bad_field', 'The body ended before it was complete.', { field: 'body' });
}

/** @param limit bytes */
export function bodyTooLarge(limit: number): Refusal {
  return invalidRequest('body_too_large', `The body is over the limit of ${limit} bytes.`, { limit });
}
