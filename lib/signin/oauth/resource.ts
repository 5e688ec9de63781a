import type { OAuthScope } from '../../domain/access-token.js';

/** The scopes for clients, in the order of the offer. */
export const oauthScopes: readonly OAuthScope[] = ['org:read', 'org:write'];

/** The path for agents; the protected resource of RFC 9728. */
const resourcePath = '/mcp';

/** The resource's address: the audience of every access token. */
export function resourceOf(publicUrl: string): string {
  return `${publicUrl}${resourcePath}`;
}

/**
 * The canonical form of a resource indicator (RFC 8707). Clients name the service by its address or by the resource's,
 * with a slash at the end or without. All these forms mean the one resource.
 * @returns the unchanged indicator where it means another resource
 */
export function canonicalResource(indicator: string, publicUrl: string): string {
  if (!URL.canParse(indicator)) return indicator;
  const { href, hash } = new URL(indicator);
  if (hash !== '') return indicator;
  const bare = href.replace(/\/$/, '');
  const resource = resourceOf(publicUrl);
  return bare === new URL(publicUrl).href.replace(/\/$/, '') || bare === new URL(resource).href ? resource : indicator;
}

/** RFC 9728: the facts about the resource for a client's token request. */
export function describeResource(publicUrl: string): Readonly<Record<string, unknown>> {
  return {
    resource: resourceOf(publicUrl),
    authorization_servers: [publicUrl],
    scopes_supported: oauthScopes,
    bearer_methods_supported: ['header'],
    resource_name: 'Cartulary',
  };
}

/** The paths of that description: at the root, and with the resource's path inserted (RFC 9728 §3.1). */
export function resourceMetadataPaths(publicUrl: string): string[] {
  const base = '/.well-known/oauth-protected-resource';
  const prefix = new URL(publicUrl).pathname.replace(/\/$/, '');
  return [...new Set([base, `${base}${resourcePath}`, `${base}${prefix}`, `${base}${prefix}${resourcePath}`])];
}
