import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import type { Log } from '../domain/log.js';

/** A face's own facts about a request, beside those of HTTP. */
export interface RequestFacts {
  /** The id in the client's answer. */
  readonly id: string;
  /** The path in a table, never the client's text; null where no row was found. */
  readonly route: string | null;
  /** Names the request's key or token. */
  readonly credential?: string | null | undefined;
  /** The method of the message, and its tool. */
  readonly rpc?: string | undefined;
  readonly tool?: string | undefined;
}

/**
 * Writes a request's one line into the log, once its answer has left or its client is gone. The line holds the facts,
 * the client's address, the method, the status, the bytes sent with the headers, and the milliseconds since this call.
 * The status is null where the answer did not leave whole.
 * @param addressOf the client's address, according to the trusted proxies; what is no address is not logged
 * @param facts called at the end, when most is known
 */
export function logWhenDone(
  log: Pick<Log, 'info'>,
  request: IncomingMessage,
  response: ServerResponse,
  addressOf: (request: IncomingMessage) => string,
  facts: () => RequestFacts,
): void {
  const started = performance.now();
  const { socket } = request;
  const sentBefore = socket.bytesWritten;
  // A closed connection has no address any more.
  const address = addressOf(request);
  const remote = isIP(address) === 0 ? null : address;
  response.once('close', () => {
    const ms = Math.round((performance.now() - started) * 10) / 10;
    const status = response.writableFinished ? response.statusCode : null;
    const { id, ...others } = facts();
    const bytes = socket.bytesWritten - sentBefore;
    log.info({ id, remote, method: request.method, ...others, status, bytes, ms }, 'request');
  });
}
