import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import type { Release } from '../limits/work-limiter.js';
import type { Location } from '../domain/location.js';
import type { Log } from '../domain/log.js';
import { goesOn, type Refusal } from '../domain/refusal.js';
import { parseTraceparent, type TraceContext } from './trace-context.js';
import { unknownRequest } from '../operations/perform.js';
import { HeaderLines } from './header-lines.js';

/** The faces on the port. */
export type FaceName = 'rest' | 'console' | 'signin' | 'oauth' | 'mcp' | 'git' | 'manual';

/** A request whose answer has left, or whose client is gone. */
export interface EndedRequest extends Pick<Exchange, 'face' | 'route' | 'rpc' | 'tool' | 'refusal'> {
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
  readonly log: Log;
  /** The client's address, according to the trusted proxies; what is no address is not logged. */
  readonly addressOf: (request: IncomingMessage) => string;
  /** Left out: requests are not counted. */
  readonly observer?: RequestObserver | undefined;
}

const idsOfResponses = new WeakMap<ServerResponse, string>();

/** The id of the request for a response, where a face has begun to answer it. */
export function requestIdOf(response: ServerResponse): string | undefined {
  return idsOfResponses.get(response);
}

/**
 * One request on its way through a face: its id, the headers of its answer, the room it holds, and the facts found
 * about it. When it is over, it gives back the room and writes its one line into the log.
 */
export class Exchange {
  readonly face: FaceName;
  readonly id: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Headers of the answer, independent of its content. */
  readonly lines: HeaderLines;
  /** For the log: the path in a table, never the client's text; null where no row was found. */
  route: string | null = null;
  /** For the log: names the request's key or token; null where none is recognised. Left out by faces without keys. */
  credential: string | null | undefined;
  /** For the log: the method of the message, and its tool. */
  rpc: string | undefined;
  tool: string | undefined;
  /** For the observer: the refusal that was the answer, or in it. */
  refusal: Refusal | undefined;
  /** For the log: the trace that the message names, in place of that of the header `traceparent`. */
  trace: TraceContext | undefined;
  /** For the record of an unreadable request: its operation's name, and where it leads. */
  action = unknownRequest;
  location: Location | undefined;
  readonly #held: Release[] = [];
  /** Made for the few requests whose work asks whether its client is still there. */
  #left: AbortController | undefined;
  #isAside = false;
  #charge: ((requests: number) => void) | undefined;

  /** @param headers of every answer of the face; each name once */
  constructor(
    face: FaceName,
    id: string,
    notes: RequestNotes,
    headers: readonly string[],
    request: IncomingMessage,
    response: ServerResponse,
  ) {
    this.face = face;
    this.id = id;
    this.request = request;
    this.response = response;
    this.lines = new HeaderLines(headers);
    this.lines.set('X-Request-Id', id);
    idsOfResponses.set(response, id);
    const { addressOf, observer } = notes;
    const started = performance.now();
    const sentBefore = request.socket.bytesWritten;
    // A closed connection has no address any more.
    const address = addressOf(request);
    observer?.began();
    response.once('close', () => {
      this.#leave();
      this.#giveBack();
      this.#write(notes, { milliseconds: performance.now() - started, address, sentBefore });
    });
  }

  /** Keeps room for the request until its answer has left, or its client has. */
  hold(release: Release): void {
    if (this.response.closed) release();
    else this.#held.push(release);
  }

  /**
   * Gives back all room of a request whose answer may come late. Whoever calls it counts the request elsewhere.
   * @returns aborted when the connection ends
   */
  standAside(): AbortSignal {
    this.#isAside = true;
    this.#giveBack();
    return this.departure();
  }

  /**
   * For long work that has no reader once the client has left. The request keeps its place.
   * @returns aborted when the connection ends before the answer has left
   */
  departure(): AbortSignal {
    this.#left ??= new AbortController();
    if (this.response.closed) this.#leave();
    return this.#left.signal;
  }

  /** @param charge takes further requests from the caller's rate */
  onCharge(charge: (requests: number) => void): void {
    this.#charge = charge;
  }

  /** Counts work as so many requests more, before its answer is sent. */
  charge(requests: number): void {
    this.#charge?.(requests);
  }

  #leave(): void {
    if (this.#isAside || !this.response.writableFinished) this.#left?.abort(goesOn('The client is gone.'));
  }

  #giveBack(): void {
    for (const release of this.#held.splice(0)) release();
  }

  /**
   * The line holds the facts, the client's address, the method, the status, the bytes sent with the headers, the
   * milliseconds since the request came, and the caller's trace where it sent one. The status is null where the answer
   * did not leave whole.
   */
  #write(
    { log, observer }: RequestNotes,
    {
      milliseconds,
      address,
      sentBefore,
    }: { readonly milliseconds: number; readonly address: string; readonly sentBefore: number },
  ): void {
    const { face, id, request, response, route, rpc, tool, credential, refusal } = this;
    const { socket, method = '' } = request;
    const ms = Math.round(milliseconds * 10) / 10;
    const status = response.writableFinished ? response.statusCode : null;
    const trace = this.trace ?? parseTraceparent(request.headers['traceparent']);
    const bytes = socket.bytesWritten - sentBefore;
    const remote = isIP(address) === 0 ? null : address;
    const facts: Record<string, unknown> = { id, remote, method, route };
    if (rpc !== undefined) facts['rpc'] = rpc;
    if (tool !== undefined) facts['tool'] = tool;
    if (credential !== undefined) facts['credential'] = credential;
    facts['status'] = status;
    facts['bytes'] = bytes;
    facts['ms'] = ms;
    if (trace !== undefined) facts['trace'] = trace;
    log.info(facts, 'request');
    observer?.ended({ face, method, route, rpc, tool, refusal, status, milliseconds });
  }
}
