import { createHash } from 'node:crypto';
import type { Clock, Randomness } from '../domain/clock.js';
import { invalidRequest } from '../domain/refusal.js';
import { seal, unseal } from './seal.js';

/** The owner of a cursor: it opens nowhere else (specification, Conventions 5). */
export interface CursorOwner {
  /** Credential id, or another name of the caller. */
  readonly credential: string;
  readonly route: string;
  /** The query's parameters, without the cursor. */
  readonly query: Readonly<Record<string, unknown>>;
}

const usualLifetime = 24 * 60 * 60 * 1000;
const maxCursorLength = 8192;

/**
 * Seals list positions. They are encrypted, since a position can be a name. They are bound to their owner, since a
 * cursor belongs to its query and key.
 */
export class CursorSealer {
  readonly #key: Uint8Array;
  readonly #clock: Clock;
  readonly #randomness: Randomness;

  /** @param key 32 bytes */
  constructor(key: Uint8Array, clock: Clock, randomness: Randomness) {
    this.#key = key;
    this.#clock = clock;
    this.#randomness = randomness;
  }

  /** @param lifetime milliseconds until it stops opening; left out: a day */
  seal(position: string, owner: CursorOwner, lifetime = usualLifetime): string {
    const time = Buffer.alloc(8);
    time.writeBigUInt64BE(BigInt(this.#clock.now() + lifetime));
    const content = Buffer.concat([time, Buffer.from(position)]);
    return seal(this.#key, content, this.#randomness, ownerBytes(owner)).toString('base64url');
  }

  /** @throws Refusal INVALID_REQUEST `bad_cursor`, the same for every fault */
  open(cursor: string, owner: CursorOwner): string {
    const position = this.#tryOpen(cursor, owner);
    if (position === undefined) {
      throw invalidRequest('bad_cursor', 'The cursor is not one for this query and key. Start again without it.', {
        field: 'cursor',
      });
    }
    return position;
  }

  #tryOpen(cursor: string, owner: CursorOwner): string | undefined {
    if (cursor.length > maxCursorLength || !/^[A-Za-z0-9_-]+$/.test(cursor)) return undefined;
    const bytes = Buffer.from(cursor, 'base64url');
    if (bytes.toString('base64url') !== cursor) return undefined;
    try {
      const opened = unseal(this.#key, bytes, ownerBytes(owner));
      if (Number(opened.readBigUInt64BE()) <= this.#clock.now()) return undefined;
      return opened.toString('utf8', 8);
    } catch {
      return undefined;
    }
  }
}

function ownerBytes(owner: CursorOwner): Buffer {
  const query = Object.entries(owner.query)
    .filter(([, value]) => value !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([owner.credential, owner.route, query]))
    .digest();
}
