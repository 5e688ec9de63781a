import { scrypt, timingSafeEqual } from 'node:crypto';
import type { Randomness } from '../domain/clock.js';
import { dropTrailing } from '../domain/drop-trailing.js';
import { unavailable } from '../domain/refusal.js';

/** Characters of a password. */
export const maxPasswordLength = 1024;

/** scrypt's cost (RFC 7914). Its N is two to the power of `ln`. */
export interface PasswordCost {
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

/** 32 MiB and a tenth of a second. */
const usualCost: PasswordCost = { ln: 15, r: 8, p: 3 };
const hashLength = 32;
const saltLength = 16;
/** More at a time would take memory and cores from all other requests. */
const atOnce = 2;
/** Requests beyond are refused with a retry, before anything is computed for them. */
const maxQueue = 64;

/**
 * The source of an attempt. `known` is a person in a browser in which they have signed in before, or with a one-time
 * link. They have a queue of their own and are served first, so a flood of guesses does not keep them out.
 */
export type Asker = 'known' | 'stranger';

interface ParsedHash extends PasswordCost {
  readonly salt: Buffer;
  readonly hash: Buffer;
}

const hashPattern = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

function parseHash(text: string): ParsedHash {
  const match = hashPattern.exec(text);
  if (match === null) throw new Error('A stored password hash is not of a form that this release knows.');
  const [, ln = '', r = '', p = '', salt = '', hash = ''] = match;
  return {
    ln: Number(ln),
    r: Number(r),
    p: Number(p),
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  };
}

const encode = (bytes: Uint8Array): string => dropTrailing(Buffer.from(bytes).toString('base64'), '=');

function derive(password: string, { ln, r, p, salt }: Omit<ParsedHash, 'hash'>, length: number): Promise<Buffer> {
  const options = { N: 2 ** ln, r, p, maxmem: 256 * 2 ** ln * r };
  return new Promise((resolve, reject) => {
    // The same characters give the same password, however a keyboard composes them.
    scrypt(password.normalize('NFKC'), salt, length, options, (error, key) => {
      if (error === null) resolve(key);
      else reject(error);
    });
  });
}

/** Makes and checks password hashes, two at a time; the others wait their turn. */
export class PasswordHasher {
  readonly #randomness: Randomness;
  readonly #cost: PasswordCost;
  /** Compared against where there is no hash, so both ways take the same steps. */
  readonly #nobody: ParsedHash;
  readonly #waiting: Readonly<Record<Asker, (() => void)[]>> = { known: [], stranger: [] };
  #running = 0;

  /** @param cost of new hashes, and of names without one; a stored hash is checked at its own cost */
  constructor(randomness: Randomness, cost: PasswordCost = usualCost) {
    this.#randomness = randomness;
    this.#cost = cost;
    this.#nobody = {
      ...cost,
      salt: Buffer.from(randomness.bytes(saltLength)),
      hash: Buffer.from(randomness.bytes(hashLength)),
    };
  }

  /**
   * @returns the text to store: the parameters, the salt and the hash, in the usual form
   * @throws Refusal UNAVAILABLE when too many are waiting
   */
  async hash(password: string): Promise<string> {
    const salt = Buffer.from(this.#randomness.bytes(saltLength));
    const hash = await this.#inTurn('known', () => derive(password, { ...this.#cost, salt }, hashLength));
    const { ln, r, p } = this.#cost;
    return `$scrypt$ln=${ln},r=${r},p=${p}$${encode(salt)}$${encode(hash)}`;
  }

  /**
   * Computes a hash in every case, even without one to compare with, or for a password over the maximum length.
   * @param stored null or undefined for an unknown name, or a name without a password: never matches
   * @throws Refusal UNAVAILABLE when too many are waiting
   */
  async matches(password: string, stored: string | null | undefined, asker: Asker = 'stranger'): Promise<boolean> {
    const isStored = typeof stored === 'string';
    const expected = isStored ? parseHash(stored) : this.#nobody;
    const isTooLong = password.length > maxPasswordLength;
    // Cut before Unicode composition, whose time grows with the square of the length.
    const compared = password.slice(0, maxPasswordLength);
    const computed = await this.#inTurn(asker, () => derive(compared, expected, expected.hash.length));
    return timingSafeEqual(computed, expected.hash) && isStored && !isTooLong;
  }

  /**
   * For callers that count an attempt before its password is checked: an attempt refused here is not counted.
   * @throws Refusal UNAVAILABLE when too many are waiting
   */
  requireRoom(asker: Asker): void {
    if (this.#running >= atOnce && this.#waiting[asker].length >= maxQueue) {
      throw unavailable(new Error('Too many passwords wait to be hashed.'));
    }
  }

  async #inTurn<Result>(asker: Asker, work: () => Promise<Result>): Promise<Result> {
    if (this.#running >= atOnce) {
      this.requireRoom(asker);
      await new Promise<void>((go) => this.#waiting[asker].push(go));
    } else this.#running += 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.known.shift() ?? this.#waiting.stranger.shift();
      // The place passes to the next instead of becoming free, so no other attempt slips in between.
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}
