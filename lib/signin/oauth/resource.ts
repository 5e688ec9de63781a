import type { OAuthScope } from '../../domain/access-token.js';

/** What clients may ask for, in the order in which it is offered. */
export const oauthScopes: readonly OAuthScope[] = ['org:read', 'org:write'];

/** Where agents knock; the protected resource of RFC 9728. */
const resourcePath = '/mcp';

/** The resource's address, which every access token names as its audience. */
export function resourceOf(publicUrl: string): string {
  return `${publicUrl}${resourcePath}`;
}

/**
 * The canonical form of a resource indicator (RFC 8707). Clients name the service by its address or by that of the
 * resource, with a slash at the end or without: they all mean the one resource that there is.
 * @returns the indicator as it was where it means something else
 */
export function canonicalResource(indicator: string, publicUrl: string): string {
  if (!URL.canParse(indicator)) return indicator;
  const { href, hash } = new URL(indicator);
  if (hash !== '') return indicator;
  const bare = href.replace(/\/$/, '');
  const resource = resourceOf(publicUrl);
  return bare === new URL(publicUrl).href.replace(/\/$/, '') || bare === new URL(resource).href ? resource : indicator;
}

/** RFC 9728: what a client must know of the resource to ask for a token. */
export function describeResource(publicUrl: string): Readonly<Record<string, unknown>> {
  return {
    resource: resourceOf(publicUrl),
    authorization_servers: [publicUrl],
    scopes_supported: oauthScopes,
    bearer_methods_supported: ['header'],
    resource_name: 'Cartulary',
  };
}

/** Where that is found: at the root, and with the resource's path inserted (RFC 9728 §3.1). */
export function resourceMetadataPaths(publicUrl: string): string[] {
  const base = '/.well-known/oauth-protected-resource';
  const prefix = new URL(publicUrl).pathname.replace(/\/$/, '');
  return [...new Set([base, `${base}${resourcePath}`, `${base}${prefix}`, `${base}${prefix}${resourcePath}`])];
}
