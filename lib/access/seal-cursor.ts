import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
import type { Clock, Randomness } from '../domain/clock.js';
import { invalidRequest } from '../domain/refusal.js';

/** What a cursor belongs to: it opens nowhere else (specification, Conventions 5). */
export interface CursorOwner {
  /** Credential id, or another name of the one who asks. */
  readonly credential: string;
  readonly route: string;
  /** The query's parameters, without the cursor. */
  readonly query: Readonly<Record<string, unknown>>;
}

const usualLifetime = 24 * 60 * 60 * 1000;
const nonceLength = 12;
const tagLength = 16;
const maxCursorLength = 8192;

/**
 * Seals list positions: encrypted, since a position can be a name, and bound to their owner, since a cursor
 * belongs to the query and the key that produced it.
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

  /** @param lifetime milliseconds after which it does not open any more; left out: a day */
  seal(position: string, owner: CursorOwner, lifetime = usualLifetime): string {
    const nonce = this.#randomness.bytes(nonceLength);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce, { authTagLength: tagLength });
    cipher.setAAD(ownerBytes(owner));
    const time = Buffer.alloc(8);
    time.writeBigUInt64BE(BigInt(this.#clock.now() + lifetime));
    const sealed = Buffer.concat([cipher.update(time), cipher.update(position, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, sealed, cipher.getAuthTag()]).toString('base64url');
  }

  /** @throws Refusal INVALID_REQUEST `bad_cursor`, the same for whatever is wrong with it */
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
    if (bytes.length < nonceLength + 8 + tagLength || bytes.toString('base64url') !== cursor) return undefined;
    const options = { authTagLength: tagLength };
    const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, nonceLength), options);
    decipher.setAAD(ownerBytes(owner));
    decipher.setAuthTag(bytes.subarray(-tagLength));
    try {
      const opened = Buffer.concat([decipher.update(bytes.subarray(nonceLength, -tagLength)), decipher.final()]);
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
