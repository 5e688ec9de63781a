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
  /** As it was last asked for: each is judged by its own. */
  perMinute: number;
  burst: number;
}

/** What is counted apart: a flood of one kind pushes out no bucket of another. */
export type RatedKind = 'credential' | 'address' | 'form' | 'oauth' | 'registration' | 'document' | 'known document';

/** Buckets of one kind. */
const mostBuckets = 100_000;

/** A token bucket for each source (a credential, or the address of an unknown caller), in memory. */
export class RateLimiter {
  readonly #kinds = new Map<RatedKind, Map<string, Bucket>>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Takes one token.
   * @param perMinute tokens that come back in a minute
   * @param burst the most that can be saved up
   */
  take(kind: RatedKind, source: string, perMinute: number, burst: number): Allowance {
    const now = this.#clock.now();
    const buckets = this.#kinds.get(kind) ?? new Map<string, Bucket>();
    this.#kinds.set(kind, buckets);
    let bucket = buckets.get(source);
    if (bucket === undefined) {
      if (buckets.size >= mostBuckets) forgetFull(buckets, now);
      bucket = { tokens: burst, at: now, perMinute, burst };
      buckets.set(source, bucket);
    }
    bucket.perMinute = perMinute;
    bucket.burst = burst;
    bucket.tokens = tokensAt(bucket, now);
    bucket.at = now;
    if (bucket.tokens < 1) {
      const retryAfter = Math.max(1, Math.ceil(((1 - bucket.tokens) * 60) / perMinute));
      return { allowed: false, limit: perMinute, remaining: 0, retryAfter };
    }
    bucket.tokens -= 1;
    return { allowed: true, limit: perMinute, remaining: Math.floor(bucket.tokens), retryAfter: 0 };
  }
}

function tokensAt({ tokens, at, perMinute, burst }: Bucket, now: number): number {
  return Math.min(burst, tokens + (Math.max(0, now - at) * perMinute) / 60_000);
}

/** A bucket that is full again says nothing; when even that frees too little, those go that are fullest. */
function forgetFull(buckets: Map<string, Bucket>, now: number): void {
  const missing: (readonly [string, number])[] = [];
  for (const [source, bucket] of buckets) {
    const lack = 1 - tokensAt(bucket, now) / bucket.burst;
    if (lack <= 0) buckets.delete(source);
    else missing.push([source, lack]);
  }
  if (missing.length < mostBuckets / 2) return;
  missing.sort(([, one], [, other]) => one - other);
  for (const [source] of missing.slice(0, missing.length - mostBuckets / 2)) buckets.delete(source);
}
