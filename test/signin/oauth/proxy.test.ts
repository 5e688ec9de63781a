import assert from 'node:assert/strict';
import { Browser } from '../../support/oauth/browser.js';
import { discover } from '../../support/oauth/client.js';
import { openOAuthServer, type OAuthServer } from '../../support/oauth/server.js';

const challenge = { code_challenge: 'a'.repeat(43), code_challenge_method: 'S256' };

for (const publicUrl of ['https://files.example.org', 'https://example.org/files']) {
  describe(`Behind a proxy that offers the service at ${publicUrl}`, () => {
    const base = new URL(publicUrl).pathname.replace(/\/$/, '');
    let server: OAuthServer;
    let inside: string;
    before(async () => {
      server = await openOAuthServer({ oauth: { publicUrl } });
      inside = server.server.rest.url;
    });
    after(() => server.close());

    async function register(): Promise<string> {
      const response = await fetch(`${inside}/oauth/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ redirect_uris: ['https://app.example/cb'], token_endpoint_auth_method: 'none' }),
      });
      return ((await response.json()) as { client_id: string }).client_id;
    }

    async function authorize(browser: Browser) {
      const query = new URLSearchParams({
        client_id: await register(),
        response_type: 'code',
        redirect_uri: 'https://app.example/cb',
        ...challenge,
      });
      return browser.get(`${inside}/oauth/authorize?${query.toString()}`);
    }

    it('every address is below it, whatever the request claims', async () => {
      const claims = { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' };
      const browser = new Browser();
      Object.assign(browser.headers, claims);
      for (const path of ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration']) {
        const { text } = await browser.get(`${inside}${path}`);
        const found = JSON.parse(text) as Record<string, string>;
        assert.equal(found['issuer'], publicUrl);
        assert.equal(found['token_endpoint'], `${publicUrl}/oauth/token`);
        assert.equal(found['authorization_endpoint'], `${publicUrl}/oauth/authorize`);
        assert.ok(!text.includes('evil'));
      }
      const { text } = await browser.get(`${inside}/.well-known/oauth-protected-resource`);
      assert.deepEqual((JSON.parse(text) as { resource: string }).resource, `${publicUrl}/mcp`);
      const asked = await authorize(browser);
      assert.ok(!asked.location.includes('evil'), asked.location);
    });

    it('is found where the standards have it: after the host, with the path behind', async () => {
      const paths = [
        `/.well-known/oauth-authorization-server${base}`,
        `/.well-known/openid-configuration${base}`,
        `/.well-known/oauth-protected-resource${base}/mcp`,
      ];
      for (const path of paths) assert.equal((await fetch(`${inside}${path}`)).status, 200, path);
      await assert.rejects(discover(inside), 'a client that goes around the proxy is told another issuer');
    });

    it('cookies are secure, held to this host or to one sign-in, and hidden from scripts', async () => {
      const browser = new Browser();
      const first = new URL((await authorize(browser)).location);
      assert.equal(first.pathname, `${base}/signin`);
      assert.ok(first.searchParams.get('return')?.startsWith(`${base}/oauth/authorize?`), 'a stranger signs in first');
      assert.equal(browser.cookies.size, 0);
      const { identityId } = await server.person();
      const { sessions } = server.host.service.people;
      const signedIn = { identityId, method: 'password', browser: 'Test', address: '127.0.0.1' } as const;
      browser.set('__Host-cartulary', sessions.begin(signedIn).secret);
      const asked = await authorize(browser);
      const path = new URL(asked.location).pathname;
      assert.match(path, new RegExp(`^${base}/oauth/interaction/[\\w-]+$`));
      const cookies = [...browser.cookies.values()].filter(({ name }) => name !== '__Host-cartulary');
      assert.deepEqual(
        cookies.map(({ name }) => name).toSorted(),
        ['request', 'request.sig', 'resume', 'resume.sig'].map((name) => `__Secure-cartulary_${name}`),
      );
      for (const { name, path: held, attributes } of cookies) {
        assert.match(attributes, /(?:^|; )secure(?:;|$)/i, name);
        assert.match(attributes, /httponly/i, name);
        assert.match(attributes, /samesite=lax/i, name);
        assert.doesNotMatch(attributes, /domain=/i, name);
        assert.ok(held.startsWith(`${base}/oauth/`), held);
      }
    });
  });
}
