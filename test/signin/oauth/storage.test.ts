import assert from 'node:assert/strict';
import { makeClientId, readClientId } from '../../../lib/signin/oauth/client-id.js';
import { makeTestRandomness } from '../../support/store/service.js';
import { Browser, formAction, readForm } from '../../support/oauth/browser.js';
import { OAuthClient } from '../../support/oauth/client.js';
import { letIn, openOAuthServer, type Member, type OAuthServer } from '../../support/oauth/server.js';

const minute = 60_000;
const kinds = ['AccessToken', 'RefreshToken', 'AuthorizationCode', 'Interaction', 'Session', 'Grant', 'Client'];

describe('The stored rows of strangers', () => {
  let server: OAuthServer;
  beforeEach(async () => {
    server = await openOAuthServer({ server: { trustProxy: 1 } });
  });
  afterEach(() => server.close());

  it('do not grow by endless registrations, and those push no client out', async () => {
    const honest = await OAuthClient.register(server);
    for (let index = 0; index < 300; index += 1) {
      const response = await fetch(`${server.url}/oauth/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...from(index) },
        body: JSON.stringify({ redirect_uris: ['https://a.example/cb'] }),
      });
      assert.equal(response.status, 201);
      await response.text();
    }
    assert.equal(countAll(), 0);
    await honest.signIn(server.browserOf(await server.person()));
  });

  it('do not grow by endless sign-in requests, and the open ones of others stay open', async () => {
    const client = await OAuthClient.register(server);
    const browser = server.browserOf(await server.person());
    const open = await browser.follow(await browser.get((await client.ask()).url));
    const before = countAll();
    const { url } = await client.ask();
    for (let index = 0; index < 300; index += 1) {
      const response = await fetch(url, { redirect: 'manual', headers: from(index) });
      assert.equal(new URL(response.headers.get('location') ?? '', server.url).pathname, '/signin');
      assert.deepEqual(response.headers.getSetCookie(), []);
    }
    assert.equal(countAll(), before);
    const answered = await browser.post(new URL(formAction(open.text), open.url), {
      ...readForm(open.text),
      decision: 'allow',
    });
    assert.equal(answered.status, 303, 'what was open stays open');
  });

  it('do not grow by requests that need no person for their answer', async () => {
    const client = await OAuthClient.register(server);
    for (const changes of [{ prompt: 'none' }, { scope: 'nothing' }, { response_type: 'token' }]) {
      await new Browser().get((await client.ask(changes)).url);
    }
    assert.equal(countAll(), 0);
  });

  it('allow sixty requests a minute for one address, and others are served meanwhile', async () => {
    const { url } = await (await OAuthClient.register(server)).ask();
    const ask = async (index: number) => (await fetch(url, { redirect: 'manual', headers: from(index) })).status;
    const statuses = [];
    for (let count = 0; count < 61; count += 1) statuses.push(await ask(1));
    assert.deepEqual([statuses[59], statuses[60]], [303, 429]);
    assert.equal(await ask(2), 303);
  });

  it('are refused where a request is longer than four kilobytes, or has more than thirty-two parameters', async () => {
    const { url } = await (await OAuthClient.register(server)).ask({ state: 's'.repeat(3600) });
    for (const [target, status] of [
      [url.href, 414],
      [`${url.href}${'x'.repeat(400)}`, 414],
      [`${server.url}/oauth/authorize?${'a=1&'.repeat(32)}`, 414],
    ] as const) {
      const answer = await fetch(target, { redirect: 'manual' });
      assert.equal(answer.status, status, target);
    }
    // As long as it can be, it comes back whole from signing in.
    const client = await OAuthClient.register(server);
    const state = 's'.repeat(3000);
    const long = await client.ask({ state });
    const browser = new Browser();
    const page = await browser.follow(await browser.get(long.url));
    const back = new URL(page.url).searchParams.get('return') ?? '';
    server.signInAgain(browser, await server.person());
    const answer = await letIn(browser, `${server.url}${back}`);
    assert.ok(client.readAnswer(answer, state).get('code'));
  });

  const countAll = (): number => {
    const { oauth } = server.host.service.file;
    return kinds.reduce((sum, kind) => sum + oauth.countEntries(kind), oauth.listGrants().length);
  };

  /** Each from a network of its own. */
  const from = (index: number) => ({ 'X-Forwarded-For': `10.${index >> 8}.${index & 255}.1` });
});

describe('The id of a registered client', () => {
  const key = Buffer.alloc(32, 1);
  const metadata = { redirect_uris: ['http://localhost:53412/callback'], client_name: 'Test' };
  const id = makeClientId({ metadata, secretHash: 'h' }, key, makeTestRandomness());

  it('carries the client’s description of itself, in few characters', () => {
    assert.deepEqual(readClientId(id, key), { metadata, secretHash: 'h' });
    assert.match(id, /^reg_[\w-]{60,120}$/);
  });

  it('is one only as it was given out here', () => {
    assert.equal(readClientId(id, Buffer.alloc(32, 2)), undefined, 'the key is another service’s');
    const last = id.at(-1) === 'A' ? 'B' : 'A';
    for (const forged of ['', 'reg_', id.slice(0, -1), id.slice(0, -1) + last, `${id}A`, `${id}=`, id.slice(4)]) {
      assert.equal(readClientId(forged, key), undefined, forged);
    }
    for (let at = 4; at < id.length; at += 7) {
      const forged = `${id.slice(0, at)}${id[at] === 'x' ? 'y' : 'x'}${id.slice(at + 1)}`;
      assert.equal(readClientId(forged, key), undefined, forged);
    }
  });

  it('differs for each registration, although its fields are the same', () => {
    assert.notEqual(makeClientId({ metadata, secretHash: 'h' }, key, makeTestRandomness('other')), id);
  });
});

describe('The stored rows of one person', () => {
  let server: OAuthServer;
  let person: Member;
  let client: OAuthClient;
  beforeEach(async () => {
    server = await openOAuthServer();
    person = await server.person();
    client = await OAuthClient.register(server);
  });
  afterEach(() => server.close());

  it('hold at most twenty unanswered requests: of more, the oldest of that person goes', async () => {
    const other = server.browserOf(await server.person('other'));
    const theirs = await other.follow(await other.get((await client.ask()).url));
    const browser = server.browserOf(person);
    const pages = [];
    for (let index = 0; index < 22; index += 1) {
      server.host.clock.advance(1000);
      pages.push(await browser.follow(await browser.get((await client.ask()).url)));
    }
    assert.equal(count('Interaction'), 21);
    const statuses = [];
    for (const { url } of pages) statuses.push((await browser.get(url)).status);
    assert.deepEqual(statuses, [400, 400, ...Array.from({ length: 20 }, () => 200)]);
    assert.equal((await other.get(theirs.url)).status, 200);
  });

  it('hold at most ten consents for one client: with the eleventh, the oldest ends and is recorded', async () => {
    const browser = server.browserOf(person);
    const first = await client.signIn(browser);
    for (let index = 0; index < 9; index += 1) {
      server.host.clock.advance(1000);
      await client.signIn(browser);
    }
    assert.notEqual(server.face.readAccessToken(first.access_token), undefined);
    await client.signIn(browser);
    assert.equal(server.face.readAccessToken(first.access_token), undefined);
    assert.equal(inForce().length, 10);
    assert.equal(server.server.records().filter(({ record }) => record.action === 'consent.end').length, 1);
  });

  it('hold at most two hundred consents: then the page names the remedy', async () => {
    await client.signIn(server.browserOf(person));
    const { oauth } = server.host.service.file;
    const [grant] = oauth.listGrants();
    assert.ok(grant !== undefined);
    for (let index = 1; index < 200; index += 1)
      oauth.insertGrant({ ...grant, id: `oag_${index}`, clientId: `${index}` });
    const { url } = await client.ask();
    const answer = await letIn(server.browserOf(person), url);
    assert.equal(answer.status, 409);
    assert.match(answer.text, /href="\/signin\/sessions"/);
    assert.equal(inForce().length, 200);
    oauth.revokeGrant('oag_1', server.host.clock.now());
    await client.signIn(server.browserOf(person));
  });

  it('hold at most a hundred ended consents', async () => {
    await client.signIn(server.browserOf(person));
    const { oauth } = server.host.service.file;
    const [grant] = oauth.listGrants();
    assert.ok(grant !== undefined);
    for (let index = 0; index < 150; index += 1) {
      oauth.insertGrant({ ...grant, id: `oag_${index}`, clientId: `${index}` });
      oauth.revokeGrant(`oag_${index}`, server.host.clock.now() + index);
    }
    await client.signIn(server.browserOf(person));
    const ended = oauth.listGrants().filter(({ revokedAt }) => revokedAt !== null);
    assert.equal(ended.length, 100);
    assert.ok(ended.some(({ id }) => id === 'oag_149') && !ended.some(({ id }) => id === 'oag_0'));
  });

  it('allow thirty answers a minute', async () => {
    const browser = server.browserOf(person);
    const page = await browser.follow(await browser.get((await client.ask()).url));
    const statuses = [];
    for (let index = 0; index < 31; index += 1) {
      const answer = await browser.post(new URL(formAction(page.text), page.url), readForm(page.text));
      statuses.push(answer.status);
      if (answer.status === 429) assert.match(String(answer.headers['retry-after']), /^\d+$/);
    }
    assert.deepEqual([statuses[29], statuses[30]], [200, 429]);
  });

  it('hold at most a hundred tokens of a kind for one consent, of which the newest work', async () => {
    const tokens = await client.signIn(server.browserOf(person));
    let refresh = tokens.refresh_token ?? '';
    let newest = tokens.access_token;
    for (let index = 0; index < 110; index += 1) {
      server.host.clock.advance(2000);
      ({ refresh_token: refresh = '', access_token: newest } = await client.refresh(refresh));
    }
    assert.deepEqual([count('AccessToken'), count('RefreshToken')], [100, 100]);
    assert.equal(server.face.readAccessToken(tokens.access_token), undefined);
    assert.notEqual(server.face.readAccessToken(newest), undefined);
    await client.refresh(refresh);
  });

  it('allow sixty exchanges a minute for one consent, from all addresses together', async () => {
    const { refresh_token: shared = '' } = await client.signIn(server.browserOf(person));
    const body = { grant_type: 'refresh_token', client_id: client.client.client_id, refresh_token: shared };
    const exchange = () => fetch(`${server.url}/oauth/token`, { method: 'POST', body: new URLSearchParams(body) });
    for (let index = 0; index < 60; index += 1) assert.equal((await exchange()).status, 200);
    const refused = await exchange();
    assert.equal(refused.status, 429);
    assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/);
    assert.equal(((await refused.json()) as { error: string }).error, 'temporarily_unavailable');
    server.host.clock.advance(1000);
    assert.equal((await exchange()).status, 200, 'the token is as good as it was');
  });

  it('are swept in steps of two hundred rows', async () => {
    const { oauth } = server.host.service.file;
    for (let index = 0; index < 450; index += 1) {
      oauth.putEntry({
        kind: 'Interaction',
        idHash: Buffer.from(`entry ${index}`),
        grantId: null,
        uid: null,
        accountId: null,
        content: Buffer.alloc(10),
        consumedAt: null,
        expiresAt: server.host.clock.now() + minute,
      });
    }
    server.host.clock.advance(minute);
    assert.equal(oauth.sweep(server.host.clock.now(), 0, 200), 200);
    assert.equal(count('Interaction'), 250);
    await server.face.keepUp();
    assert.equal(count('Interaction'), 0);
  });

  const count = (kind: string): number => server.host.service.file.oauth.countEntries(kind);

  const inForce = () => server.host.service.file.oauth.listGrants().filter(({ revokedAt }) => revokedAt === null);
});
