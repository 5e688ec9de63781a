import type { IncomingMessage, ServerResponse } from 'node:http';

/** What of a body that nobody wants is read and thrown away so that the connection can be used again. Bytes. */
const smallRest = 1024 * 1024;

/** Whether the client may still be sending a body that nobody will read. */
export function isStillSending(request: IncomingMessage): boolean {
  const hasBody = request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length']) > 0;
  return hasBody && !request.complete;
}

/** Whether so little is left that reading it is cheaper than a new connection. */
export function isWorthReading(request: IncomingMessage): boolean {
  return request.headers.expect === undefined && Number(request.headers['content-length']) <= smallRest;
}

/**
 * For an answer that is sent although the client may still be sending: a small rest is read and thrown away, with a
 * large one the connection ends with the answer.
 */
export function leaveUnread(request: IncomingMessage, response: ServerResponse): void {
  if (!isStillSending(request)) return;
  if (!isWorthReading(request) && !response.headersSent) response.setHeader('Connection', 'close');
  request.resume();
}
