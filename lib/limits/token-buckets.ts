import type { Clock } from '../domain/clock.js';

/** The state of an allowance, for the response to a request. */
export interface Allowance {
  readonly allowed: boolean;
  /** Requests a minute. */
  readonly limit: number;
  /** Whole requests left just now. */
  readonly remaining: number;
  /** Whole seconds until one is there again; 0 when allowed. */
  readonly retryAfter: number;
}

interface Bucket {
  tokens: number;
  at: number;
  /** From the last request: each bucket is checked by its own. */
  perMinute: number;
  burst: number;
}

/** The kinds counted apart: a flood of one kind pushes out no bucket of another. */
export type RatedKind =
  | 'credential'
  | 'over limit'
  | 'address'
  | 'form'
  | 'session'
  | 'oauth'
  | 'authorization'
  | 'registration'
  | 'consent'
  | 'refresh'
  | 'document'
  | 'known document'
  | 'hook'
  | 'known hook';

/** Buckets of one kind. */
const maxBuckets = 50_000;
/** Buckets examined for one to remove. */
const lookedAt = 16;

/** A token bucket for each source (a credential, or the address of an unknown caller), in memory. */
export class RateLimiter {
  readonly #kinds = new Map<RatedKind, Buckets>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Takes one token.
   * @param perMinute tokens that come back in a minute
   * @param burst maximum of saved tokens
   */
  take(kind: RatedKind, source: string, perMinute: number, burst: number): Allowance {
    const bucket = this.#refill(kind, source, perMinute, burst);
    if (bucket.tokens < 1) {
      const retryAfter = Math.max(1, Math.ceil(((1 - bucket.tokens) * 60) / perMinute));
      return { allowed: false, limit: perMinute, remaining: 0, retryAfter };
    }
    bucket.tokens -= 1;
    return { allowed: true, limit: perMinute, remaining: Math.floor(bucket.tokens), retryAfter: 0 };
  }

  /**
   * Takes tokens for work that was done already. What is not there is owed: requests wait until it has come back.
   * @returns what is left, for the response
   */
  charge(kind: RatedKind, source: string, perMinute: number, burst: number, tokens: number): Allowance {
    const bucket = this.#refill(kind, source, perMinute, burst);
    bucket.tokens -= tokens;
    return { allowed: true, limit: perMinute, remaining: Math.max(0, Math.floor(bucket.tokens)), retryAfter: 0 };
  }

  /** The bucket of a source, filled up to now. */
  #refill(kind: RatedKind, source: string, perMinute: number, burst: number): Bucket {
    const now = this.#clock.now();
    const buckets = this.#kinds.get(kind) ?? new Buckets();
    this.#kinds.set(kind, buckets);
    const bucket = buckets.find(source) ?? buckets.add(source, { tokens: burst, at: now, perMinute, burst });
    bucket.perMinute = perMinute;
    bucket.burst = burst;
    bucket.tokens = tokensAt(bucket, now);
    bucket.at = now;
    return bucket;
  }
}

function tokensAt({ tokens, at, perMinute, burst }: Bucket, now: number): number {
  return Math.min(burst, tokens + (Math.max(0, now - at) * perMinute) / 60_000);
}

/**
 * The buckets of one kind. Without room for another, the hand of a clock examines a few. It removes those full again,
 * since they hold no information, or else the fullest. So a flood of new sources costs the same for each. It gives
 * nothing back to a source without tokens left.
 */
class Buckets {
  readonly #bySource = new Map<string, Bucket>();
  #hand = this.#bySource.entries();

  find(source: string): Bucket | undefined {
    return this.#bySource.get(source);
  }

  add(source: string, bucket: Bucket): Bucket {
    if (this.#bySource.size >= maxBuckets) this.#makeRoom(bucket.at);
    this.#bySource.set(source, bucket);
    return bucket;
  }

  #makeRoom(now: number): void {
    let fullest: string | undefined;
    let minLack = Number.POSITIVE_INFINITY;
    let isFreed = false;
    for (let looked = 0; looked < lookedAt; looked += 1) {
      const [source, bucket] = this.#next();
      const lack = 1 - tokensAt(bucket, now) / bucket.burst;
      if (lack <= 0) isFreed = this.#bySource.delete(source);
      else if (lack < minLack) [fullest, minLack] = [source, lack];
    }
    if (!isFreed && fullest !== undefined) this.#bySource.delete(fullest);
  }

  /** The next one, from the beginning again after the last. There are many. */
  #next(): [string, Bucket] {
    let step = this.#hand.next();
    if (step.done === true) {
      this.#hand = this.#bySource.entries();
      step = this.#hand.next();
    }
    if (step.done === true) throw new Error('There are no buckets.');
    return step.value;
  }
}
