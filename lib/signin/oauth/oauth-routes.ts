import type { Method, RequestBounds } from '../../http/request-bounds.js';
import { resourceMetadataPaths } from './resource.js';

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

const metadataPaths = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'];

/** The component that answers: oidc-provider, the consent page, or the description of the protected resource. */
type Answerer = 'provider' | 'consent' | 'resource';

export interface OAuthRoute extends RequestBounds {
  /** In the log, too; `{id}` replaces the secret id there. */
  readonly path: string;
  readonly methods: readonly Method[];
  readonly by: Answerer;
}

/** None of these routes takes a query. */
const bare = { maxQueryLength: 200, maxPairs: 8 } as const;
/** A page or description for reading. */
const looked = { ...bare, maxBodyBytes: 0 } as const;
/** A form of a client: at most a dozen fields, and an address is the longest. */
const posted = { ...bare, maxPairs: 32, maxBodyBytes: 8 * 1024, methods: ['POST', 'OPTIONS'] } as const;

/** An authorization request has about a dozen parameters (RFC 6749 §4.1.1, OpenID Connect Core §3.1.2.1). */
const maxRequestLength = 4096;

/** The routes here, without the paths that depend on the service's address. */
const ownRoutes: readonly OAuthRoute[] = [
  {
    path: oauthPaths.authorization,
    methods: ['GET'],
    by: 'provider',
    maxQueryLength: maxRequestLength,
    maxPairs: 32,
    maxBodyBytes: 0,
  },
  { path: `${oauthPaths.authorization}/{id}`, methods: ['GET'], by: 'provider', ...looked },
  {
    path: `${oauthPaths.interaction}/{id}`,
    methods: ['GET', 'POST'],
    by: 'consent',
    ...bare,
    maxPairs: 16,
    maxBodyBytes: 4 * 1024,
  },
  { path: oauthPaths.token, by: 'provider', ...posted },
  { path: oauthPaths.registration, by: 'provider', ...posted },
  { path: oauthPaths.revocation, by: 'provider', ...posted },
  { path: oauthPaths.introspection, by: 'provider', ...posted },
  { path: oauthPaths.jwks, methods: ['GET', 'OPTIONS'], by: 'provider', ...looked },
];

/** A route, and how its answerer names the path. */
export interface FoundRoute {
  readonly route: OAuthRoute;
  readonly path: string;
}

/** Ids of oidc-provider have 43 characters. */
const pathWithId = /^(\/oauth\/[a-z]+)\/[\w-]{1,100}$/;

/**
 * Finds a path's route by its exact spelling. oidc-provider accepts other spellings, and they would evade the rates and
 * bounds here.
 */
export class OAuthRoutes {
  /** Every route as shown to a client; `{id}` stands for any id. */
  readonly all: readonly OAuthRoute[];
  readonly #byPath: ReadonlyMap<string, FoundRoute>;

  /** @param publicUrl where clients find the service, without a slash at the end */
  constructor(publicUrl: string) {
    const base = new URL(publicUrl).pathname.replace(/\/$/, '');
    // RFC 8414 §3 has the issuer's path inserted after the path of the description.
    const described = metadataPaths.flatMap((path) =>
      [...new Set([path, `${path}${base}`])].map((each): [string, FoundRoute] => [
        each,
        { path, route: { path: each, methods: ['GET', 'OPTIONS'], by: 'provider', ...looked } },
      ]),
    );
    const resource = resourceMetadataPaths(publicUrl).map((path): [string, FoundRoute] => [
      path,
      { path, route: { path, methods: ['GET', 'OPTIONS'], by: 'resource', ...looked } },
    ]);
    const own = ownRoutes.map((route): [string, FoundRoute] => [route.path, { path: route.path, route }]);
    this.#byPath = new Map([...own, ...described, ...resource]);
    this.all = [...this.#byPath.values()].map(({ route }) => route);
  }

  /** @returns undefined for an unknown path */
  find(path: string): FoundRoute | undefined {
    const start = pathWithId.exec(path)?.[1];
    if (start === undefined) return path.includes('{') ? undefined : this.#byPath.get(path);
    const found = this.#byPath.get(`${start}/{id}`);
    return found === undefined ? undefined : { route: found.route, path };
  }

  /** Whether the path is one of those outside `/oauth/`. */
  isMetadata(path: string): boolean {
    return !path.startsWith('/oauth/') && this.#byPath.has(path);
  }
}
