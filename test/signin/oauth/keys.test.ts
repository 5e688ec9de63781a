import assert from 'node:assert/strict';
import * as oauth from 'oauth4webapi';
import { insecure, OAuthClient } from '../../support/oauth/client.js';
import { letIn, openOAuthServer, OAuthServer, type Member } from '../../support/oauth/server.js';

const day = 24 * 3600_000;

describe('The keys that sign ID tokens', () => {
  let server: OAuthServer;
  let person: Member;
  beforeEach(async () => {
    server = await openOAuthServer();
    person = await server.person();
  });
  afterEach(() => server.close());

  it('change after ninety days; the old one is shown for another day, so that its signatures verify', async () => {
    const [first] = await shown();
    server.host.clock.advance(90 * day - 1);
    await server.face.keepUp();
    assert.deepEqual(await shown(), [first]);
    const client = await OAuthClient.register(server);
    const before = await signIn(client);
    server.host.clock.advance(1);
    await server.face.keepUp();
    const [second, old] = await shown();
    assert.equal(old, first);
    assert.notEqual(second, first);
    await before.verify();
    await (await signIn(client)).verify();
    server.host.clock.advance(day);
    await server.face.keepUp();
    assert.deepEqual(await shown(), [second]);
  });

  it('sign with the newest key', async () => {
    const client = await OAuthClient.register(server);
    for (let transaction = 0; transaction < 4; transaction += 1) {
      server.face.rotateKeys();
      const [newest] = await shown();
      const { url, verifier, state } = await client.ask({ scope: 'openid' });
      const answer = client.readAnswer(await letIn(server.browserOf(person), url), state);
      const tokens = (await (await client.exchangeRaw(answer, verifier)).json()) as { id_token: string };
      const header = JSON.parse(Buffer.from(tokens.id_token.split('.')[0] ?? '', 'base64url').toString()) as {
        kid: string;
      };
      assert.equal(header.kid, newest);
    }
    assert.equal((await shown()).length, 5);
  });

  it('are the same after a restart, and sign-ins under way continue', async () => {
    const client = await OAuthClient.register(server);
    const before = await shown();
    const tokens = await client.signIn(server.browserOf(person));
    const again = await OAuthServer.start(server.server, { publicUrl: server.url });
    assert.notEqual(again.face.readAccessToken(tokens.access_token), undefined);
    assert.deepEqual(await shown(), before);
    await again.signIn.close();
  });

  async function signIn(client: OAuthClient) {
    const { url, verifier, state } = await client.ask({ scope: 'openid org:read' });
    const answer = client.readAnswer(await letIn(server.browserOf(person), url), state);
    const response = await client.exchangeRaw(answer, verifier);
    await oauth.processAuthorizationCodeResponse(client.authority, client.client, response, { requireIdToken: true });
    const verify = () => oauth.validateApplicationLevelSignature(client.authority, response, insecure);
    return { verify };
  }

  async function shown(): Promise<string[]> {
    const { keys } = (await (await fetch(`${server.url}/oauth/jwks`)).json()) as { keys: { kid: string }[] };
    return keys.map(({ kid }) => kid);
  }
});
