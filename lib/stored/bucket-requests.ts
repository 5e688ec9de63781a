import type { Clock, Randomness } from '../domain/clock.js';
import { formatHostAndPort, normalizeHost } from '../egress/host-and-port.js';
import { HttpClient, type HttpAnswer, type HttpMeans, type HttpRequest } from '../egress/http-client.js';
import { RequestSigner, type StoreKey } from '../egress/s3/request-signer.js';
import { readError } from '../egress/s3/store-error.js';
import { pause, wakefulTimers } from '../scheduling/pause.js';
import type { Timers } from '../scheduling/timers.js';
import { judgeAnswer, judgeFault, type Trouble } from './bucket-fault.js';

/** Told of each attempt: its method, the status of the answer or `fault` where none came, and milliseconds. */
export type BucketObserver = (method: string, status: number | 'fault', milliseconds: number) => void;

/** What a bucket is reached with. */
export interface BucketMeans {
  /** The address of the bucket, with its name in the path (`https://host/bucket`). No `/` at its end. */
  readonly root: URL;
  /** Before all names; '' for none. Otherwise it ends with `/`. */
  readonly prefix: string;
  readonly key: StoreKey;
  /** Left out: us-east-1, or the one in the address. */
  readonly region?: string | undefined;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly http: HttpClient;
  /** Left out: the system's, which keep the process alive. */
  readonly timers?: Timers;
  readonly observer?: BucketObserver;
  /** Attempts of one request. Left out: five. */
  readonly tries?: number;
}

/**
 * The client for the bucket of the operator, who named its address and so allowed this host and port, wherever they
 * are. Nothing else can be reached with it.
 */
export function httpForBucket(root: URL, means: Omit<HttpMeans, 'allowance'>): HttpClient {
  const port = Number(root.port === '' ? (root.protocol === 'https:' ? 443 : 80) : root.port);
  const host = normalizeHost(root.hostname) ?? root.hostname;
  return new HttpClient(root, { ...means, allowance: { hosts: [formatHostAndPort({ host, port })] } });
}

export interface BucketRequest<Result> extends Pick<HttpRequest, 'body' | 'isOnce'> {
  readonly method: HttpRequest['method'];
  /** Below the prefix; null for the bucket itself. */
  readonly name: string | null;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  /** The statuses that `read` knows. Every other one is a fault. */
  readonly expects: readonly number[];
  /**
   * Reads the answer to its end, or discards it.
   * @param isDoubtful whether an attempt before may have been done without an answer
   */
  read(answer: HttpAnswer, isDoubtful: boolean): Promise<Result>;
}

type Attempt<Result> = { readonly result: Result } | { readonly trouble: Trouble };

const usualTries = 5;
/** Milliseconds before the second attempt. Each further pause is twice as long. */
const firstPause = 200;
const longestPause = 10_000;
/** Seconds that a store may ask us to wait. */
const maxRetryAfter = 30;

/** Asks one bucket, and asks again where that may help. */
export class BucketRequests {
  readonly #means: BucketMeans;
  readonly #signer: RequestSigner;

  constructor(means: BucketMeans) {
    this.#means = means;
    this.#signer = new RequestSigner({ ...means, region: means.region });
  }

  get prefix(): string {
    return this.#means.prefix;
  }

  get randomness(): Randomness {
    return this.#means.randomness;
  }

  /** @throws BucketFault; the reason of the signal; what the body throws */
  async ask<Result>(asked: BucketRequest<Result>): Promise<Result> {
    const { tries = usualTries } = this.#means;
    let isDoubtful = false;
    for (let tried = 1; ; tried += 1) {
      const attempt: Attempt<Result> = await this.#try(asked, isDoubtful);
      if ('result' in attempt) return attempt.result;
      const { trouble }: { readonly trouble: Trouble } = attempt;
      if (!trouble.isPassing || tried >= tries) throw trouble.fault;
      isDoubtful ||= trouble.isDoubtful;
      await this.rest(tried, asked.signal, trouble.retryAfter);
    }
  }

  /**
   * Waits before another attempt: longer each time, and by chance, so that many that failed together do not come back
   * together.
   * @param tried attempts until now
   */
  async rest(tried: number, signal: AbortSignal, retryAfter = 0): Promise<void> {
    const { randomness, timers = wakefulTimers } = this.#means;
    const [chance = 0] = randomness.bytes(1);
    const own = Math.min(firstPause * 2 ** (tried - 1), longestPause) * (0.5 + chance / 510);
    await pause(Math.max(own, Math.min(retryAfter, maxRetryAfter) * 1000), signal, timers);
  }

  close(): void {
    this.#means.http.close();
  }

  async #try<Result>(asked: BucketRequest<Result>, isDoubtful: boolean): Promise<Attempt<Result>> {
    const { method, signal, expects } = asked;
    const { clock } = this.#means;
    try {
      const answer = await this.#send(asked);
      if (expects.includes(answer.status)) return { result: await asked.read(answer, isDoubtful) };
      return { trouble: judgeAnswer(await readError(answer), method, clock.now()) };
    } catch (error) {
      signal.throwIfAborted();
      const trouble = judgeFault(error);
      if (trouble === undefined) throw error;
      return { trouble };
    }
  }

  async #send({ method, name, query = {}, headers = {}, ...rest }: BucketRequest<unknown>): Promise<HttpAnswer> {
    const { http, clock, observer, prefix } = this.#means;
    const began = clock.elapsed();
    let status: number | 'fault' = 'fault';
    try {
      const url = this.#signer.urlOf(name === null ? null : `${prefix}${name}`, query);
      const signed = await this.#signer.sign(method, url, headers);
      const { body, isOnce, maxBytes, signal } = rest;
      const answer = await http.request({
        method,
        url,
        headers: signed,
        maxBytes,
        signal,
        isRaw: true,
        ...(body === undefined ? {} : { body }),
        ...(isOnce === undefined ? {} : { isOnce }),
      });
      ({ status } = answer);
      return answer;
    } finally {
      observer?.(method, status, clock.elapsed() - began);
    }
  }
}

/** Bytes of an answer that says nothing that matters. */
export const maxShortAnswer = 64 * 1024;

/** Reads an answer to its end, so that its connection can be used again. @throws EgressFault */
export async function drain(answer: HttpAnswer): Promise<void> {
  for await (const _ of answer.body);
}
