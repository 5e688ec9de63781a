import { makeSystemRandomness } from '../../lib/app/real-world.js';
import { Upstream } from '../../lib/signin/upstream.js';
import { tellFacts } from '../support/processes/event-loop.js';
import { openTestServer } from '../support/http/server.js';
import { OAuthClient } from '../support/oauth/client.js';
import { OAuthServer } from '../support/oauth/server.js';
import { UpstreamProvider } from './upstream-provider.js';

/** What the test of the bounds is told. */
export interface WatchedSignIn {
  readonly url: string;
  /** A client that registered itself, with a secret. */
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
  /** The cookies of a browser in which a person is signed in, and in which a client's request is open. */
  readonly cookies: string;
  /** Its page. */
  readonly interaction: string;
  /** A code that was not fetched yet, a refresh token and an access token, all in force. */
  readonly tokens: readonly string[];
}

/*
 * Everything that people sign in by, and OAuth, in a process that is watched: with a person who is signed in, an
 * application that was let in, and another provider. A proxy in front says who asks, so that no rate stands in the way.
 */
const server = await openTestServer({ server: { trustProxy: 1 } });
const { issuer } = await UpstreamProvider.open(`${server.rest.url}/signin/upstream/callback`);
const settings = { issuer, clientId: 'cartulary', clientSecret: 'shared-with-cartulary', name: 'Example' };
const upstream = new Upstream(settings, makeSystemRandomness());
const oauth = await OAuthServer.start(server, {}, { upstream });
const client = await OAuthClient.register(oauth, { token_endpoint_auth_method: 'client_secret_post' });
const browser = oauth.browserOf(await oauth.person());
const tokens = await client.signIn(browser);
const { url } = await client.ask();
const open = await browser.follow(await browser.get(url));
const { pathname } = new URL(open.url);
const cookies = [...browser.cookies.values()].filter(({ path }) => pathname.startsWith(path));
tellFacts({
  url: oauth.url,
  clientId: client.client.client_id,
  clientSecret: client.client['client_secret'] as string,
  redirectUri: client.redirectUri,
  cookies: cookies.map(({ name, value }) => `${name}=${value}`).join('; '),
  interaction: pathname,
  tokens: [tokens.access_token, tokens.refresh_token ?? ''],
} satisfies WatchedSignIn);
