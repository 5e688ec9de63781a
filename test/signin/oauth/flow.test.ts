import assert from 'node:assert/strict';
import * as oauth from 'oauth4webapi';
import { insecure, OAuthClient } from '../../support/oauth/client.js';
import { letIn, openOAuthServer, type Member, type OAuthServer } from '../../support/oauth/server.js';

describe('A client, from the challenge to the end', () => {
  let server: OAuthServer;
  let person: Member;
  before(async () => {
    server = await openOAuthServer();
    person = await server.person();
  });
  after(() => server.close());

  it('finds the authorization server from the resource alone', async () => {
    const resource = new URL(`${server.url}/mcp`);
    const described = await oauth.processResourceDiscoveryResponse(
      resource,
      await oauth.resourceDiscoveryRequest(resource, insecure),
    );
    assert.deepEqual(described.authorization_servers, [server.url]);
  });

  it('gets tokens that act as the person: hashed, opaque, for eight hours', async () => {
    const client = await OAuthClient.register(server);
    const tokens = await client.signIn(server.browserOf(person));
    assert.equal(tokens.expires_in, 8 * 3600);
    assert.equal(tokens.scope, 'org:read org:write');
    assert.equal(tokens.token_type, 'bearer');
    assert.match(tokens.access_token, /^[\w-]{43}$/);
    assert.match(tokens.refresh_token ?? '', /^[\w-]{43}$/);
    const { id, ...read } = server.face.readAccessToken(tokens.access_token) ?? { id: '' };
    assert.deepEqual(read, {
      workspace: 'acme',
      principalId: person.principalId,
      identityId: person.identityId,
      scopes: ['org:read', 'org:write'],
      clientId: client.client.client_id,
      expiresAt: server.host.clock.now() + 8 * 3600_000,
    });
    assert.match(id, /^oag_/);
    assert.notEqual(id, tokens.access_token);
  });

  it('refreshes, and each refresh token replaces the one before', async () => {
    const client = await OAuthClient.register(server);
    const first = await client.signIn(server.browserOf(person));
    const second = await client.refresh(first.refresh_token ?? '');
    const third = await client.refresh(second.refresh_token ?? '');
    assert.equal(new Set([first, second, third].map((each) => each.refresh_token)).size, 3);
    assert.equal(new Set([first, second, third].map((each) => each.access_token)).size, 3);
    for (const { access_token: token } of [first, second, third]) {
      assert.equal(server.face.readAccessToken(token)?.principalId, person.principalId);
    }
  });

  it('asks about its own tokens, and learns their person and their scope', async () => {
    const client = await OAuthClient.register(server);
    const tokens = await client.signIn(server.browserOf(person));
    const told = await client.introspect(tokens.access_token);
    assert.equal(told.active, true);
    assert.equal(told.sub, person.identityId);
    assert.equal(told.aud, `${server.url}/mcp`);
    assert.equal(told.scope, 'org:read org:write');
    assert.equal(told['iss'], server.url);
    assert.equal(told.client_id, client.client.client_id);
    assert.equal(told.jti, undefined);
    assert.equal((await client.introspect(tokens.refresh_token ?? '')).active, true);
  });

  it('revokes its tokens, all at once, and they are void from then on', async () => {
    for (const given of ['access_token', 'refresh_token'] as const) {
      const client = await OAuthClient.register(server);
      const tokens = await client.signIn(server.browserOf(person));
      const later = await client.refresh(tokens.refresh_token ?? '');
      await client.revoke(later[given] ?? '');
      for (const token of [tokens.access_token, later.access_token]) {
        assert.equal(server.face.readAccessToken(token), undefined);
        assert.deepEqual(await client.introspect(token), { active: false });
      }
      await assert.rejects(client.refresh(later.refresh_token ?? ''), { error: 'invalid_grant' });
    }
  });

  it('gets an ID token signed with ES256 when it asks for one', async () => {
    const client = await OAuthClient.register(server);
    const { url, verifier, state } = await client.ask({ scope: 'openid org:read', nonce: 'n-1' });
    const browser = server.browserOf(person);
    const answer = client.readAnswer(await letIn(browser, url), state);
    const response = await client.exchangeRaw(answer, verifier);
    const tokens = await oauth.processAuthorizationCodeResponse(client.authority, client.client, response, {
      expectedNonce: 'n-1',
      requireIdToken: true,
    });
    await oauth.validateApplicationLevelSignature(client.authority, response, insecure);
    const claims = oauth.getValidatedIdTokenClaims(tokens);
    assert.equal(claims?.sub, person.identityId);
    assert.equal(claims?.iss, server.url);
  });

  it('is on the record of the workspace: the consent, each token, and the end', async () => {
    const client = await OAuthClient.register(server);
    const before = server.server.records().length;
    const tokens = await client.signIn(server.browserOf(person));
    await client.refresh(tokens.refresh_token ?? '');
    const id = server.face.readAccessToken(tokens.access_token)?.id;
    await client.revoke(tokens.refresh_token ?? '');
    const records = server.server.records().slice(before);
    assert.deepEqual(
      records.map(({ record }) => [record.action, record.outcome, record.principal, record.credential]),
      ['consent.give', 'token.issue', 'token.issue', 'consent.end'].map((action) => [
        action,
        'done',
        person.principalId,
        id,
      ]),
    );
    const texts = JSON.stringify(records);
    for (const name of ['access_token', 'refresh_token'] as const) {
      const secret = tokens[name];
      assert.ok(secret !== undefined && !texts.includes(secret), name);
    }
  });
});
