import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { findFaultOfShape, type ShapeLimits } from '../domain/json-shape.js';
import { defaultPolicy, type Policy } from '../domain/policy.js';
import { invalidRequest, type Refusal } from '../domain/refusal.js';
import { runResting } from '../pace/run-resting.js';
import { contentTooLarge } from '../operations/content.js';

/** A body that is taken as it comes. Its hash is known once it was read to the end. */
export interface RawBody {
  readonly form: 'raw';
  readonly stream: AsyncIterable<Uint8Array>;
  /** SHA-256 of what was read. */
  digest(): Buffer;
  /** Reads what the stream was not asked for. @throws Refusal INVALID_REQUEST `content_too_large` */
  takeRest(): Promise<void>;
}

export type BodyLimits = Pick<Policy, 'largestText' | 'largestBlob'>;

export type Body = { readonly form: 'none' } | { readonly form: 'json'; readonly value: unknown } | RawBody;

export type BodyForm = 'json' | 'raw';

const mediaTypes = { json: 'application/json', raw: 'application/octet-stream' } as const;

/** The most a JSON body may have, however large a document may be. Bytes. */
const largestJson = 64 * 1024 * 1024;
/** A body's worth of names and punctuation beside the content. Bytes. */
const envelope = 64 * 1024;
/** No request of ours has more in it; a flood of values would cost more to parse and check than to send. */
const largestShape: ShapeLimits = { deepest: 64, mostValues: 1000 };

/**
 * How much is read of a body. The retry of a request that was answered is read to its end, even if the limits have been
 * lowered since: its answer is the first one, and is found by the whole of it.
 */
export function limitsOf({ largestText, largestBlob }: Policy, isRetried: boolean): BodyLimits {
  if (!isRetried) return { largestText, largestBlob };
  return {
    largestText: Math.max(largestText, defaultPolicy.largestText),
    largestBlob: Math.max(largestBlob, defaultPolicy.largestBlob),
  };
}

/**
 * Which of the forms the body has, by its media type alone.
 * Parameters are dropped, since the validator would compile and keep a schema for each spelling; only another charset
 * than UTF-8 would make a difference, and is refused.
 * @throws Refusal INVALID_REQUEST `unsupported_media_type`
 */
export function chooseForm(headers: IncomingMessage['headers'], forms: readonly BodyForm[]): BodyForm {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';');
  const form = forms.find((each) => mediaTypes[each] === type.trim());
  const charset = parameters.map((each) => each.trim()).find((each) => each.startsWith('charset='));
  const isForeign = charset !== undefined && !/^charset="?utf-?8"?$/.test(charset);
  const coding = headers['content-encoding'] ?? 'identity';
  if (form === undefined || coding !== 'identity' || (form === 'json' && isForeign)) {
    const names = forms.map((each) => mediaTypes[each]).join(' or ');
    throw invalidRequest('unsupported_media_type', `Send the body as ${names}, in UTF-8 and not compressed.`);
  }
  return form;
}

/** The header value that stands for the form, without parameters. */
export function nameForm(form: BodyForm): string {
  return mediaTypes[form];
}

/**
 * Reads a JSON body whole. Before it is parsed it is looked over, with rests: nobody's access has been asked yet.
 * @param invite called when the body is about to be read
 * @throws Refusal INVALID_REQUEST `body_too_large`, before it is read where its length is stated; `bad_json`;
 *   `bad_field` when it holds more values, or is nested more deeply, than any request is
 */
export async function readJson(request: IncomingMessage, limits: BodyLimits, invite: () => void): Promise<Body> {
  // Six bytes of JSON can stand for one byte of text.
  const limit = Math.min(largestJson, limits.largestText * 6 + envelope);
  if (statedLength(request) > limit) throw bodyTooLarge(limit);
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of readPieces(request, invite)) {
    size += piece.length;
    if (size > limit) throw bodyTooLarge(limit);
    pieces.push(piece);
  }
  const bytes = Buffer.concat(pieces);
  const fault = await runResting(findFaultOfShape(bytes, largestShape));
  if (fault !== undefined) throw invalidRequest('bad_field', `The body ${fault}.`, { field: 'body' });
  try {
    return { form: 'json', value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown };
  } catch {
    throw invalidRequest('bad_json', 'The body is not valid JSON in UTF-8.');
  }
}

/**
 * Takes a raw body as it comes; its length is limited again by whoever reads it.
 * @param invite called when the body is about to be read
 * @throws Refusal INVALID_REQUEST `content_too_large` where its stated length is over the limit
 */
export function takeRaw(request: IncomingMessage, { largestBlob }: BodyLimits, invite: () => void): RawBody {
  if (statedLength(request) > largestBlob) throw contentTooLarge(largestBlob);
  const hash = createHash('sha256');
  let digest: Buffer | undefined;
  let size = 0;
  async function* take(onStart: () => void): AsyncGenerator<Uint8Array> {
    for await (const piece of readPieces(request, onStart)) {
      hash.update(piece);
      size += piece.length;
      yield piece;
    }
  }
  return {
    form: 'raw',
    stream: take(invite),
    digest: () => (digest ??= hash.digest()),
    async takeRest() {
      if (request.readableEnded) return;
      for await (const _ of take(() => undefined)) if (size > largestBlob) throw contentTooLarge(largestBlob);
    },
  };
}

/** The body's pieces. Stopping early leaves the connection whole, so that a refusal can still be answered on it. */
async function* readPieces(request: IncomingMessage, invite: () => void): AsyncGenerator<Uint8Array> {
  invite();
  try {
    for await (const piece of request.iterator({ destroyOnReturn: false })) yield piece as Uint8Array;
  } catch {
    throw invalidRequest('bad_field', 'The body ended before it was complete.', { field: 'body' });
  }
}

/** Bytes; 0 where none is stated. */
function statedLength(request: IncomingMessage): number {
  return Number(request.headers['content-length'] ?? '0');
}

function bodyTooLarge(limit: number): Refusal {
  return invalidRequest('body_too_large', `The body is over the limit of ${limit} bytes.`, { limit });
}
