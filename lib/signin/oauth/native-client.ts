import { isLoopback } from '../loopback.js';

/** A client's description of itself, from a registration or a metadata document. */
export type ClientMetadata = Record<string, unknown>;

/**
 * Makes a description say what its addresses say already. Programs on people's own machines often leave out
 * `application_type`, for which OpenID Connect then reads `web`, and would be refused or held to one port (RFC 8252
 * §7.3). Whoever has an address that is not https is native, and the rules for native clients apply: http only to this
 * machine, and no scheme that a browser runs.
 */
export function completeClient(metadata: ClientMetadata): ClientMetadata {
  const { redirect_uris: uris } = metadata;
  const isNative = Array.isArray(uris) && uris.some((uri) => typeof uri === 'string' && !/^https:/i.test(uri));
  return isNative ? { ...metadata, application_type: 'native' } : metadata;
}

/** A client that is described by a document has no secret, unless it says otherwise and is refused. */
export function completeDocument(metadata: ClientMetadata): ClientMetadata {
  return { token_endpoint_auth_method: 'none', ...completeClient(metadata) };
}

/** Whether an answer goes to the person's own machine, where any program can listen (RFC 8252 §8.3). */
export function leadsToLoopback(uri: string): boolean {
  return URL.canParse(uri) && isLoopback(new URL(uri).hostname);
}

/** For people: the host and port that an answer goes to, or the scheme of a program. */
export function describeRedirect(uri: string): string {
  const { host, protocol } = new URL(uri);
  return /^https?:$/.test(protocol) && host !== '' ? host : protocol;
}

/**
 * For a page's policy: the origin or scheme that its form's answer leads on to. The scheme, too, where the host is an
 * address of IPv6, since a policy has no way to write one (Content Security Policy Level 3 §2.3.1).
 */
export function redirectTarget(uri: string): string {
  const { origin, protocol, hostname } = new URL(uri);
  return origin === 'null' || hostname.startsWith('[') ? protocol : origin;
}
