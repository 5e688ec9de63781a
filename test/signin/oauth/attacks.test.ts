import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as oauth from 'oauth4webapi';
import { formAction, readForm } from '../../support/oauth/browser.js';
import { insecure, OAuthClient } from '../../support/oauth/client.js';
import { letIn, openOAuthServer, type Member, type OAuthServer } from '../../support/oauth/server.js';

describe('The attempts of an attacker', () => {
  let server: OAuthServer;
  let person: Member;
  let client: OAuthClient;
  before(async () => {
    server = await openOAuthServer();
    person = await server.person();
    client = await OAuthClient.register(server);
    // A person has given it consent: a client without consent gets no redirect.
    await client.signIn(server.browserOf(person));
  });
  after(() => server.close());

  const untrusted: readonly (readonly [string, Readonly<Record<string, string | undefined>>])[] = [
    ['an address of their own', { redirect_uri: 'https://evil.example/' }],
    ['the client’s address with something after it', { redirect_uri: 'http://127.0.0.1:7777/callback/../evil' }],
    ['the client’s address with a name before it', { redirect_uri: 'http://evil@127.0.0.1:7777/callback' }],
    ['the client’s host with another path', { redirect_uri: 'http://127.0.0.1:7777/other' }],
    ['the same machine by another name', { redirect_uri: 'http://localhost:7777/callback' }],
    ['a script', { redirect_uri: 'javascript:alert(1)' }],
    ['an unknown client', { client_id: 'nobody' }],
    ['no client', { client_id: undefined }],
  ];
  for (const [what, changes] of untrusted) {
    it(`a redirect by ${what} ends on a page here`, async () => {
      const { url } = await client.ask(changes);
      const answer = await server.browserOf(person).get(url);
      assert.equal(answer.location, '', answer.location);
      assert.equal(answer.status, 400);
      assert.match(answer.text, /<h1>The application could not be connected<\/h1>/);
      assert.match(answer.text, /req_/);
      assert.match(String(answer.headers['content-security-policy']), /form-action 'self';/);
    });
  }

  it('markup in requests stays text on the page that shows it', async () => {
    const { url } = await client.ask({ redirect_uri: 'http://127.0.0.1:7777/<script>alert(1)</script>' });
    url.searchParams.set('client_id', '"><script>alert(1)</script>');
    const { text } = await server.browserOf(person).get(url);
    assert.doesNotMatch(text, /<script/);
  });

  it('a repeated address is refused, and only the registered one gets the answer', async () => {
    const { url, state } = await client.ask();
    url.searchParams.append('redirect_uri', 'https://evil.example/');
    const answer = await server.browserOf(person).get(url);
    assert.equal(new URL(answer.location).origin, 'http://127.0.0.1:7777');
    assert.throws(() => client.readAnswer(answer, state), { error: 'invalid_request' });
  });

  for (const [what, changes] of [
    ['no code challenge', { code_challenge: undefined, code_challenge_method: undefined }],
    ['a plain code challenge', { code_challenge: 'x'.repeat(43), code_challenge_method: 'plain' }],
    ['a challenge without a method, which means plain', { code_challenge_method: undefined }],
    ['a token in the address', { response_type: 'token' }],
    ['an ID token in the address', { response_type: 'code id_token', scope: 'openid', nonce: 'n' }],
  ] as const) {
    it(`${what} is refused before anybody is asked`, async () => {
      const { url } = await client.ask(changes);
      const answer = await server.browserOf(person).get(url);
      const { searchParams, hash } = new URL(answer.location);
      const told = new URLSearchParams(hash === '' ? searchParams : hash.slice(1));
      assert.match(told.get('error') ?? '', /^(?:invalid_request|unsupported_response_type)$/);
      assert.equal(told.get('iss'), server.url);
    });
  }

  it('an answer names the issuer, so that a client cannot be led to mix up two servers (RFC 9207)', async () => {
    const { url, state } = await client.ask();
    const answer = await letIn(server.browserOf(person), url);
    assert.equal(new URL(answer.location).searchParams.get('iss'), server.url);
    const forged = new URL(answer.location);
    forged.searchParams.set('iss', 'https://evil.example');
    assert.throws(() => client.readAnswer({ ...answer, location: forged.href }, state), /unexpected "iss"/);
  });

  it('answers always come in the query, never by a form that sends itself', async () => {
    const { url, state } = await client.ask({ response_mode: 'form_post' });
    const answer = await letIn(server.browserOf(person), url);
    assert.ok(client.readAnswer(answer, state).get('code'));
  });

  it('a stolen code is worth nothing without the verifier, or to another client, or at another address', async () => {
    const other = await OAuthClient.register(server);
    const attempts: readonly ((answer: URLSearchParams, verifier: string) => Promise<unknown>)[] = [
      (answer) => client.exchange(answer, oauth.generateRandomCodeVerifier()),
      async (answer, verifier) => {
        const body = {
          grant_type: 'authorization_code',
          client_id: other.client.client_id,
          code: answer.get('code') ?? '',
          redirect_uri: client.redirectUri,
          code_verifier: verifier,
        };
        const response = await fetch(`${server.url}/oauth/token`, { method: 'POST', body: new URLSearchParams(body) });
        throw (await response.json()) as Error;
      },
      async (answer, verifier) => {
        const response = await oauth.authorizationCodeGrantRequest(
          client.authority,
          client.client,
          client.authentication,
          answer,
          'http://127.0.0.1:9999/callback',
          verifier,
          insecure,
        );
        throw (await response.json()) as Error;
      },
    ];
    for (const attempt of attempts) {
      const { url, verifier, state } = await client.ask();
      const answer = client.readAnswer(await letIn(server.browserOf(person), url), state);
      await assert.rejects(attempt(answer, verifier), { error: 'invalid_grant' });
    }
  });

  it('a client cannot use, revoke or ask about the tokens of another', async () => {
    const other = await OAuthClient.register(server, { token_endpoint_auth_method: 'client_secret_post' });
    const tokens = await client.signIn(server.browserOf(person));
    await assert.rejects(other.refresh(tokens.refresh_token ?? ''), { error: 'invalid_grant' });
    await other.revoke(tokens.access_token);
    await other.revoke(tokens.refresh_token ?? '');
    assert.deepEqual(await other.introspect(tokens.access_token), { active: false });
    assert.notEqual(server.face.readAccessToken(tokens.access_token), undefined);
    await client.refresh(tokens.refresh_token ?? '');
  });

  it('a refreshed token has no more rights than the consent gave', async () => {
    const tokens = await client.signIn(server.browserOf(person), {}, { write: undefined });
    const response = await oauth.refreshTokenGrantRequest(
      client.authority,
      client.client,
      client.authentication,
      tokens.refresh_token ?? '',
      { ...insecure, additionalParameters: { scope: 'org:read org:write' } },
    );
    assert.equal(((await response.json()) as { error: string }).error, 'invalid_scope');
  });

  it('an access token opens nothing as a refresh token or code, and the reverse', async () => {
    const tokens = await client.signIn(server.browserOf(person));
    assert.equal(server.face.readAccessToken(tokens.refresh_token ?? ''), undefined);
    await assert.rejects(client.refresh(tokens.access_token), { error: 'invalid_grant' });
    for (const text of ['', 'x', 'x'.repeat(100_000), '\0', 'ck_acme_0000000000000000_secret']) {
      assert.equal(server.face.readAccessToken(text), undefined);
    }
  });

  it('a key of the REST API opens none of this, and an OAuth token nothing below /v1', async () => {
    const { key } = await server.host.person('approver');
    const headers = { authorization: `Bearer ${key}` };
    assert.equal(server.face.readAccessToken(key), undefined);
    for (const path of ['/oauth/token', '/oauth/introspect', '/oauth/revoke']) {
      const body = new URLSearchParams({ grant_type: 'client_credentials', token: key });
      const response = await fetch(`${server.url}${path}`, { method: 'POST', headers, body });
      assert.ok([400, 401].includes(response.status), path);
    }
    const { access_token: token } = await client.signIn(server.browserOf(person));
    const { refusal } = await server.server.as(token).get('/v1/folders');
    assert.equal(refusal, 'UNAUTHENTICATED');
  });

  it('wrong methods, types and bodies are refused in the protocol’s own form', async () => {
    const post = (path: string, init: RequestInit) => fetch(`${server.url}${path}`, { method: 'POST', ...init });
    const wrong = await fetch(`${server.url}/oauth/token`);
    assert.deepEqual([wrong.status, wrong.headers.get('allow')], [405, 'POST, OPTIONS']);
    const json = await post('/oauth/token', { headers: { 'content-type': 'application/json' }, body: '{}' });
    assert.equal(((await json.json()) as { error: string }).error, 'invalid_request');
    const long = await post('/oauth/token', { body: new URLSearchParams({ code: 'x'.repeat(60_000) }) }).catch(
      () => undefined,
    );
    assert.ok(long === undefined || long.status === 413);
    for (const grant of ['password', 'client_credentials', 'implicit', '__proto__', 'constructor', '']) {
      const body = new URLSearchParams({ grant_type: grant, client_id: client.client.client_id });
      const response = await post('/oauth/token', { body });
      assert.equal(response.status, 400, grant);
    }
  });

  it('too many requests of one address are refused for a while', async () => {
    const { url } = await client.ask();
    const statuses = new Set<number>();
    for (let count = 0; count < 220; count += 50) {
      const batch = Array.from({ length: 50 }, () => fetch(`${server.url}/oauth/jwks`));
      for (const response of await Promise.all(batch)) statuses.add(response.status);
    }
    assert.deepEqual(
      [...statuses].toSorted((a, b) => a - b),
      [200, 429],
    );
    assert.equal((await server.browserOf(person).get(url)).status, 429);
    server.host.clock.advance(60_000);
    assert.equal((await server.browserOf(person).get(url)).status, 303);
  });

  it('no part of a token, code or cookie is written to the log', async () => {
    const { url, verifier, state } = await client.ask();
    const browser = server.browserOf(person);
    const answer = client.readAnswer(await letIn(browser, url), state);
    const tokens = await client.exchange(answer, verifier);
    const log = JSON.stringify(server.log);
    const secrets = [answer.get('code'), tokens.access_token, tokens.refresh_token];
    for (const secret of secrets) assert.ok(!log.includes(String(secret)));
    assert.deepEqual(
      server.log.filter((line) => line['level'] === 'error'),
      [],
    );
  });
});

describe('A stolen data folder', () => {
  it('holds no usable token, code, cookie or client secret', async () => {
    const server = await openOAuthServer({ store: 'disk-without-git' });
    try {
      const person = await server.person();
      const client = await OAuthClient.register(server, { token_endpoint_auth_method: 'client_secret_post' });
      const browser = server.browserOf(person);
      const tokens = await client.signIn(browser);
      const refreshed = await client.refresh(tokens.refresh_token ?? '');
      const { url, state } = await client.ask();
      const code = client.readAnswer(await letIn(browser, url), state).get('code');
      // One under way, and one answered and not yet fetched.
      const open = await browser.follow(await browser.get((await client.ask()).url));
      const answered = await browser.get((await client.ask()).url);
      const page = await browser.get(answered.location);
      await browser.post(new URL(formAction(page.text), page.url), { ...readForm(page.text), decision: 'allow' });
      const cookies = [...browser.cookies.values()];
      assert.ok(cookies.length >= 4);
      const secrets = {
        access: tokens.access_token,
        refresh: tokens.refresh_token,
        nextAccess: refreshed.access_token,
        nextRefresh: refreshed.refresh_token,
        code,
        client: client.client['client_secret'],
        interaction: new URL(open.url).pathname.split('/').at(-1),
        ...Object.fromEntries(cookies.map(({ name, path, value }) => [`${name} ${path}`, value])),
      };
      const folder = server.host.dataFolder ?? '';
      const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
      const bytes = Buffer.concat(files.map(({ parentPath, name }) => readFileSync(join(parentPath, name))));
      assert.ok(bytes.includes(client.client.client_id), 'what is no secret is found, so the search works');
      for (const [name, secret] of Object.entries(secrets)) {
        assert.ok(typeof secret === 'string' && secret.length > 20, name);
        assert.ok(!bytes.includes(secret), `${name} is in a file`);
        assert.ok(!bytes.includes(Buffer.from(secret, 'base64url')), `${name} is in a file as bytes`);
      }
    } finally {
      await server.close();
    }
  });
});
