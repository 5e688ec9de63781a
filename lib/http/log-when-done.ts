import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '../domain/log.js';

/** What a face knows of a request beside what HTTP tells. */
export interface RequestFacts {
  /** As the client was told it. */
  readonly id: string;
  /** The path in a table, never what a client put into it; null where no row was found. */
  readonly route: string | null;
  /** Names the key or token that it came with. */
  readonly credential?: string | null | undefined;
  /** The method that was called within the message, and the tool. */
  readonly rpc?: string | undefined;
  readonly tool?: string | undefined;
}

/**
 * Writes a request's one line into the log, once its answer has left or its client is gone: the facts, the method, the
 * status (null where the answer did not leave whole) and the milliseconds since this call.
 * @param facts asked for at the end, when most is known
 */
export function logWhenDone(
  log: Pick<Log, 'info'>,
  request: Pick<IncomingMessage, 'method'>,
  response: ServerResponse,
  facts: () => RequestFacts,
): void {
  const started = performance.now();
  response.once('close', () => {
    const ms = Math.round((performance.now() - started) * 10) / 10;
    const status = response.writableFinished ? response.statusCode : null;
    const { id, ...others } = facts();
    log.info({ id, method: request.method, ...others, status, ms }, 'request');
  });
}
