import assert from 'node:assert/strict';
import { unavailable } from '../../../lib/domain/refusal.js';
import { setPrincipalState } from '../../../lib/operations/principals/set-principal-state.js';
import { perform } from '../../../lib/operations/perform.js';
import { operator } from '../../support/store/service.js';
import { OAuthClient } from '../../support/oauth/client.js';
import { letIn, openOAuthServer, type Member, type OAuthServer } from '../../support/oauth/server.js';

const second = 1000;
const hour = 3600 * second;
const day = 24 * hour;

describe('How long tokens live', () => {
  let server: OAuthServer;
  beforeEach(async () => {
    server = await openOAuthServer();
  });
  afterEach(() => server.close());

  it('an access token ends after eight hours, to the moment', async () => {
    const person = await server.person();
    const { access_token: token } = await (await OAuthClient.register(server)).signIn(server.browserOf(person));
    server.host.clock.advance(8 * hour - 1);
    assert.notEqual(server.face.readAccessToken(token), undefined);
    server.host.clock.advance(1);
    assert.equal(server.face.readAccessToken(token), undefined);
  });

  it('a refresh token ends after thirty days without use, and each use begins another thirty', async () => {
    const person = await server.person();
    const client = await OAuthClient.register(server);
    let { refresh_token: token } = await client.signIn(server.browserOf(person));
    server.host.clock.advance(29 * day);
    ({ refresh_token: token } = await client.refresh(token ?? ''));
    server.host.clock.advance(29 * day);
    ({ refresh_token: token } = await client.refresh(token ?? ''));
    server.host.clock.advance(30 * day);
    await assert.rejects(client.refresh(token ?? ''), { error: 'invalid_grant' });
  });

  it('a consent ends after a year, however often it was refreshed', async () => {
    const person = await server.person();
    const client = await OAuthClient.register(server);
    let { refresh_token: token } = await client.signIn(server.browserOf(person));
    for (let month = 0; month < 14; month += 1) {
      server.host.clock.advance(26 * day);
      ({ refresh_token: token } = await client.refresh(token ?? ''));
    }
    server.host.clock.advance(day);
    await assert.rejects(client.refresh(token ?? ''), { error: 'invalid_grant' });
  });

  it('a code ends after a minute', async () => {
    const person = await server.person();
    const client = await OAuthClient.register(server);
    const { url, verifier, state } = await client.ask();
    const answer = client.readAnswer(await letIn(server.browserOf(person), url), state);
    server.host.clock.advance(60 * second);
    await assert.rejects(client.exchange(answer, verifier), { error: 'invalid_grant' });
  });

  it('a refresh token repeated within the grace is taken: clients that share it refresh side by side', async () => {
    const person = await server.person();
    const client = await OAuthClient.register(server);
    const { refresh_token: shared = '' } = await client.signIn(server.browserOf(person));
    const [one, two] = await Promise.all([client.refresh(shared), client.refresh(shared)]);
    server.host.clock.advance(44 * second);
    const three = await client.refresh(shared);
    for (const tokens of [one, two, three]) {
      assert.notEqual(server.face.readAccessToken(tokens.access_token), undefined);
      await client.refresh(tokens.refresh_token ?? '');
    }
  });

  it('the grace runs from the first use: a second use within it does not prolong it', async () => {
    const person = await server.person();
    const client = await OAuthClient.register(server);
    const { refresh_token: shared = '' } = await client.signIn(server.browserOf(person));
    await client.refresh(shared);
    server.host.clock.advance(40 * second);
    await client.refresh(shared);
    server.host.clock.advance(5 * second);
    await assert.rejects(client.refresh(shared), { error: 'invalid_grant' });
  });

  it('a refresh token repeated later counts as stolen: the whole family ends', async () => {
    const person = await server.person();
    const client = await OAuthClient.register(server);
    const first = await client.signIn(server.browserOf(person));
    const other = await client.signIn(server.browserOf(person));
    const later = await client.refresh(first.refresh_token ?? '');
    server.host.clock.advance(45 * second);
    await assert.rejects(client.refresh(first.refresh_token ?? ''), { error: 'invalid_grant' });
    for (const token of [first.access_token, later.access_token]) {
      assert.equal(server.face.readAccessToken(token), undefined);
    }
    await assert.rejects(client.refresh(later.refresh_token ?? ''), { error: 'invalid_grant' });
    assert.notEqual(server.face.readAccessToken(other.access_token), undefined, 'another sign-in is another family');
    const ends = server.server.records().filter(({ record }) => record.action === 'consent.end');
    assert.equal(ends.length, 1);
  });

  it('a repeated code ends the tokens of the first exchange', async () => {
    const person = await server.person();
    const client = await OAuthClient.register(server);
    const { url, verifier, state } = await client.ask();
    const answer = client.readAnswer(await letIn(server.browserOf(person), url), state);
    const tokens = await client.exchange(answer, verifier);
    await assert.rejects(client.exchange(answer, verifier), { error: 'invalid_grant' });
    assert.equal(server.face.readAccessToken(tokens.access_token), undefined);
    await assert.rejects(client.refresh(tokens.refresh_token ?? ''), { error: 'invalid_grant' });
  });

  it('a code sent twice at once ends the tokens of both', async () => {
    const person = await server.person();
    const client = await OAuthClient.register(server);
    const { url, verifier, state } = await client.ask();
    const answer = client.readAnswer(await letIn(server.browserOf(person), url), state);
    const answers = await Promise.all([client.exchangeRaw(answer, verifier), client.exchangeRaw(answer, verifier)]);
    assert.ok(answers.some(({ status }) => status === 400));
    for (const response of answers) {
      const { access_token: token = '' } = (await response.json()) as { access_token?: string };
      assert.equal(server.face.readAccessToken(token), undefined);
    }
    assert.notEqual(server.host.service.file.oauth.listGrants()[0]?.revokedAt, null);
  });

  it('expired rows are swept, and ended consents when no admin needs to see them any more', async () => {
    const person = await server.person();
    const client = await OAuthClient.register(server);
    const tokens = await client.signIn(server.browserOf(person));
    await client.ask().then(({ url }) => server.browserOf(person).get(url));
    const { oauth } = server.host.service.file;
    const kinds = ['AccessToken', 'RefreshToken', 'AuthorizationCode', 'Interaction', 'Session', 'Grant'];
    const count = () => Object.fromEntries(kinds.map((kind) => [kind, oauth.countEntries(kind)]));
    await server.face.keepUp();
    assert.ok(
      kinds.every((kind) => count()[kind] === 1),
      JSON.stringify(count()),
    );
    server.host.clock.advance(hour);
    await server.face.keepUp();
    const none = { AuthorizationCode: 0, Interaction: 0, Session: 0 };
    assert.deepEqual(count(), { AccessToken: 1, RefreshToken: 1, Grant: 1, ...none });
    server.host.clock.advance(8 * hour);
    await server.face.keepUp();
    assert.deepEqual(count(), { AccessToken: 0, RefreshToken: 1, Grant: 1, ...none });
    await client.revoke(tokens.refresh_token ?? '');
    assert.equal(oauth.listGrants().length, 1);
    server.host.clock.advance(30 * day);
    await server.face.keepUp();
    assert.equal(oauth.listGrants().length, 0);
    assert.deepEqual(count(), { AccessToken: 0, RefreshToken: 0, Grant: 0, ...none });
  });
});

describe('A token without a durable record', () => {
  let server: OAuthServer;
  let person: Member;
  let client: OAuthClient;
  beforeEach(async () => {
    server = await openOAuthServer();
    person = await server.person();
    client = await OAuthClient.register(server);
  });
  afterEach(() => server.close());

  it('is not issued for a refresh token, which stays as good as it was', async () => {
    const { refresh_token: token = '' } = await client.signIn(server.browserOf(person));
    const body = new URLSearchParams({
      client_id: client.client.client_id,
      grant_type: 'refresh_token',
      refresh_token: token,
    });
    await withoutLog(() => fetch(`${server.url}/oauth/token`, { method: 'POST', body }));
    server.host.clock.advance(50 * second);
    const next = await client.refresh(token);
    assert.notEqual(server.face.readAccessToken(next.access_token), undefined);
    assert.equal(issued(), 2);
    await client.refresh(next.refresh_token ?? '');
    assert.equal(issued(), 3);
  });

  it('is not issued for a code, which can be sent again', async () => {
    const { url, verifier, state } = await client.ask();
    const answer = client.readAnswer(await letIn(server.browserOf(person), url), state);
    await withoutLog(() => client.exchangeRaw(answer, verifier));
    const tokens = await client.exchange(answer, verifier);
    assert.notEqual(server.face.readAccessToken(tokens.access_token), undefined);
    assert.equal(issued(), 1);
  });

  const issued = () => server.server.records().filter(({ record }) => record.action === 'token.issue').length;

  /** Has the log take nothing for the length of one request. */
  async function withoutLog(ask: () => Promise<Response>): Promise<void> {
    const { journal } = server.host.workspace;
    const write = Object.getPrototypeOf(journal).write as unknown;
    Object.defineProperty(journal, 'write', { value: () => Promise.reject(unavailable()), configurable: true });
    const response = await ask();
    Reflect.deleteProperty(journal, 'write');
    assert.equal(journal.write, write);
    assert.equal(response.status, 503, await response.text());
    assert.equal(response.headers.get('retry-after'), '5');
  }
});

describe('The events that end every token of a person at the next request', () => {
  let server: OAuthServer;
  let person: Member;
  beforeEach(async () => {
    server = await openOAuthServer();
    await server.host.person('approver');
    person = await server.person();
  });
  afterEach(() => server.close());

  it('disabling the principal, and enabling it again restores none', async () => {
    const held = await holdAll(server, person);
    const set = (disabled: boolean) =>
      perform(server.host.workspace, operator, setPrincipalState, { principalId: person.principalId, disabled });
    await set(true);
    await held.assertDead();
    await set(false);
    await held.assertDead();
    const again = await OAuthClient.register(server);
    const tokens = await again.signIn(server.browserOf(person));
    assert.notEqual(server.face.readAccessToken(tokens.access_token), undefined, 'the person lets it in again');
  });

  it('leaving the workspace', async () => {
    const held = await holdAll(server, person);
    server.gone.add(person.identityId);
    await held.assertDead();
  });

  it('ending the consent', async () => {
    const held = await holdAll(server, person);
    const { oauth } = server.host.service.file;
    for (const { id } of oauth.listGrants()) oauth.revokeGrant(id, server.host.clock.now());
    await held.assertDead();
  });

  it('none, while the workspace cannot be read: the answer is then not that a token is bad, but that it cannot be checked', async () => {
    const client = await OAuthClient.register(server);
    const tokens = await client.signIn(server.browserOf(person));
    server.gone.add('acme');
    assert.throws(() => server.face.readAccessToken(tokens.access_token), { code: 'UNAVAILABLE' });
    const whose = { client_id: client.client.client_id, token: tokens.access_token };
    const refresh = { ...whose, grant_type: 'refresh_token', refresh_token: tokens.refresh_token ?? '' };
    for (const [path, fields] of [
      ['/oauth/introspect', whose],
      ['/oauth/token', refresh],
    ] as const) {
      const response = await fetch(`${server.url}${path}`, { method: 'POST', body: new URLSearchParams(fields) });
      assert.equal(response.status, 503, path);
      assert.equal(response.headers.get('retry-after'), '5', path);
    }
    server.gone.delete('acme');
    assert.notEqual(server.face.readAccessToken(tokens.access_token), undefined);
    await client.refresh(tokens.refresh_token ?? '');
  });
});

/** Every kind of token of a client, and a test of whether it is still accepted. */
async function holdAll(server: OAuthServer, person: Member) {
  const client = await OAuthClient.register(server);
  const tokens = await client.signIn(server.browserOf(person));
  const { url, verifier, state } = await client.ask();
  const code = client.readAnswer(await letIn(server.browserOf(person), url), state);
  return {
    async assertDead(): Promise<void> {
      assert.equal(server.face.readAccessToken(tokens.access_token), undefined);
      assert.deepEqual(await client.introspect(tokens.access_token), { active: false });
      assert.deepEqual(await client.introspect(tokens.refresh_token ?? ''), { active: false });
      await assert.rejects(client.refresh(tokens.refresh_token ?? ''), { error: 'invalid_grant' });
      await assert.rejects(client.exchange(code, verifier), { error: 'invalid_grant' });
    },
  };
}
