import type { components } from './described.js';

type Schemas = components['schemas'];

/** Every error answer of the description. */
type Described =
  | Schemas['InvalidRequestError']
  | Schemas['UnauthenticatedError']
  | Schemas['NotFoundError']
  | Schemas['ConflictError']
  | Schemas['RateLimitedError']
  | Schemas['InternalError']
  | Schemas['UnavailableError'];

/** The stable code of an error answer. There are no others. */
export type ErrorCode = Described['error']['code'];

type DetailsOf<Error> = Error extends { details?: infer Details } ? NonNullable<Details> : never;

/** Everything that an error answer can say beside its code; told apart by `reason`. */
export type ErrorDetails = DetailsOf<Described['error']>;

/** The stable reason of an error answer, finer than its code. */
export type ErrorReason = ErrorDetails['reason'];

type WithReason<Details, Reason> = Details extends { reason: infer Own }
  ? Reason extends Own
    ? Details
    : never
  : never;

/** What an error answer of a reason says. */
export type DetailsOfReason<Reason extends ErrorReason> = WithReason<ErrorDetails, Reason>;

/** Every error of this library: an `ApiError`, a `ConnectionError`, an `InvalidRequestError`, or a missing setting. */
export class CartularyError extends Error {
  override readonly name: string = 'CartularyError';
  /** The key of the request, where it had one. Under it the request can be sent again, and is done once. */
  readonly idempotencyKey: string | undefined;

  constructor(message: string, { cause, idempotencyKey }: ErrorOrigin = {}) {
    super(message, { cause });
    this.idempotencyKey = idempotencyKey;
  }
}

/** Where an error comes from. */
export interface ErrorOrigin {
  readonly cause?: unknown;
  readonly idempotencyKey?: string | undefined;
}

/** What an error answer says. */
export interface ApiErrorFields {
  readonly status: number;
  readonly code: ErrorCode;
  readonly message: string;
  readonly requestId: string;
  readonly details?: ErrorDetails | undefined;
  /** Seconds. */
  readonly retryAfter?: number | undefined;
  readonly idempotencyKey?: string | undefined;
}

/** The service answered, and refused. Decide by `code`, and by `reason` where that is not fine enough. */
export class ApiError extends CartularyError {
  override readonly name: string = 'ApiError';
  readonly status: number;
  readonly code: ErrorCode;
  /** Finds the request in the service's log. */
  readonly requestId: string;
  readonly details: ErrorDetails | undefined;
  /** Seconds after which the service asks to be asked again. */
  readonly retryAfter: number | undefined;

  constructor({ status, code, message, requestId, details, retryAfter, idempotencyKey }: ApiErrorFields) {
    super(`${message} (${code}, request ${requestId})`, { idempotencyKey });
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.details = details;
    this.retryAfter = retryAfter;
  }

  get reason(): ErrorReason | undefined {
    return this.details?.reason;
  }

  /** Whether this is the reason, so that `details` has the fields of that reason. */
  is<Reason extends ErrorReason>(
    reason: Reason,
  ): this is this & { readonly details: WithReason<ErrorDetails, Reason> } {
    return this.reason === reason;
  }
}

/**
 * No usable answer came: the service was not reached, the connection broke, the time ran out, or something else than
 * the service answered. Whether a write was done is not known. Sending it again with `idempotencyKey` is safe.
 */
export class ConnectionError extends CartularyError {
  override readonly name: string = 'ConnectionError';
}

/** The error for an answer of another shape than the description's. */
export const foreignAnswer = (idempotencyKey?: string): ConnectionError =>
  new ConnectionError('The answer has another shape than described: something else than the service answered.', {
    idempotencyKey,
  });

/** The call cannot be a request of the service. Nothing was sent. */
export class InvalidRequestError extends CartularyError {
  override readonly name: string = 'InvalidRequestError';
  /** As the service would answer. */
  readonly code = 'INVALID_REQUEST';
}

/**
 * Characters that a terminal or a log would act upon, or that show a text in another order than it has: controls,
 * separators of lines, and marks of direction.
 */
const unshowable = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
/** Characters of a foreign text in a message. */
const maxShown = 2000;

/** A foreign text for a message of one line: what cannot be shown stands as its code. */
export function makeVisible(text: string): string {
  const shown = text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
  return shown.replace(unshowable, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const codes: ReadonlySet<string> = new Set<ErrorCode>([
  'INVALID_REQUEST',
  'UNAUTHENTICATED',
  'NOT_FOUND',
  'CONFLICT',
  'RATE_LIMITED',
  'INTERNAL',
  'UNAVAILABLE',
]);

/** Seconds from now, of a header in seconds or as a date (RFC 9110 §10.2.3); undefined where there is none. */
function readRetryAfter(headers: Headers, now: number): number | undefined {
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now) / 1000));
}

/**
 * The error of an answer that is no success.
 * @param text the body
 * @param now milliseconds since 1970
 * @param idempotencyKey of the request
 */
export function errorOf(
  response: Response,
  text: string,
  now: number,
  idempotencyKey: string | undefined,
): ApiError | ConnectionError {
  const retryAfter = readRetryAfter(response.headers, now);
  const said = parse(text);
  if (said !== undefined) {
    const { code, message, request_id: requestId } = said;
    const details = 'details' in said && isRecord(said.details) ? said.details : undefined;
    return new ApiError({
      status: response.status,
      code,
      message: makeVisible(message),
      requestId: makeVisible(requestId),
      details,
      retryAfter,
      idempotencyKey,
    });
  }
  // A proxy that has lost the service for a moment says when to come again.
  const message = `Something else than the service answered, with status ${response.status}.`;
  if (retryAfter === undefined) return new ConnectionError(message, { idempotencyKey });
  const requestId = makeVisible(response.headers.get('x-request-id') ?? 'unknown');
  const code = response.status === 429 ? 'RATE_LIMITED' : 'UNAVAILABLE';
  return new ApiError({ status: response.status, code, message, requestId, retryAfter, idempotencyKey });
}

function parse(text: string): Described['error'] | undefined {
  try {
    const { error } = JSON.parse(text) as { readonly error?: unknown };
    const isOurs =
      isRecord(error) &&
      codes.has(String(error['code'])) &&
      typeof error['message'] === 'string' &&
      typeof error['request_id'] === 'string';
    return isOurs ? (error as Described['error']) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether it is an object of JSON, and no list. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
