import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Provider } from 'oidc-provider';
import { loadLibrary, type OAuthLibrary } from '../../lib/signin/oauth/load-library.js';

/** The identity in the provider's next answer. */
export interface Somebody {
  readonly email?: string;
  readonly email_verified?: boolean;
}

/** Another provider, in whose browser a person is always signed in and agrees to everything. */
export class UpstreamProvider {
  readonly issuer: string;
  readonly #server: Server;
  /** Requests for authorization so far, as their queries. */
  readonly asked: URLSearchParams[] = [];
  somebody: Somebody = {};

  private constructor(server: Server, issuer: string) {
    this.#server = server;
    this.issuer = issuer;
  }

  static async open(redirectUri: string): Promise<UpstreamProvider> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const upstream = new UpstreamProvider(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const library = await loadLibrary(() => undefined);
    // Its complaint about missing parts for production does not matter here.
    const { warn } = console;
    console.warn = () => undefined;
    const provider = upstream.#makeProvider(library, redirectUri);
    console.warn = warn;
    const answer = provider.callback();
    server.on('request', (request, response) => {
      const url = new URL(request.url ?? '', upstream.issuer);
      if (url.pathname === '/auth') upstream.asked.push(url.searchParams);
      if (url.pathname !== '/agree') return void answer(request, response);
      void (async () => {
        const { params, grantId } = await provider.interactionDetails(request, response);
        const accountId = JSON.stringify(upstream.somebody);
        const grant =
          (grantId === undefined ? undefined : await provider.Grant.find(grantId)) ??
          new provider.Grant({ accountId, clientId: String(params['client_id']) });
        grant.addOIDCScope('openid email');
        const result = { login: { accountId, remember: false }, consent: { grantId: await grant.save() } };
        await provider.interactionFinished(request, response, result);
      })();
    });
    return upstream;
  }

  #makeProvider(library: OAuthLibrary, redirectUri: string): Provider {
    return new library.Provider(this.issuer, {
      clients: [{ client_id: 'cartulary', client_secret: 'shared-with-cartulary', redirect_uris: [redirectUri] }],
      cookies: { keys: ['test'] },
      claims: { email: ['email', 'email_verified'] },
      pkce: { required: () => true },
      features: { devInteractions: { enabled: false } },
      interactions: { url: () => '/agree' },
      ttl: { Session: 60, Interaction: 60, Grant: 60, AccessToken: 60, IdToken: 60 },
      findAccount: (_context, accountId) => ({
        accountId,
        claims: () => ({ sub: accountId, ...(JSON.parse(accountId) as Somebody) }),
      }),
    });
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
