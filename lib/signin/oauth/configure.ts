import type { JsonWebKey } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Configuration, interactionPolicy, KoaContextWithOIDC } from 'oidc-provider';
import { errorPage } from '../pages/message-pages.js';
import { pageHeaders } from '../pages/render-page.js';
import { asUndecided, hashClientSecret, OAuthAdapter } from './adapter.js';
import { makeClientId } from './client-id.js';
import type { ClientMetadata } from './client-metadata.js';
import type { FetchDocument } from './fetch-document.js';
import type { OAuthDependencies, PersonHere } from './oauth-dependencies.js';
import { lifetimes } from './lifetimes.js';
import type { OAuthLibrary } from './load-library.js';
import { canonicalResource, oauthScopes, resourceOf } from './resource.js';
import { oauthPaths } from './oauth-routes.js';
import { hashId } from './seal-entry.js';
import { pathToSignIn, SignInFirst } from './sign-in-first.js';

export interface ProviderOptions {
  readonly library: OAuthLibrary;
  /** Without a slash at the end: the issuer. */
  readonly publicUrl: string;
  /** A proxy's path prefix for the service; '' for the root. */
  readonly base: string;
  readonly cookieKey: string;
  /** For recognising the ids of registered clients. */
  readonly clientKey: Uint8Array;
  readonly signingKeys: readonly JsonWebKey[];
  readonly fetchDocument: FetchDocument;
  /** Where a request came from, as it is counted. */
  readonly addressOf: (request: IncomingMessage) => string;
}

/** Fetches of clients' documents in a minute: for one address, and for one client with a consent. */
const fetchesPerMinute = 60;
/** Characters of the address of such a document: the consent page shows all of it. */
const maxDocumentAddressLength = 500;
const signingAlgorithm = 'ES256';
/** One person's unanswered requests of applications; of more, the oldest goes. */
const maxOpen = 20;

/** The settings of oidc-provider: OAuth 2.1 for one resource, with nothing else enabled. */
export function configureProvider(host: OAuthDependencies, options: ProviderOptions): Configuration {
  const { publicUrl, base, library } = options;
  return {
    adapter: (kind: string) => new OAuthAdapter(kind, host, options.clientKey),
    routes: { ...oauthPaths },
    jwks: { keys: [...options.signingKeys] },
    cookies: configureCookies(publicUrl, options.cookieKey),
    // OAuth scopes of the resource have to stand here, too. Otherwise a registration with them is refused.
    scopes: ['openid', 'offline_access', ...oauthScopes],
    claims: { openid: ['sub'] },
    responseTypes: ['code'],
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    clientDefaults: {
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      // The default is RS256, and there is no key for it: every registration would be refused.
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
    // The endpoints for scripts read no cookie, so the origin of the script's page does not matter.
    clientBasedCORS: () => true,
    fetch: options.fetchDocument as NonNullable<Configuration['fetch']>,
    features: configureFeatures(host, options),
    interactions: {
      policy: makePolicy(library, host),
      url: ({ req }, { uid }) => {
        const owner = findPerson(host, req)?.identityId;
        if (owner !== undefined) host.file.oauth.nameOwner('Interaction', hashId('Interaction', uid), owner, maxOpen);
        return `${base}${oauthPaths.interaction}/${uid}`;
      },
    },
    // A consent is asked for each time, and an earlier one never counts for it.
    loadExistingGrant: async ({ oidc }) => {
      const grantId = oidc.result?.consent?.grantId;
      return grantId === undefined ? undefined : oidc.provider.Grant.find(grantId);
    },
    revokeGrantPolicy: () => true,
    findAccount: async (_context, id) => {
      const isKnown = host.membershipsOf(id).length > 0;
      return isKnown ? { accountId: id, claims: async () => ({ sub: id }) } : undefined;
    },
    renderError: (context, out, error) => renderError(context, base, out, error),
  };
}

/**
 * Names with a meaning to browsers: with `__Host-` a cookie comes from this very host over TLS (RFC 6265bis §4.1.3).
 * The other two are held to the path of one sign-in, so several can be under way, and `__Host-` allows no path.
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
  host: OAuthDependencies,
  { publicUrl, library: { errors }, addressOf, clientKey }: ProviderOptions,
): NonNullable<Configuration['features']> {
  const resource = resourceOf(publicUrl);
  return {
    devInteractions: { enabled: false },
    dPoP: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    userinfo: { enabled: false },
    registration: configureRegistration(host, clientKey),
    revocation: { enabled: true, allowedPolicy: async (_context, client, token) => token.clientId === client.clientId },
    introspection: {
      enabled: true,
      allowedPolicy: async (_context, client, token) => token.clientId === client.clientId,
    },
    clientIdMetadataDocument: {
      enabled: true,
      ack: 'draft-02',
      allowFetch: async ({ req }, clientId) => {
        if (clientId.length > maxDocumentAddressLength) return false;
        // A client with a consent is counted apart, so no stranger can use up its allowance.
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

type Registering = NonNullable<NonNullable<Configuration['features']>['registration']>;

/** A client's id carries its own words, and the hash of its secret where it gets one. */
function configureRegistration({ randomness }: OAuthDependencies, key: Uint8Array): Registering {
  const secrets = new WeakMap<KoaContextWithOIDC, string>();
  return {
    enabled: true,
    issueRegistrationAccessToken: false,
    idFactory(context) {
      const metadata: ClientMetadata = context.oidc.body ?? {};
      if (metadata['token_endpoint_auth_method'] === 'none') return makeClientId({ metadata }, key, randomness);
      const secret = Buffer.from(randomness.bytes(32)).toString('base64url');
      secrets.set(context, secret);
      return makeClientId({ metadata, secretHash: hashClientSecret(secret) }, key, randomness);
    },
    secretFactory: (context) => secrets.get(context) ?? '',
  };
}

/** A request without the resource's scopes is offered all of the client's: otherwise the client could do nothing. */
function askForUsualScopes({ oidc }: KoaContextWithOIDC, allowed: string | undefined): void {
  const { params } = oidc;
  if (params === undefined) return;
  const asked = typeof params['scope'] === 'string' ? params['scope'].split(' ') : [];
  if (oauthScopes.some((scope) => asked.includes(scope))) return;
  const usual = oauthScopes.filter((scope) => allowed === undefined || allowed.split(' ').includes(scope));
  params['scope'] = [...asked, ...usual].join(' ');
}

/** @throws Error with the status 503 when it cannot be decided */
function findPerson(host: OAuthDependencies, request: IncomingMessage): PersonHere | undefined {
  try {
    return host.readSession(request.headers.cookie);
  } catch (cause) {
    throw asUndecided(cause);
  }
}

/** Always ask: any program can imitate a client on a person's own machine (RFC 8252 §8.6). */
function makePolicy(library: OAuthLibrary, host: OAuthDependencies): interactionPolicy.Prompt[] {
  const { Check, Prompt } = library.interactionPolicy;
  return [
    new Prompt(
      { name: 'login', requestable: true },
      new Check('not_signed_in', 'The person has to sign in', 'login_required', ({ oidc, req }) => {
        if (oidc.session?.accountId !== undefined) return Check.NO_NEED_TO_PROMPT;
        // A request without a person in front of it is answered, and leaves nothing behind.
        const isFirst = oidc.route === 'authorization' && !oidc.promptPending('none');
        if (isFirst && findPerson(host, req) === undefined) throw new SignInFirst();
        return Check.REQUEST_PROMPT;
      }),
    ),
    new Prompt(
      { name: 'consent', requestable: true },
      new Check('not_asked', 'The person has to be asked', 'consent_required', ({ oidc }) =>
        oidc.result?.consent === undefined ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT,
      ),
    ),
  ];
}

/** A person whose way back is unverified sees the error here. */
function renderError(
  context: KoaContextWithOIDC,
  base: string,
  out: { error: string; error_description?: string | undefined },
  error: unknown,
): void {
  if (error instanceof SignInFirst) {
    const path = pathToSignIn(context.querystring, base);
    if (path !== undefined) return context.redirect(path);
    context.status = 414;
  }
  for (const [name, value] of Object.entries(pageHeaders())) context.set(name, value);
  context.type = 'html';
  const reason = explain(out, error);
  context.body = errorPage({
    base,
    title: 'The application could not be connected',
    message: `${reason}${/[.!?]$/.test(reason) ? '' : '.'} Go back to the application and start again from there.`,
    requestId: String(context.res.getHeader('x-request-id')),
  });
}

function explain(out: { error: string; error_description?: string | undefined }, error: unknown): string {
  if (error instanceof SignInFirst) return 'Its request is too long';
  return out.error === 'server_error' ? 'Something failed on our side.' : (out.error_description ?? out.error);
}
