import { createCipheriv, createDecipheriv, createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../domain/clock.js';
import { invalidRequest } from '../domain/refusal.js';

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

const algorithm = 'aes-256-ctr';
/** Bytes of the code that proves a cursor to be ours; the content is encrypted under it. */
const codeLength = 16;
/** Bytes of the time until which a cursor opens, in milliseconds: enough for 8,900 years. */
const timeLength = 6;

/**
 * Seals list positions. They are encrypted, since a position can be a name. They are bound to their owner, since a
 * cursor belongs to its query and key. A model pays for each character, so the code that authenticates the content is
 * its nonce too (decision 0142).
 */
export class CursorSealer {
  readonly #codeKey: Uint8Array;
  readonly #contentKey: Uint8Array;
  readonly #clock: Clock;

  /** @param key 32 bytes */
  constructor(key: Uint8Array, clock: Clock) {
    const derive = (purpose: string): Buffer => createHmac('sha256', key).update(purpose).digest();
    this.#codeKey = derive('cursor code');
    this.#contentKey = derive('cursor content');
    this.#clock = clock;
  }

  /** @param lifetime milliseconds until it stops opening; left out: a day */
  seal(position: string, owner: CursorOwner, lifetime = usualLifetime): string {
    const time = Buffer.alloc(timeLength);
    time.writeUIntBE(this.#clock.now() + lifetime, 0, timeLength);
    const content = Buffer.concat([time, Buffer.from(position)]);
    const code = this.#codeOf(content, owner);
    const cipher = createCipheriv(algorithm, this.#contentKey, code);
    return Buffer.concat([code, cipher.update(content), cipher.final()]).toString('base64url');
  }

  #codeOf(content: Uint8Array, owner: CursorOwner): Buffer {
    const whole = createHmac('sha256', this.#codeKey).update(ownerBytes(owner)).update(content).digest();
    return whole.subarray(0, codeLength);
  }

  /** @throws Refusal INVALID_REQUEST `bad_cursor`, the same for every fault */
  open(cursor: string, owner: CursorOwner): string {
    const position = this.#tryOpen(cursor, owner);
    if (position === undefined) {
      throw invalidRequest(
        'bad_cursor',
        'The cursor belongs to another question or another caller, or has expired. Start again without it.',
        {
          field: 'cursor',
        },
      );
    }
    return position;
  }

  #tryOpen(cursor: string, owner: CursorOwner): string | undefined {
    if (cursor.length > maxCursorLength || !/^[A-Za-z0-9_-]+$/.test(cursor)) return undefined;
    const bytes = Buffer.from(cursor, 'base64url');
    if (bytes.toString('base64url') !== cursor) return undefined;
    if (bytes.length < codeLength + timeLength) return undefined;
    const code = bytes.subarray(0, codeLength);
    const decipher = createDecipheriv(algorithm, this.#contentKey, code);
    const content = Buffer.concat([decipher.update(bytes.subarray(codeLength)), decipher.final()]);
    if (!timingSafeEqual(code, this.#codeOf(content, owner))) return undefined;
    if (content.readUIntBE(0, timeLength) <= this.#clock.now()) return undefined;
    return content.toString('utf8', timeLength);
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
