import type { ServerResponse } from 'node:http';

/** Cookies of ours, whichever part of the sign-in has set them, with the signatures that oidc-provider adds. */
const ownName = /^(?:__Host-|__Secure-)?cartulary(?:[-_][a-z]+)?(?:\.sig)?$/;
/** Characters of one cookie: no browser keeps more (RFC 6265 §6.1). */
const maxCookieLength = 4096;

/**
 * Keeps of a `Cookie` header what is ours: the first of each name, which is the one that is read. What other services of
 * the same domain have set is dropped, however much it is: refusing it would keep honest people out.
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
 * Our cookies. Over https they carry the prefix `__Host-`, so that no other host of the domain can set them (RFC 6265bis
 * §4.1.3.2). `SameSite=Lax`: an application's request to sign in comes from elsewhere, and has to find who is signed in;
 * everything that changes something is a POST, which brings no such cookie from elsewhere.
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
   * Lives as long as the browser does, unless told; the service knows when it ends.
   * @param value without characters that need quoting
   * @param lifetime seconds
   */
  set(response: ServerResponse, name: string, value: string, lifetime?: number): void {
    const until = lifetime === undefined ? '' : `; Max-Age=${lifetime}`;
    response.appendHeader('Set-Cookie', `${this.#nameOf(name)}=${value}; ${this.#attributes}${until}`);
  }

  clear(response: ServerResponse, name: string): void {
    response.appendHeader('Set-Cookie', `${this.#nameOf(name)}=; ${this.#attributes}; Max-Age=0`);
  }

  get #attributes(): string {
    return `Path=/; HttpOnly; SameSite=Lax${this.#isSecure ? '; Secure' : ''}`;
  }

  #nameOf(name: string): string {
    return this.#isSecure ? `__Host-${name}` : name;
  }
}
