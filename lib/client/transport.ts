import { ApiError, ConnectionError, errorOf, InvalidRequestError } from './errors.js';
import { Gate, maxInLine } from './gate.js';
import type { Pace } from './pace.js';

export interface TransportOptions {
  /** The address of the service, without `/v1`. */
  readonly baseUrl: string;
  readonly key: string;
  readonly fetch: typeof fetch;
  /** Attempts after the first one. */
  readonly retries: number;
  /** Milliseconds for one attempt, up to the end of its answer; for a stream up to its beginning. */
  readonly timeout: number;
  /** Bytes of an answer that is read as a whole, after its compression was undone. */
  readonly maxAnswer: number;
  readonly pace: Pace;
}

/** A request, ready to be sent as often as it takes. */
export interface Prepared {
  readonly method: string;
  /** From `/v1` on, encoded, with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: BodyInit | undefined;
  /** Whether the answer to a second sending of the same is as good as that to the first. */
  readonly isRepeatable: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds that this request may take longer than others, because it waits at the service. */
  readonly extraTime?: number;
}

/** Seconds. A service that asks for a longer pause gets none: the caller hears of it. */
const maxWait = 60;
/** Milliseconds before the first further attempt where the service names none. */
const firstWait = 250;
const maxBackoff = 8000;

/**
 * Sends requests, and again where that is safe: after an answer with Retry-After, which says that nothing was done, in
 * turn where it was one for the rate, and after a lost or cut answer where the request is repeatable. Key and body are made before the first attempt and stay
 * the same.
 */
export class Transport {
  readonly #options: TransportOptions;
  readonly #gate: Gate;

  constructor(options: TransportOptions) {
    this.#options = options;
    this.#gate = new Gate(options.pace);
  }

  get pace(): Pace {
    return this.#options.pace;
  }

  /** Sends it, and reads the whole answer as text. @throws ApiError, ConnectionError, the signal's reason */
  sendForText(request: Prepared): Promise<{ readonly response: Response; readonly text: string }> {
    const { maxAnswer } = this.#options;
    return this.#send(request, async (response) => ({ response, text: await readText(response, maxAnswer) }));
  }

  /** Sends it, and gives the answer at its beginning. @throws as `sendForText` */
  sendForStream(request: Prepared): Promise<Response> {
    return this.#send(request, (response) => Promise.resolve(response));
  }

  async #send<Answer>(request: Prepared, read: (response: Response) => Promise<Answer>): Promise<Answer> {
    const { baseUrl, retries, pace } = this.#options;
    requireStraight(baseUrl, request.path);
    const began = pace.now();
    for (let attempt = 0; ;) {
      request.signal?.throwIfAborted();
      const passed = await this.#gate.pass(request.signal);
      const error = await this.#attempt(request, read, passed);
      if (!(error instanceof Failure)) return error;
      if (this.#standsInLine(error, request, began)) continue;
      const pause = attempt < retries ? this.#pauseAfter(error, request, attempt) : undefined;
      if (pause === undefined) throw error.cause;
      await pace.wait(pause, request.signal);
      attempt += 1;
    }
  }

  /**
   * Whether a request that was refused for the rate of its key waits at the gate for its next turn. That is no retry,
   * because nothing went wrong: the request was early. A time bounds it in place of a count.
   */
  #standsInLine({ cause }: Failure, { body }: Prepared, began: number): boolean {
    const { retries, pace } = this.#options;
    if (!(cause instanceof ApiError) || cause.code !== 'RATE_LIMITED' || cause.retryAfter === undefined) return false;
    if (retries === 0 || cause.retryAfter > maxWait || body instanceof ReadableStream) return false;
    return pace.now() + this.#gate.line - began <= maxInLine;
  }

  /** @throws the signal's reason */
  async #attempt<Answer>(
    request: Prepared,
    read: (response: Response) => Promise<Answer>,
    passed: number,
  ): Promise<Answer | Failure> {
    const { baseUrl, key, fetch, timeout, maxAnswer, pace } = this.#options;
    const { method, path, headers, body, signal, extraTime = 0 } = request;
    const idempotencyKey = headers['Idempotency-Key'];
    const late = new AbortController();
    const limit = timeout + extraTime;
    const timer = setTimeout(() => late.abort(new Error(`No answer within ${limit} ms.`)), limit);
    try {
      const response = await fetch(baseUrl + path, {
        method,
        headers: { ...headers, Authorization: `Bearer ${key}` },
        // A redirect could take the key elsewhere, or make a GET of a write.
        redirect: 'error',
        signal: signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]),
        ...(body === undefined ? {} : { body }),
        ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
      });
      if (response.status !== 429) this.#gate.hear(response.headers, passed);
      if (response.ok || response.status === 304) return await read(response);
      const error = errorOf(response, await readText(response, maxAnswer), pace.now(), idempotencyKey);
      if (error instanceof ApiError && error.code === 'RATE_LIMITED' && error.retryAfter !== undefined) {
        this.#gate.close(response.headers, error.retryAfter);
      }
      return new Failure(error, true);
    } catch (cause) {
      signal?.throwIfAborted();
      // The next answer would be as long.
      if (cause instanceof TooLong) return new Failure(new ConnectionError(cause.message, { idempotencyKey }), true);
      const message = `${method} ${baseUrl}${path} got no answer: ${explain(cause)}`;
      return new Failure(new ConnectionError(message, { cause, idempotencyKey }));
    } finally {
      clearTimeout(timer);
    }
  }

  /** Milliseconds until the next attempt; undefined where there must be none. */
  #pauseAfter({ cause, isAnswered }: Failure, { body, isRepeatable }: Prepared, attempt: number): number | undefined {
    // A stream is used up by the first attempt.
    if (body instanceof ReadableStream) return undefined;
    const { pace } = this.#options;
    if (isAnswered) {
      const retryAfter = cause instanceof ApiError ? cause.retryAfter : undefined;
      if (retryAfter === undefined || retryAfter > maxWait) return undefined;
      return Math.min(retryAfter * 1000 + pace.random() * firstWait, maxWait * 1000);
    }
    if (!isRepeatable && !isUnsent(cause)) return undefined;
    return Math.min(firstWait * 2 ** attempt, maxBackoff) * (0.5 + pace.random() / 2);
  }
}

/**
 * Whatever a path was built from: `fetch` must ask for that path and no other.
 * @throws InvalidRequestError where it would walk elsewhere, with the key
 */
function requireStraight(baseUrl: string, path: string): void {
  // The page's, for an address without a host.
  const { location } = globalThis as { readonly location?: { readonly href: string } };
  // Fetch says what is wrong with an address that is none.
  if (!URL.canParse(baseUrl, location?.href)) return;
  const base = new URL(`${baseUrl}/`, location?.href);
  const built = new URL(baseUrl + path, location?.href);
  const [asked = ''] = path.split('?', 1);
  if (built.origin === base.origin && built.hash === '' && built.pathname === base.pathname + asked.slice(1)) return;
  throw new InvalidRequestError('The path of the request leads elsewhere than it says.');
}

/** An answer that is longer than is read as a whole. */
class TooLong extends Error {}

/** The whole answer as text. It stops reading where there is too much. @throws TooLong */
async function readText({ body }: Response, maxBytes: number): Promise<string> {
  if (body === null) return '';
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (let read = 0; ;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    read += value.byteLength;
    if (read > maxBytes) {
      await reader.cancel().catch(() => {});
      throw new TooLong(`The answer is longer than ${maxBytes} bytes. Longer documents can be downloaded as a stream.`);
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** What ended an attempt. It is no error of its own, so that the caller's stack has none of it. */
class Failure {
  readonly cause: ApiError | ConnectionError;
  /** Whether a whole answer came, from the service or from something else. */
  readonly isAnswered: boolean;

  constructor(cause: ApiError | ConnectionError, isAnswered = false) {
    this.cause = cause;
    this.isAnswered = isAnswered;
  }
}

/** Errors of Node before a connection was there. Browsers do not say. */
const beforeSending: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** The codes of an error and of what caused it: fetch wraps the error of the socket. */
function* codesOf(error: unknown): Generator {
  let inner = error;
  for (let depth = 0; inner instanceof Error && depth < 4; depth += 1) {
    yield (inner as { code?: unknown }).code;
    inner = inner.cause;
  }
}

function isUnsent(error: Error): boolean {
  return [...codesOf(error)].some((code) => beforeSending.has(code));
}

function explain(error: unknown): string {
  const code = [...codesOf(error)].find((each) => typeof each === 'string');
  const message = error instanceof Error ? error.message : String(error);
  return code === undefined ? message : `${message} (${code})`;
}
