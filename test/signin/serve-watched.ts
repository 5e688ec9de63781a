import { makeSystemRandomness } from '../../lib/app/real-world.js';
import { Upstream } from '../../lib/signin/upstream.js';
import { tellFacts } from '../support/processes/event-loop.js';
import { openTestServer } from '../support/http/server.js';
import { OAuthClient } from '../support/oauth/client.js';
import { OAuthServer } from '../support/oauth/server.js';
import { UpstreamProvider } from './upstream-provider.js';

/** The facts for the test of the bounds. */
export interface WatchedSignIn {
  readonly url: string;
  /** A client that registered itself, with a secret. */
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
  /** The cookies of a browser with a signed-in person and a client's open request. */
  readonly cookies: string;
  /** Its page. */
  readonly interaction: string;
  /** An unfetched code, a refresh token and an access token, all in force. */
  readonly tokens: readonly string[];
}

/*
 * All of sign-in and OAuth in a watched process, with a signed-in person, an application with consent, and another
 * provider. A proxy in front names the client addresses, so that no rate limit interferes.
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
