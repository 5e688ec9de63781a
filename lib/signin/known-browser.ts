import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { makeSecret } from '../access/secret.js';
import type { Clock, Randomness } from '../domain/clock.js';
import type { StoredIdentity } from '../sidecar/tables/identity-table.js';
import type { Cookies } from './cookies.js';

const cookieName = 'cartulary-known';
/** Seconds for which a browser stays known: as long as browsers keep any cookie (RFC 6265bis §5.5). */
const lifetime = 400 * 24 * 60 * 60;
const pattern = /^([0-9a-z]{1,11})\.([0-9a-x]{52})\.([\w-]{43})$/;

/**
 * Distinguishes a person's known browser from a stranger's, so failed attempts of strangers do not make the person
 * wait. The cookie opens nothing and names no person. A key of the service proves it, and no copy is stored. A new
 * password makes every browser a stranger again, so collected cookies are useless later.
 */
export class KnownBrowser {
  readonly #cookies: Cookies;
  readonly #key: Uint8Array;
  readonly #clock: Clock;
  readonly #randomness: Randomness;

  constructor(cookies: Cookies, key: Uint8Array, clock: Clock, randomness: Randomness) {
    this.#cookies = cookies;
    this.#key = key;
    this.#clock = clock;
    this.#randomness = randomness;
  }

  /** From now on the browser is known, to this identity alone. */
  remember(response: ServerResponse, identity: StoredIdentity): void {
    const at = this.#clock.now().toString(36);
    const mark = makeSecret(this.#randomness);
    const proof = this.#prove(at, mark, identity).toString('base64url');
    this.#cookies.set(response, cookieName, `${at}.${mark}.${proof}`, lifetime);
  }

  /**
   * @param header `Cookie` as sent
   * @param identity of the attempted name; undefined where the name is unknown
   * @returns the browser's own mark; undefined for a stranger's
   */
  recognise(header: string | undefined, identity: StoredIdentity | undefined): string | undefined {
    const [, at = '', mark = '', proof = ''] = pattern.exec(this.#cookies.read(header, cookieName) ?? '') ?? [];
    const expected = this.#prove(at, mark, identity);
    const sent = Buffer.from(proof, 'base64url');
    if (sent.length !== expected.length || !timingSafeEqual(sent, expected)) return undefined;
    const isOver = Number.parseInt(at, 36) + lifetime * 1000 <= this.#clock.now();
    return isOver || identity === undefined ? undefined : mark;
  }

  #prove(at: string, mark: string, identity: StoredIdentity | undefined): Buffer {
    const whose = `${identity?.id ?? ''}:${identity?.passwordHash ?? ''}`;
    return createHmac('sha256', this.#key).update(`known:${at}:${mark}:${whose}`).digest();
  }
}
