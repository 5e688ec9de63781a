import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import type { Log } from '../domain/log.js';
import type { Refusal } from '../domain/refusal.js';
import { parseTraceparent, type TraceContext } from '../domain/trace-context.js';

/** The faces on the port. */
export type FaceName = 'rest' | 'console' | 'signin' | 'oauth' | 'mcp' | 'git' | 'manual';

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
  /** For the observer: the refusal that was the answer, or in it. */
  readonly refusal?: Refusal | undefined;
  /** The trace that the message names, in place of that of the header `traceparent`. */
  readonly trace?: TraceContext | undefined;
}

/** A request whose answer has left, or whose client is gone. */
export interface EndedRequest extends Pick<RequestFacts, 'route' | 'rpc' | 'tool' | 'refusal'> {
  readonly face: FaceName;
  /** As the client wrote it. */
  readonly method: string;
  /** Null where the answer did not leave whole. */
  readonly status: number | null;
  readonly milliseconds: number;
}

/** Counts requests. Neither call may take long or throw. */
export interface RequestObserver {
  began(): void;
  ended(request: EndedRequest): void;
}

/** What every face is given for its lines in the log. */
export interface RequestNotes {
  readonly log: Pick<Log, 'info'>;
  /** The client's address, according to the trusted proxies; what is no address is not logged. */
  readonly addressOf: (request: IncomingMessage) => string;
  /** Left out: requests are not counted. */
  readonly observer?: RequestObserver | undefined;
}

/**
 * Writes a request's one line into the log, once its answer has left or its client is gone. The line holds the facts,
 * the client's address, the method, the status, the bytes sent with the headers, the milliseconds since this call, and
 * the caller's trace where it sent one. The status is null where the answer did not leave whole.
 * @param facts called at the end, when most is known
 */
export function logWhenDone(
  { log, addressOf, observer }: RequestNotes,
  face: FaceName,
  request: IncomingMessage,
  response: ServerResponse,
  facts: () => RequestFacts,
): void {
  const started = performance.now();
  const { socket, method = '' } = request;
  const sentBefore = socket.bytesWritten;
  // A closed connection has no address any more.
  const address = addressOf(request);
  const remote = isIP(address) === 0 ? null : address;
  observer?.began();
  response.once('close', () => {
    const milliseconds = performance.now() - started;
    const ms = Math.round(milliseconds * 10) / 10;
    const status = response.writableFinished ? response.statusCode : null;
    const { id, refusal, trace = parseTraceparent(request.headers['traceparent']), ...others } = facts();
    const bytes = socket.bytesWritten - sentBefore;
    log.info({ id, remote, method, ...others, status, bytes, ms, ...(trace && { trace }) }, 'request');
    const { route, rpc, tool } = others;
    observer?.ended({ face, method, route, rpc, tool, refusal, status, milliseconds });
  });
}
