import type { ServerResponse } from 'node:http';

/** Our cookies, from every part of the sign-in, with the signatures of oidc-provider. */
const ownName = /^(?:__Host-|__Secure-)?cartulary(?:[-_][a-z]+)?(?:\.sig)?$/;
/** Characters of one cookie: no browser keeps more (RFC 6265 §6.1). */
const maxCookieLength = 4096;

/**
 * Keeps our cookies of a `Cookie` header: the first of each name, since that one is read. Cookies of other services on
 * the same domain are dropped, at any length: refusing them would lock honest people out.
 * @returns undefined where nothing is left
 */
export function keepOwnCookies(header: string | undefined): string | undefined {
  const kept = new Map<string, string>();
  for (const pair of (header ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at < 1 || pair.length > maxCookieLength) continue;
    const name = pair.slice(0, at).trim();
    if (ownName.test(name) && !kept.has(name)) kept.set(name, pair.trim());
  }
  return kept.size === 0 ? undefined : [...kept.values()].join('; ');
}

/**
 * Our cookies. Over https they carry the prefix `__Host-`, so no other host of the domain can set them (RFC 6265bis
 * §4.1.3.2). They have `SameSite=Lax`: an application's request to sign in comes from elsewhere, and has to find the
 * signed-in person. Every change is a POST, and a POST from elsewhere brings no such cookie.
 */
export class Cookies {
  readonly #isSecure: boolean;

  constructor(isSecure: boolean) {
    this.#isSecure = isSecure;
  }

  /** @param header `Cookie` as it was sent; the first of several with the name counts */
  read(header: string | undefined, name: string): string | undefined {
    const full = this.#nameOf(name);
    for (const pair of (header ?? '').split(';')) {
      const at = pair.indexOf('=');
      if (at > 0 && pair.slice(0, at).trim() === full) return pair.slice(at + 1).trim();
    }
    return undefined;
  }

  /**
   * Lives as long as the browser unless a lifetime is given; the service knows its end.
   * @param value without characters for quoting
   * @param lifetime seconds
   */
  set(response: ServerResponse, name: string, value: string, lifetime?: number): void {
    const until = lifetime === undefined ? '' : `; Max-Age=${lifetime}`;
    response.appendHeader('Set-Cookie', `${this.#nameOf(name)}=${value}; ${this.#attributes}${until}`);
  }

  clear(response: ServerResponse, name: string): void {
    response.appendHeader('Set-Cookie', this.cleared(name));
  }

  /** The header `Set-Cookie` that ends a cookie. */
  cleared(name: string): string {
    return `${this.#nameOf(name)}=; ${this.#attributes}; Max-Age=0`;
  }

  get #attributes(): string {
    return `Path=/; HttpOnly; SameSite=Lax${this.#isSecure ? '; Secure' : ''}`;
  }

  #nameOf(name: string): string {
    return this.#isSecure ? `__Host-${name}` : name;
  }
}
