import type { IncomingMessage, ServerResponse } from 'node:http';
import { chargeRate, limitRate } from '../limits/limit-rate.js';
import type { Allowance, RateLimiter } from '../limits/token-buckets.js';
import { sourceOf, type WorkLimits } from '../limits/work-limits.js';
import { overLimit } from '../audit/record-tallies.js';
import type { Caller, CallerInterface } from '../domain/caller.js';
import type { Randomness } from '../domain/clock.js';
import { makeIdentifier } from '../domain/identifier.js';
import type { Policy } from '../domain/policy.js';
import { internal, invalidRequest, rateLimited, Refusal } from '../domain/refusal.js';
import type { DeferredAudit } from '../journal/deferred-audit.js';
import { refuseUnread } from '../operations/perform.js';
import type { Workspace } from '../workspace/workspace.js';
import { Exchange, type FaceName, type RequestNotes } from './exchange.js';

const departures = new Set(['ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED', 'ECONNRESET', 'EPIPE']);

/** A recognised caller of an operation. */
export interface Asking {
  readonly workspace: Workspace;
  readonly caller: Caller;
  readonly policy: Policy;
  /** Names the caller in the records of refused requests, and its allowance, unless the caller is counted apart. */
  readonly source: string;
  /** The caller's own rate; null takes the workspace's policy. */
  readonly requestsPerMinute: number | null;
  /** Called once the request is within its rate. */
  readonly noteUse?: () => void;
}

/** What every face supplies: how it words its answers. */
interface Presenting<Answer> {
  readonly name: FaceName;
  /** Headers of every answer, in any order. */
  readonly headers: Readonly<Record<string, string>>;
  /** Words a refusal. The cause of an INTERNAL one is in the log already, and stays there. */
  present(exchange: Exchange, refusal: Refusal): Answer;
  /** Writes an answer to the connection. */
  send(exchange: Exchange, answer: Answer): void | Promise<void>;
}

/** A face whose answers are the same for every caller, or that finds out by itself who asks. */
export interface OpenFace<Answer> extends Presenting<Answer> {
  /** @throws Refusal */
  answer(exchange: Exchange): Answer | Promise<Answer>;
}

/** What the look at a request before its caller is known has found: its answer, or where it leads. */
export type Admitted<Found, Answer> =
  | { readonly answer: Answer | Promise<Answer>; readonly found?: undefined }
  | { readonly found: Found; readonly answer?: undefined };

/** Performs the operation of a request, and presents its result. @throws Refusal */
export type Performing<Answer> = () => Answer | Promise<Answer>;

/** A face whose callers are recognised, and counted by the key or session that they bring. */
export interface CallerFace<Found extends object, Known extends Asking, Answer> extends Presenting<Answer> {
  readonly name: FaceName & CallerInterface;
  /** By the request alone: the page that asks, the path. @throws Refusal */
  admit(exchange: Exchange): Admitted<Found, Answer>;
  /** @throws Refusal UNAUTHENTICATED, the same for every reason; RATE_LIMITED, UNAVAILABLE */
  recognise(exchange: Exchange, found: Found): Known;
  /** Tells the caller what is left of its rate. */
  noteAllowance?(exchange: Exchange, allowance: Allowance): void;
  /**
   * Answers a caller that has to wait, where a plain refusal does not reach the one who asks.
   * @throws Refusal
   */
  answerLimited?(exchange: Exchange, found: Found, known: Known, refusal: Refusal): Promise<Answer>;
  /**
   * Reads the request, and changes nothing.
   * @returns a function that performs the operation and presents its result; a promise where the request has to be
   * waited for
   * @throws Refusal, which is then recorded
   */
  read(exchange: Exchange, found: Found, known: Known): Performing<Answer> | Promise<Performing<Answer>>;
}

/** The running service, as far as every face needs it. */
export interface ExchangeDependencies {
  readonly randomness: Randomness;
}

/** The same for faces with callers. */
export interface CallerDependencies extends ExchangeDependencies {
  readonly limiter: RateLimiter;
  readonly workLimits: WorkLimits;
}

export interface CallerNotes extends RequestNotes {
  /** Takes the records made after the answer: refused attempts, and a key's last use. */
  readonly later: DeferredAudit;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Serves an open face. Its steps: `host`, `answer`, `send`.
 * @returns the face's handler, which never throws
 */
export function serveOpenly<Answer>(
  dependencies: ExchangeDependencies,
  notes: RequestNotes,
  face: OpenFace<Answer>,
): Handler {
  return makeHandler(dependencies, notes, face, (exchange) => face.answer(exchange));
}

/**
 * Serves a face with callers. Its steps, in this order for every request: `host`, `admit`, `recognise`, `rate`,
 * `place`, `read`, `perform`, `send`. A bound that holds for all callers has its place here.
 * @returns the face's handler, which never throws
 */
export function serveCallers<Found extends object, Known extends Asking, Answer>(
  dependencies: CallerDependencies,
  notes: CallerNotes,
  face: CallerFace<Found, Known, Answer>,
): Handler {
  return makeHandler(dependencies, notes, face, (exchange) => {
    exchange.credential = null;
    const { found, answer } = face.admit(exchange);
    if (found === undefined) return answer;
    const known = face.recognise(exchange, found);
    exchange.credential = known.caller.credentialId;
    const spent = takeRate(dependencies, notes, face, exchange, known);
    if (spent !== undefined && face.answerLimited === undefined) throw spent;
    const limited = takePlace(dependencies, notes, exchange, known) ?? spent;
    if (limited !== undefined) {
      if (face.answerLimited === undefined) throw limited;
      return face.answerLimited(exchange, found, known, limited);
    }
    const reading = readOrRecord(face, exchange, found, known);
    return reading instanceof Promise ? reading.then((perform) => perform()) : reading();
  });
}

function makeHandler<Answer>(
  { randomness }: ExchangeDependencies,
  notes: RequestNotes,
  face: Presenting<Answer>,
  answer: (exchange: Exchange) => Answer | Promise<Answer>,
): Handler {
  const headers = Object.entries(face.headers).flat();
  return (request, response) => {
    const exchange = new Exchange(face.name, makeIdentifier('req', randomness), notes, headers, request, response);
    void serve(exchange, notes, face, answer);
  };
}

/**
 * Answers any request. Never throws. It waits only for what is a promise: each wait takes a turn of the queue of
 * microtasks, which the usual read would take a dozen times.
 */
async function serve<Answer>(
  exchange: Exchange,
  notes: RequestNotes,
  face: Presenting<Answer>,
  answer: (exchange: Exchange) => Answer | Promise<Answer>,
): Promise<void> {
  try {
    requireHost(exchange);
    const answering = answer(exchange);
    const sending = face.send(exchange, answering instanceof Promise ? await answering : answering);
    if (sending instanceof Promise) await sending;
  } catch (error) {
    await refuse(exchange, notes, face, error);
  }
}

/** Answers an error in the face's words, unless the answer has begun. The cause of a fault goes into the log. */
export async function refuse<Answer>(
  exchange: Exchange,
  { log }: RequestNotes,
  face: Presenting<Answer>,
  error: unknown,
): Promise<void> {
  const { id, response } = exchange;
  const refusal = error instanceof Refusal ? error : internal(error);
  exchange.refusal = refusal;
  if (refusal.code === 'INTERNAL' && !isReaderGone(error)) {
    log.error({ id, err: refusal.cause ?? refusal }, 'A request failed');
  }
  if (response.headersSent || response.destroyed) return void response.destroy();
  try {
    await face.send(exchange, face.present(exchange, refusal));
  } catch (fault) {
    log.error({ id, err: fault }, 'A refusal could not be sent');
    response.destroy();
  }
}

/** RFC 9112 §3.2 asks for a refusal. */
function requireHost({ request }: Exchange): void {
  if (request.headers.host !== undefined || request.httpVersion !== '1.1') return;
  throw invalidRequest('missing_field', 'The header Host is required.', { field: 'Host' });
}

/** Takes the request from its caller's rate. @returns RATE_LIMITED, counted, where nothing is left */
function takeRate<Found extends object, Known extends Asking, Answer>(
  { limiter }: CallerDependencies,
  { later }: CallerNotes,
  face: CallerFace<Found, Known, Answer>,
  exchange: Exchange,
  { workspace, caller, source, requestsPerMinute, policy, noteUse }: Known,
): Refusal | undefined {
  const rated = { workspace: workspace.name, source: caller.countedAs ?? source, requestsPerMinute, policy };
  const allowance = limitRate(limiter, rated);
  face.noteAllowance?.(exchange, allowance);
  if (allowance.allowed) {
    exchange.onCharge((requests) => {
      const left = chargeRate(limiter, rated, requests);
      face.noteAllowance?.(exchange, left);
    });
    noteUse?.();
    return undefined;
  }
  later.countRefused(workspace, caller.interface, overLimit, source);
  return rateLimited(allowance.retryAfter);
}

/** Counts the request among those under way. @returns RATE_LIMITED or UNAVAILABLE, counted, where there are too many */
function takePlace(
  { workLimits }: CallerDependencies,
  { later }: CallerNotes,
  exchange: Exchange,
  { workspace, caller, source }: Asking,
): Refusal | undefined {
  try {
    exchange.hold(workLimits.requests.takeNow(sourceOf(workspace.name, caller)));
    return undefined;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    later.countRefused(workspace, caller.interface, overLimit, source);
    return error;
  }
}

/** Reads the request, and records the refusal of an unreadable one. @throws Refusal, recorded, by a promise alone */
function readOrRecord<Found extends object, Known extends Asking, Answer>(
  face: CallerFace<Found, Known, Answer>,
  exchange: Exchange,
  found: Found,
  known: Known,
): Performing<Answer> | Promise<Performing<Answer>> {
  const record = async (error: unknown): Promise<never> => {
    const { action, location } = exchange;
    const note = location === undefined ? {} : { target: location };
    throw await refuseUnread(known.workspace, known.caller, action, note, error);
  };
  try {
    const reading = face.read(exchange, found, known);
    return reading instanceof Promise ? reading.catch(record) : reading;
  } catch (error) {
    return record(error);
  }
}

/** Whether sending failed because the reader left, which is no fault of the service. */
function isReaderGone(error: unknown): boolean {
  return departures.has(String((error as NodeJS.ErrnoException | null)?.code));
}
