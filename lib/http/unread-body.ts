import type { IncomingMessage, ServerResponse } from 'node:http';

/** Bytes. Up to this much of an unwanted body is read and discarded, to keep the connection usable. */
const smallRest = 1024 * 1024;

/** Whether the client may still be sending an unwanted body. */
export function isStillSending(request: IncomingMessage): boolean {
  const hasBody = request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length']) > 0;
  return hasBody && !request.complete;
}

/** Whether reading the rest is cheaper than a new connection. */
export function isWorthReading(request: IncomingMessage): boolean {
  return request.headers.expect === undefined && Number(request.headers['content-length']) <= smallRest;
}

/**
 * For an answer while the client may still be sending, and after the last reading of the body. A small rest is read and
 * discarded. With a large rest, the connection ends with the answer.
 */
export function leaveUnread(request: IncomingMessage, response: ServerResponse): void {
  if (!isStillSending(request)) return;
  if (!isWorthReading(request) && !response.headersSent) response.setHeader('Connection', 'close');
  // A reader that stopped in the middle still listens, and `resume` does nothing beside it. The rest would stay in the
  // connection, and the client's next request on it behind the rest.
  request.removeAllListeners('readable');
  request.resume();
}
