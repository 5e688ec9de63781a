import assert from 'node:assert/strict';
import { OAuthClient } from '../../support/oauth/client.js';
import { letIn, openOAuthServer, type Member, type OAuthServer } from '../../support/oauth/server.js';

describe('The resource of a token (RFC 8707)', () => {
  let server: OAuthServer;
  let person: Member;
  let client: OAuthClient;
  before(async () => {
    server = await openOAuthServer();
    person = await server.person();
    client = await OAuthClient.register(server);
  });
  after(() => server.close());

  const forms: readonly (readonly [string, (url: string) => string | undefined])[] = [
    ['left out', () => undefined],
    ['the service', (url) => url],
    ['the service with a slash', (url) => `${url}/`],
    ['the resource', (url) => `${url}/mcp`],
    ['the resource with a slash', (url) => `${url}/mcp/`],
  ];
  for (const [asked, ask] of forms) {
    for (const [exchanged, exchange] of forms) {
      it(`is the resource, asked for as ${asked}, exchanged as ${exchanged}`, async () => {
        const { url, verifier, state } = await client.ask({ resource: ask(server.url) });
        const answer = client.readAnswer(await letIn(server.browserOf(person), url), state);
        const response = await client.exchangeRaw(answer, verifier, exchange(server.url) ?? null);
        const tokens = (await response.json()) as { access_token: string };
        assert.equal((await client.introspect(tokens.access_token)).aud, `${server.url}/mcp`);
        assert.notEqual(server.face.readAccessToken(tokens.access_token), undefined);
      });
    }
  }

  it('is no other: another resource is refused, at the question and at the exchange', async () => {
    for (const resource of ['https://other.example/mcp', `${server.url}/v1`, `${server.url}/mcp/deeper`, 'urn:x']) {
      const { url, state } = await client.ask({ resource });
      const refused = await server.browserOf(person).get(url);
      assert.throws(() => client.readAnswer(refused, state), { error: 'invalid_target' }, resource);
    }
    const { url, verifier, state } = await client.ask();
    const answer = client.readAnswer(await letIn(server.browserOf(person), url), state);
    await assert.rejects(client.exchange(answer, verifier, 'https://other.example/mcp'), { error: 'invalid_target' });
  });
});
