import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { makeSecret } from '../access/secret.js';
import type { Randomness } from '../domain/clock.js';
import { invalidRequest } from '../domain/refusal.js';
import type { Cookies } from './cookies.js';

const cookieName = 'cartulary-form';
const secretPattern = /^[0-9a-x]{52}$/;

/**
 * Proves that a form came from a page of ours in the same browser. Its field `csrf` is made from a cookie of this
 * browser alone, and from the session where there is one.
 */
export class FormProof {
  readonly #cookies: Cookies;
  readonly #key: Uint8Array;
  readonly #randomness: Randomness;
  readonly #origin: string | null;

  /** @param origin of the forms; null where several names of this machine will do */
  constructor(cookies: Cookies, key: Uint8Array, randomness: Randomness, origin: string | null) {
    this.#cookies = cookies;
    this.#key = key;
    this.#randomness = randomness;
    this.#origin = origin;
  }

  /**
   * For the field `csrf`; gives the browser the cookie where it has none. @param sessionId of the form's later sender
   */
  issue(request: IncomingMessage, response: ServerResponse, sessionId = ''): string {
    let secret = this.#readSecret(request);
    if (secret === undefined) {
      secret = makeSecret(this.#randomness);
      this.#cookies.set(response, cookieName, secret);
    }
    return this.#make(secret, sessionId).toString('base64url');
  }

  /**
   * @param proof the field `csrf` as it was sent
   * @throws Refusal INVALID_REQUEST `stale_form`
   */
  require(request: IncomingMessage, proof: string | undefined, sessionId = ''): void {
    const secret = this.#readSecret(request);
    const sent = Buffer.from(proof ?? '', 'base64url');
    if (this.#comesFromHere(request) && secret !== undefined) {
      const expected = this.#make(secret, sessionId);
      if (sent.length === expected.length && timingSafeEqual(sent, expected)) return;
    }
    throw invalidRequest('stale_form', 'The form has expired, or was not sent from this page. Open the page again.');
  }

  /** Whether the browser's headers place the form here. A page without referrers has the origin `null`. */
  #comesFromHere({ headers }: IncomingMessage): boolean {
    const site = headers['sec-fetch-site'];
    if (site !== undefined && site !== 'same-origin') return false;
    const { origin } = headers;
    if (origin === undefined || origin === 'null') return true;
    if (this.#origin !== null) return origin === this.#origin;
    return URL.canParse(origin) && new URL(origin).host === headers.host;
  }

  #readSecret(request: IncomingMessage): string | undefined {
    const secret = this.#cookies.read(request.headers.cookie, cookieName);
    return secret !== undefined && secretPattern.test(secret) ? secret : undefined;
  }

  #make(secret: string, sessionId: string): Buffer {
    return createHmac('sha256', this.#key).update(`form:${secret}:${sessionId}`).digest();
  }
}
