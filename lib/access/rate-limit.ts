import type { Clock } from '../domain/clock.js';

/** What a request is told about its allowance. */
export interface Allowance {
  readonly allowed: boolean;
  /** Requests a minute. */
  readonly limit: number;
  /** Whole requests that are left just now. */
  readonly remaining: number;
  /** Whole seconds until one is there again; 0 when allowed. */
  readonly retryAfter: number;
}

interface Bucket {
  tokens: number;
  at: number;
}

const mostBuckets = 100_000;

/** A token bucket for each source (a credential, or the address of an unknown caller), in memory. */
export class RateLimiter {
  readonly #buckets = new Map<string, Bucket>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Takes one token.
   * @param perMinute tokens that come back in a minute
   * @param burst the most that can be saved up
   */
  take(source: string, perMinute: number, burst: number): Allowance {
    const now = this.#clock.now();
    let bucket = this.#buckets.get(source);
    if (bucket === undefined) {
      if (this.#buckets.size >= mostBuckets) this.#forgetFull(now, perMinute, burst);
      bucket = { tokens: burst, at: now };
      this.#buckets.set(source, bucket);
    }
    const elapsed = Math.max(0, now - bucket.at);
    bucket.tokens = Math.min(burst, bucket.tokens + (elapsed * perMinute) / 60_000);
    bucket.at = now;
    if (bucket.tokens < 1) {
      const retryAfter = Math.max(1, Math.ceil(((1 - bucket.tokens) * 60) / perMinute));
      return { allowed: false, limit: perMinute, remaining: 0, retryAfter };
    }
    bucket.tokens -= 1;
    return { allowed: true, limit: perMinute, remaining: Math.floor(bucket.tokens), retryAfter: 0 };
  }

  /** A bucket that is full again says nothing; when even that frees too little, the oldest go. */
  #forgetFull(now: number, perMinute: number, burst: number): void {
    for (const [source, bucket] of this.#buckets) {
      if (bucket.tokens + ((now - bucket.at) * perMinute) / 60_000 >= burst) this.#buckets.delete(source);
    }
    for (const source of this.#buckets.keys()) {
      if (this.#buckets.size < mostBuckets / 2) break;
      this.#buckets.delete(source);
    }
  }
}
