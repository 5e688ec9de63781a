/** The codes of the API, and two that only a browser meets: no answer at all, and an answer of another kind. */
export type ProblemCode =
  | 'NOT_FOUND'
  | 'INVALID_REQUEST'
  | 'CONFLICT'
  | 'RATE_LIMITED'
  | 'INTERNAL'
  | 'UNAVAILABLE'
  | 'UNAUTHENTICATED'
  | 'UNREACHABLE';

interface ErrorBody {
  readonly error?: {
    readonly code?: ProblemCode;
    readonly message?: string;
    readonly request_id?: string;
    readonly details?: Readonly<Record<string, unknown>>;
  };
}

/** A refused or failed request. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  /** The reason within the code, e.g. `stale_if_match`. */
  readonly reason: string | undefined;
  /** The field of the request that is at fault. */
  readonly field: string | undefined;
  readonly requestId: string | undefined;
  /** What the error says beside its code and message. */
  readonly details: Readonly<Record<string, unknown>>;
  /** Seconds until another try makes sense. */
  readonly retryAfter: number | undefined;

  constructor(
    code: ProblemCode,
    message: string,
    details: Readonly<Record<string, unknown>> = {},
    retryAfter?: number,
  ) {
    super(message);
    this.code = code;
    this.details = details;
    this.retryAfter = retryAfter;
    this.reason = textOf(details['reason']);
    this.field = textOf(details['field']);
    this.requestId = textOf(details['request_id']);
  }

  /** The problem in a sentence for a person. */
  get sentence(): string {
    if (this.code === 'NOT_FOUND') return 'That does not exist, or you do not have the access that this needs.';
    if (this.code === 'UNREACHABLE') return 'The service could not be reached. Check the connection, then try again.';
    if (this.code === 'UNAUTHENTICATED') return 'You are signed out. Sign in, then try again.';
    if (this.code === 'RATE_LIMITED') return `Too many requests. Try again in ${this.retryAfter ?? 60} seconds.`;
    if (this.reason === 'idempotency_key_reused')
      return 'The first try succeeded, as it was then. Look at what is there before you try again.';
    if (this.reason === 'bad_cursor') return 'This list cannot be continued. Load the page again.';
    return this.message;
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Any error as a problem: an unexpected one becomes INTERNAL. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  return new Problem('INTERNAL', 'Something went wrong in this page. Load it again, then try once more.');
}

/** Makes the problem of an answer that is no success. */
export function problemOf(response: Response, body: unknown): Problem {
  const { error } = (typeof body === 'object' && body !== null ? body : {}) as ErrorBody;
  const retryAfter = Number(response.headers.get('Retry-After') ?? Number.NaN);
  const code = error?.code ?? (response.status === 503 || response.status === 502 ? 'UNAVAILABLE' : 'INTERNAL');
  const message =
    error?.message ??
    (code === 'UNAVAILABLE'
      ? 'The service cannot answer at the moment. Try again in a moment.'
      : `The service could not do this, and did not say why (status ${response.status}).`);
  const requestId = response.headers.get('X-Request-Id') ?? undefined;
  return new Problem(
    code,
    message,
    { request_id: error?.request_id ?? requestId, ...error?.details },
    Number.isFinite(retryAfter) ? retryAfter : undefined,
  );
}
