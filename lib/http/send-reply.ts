import { pipeline } from 'node:stream/promises';
import type { Readable } from 'node:stream';
import type { Refusal } from '../domain/refusal.js';
import type { Exchange } from './exchange.js';
import { BeyondBounds } from './request-bounds.js';
import { statusOf } from './status-of.js';
import { leaveUnread } from './unread-body.js';

/** An answer before it is written to the connection. */
export interface Reply {
  readonly status: number;
  /** In place of the face's own, where both have one. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | StreamedBody;
}

/** A body that is sent as it comes. Whoever does not open it has to leave it. */
export interface StreamedBody {
  /** Sent in front of the stream. */
  readonly head?: Uint8Array | undefined;
  open(): Readable;
  leave(): void;
}

/** A short answer for people, which no cache keeps. */
export function say(status: number, text: string, headers: Readonly<Record<string, string>> = {}): Reply {
  const plain = { 'Content-Type': 'text/plain; charset=utf-8' };
  return { status, headers: { ...plain, ...headers }, body: `${text}\n` };
}

/** A refusal in plain words, for a face of files and pages. */
export function sayRefusal(refusal: Refusal): Reply {
  if (refusal.code === 'INTERNAL') return say(500, 'Something went wrong. That was our fault. Try again in a moment.');
  if (!(refusal instanceof BeyondBounds)) return say(statusOf(refusal), refusal.message);
  const { status, message, allow } = refusal.excess;
  return say(status, message, allow === undefined ? {} : { Allow: allow });
}

/**
 * Writes an answer to the connection. A rest of the request's body is read or cut off.
 * @throws any error of a stream. The connection is broken off then, so that a part is never taken for the whole.
 */
export async function sendReply({ request, response, lines }: Exchange, reply: Reply): Promise<void> {
  const { status, headers, body } = reply;
  const isStream = !(typeof body === 'string' || body instanceof Uint8Array);
  if (response.destroyed) {
    if (isStream) body.leave();
    return;
  }
  leaveUnread(request, response);
  lines.setAll(headers);
  if (isStream) {
    lines.writeHead(response, status);
    if (body.head !== undefined && body.head.length > 0) response.write(body.head);
    await pipeline(body.open(), response);
    return;
  }
  // RFC 9110 §8.6: the length of what is not sent would be that of the whole.
  if (status !== 304 && status !== 204) lines.set('Content-Length', String(Buffer.byteLength(body)));
  lines.writeHead(response, status);
  response.end(body);
}
