import type { JsonWebKey } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Configuration, interactionPolicy, KoaContextWithOIDC } from 'oidc-provider';
import { errorPage } from '../pages/tell.js';
import { pageHeaders } from '../pages/page.js';
import { OAuthAdapter } from './adapter.js';
import type { FetchDocument } from './fetch-document.js';
import type { OAuthHost } from './host.js';
import { lifetimes } from './lifetimes.js';
import type { OAuthLibrary } from './load-library.js';
import { makeTokenEvents } from './record-consent.js';
import { canonicalResource, oauthScopes, resourceOf } from './resource.js';

export interface ProviderOptions {
  readonly library: OAuthLibrary;
  /** Without a slash at the end: the issuer. */
  readonly publicUrl: string;
  /** The path under which a proxy offers the service; '' where that is the root. */
  readonly base: string;
  readonly cookieKey: string;
  readonly signingKeys: readonly JsonWebKey[];
  readonly fetchDocument: FetchDocument;
  /** Where a request came from, as it is counted. */
  readonly addressOf: (request: IncomingMessage) => string;
}

/** Paths within the service. */
export const oauthPaths = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  registration: '/oauth/register',
  revocation: '/oauth/revoke',
  introspection: '/oauth/introspect',
  jwks: '/oauth/jwks',
  interaction: '/oauth/interaction',
} as const;

/** Documents of clients that are fetched in a minute: for one address, and for one client that somebody let in. */
const fetchesPerMinute = 60;
const signingAlgorithm = 'ES256';

/** How oidc-provider is set up here: OAuth 2.1 for one resource, and nothing that it does not need. */
export function configureProvider(host: OAuthHost, options: ProviderOptions): Configuration {
  const { publicUrl, base, library } = options;
  const events = makeTokenEvents(host);
  return {
    adapter: (kind: string) => new OAuthAdapter(kind, host, events),
    routes: { ...oauthPaths },
    jwks: { keys: [...options.signingKeys] },
    cookies: configureCookies(publicUrl, options.cookieKey),
    // OAuth scopes of the resource have to stand here, too, or a registration that names them is refused.
    scopes: ['openid', 'offline_access', ...oauthScopes],
    claims: { openid: ['sub'] },
    responseTypes: ['code'],
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    clientDefaults: {
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      // The default is RS256, for which there is no key: every registration would be refused.
      id_token_signed_response_alg: signingAlgorithm,
      token_endpoint_auth_method: 'client_secret_basic',
    },
    enabledJWA: { idTokenSigningAlgValues: [signingAlgorithm] },
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: (_context, client) => client.grantTypeAllowed('refresh_token'),
    expiresWithSession: () => false,
    ttl: {
      AccessToken: lifetimes.accessToken,
      AuthorizationCode: lifetimes.authorizationCode,
      RefreshToken: lifetimes.refreshToken,
      Grant: lifetimes.grant,
      IdToken: lifetimes.idToken,
      Interaction: lifetimes.interaction,
      Session: lifetimes.session,
    },
    // The endpoints that scripts call look at no cookie, so it does not matter whose page the script is on.
    clientBasedCORS: () => true,
    fetch: options.fetchDocument as NonNullable<Configuration['fetch']>,
    features: configureFeatures(host, options),
    interactions: {
      policy: makePolicy(library),
      url: (_context, { uid }) => `${base}${oauthPaths.interaction}/${uid}`,
    },
    // A consent is asked for each time, and one that was given before is never taken for it.
    loadExistingGrant: async ({ oidc }) => {
      const grantId = oidc.result?.consent?.grantId;
      return grantId === undefined ? undefined : oidc.provider.Grant.find(grantId);
    },
    revokeGrantPolicy: () => true,
    findAccount: async (_context, id) => {
      const isKnown = host.membershipsOf(id).length > 0;
      return isKnown ? { accountId: id, claims: async () => ({ sub: id }) } : undefined;
    },
    renderError: (context, out) => renderError(context, base, out),
  };
}

/**
 * The names that browsers hold to: with `__Host-` a cookie comes from this very host over TLS (RFC 6265bis §4.1.3). The
 * other two are held to the path of one sign-in, so that several can be under way, and `__Host-` allows no path.
 */
function configureCookies(publicUrl: string, key: string): NonNullable<Configuration['cookies']> {
  const isSecure = publicUrl.startsWith('https:');
  const options = { httpOnly: true, sameSite: 'lax', signed: true, secure: isSecure, path: '/' } as const;
  const { path: _, ...held } = options;
  return {
    keys: [key],
    names: {
      session: isSecure ? '__Host-cartulary_oauth' : 'cartulary_oauth',
      interaction: isSecure ? '__Secure-cartulary_request' : 'cartulary_request',
      resume: isSecure ? '__Secure-cartulary_resume' : 'cartulary_resume',
    },
    long: options,
    short: held,
  };
}

function configureFeatures(
  host: OAuthHost,
  { publicUrl, library: { errors }, addressOf }: ProviderOptions,
): NonNullable<Configuration['features']> {
  const resource = resourceOf(publicUrl);
  return {
    devInteractions: { enabled: false },
    dPoP: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    userinfo: { enabled: false },
    registration: { enabled: true, issueRegistrationAccessToken: false },
    revocation: { enabled: true, allowedPolicy: async (_context, client, token) => token.clientId === client.clientId },
    introspection: {
      enabled: true,
      allowedPolicy: async (_context, client, token) => token.clientId === client.clientId,
    },
    clientIdMetadataDocument: {
      enabled: true,
      ack: 'draft-02',
      allowFetch: async ({ req }, clientId) => {
        // A client that somebody let in is asked for apart, so that no stranger can use up what it needs.
        const isLetIn = host.file.oauth.hasGrantOf(clientId, host.clock.now());
        const kind = isLetIn ? 'known document' : 'document';
        const source = isLetIn ? clientId : addressOf(req);
        if (host.limiter.take(kind, source, fetchesPerMinute, fetchesPerMinute).allowed) return true;
        const error = new errors.TemporarilyUnavailable('Too many documents of clients were asked for.');
        throw Object.assign(error, { status: 503, statusCode: 503 });
      },
      cacheDuration: { min: 60, max: 3600 },
    },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => resource,
      useGrantedResource: () => true,
      getResourceServerInfo(context, indicator, client) {
        if (canonicalResource(indicator, publicUrl) !== resource) throw new errors.InvalidTarget();
        if (context.oidc.route === 'authorization') askForUsualScopes(context, client.scope);
        return {
          scope: oauthScopes.join(' '),
          audience: resource,
          accessTokenFormat: 'opaque',
          accessTokenTTL: lifetimes.accessToken,
        };
      },
    },
  };
}

/** Who asks for none of the resource's scopes is offered all that the client may have: otherwise it could do nothing. */
function askForUsualScopes({ oidc }: KoaContextWithOIDC, allowed: string | undefined): void {
  const { params } = oidc;
  if (params === undefined) return;
  const asked = typeof params['scope'] === 'string' ? params['scope'].split(' ') : [];
  if (oauthScopes.some((scope) => asked.includes(scope))) return;
  const usual = oauthScopes.filter((scope) => allowed === undefined || allowed.split(' ').includes(scope));
  params['scope'] = [...asked, ...usual].join(' ');
}

/** Always ask: a client on somebody's own machine can be imitated by any other (RFC 8252 §8.6). */
function makePolicy(library: OAuthLibrary): interactionPolicy.Prompt[] {
  const { Check, Prompt } = library.interactionPolicy;
  return [
    new Prompt(
      { name: 'login', requestable: true },
      new Check('not_signed_in', 'The person has to sign in', 'login_required', ({ oidc }) =>
        oidc.session?.accountId === undefined ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT,
      ),
    ),
    new Prompt(
      { name: 'consent', requestable: true },
      new Check('not_asked', 'The person has to be asked', 'consent_required', ({ oidc }) =>
        oidc.result?.consent === undefined ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT,
      ),
    ),
  ];
}

/** Whoever cannot be sent back, since it is not known that the address is the client's, is told here. */
function renderError(
  context: KoaContextWithOIDC,
  base: string,
  out: { error: string; error_description?: string | undefined },
): void {
  for (const [name, value] of Object.entries(pageHeaders())) context.set(name, value);
  context.type = 'html';
  const reason = out.error === 'server_error' ? 'Something failed on our side.' : (out.error_description ?? out.error);
  context.body = errorPage({
    base,
    title: 'The application could not be connected',
    message: `${reason}${/[.!?]$/.test(reason) ? '' : '.'} Go back to the application and start again from there.`,
    requestId: String(context.res.getHeader('x-request-id')),
  });
}
