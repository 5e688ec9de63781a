import { isLoopback } from '../loopback.js';

/** Whether an answer goes to the person's own machine, where any program can listen (RFC 8252 §8.3). */
export function leadsToLoopback(uri: string): boolean {
  return URL.canParse(uri) && isLoopback(new URL(uri).hostname);
}

/** For people: the host and port of an answer's target, or the scheme of a program. */
export function describeRedirect(uri: string): string {
  const { host, protocol } = new URL(uri);
  return /^https?:$/.test(protocol) && host !== '' ? host : protocol;
}

/**
 * For a page's policy: the origin or scheme of the form's final target. For a host with an IPv6 address it is the
 * scheme. A policy has no way to write such an address (Content Security Policy Level 3 §2.3.1).
 */
export function redirectTarget(uri: string): string {
  const { origin, protocol, hostname } = new URL(uri);
  return origin === 'null' || hostname.startsWith('[') ? protocol : origin;
}
