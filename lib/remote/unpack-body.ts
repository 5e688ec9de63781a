import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { sourceOf } from '../limits/work-limits.js';
import { invalidRequest, Refusal } from '../domain/refusal.js';
import { GatheredBytes, inviteBody, readPieces, statedLength } from '../http/read-body.js';
import type { RemoteRequest } from './remote-request.js';

/** Bytes of a request, unpacked, that git itself takes at the most (http.maxRequestBuffer). */
const maxRequest = 10 * 1024 * 1024;
/** Bytes of a body too small to count as room. */
const smallBody = 64 * 1024;

/**
 * Reads a request whole, unpacked. Room is taken for a large one.
 * @throws Refusal INVALID_REQUEST; RATE_LIMITED, UNAVAILABLE
 */
export async function readRequest(asked: RemoteRequest): Promise<Buffer> {
  const { request, workspace, caller, hold } = asked;
  const stated = statedLength(request);
  if (stated > maxRequest) throw tooLarge();
  const gathered = new GatheredBytes(Math.min(stated, smallBody));
  let hasRoom = false;
  for await (const piece of openBody(asked)) {
    if (gathered.length + piece.length > maxRequest) throw tooLarge();
    if (!hasRoom && gathered.length + piece.length > smallBody) {
      hold(await workspace.workLimits.bodies.take(sourceOf(workspace.name, caller), maxRequest));
      hasRoom = true;
    }
    gathered.add(piece);
  }
  return gathered.bytes();
}

/**
 * The body's pieces as they come, unpacked, without a bound. A client that waits to be asked for it is asked.
 * @throws Refusal INVALID_REQUEST for another coding than gzip, a damaged body, and one that ends too early
 */
export async function* openBody({
  request,
  response,
}: {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}): AsyncGenerator<Buffer> {
  const coding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  const isPacked = coding === 'gzip' || coding === 'x-gzip';
  if (!isPacked && coding !== 'identity') {
    throw invalidRequest('unsupported_media_type', 'A body is read as it is, or in gzip.');
  }
  inviteBody(request, response);
  const pieces = readPieces(request, () => invalidRequest('bad_field', 'The body ended before it was complete.'));
  if (!isPacked) {
    yield* pieces;
    return;
  }
  yield* unpack(pieces);
}

async function* unpack(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip();
  pipeline(pieces, gunzip, () => undefined);
  try {
    for await (const piece of gunzip as Readable) yield piece as Buffer;
  } catch (error) {
    throw error instanceof Refusal ? error : invalidRequest('bad_field', 'The body is not whole, or not in gzip.');
  }
}

function tooLarge(): Refusal {
  return invalidRequest('body_too_large', `A request has at most ${maxRequest} bytes.`, { limit: maxRequest });
}
