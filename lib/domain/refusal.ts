import type { Code } from './code.js';
import type { ReasonOf } from './reason.js';
import type { DetailArguments, RefusalDetails } from './refusal-details.js';

export interface RefusalOptions {
  readonly details?: RefusalDetails | undefined;
  /** Whole seconds until another try makes sense (429 and 503). */
  readonly retryAfter?: number;
  /** The hidden reason, for the log alone. */
  readonly cause?: unknown;
}

/**
 * A refusal of a request, with its code (code.ts) and its stable, finer reason for clients to branch on (reason.ts). A
 * face maps a Refusal to its wire form in one place; nothing else may throw one on purpose.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: Code;
  readonly details: RefusalDetails | undefined;
  readonly retryAfter: number | undefined;

  constructor(code: Code, message: string, options: RefusalOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details;
    this.retryAfter = options.retryAfter;
  }
}

/**
 * Absent, out of reach, or lacking the role: it takes no argument, so it cannot reveal the case (Authentication 10).
 */
export function notFound(): Refusal {
  return new Refusal('NOT_FOUND', 'There is nothing here that this key can reach.');
}

/** A path that this API does not have, for any caller. It depends on the request alone. */
export function noSuchPath(): Refusal {
  return new Refusal('NOT_FOUND', 'There is no such path. GET /v1/openapi.yaml describes all paths.');
}

/**
 * The request itself is wrong.
 * @param reason stable word, e.g. `bad_location`
 * @param message for people: names the field and the remedy
 */
export function invalidRequest<Of extends ReasonOf<'INVALID_REQUEST'>>(
  reason: Of,
  message: string,
  ...[details]: DetailArguments<Of>
): Refusal {
  return new Refusal('INVALID_REQUEST', message, { details: withReason(reason, details) });
}

/** The present state forbids it: a stale If-Match, a name taken, a key reused, a move that would widen. */
export function conflict<Of extends ReasonOf<'CONFLICT'>>(
  reason: Of,
  message: string,
  ...[details]: DetailArguments<Of>
): Refusal {
  return new Refusal('CONFLICT', message, { details: withReason(reason, details) });
}

/** The signatures of the callers guarantee that the details belong to the reason. */
function withReason(reason: RefusalDetails['reason'], details: object | undefined): RefusalDetails {
  return { reason, ...details } as RefusalDetails;
}

/** @param retryAfter whole seconds until a token is there again */
export function rateLimited(retryAfter: number): Refusal {
  return new Refusal('RATE_LIMITED', 'Too many requests. Wait as Retry-After says.', {
    retryAfter,
  });
}

/** The credential has too much under way: requests, bytes, or long work. */
export function tooMuchAtOnce(): Refusal {
  return new Refusal(
    'RATE_LIMITED',
    'This key has too much under way. Wait until some of it is done, then try again.',
    {
      retryAfter: 1,
    },
  );
}

/** The sender wrote too often within an hour. @param retryAfter whole seconds */
export function tooManyMessages(retryAfter: number): Refusal {
  const message = 'You have written too many messages within an hour. Put more into one, or wait.';
  return new Refusal('RATE_LIMITED', message, { retryAfter });
}

/** The principal may store no more for now. @param retryAfter whole seconds */
export function tooMuchStored(retryAfter: number): Refusal {
  const message = 'You have had as much stored by comments, messages or requests as you may for now.';
  return new Refusal('RATE_LIMITED', `${message} Wait as Retry-After says.`, { retryAfter });
}

/** All callers together have too much under way. Says nothing about any of them. */
export function busy(): Refusal {
  return new Refusal('UNAVAILABLE', 'The service has too much under way. Try again as Retry-After says.', {
    retryAfter: 2,
  });
}

/** The same for a missing, malformed, unknown, revoked or expired key, and for one not meant for this interface. */
export function unauthenticated(): Refusal {
  return new Refusal('UNAUTHENTICATED', 'A valid key for this interface is required: Authorization: Bearer <API_KEY>.');
}

/** The same for a missing, ended or unknown session of a browser, and for a request of another site's page. */
export function notSignedIn(): Refusal {
  return new Refusal('UNAUTHENTICATED', 'Sign in first: this needs a session of this browser.');
}

/** Reach cannot be decided at the moment; says nothing about existence (Authentication 11). */
export function unavailable(cause?: unknown, retryAfter = 5): Refusal {
  return new Refusal('UNAVAILABLE', 'Access could not be decided just now. Try again as Retry-After says.', {
    retryAfter,
    cause,
  });
}

/** Another machine has taken over the service: nothing is read or written here, since both leave records. */
export function superseded(): Refusal {
  const message = 'Another machine has taken over this service. Ask at its address.';
  return new Refusal('UNAVAILABLE', message, { details: { reason: 'superseded' }, retryAfter: 60 });
}

/** The disk has no room for a write, for no caller. Reads go on as long as their records find room. */
export function storageFull(cause?: unknown): Refusal {
  const message = 'The disk of the service is full, so nothing is written just now. Try again as Retry-After says.';
  return new Refusal('UNAVAILABLE', message, { details: { reason: 'storage_full' }, retryAfter: 30, cause });
}

/** The text index is not there yet, for no caller: the same for every search. */
export function searchUnavailable(): Refusal {
  const message = 'The search index is being built, so nothing can be searched just now. Everything else can be used.';
  return new Refusal('UNAVAILABLE', `${message} Try again as Retry-After says.`, { retryAfter: 5 });
}

/**
 * The request was accepted and goes on by itself; only the wait for its end is over.
 * @param message says so, and how to follow it
 */
export function goesOn(message: string): Refusal {
  return new Refusal('UNAVAILABLE', message);
}

/** A fault of the service: the cause goes to the log under the request id, never to the caller. */
export function internal(cause: unknown): Refusal {
  return new Refusal('INTERNAL', 'The service failed. Quote the request id; a retry with the same key is safe.', {
    cause,
  });
}
