import assert from 'node:assert/strict';
import { Browser, formAction, readForm } from '../../support/oauth/browser.js';
import { OAuthClient } from '../../support/oauth/client.js';
import { letIn, openOAuthServer, type Member, type OAuthServer } from '../../support/oauth/server.js';

describe('The consent page', () => {
  let server: OAuthServer;
  let person: Member;
  let client: OAuthClient;
  before(async () => {
    server = await openOAuthServer();
    person = await server.person();
    client = await OAuthClient.register(server, { client_name: 'Field notes <b>' });
  });
  after(() => server.close());

  it('follows the sign-in, and leads back to where it was', async () => {
    const browser = new Browser();
    const { page } = await open(browser);
    const to = new URL(page.url);
    assert.equal(to.pathname, '/signin');
    const back = to.searchParams.get('return') ?? '';
    assert.match(back, /^\/oauth\/authorize\?client_id=reg_/);
    server.signInAgain(browser, person);
    const asked = await browser.get(`${server.url}${back}`);
    assert.match(asked.location, /\/oauth\/interaction\/[\w-]+$/);
    assert.equal((await browser.follow(asked)).status, 200);
  });

  it('names the client, escaped, the person, the target of the answer, and that this is their own machine', async () => {
    const { page } = await open(server.browserOf(person));
    assert.equal(page.status, 200);
    assert.ok(page.text.includes('Field notes &lt;b&gt;'));
    assert.ok(page.text.includes('ada@example.org'));
    assert.ok(page.text.includes('127.0.0.1:7777'));
    assert.match(page.text, /program on this computer/);
    const remote = await OAuthClient.register(server, { redirect_uris: ['https://app.example.com/cb'] });
    const { url } = await remote.ask();
    const browser = server.browserOf(person);
    const other = await browser.follow(await browser.get(url));
    assert.ok(other.text.includes('app.example.com'));
    assert.doesNotMatch(other.text, /program on this computer/);
  });

  it('cannot be framed, has no script, and its form leads here and to the client alone', async () => {
    const { page } = await open(server.browserOf(person));
    assert.equal(page.headers['x-frame-options'], 'DENY');
    const policy = String(page.headers['content-security-policy']);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /form-action 'self' http:\/\/127\.0\.0\.1:7777(?:;|$)/);
    assert.doesNotMatch(policy, /unsafe/);
    assert.equal(page.headers['cache-control'], 'no-store');
    assert.doesNotMatch(page.text, /<script/);
  });

  it('lets the person untick write: the token reads only, and the client learns it', async () => {
    const tokens = await client.signIn(server.browserOf(person), {}, { write: undefined });
    assert.equal(tokens.scope, 'org:read');
    assert.deepEqual(server.face.readAccessToken(tokens.access_token)?.scopes, ['org:read']);
    const refreshed = await client.refresh(tokens.refresh_token ?? '');
    assert.deepEqual(server.face.readAccessToken(refreshed.access_token)?.scopes, ['org:read']);
  });

  it('asks each time: a refused request can be granted later', async () => {
    const browser = server.browserOf(person);
    assert.equal((await client.signIn(browser, {}, { write: undefined })).scope, 'org:read');
    assert.equal((await client.signIn(browser)).scope, 'org:read org:write');
    const { page, state } = await open(browser);
    assert.equal(page.status, 200, 'asked again although it was given before');
    const denied = await browser.follow(
      await browser.post(new URL(formAction(page.text), page.url), { ...readForm(page.text), decision: 'deny' }),
    );
    assert.throws(() => client.readAnswer(denied, state), { error: 'access_denied' });
    assert.equal(new URL(denied.location).searchParams.get('iss'), server.url);
    assert.equal((await client.signIn(browser)).scope, 'org:read org:write');
    const { record } = server.server.records().findLast((each) => each.record.action === 'consent.refuse') ?? {};
    assert.equal(record?.principal, person.principalId);
  });

  it('offers read alone to a client that asks for no more', async () => {
    const { page } = await open(server.browserOf(person), { scope: 'org:read' });
    assert.doesNotMatch(page.text, /name="write"/);
    const tokens = await client.signIn(server.browserOf(person), { scope: 'org:read' }, { write: '1' });
    assert.equal(tokens.scope, 'org:read', 'a form that says more gives no more');
  });

  for (const [scope, asked] of [
    [undefined, 'nothing'],
    ['', 'an empty scope'],
    ['openid', 'an ID token only'],
    ['openid profile mcp:tools', 'scopes of other services'],
  ] as const) {
    it(`does not end in access_denied for a client that asks for ${asked}: it is offered what there is`, async () => {
      const tokens = await client.signIn(server.browserOf(person), { scope });
      assert.deepEqual(server.face.readAccessToken(tokens.access_token)?.scopes, ['org:read', 'org:write']);
    });
  }

  it('lets a person in two workspaces choose, and the token acts in that one alone', async () => {
    const both = await server.person('both');
    const other = await server.server.addWorkspace();
    const principalId = await other.host.principal('both elsewhere');
    const { name } = other.host.workspace;
    server.join(name, principalId, 'both');
    const { page } = await open(server.browserOf(both));
    assert.match(page.text, new RegExp(`value="${name}"`));
    const there = await client.signIn(server.browserOf(both), {}, { workspace: name });
    const here = await client.signIn(server.browserOf(both), {}, { workspace: 'acme' });
    const read = (token: string) => {
      const { workspace, principalId: id } = server.face.readAccessToken(token) ?? {};
      return [workspace, id];
    };
    assert.deepEqual(read(there.access_token), [name, principalId]);
    assert.deepEqual(read(here.access_token), ['acme', both.principalId]);
  });

  it('gives no access to a workspace without the person, whatever the form says', async () => {
    const other = await server.server.addWorkspace();
    const { url } = await client.ask();
    const again = await letIn(server.browserOf(person), url, { workspace: other.host.workspace.name });
    assert.equal(again.status, 200);
    assert.equal(again.location, '');
  });

  it('takes no form from elsewhere: not without its proof, not with another’s, not from another origin', async () => {
    const browser = server.browserOf(person);
    const { page } = await open(browser);
    const action = new URL(formAction(page.text), page.url);
    const form = { ...readForm(page.text), decision: 'allow' };
    const proofOfOther = async () => {
      const other = await open(server.browserOf(await server.person('other')));
      return readForm(other.page.text)['csrf'] ?? '';
    };
    const grants = () => server.host.service.file.oauth.listGrants().length;
    const before = grants();
    const attempts = [
      await browser.post(action, { ...form, csrf: '' }),
      await browser.post(action, { ...form, csrf: await proofOfOther() }),
      await browser.post(action, form, { 'Sec-Fetch-Site': 'cross-site' }),
      await browser.post(action, form, { 'Sec-Fetch-Site': 'same-site' }),
    ];
    for (const attempt of attempts) {
      assert.equal(attempt.status, 400);
      assert.equal(attempt.location, '');
    }
    assert.equal(grants(), before);
    assert.equal((await browser.post(action, form)).status, 303, 'the same form from its own page');
  });

  it('belongs to the browser that opened it', async () => {
    const { page } = await open(server.browserOf(person));
    const elsewhere = server.browserOf(person);
    const seen = await elsewhere.get(page.url);
    assert.equal(seen.status, 400);
    assert.doesNotMatch(seen.text, /<form/);
    const posted = await elsewhere.post(page.url, { ...readForm(page.text), decision: 'allow' });
    assert.equal(posted.status, 400);
  });

  it('can be open twice in one browser, each for its own client', async () => {
    const browser = server.browserOf(person);
    const other = await OAuthClient.register(server, { redirect_uris: ['http://127.0.0.1:8888/back'] });
    const mine = await open(browser);
    const theirs = await other.ask();
    const otherTokens = await other.exchange(
      other.readAnswer(await letIn(browser, theirs.url), theirs.state),
      theirs.verifier,
    );
    const action = new URL(formAction(mine.page.text), mine.page.url);
    const form = { ...readForm(mine.page.text), decision: 'allow' };
    const answer = client.readAnswer(await browser.follow(await browser.post(action, form)), mine.state);
    const myTokens = await client.exchange(answer, mine.verifier);
    const clientOf = (token: string) => server.face.readAccessToken(token)?.clientId;
    assert.equal(clientOf(myTokens.access_token), client.client.client_id);
    assert.equal(clientOf(otherTokens.access_token), other.client.client_id);
  });

  it('is for the person signed in at the answer, not for the one before', async () => {
    const browser = server.browserOf(person);
    const next = await server.person('next');
    const { access_token: first } = await client.signIn(browser);
    server.signInAgain(browser, next);
    const { access_token: second } = await client.signIn(browser);
    assert.equal(server.face.readAccessToken(first)?.principalId, person.principalId);
    assert.equal(server.face.readAccessToken(second)?.principalId, next.principalId);
  });

  it('does not ask a person to sign in twice when a client wants a fresh sign-in', async () => {
    for (const changes of [
      { prompt: 'login' },
      { prompt: 'login consent' },
      { scope: 'openid org:read', max_age: '0' },
    ]) {
      const browser = new Browser();
      const { page, state } = await open(browser, changes);
      const back = new URL(page.url).searchParams.get('return') ?? '';
      server.signInAgain(browser, person);
      const answer = await letIn(browser, `${server.url}${back}`);
      assert.ok(client.readAnswer(answer, state).get('code'), JSON.stringify(changes));
    }
  });

  it('wants the person to sign in again when the client asks for that', async () => {
    const browser = server.browserOf(person);
    server.host.clock.advance(1000);
    const { page } = await open(browser, { prompt: 'login' });
    assert.match(page.url, /\/signin\?return=.*&again=1$/);
    const back = new URL(page.url).searchParams.get('return') ?? '';
    server.signInAgain(browser, person);
    assert.equal((await browser.get(`${server.url}${back}`)).status, 200);
    server.host.clock.advance(3_600_000);
    const old = await open(browser, { scope: 'openid org:read', max_age: '600' });
    assert.match(old.page.url, /\/signin\?/);
    server.signInAgain(browser, person);
    server.host.clock.advance(500_000);
    const recent = await open(browser, { scope: 'openid org:read', max_age: '600' });
    assert.equal(recent.page.status, 200);
  });

  it('takes no click at another provider for the fresh sign-in that a client asks for', async () => {
    for (const changes of [
      { scope: 'openid org:read', prompt: 'login' },
      { scope: 'openid org:read', max_age: '600' },
      { scope: 'openid org:read', max_age: '0' },
    ]) {
      const wanted = JSON.stringify(changes);
      // Signed in already, and on the way: both by a click.
      const [signedIn, stranger] = [new Browser(), new Browser()];
      server.signInAgain(signedIn, person, false);
      const { page } = await open(signedIn, changes);
      assert.match(page.url, /\/signin\/again\?return=/, wanted);
      const first = await open(stranger, changes);
      const back = new URL(first.page.url).searchParams.get('return') ?? '';
      server.signInAgain(stranger, person, false);
      const returned = await stranger.follow(await stranger.get(`${server.url}${back}`));
      assert.match(returned.url, /\/signin\/again\?return=/, wanted);
      server.signInAgain(signedIn, person);
      const asked = new URL(page.url).searchParams.get('return') ?? '';
      assert.equal((await signedIn.get(`${server.url}${asked}`)).status, 200, wanted);
    }
  });

  it('never answers for the person: a client that wants no page gets none, and no code', async () => {
    const browser = server.browserOf(person);
    await client.signIn(browser);
    const { page, state } = await open(browser, { prompt: 'none' });
    assert.throws(() => client.readAnswer(page, state), { error: 'login_required' });
  });

  it('a consent page expires after an hour', async () => {
    const browser = server.browserOf(person);
    const { page } = await open(browser);
    server.host.clock.advance(3_600_000);
    const late = await browser.get(page.url);
    assert.equal(late.status, 400);
    assert.match(late.text, /too long/);
  });

  async function open(browser: Browser, changes: Readonly<Record<string, string | undefined>> = {}) {
    const asked = await client.ask(changes);
    return { ...asked, page: await browser.follow(await browser.get(asked.url)) };
  }
});
