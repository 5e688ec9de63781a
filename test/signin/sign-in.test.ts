import assert from 'node:assert/strict';
import { setPrincipalState } from '../../lib/operations/principals/set-principal-state.js';
import { endSessions } from '../../lib/operations/principals/manage-sign-in.js';
import { perform } from '../../lib/operations/perform.js';
import { operator } from '../support/store/service.js';
import { goodPassword, openSignIn, type SignInTest } from '../support/signin/open-sign-in.js';

const hour = 60 * 60_000;

describe('Signing in', function () {
  let test: SignInTest;

  beforeEach(async () => {
    test = await openSignIn();
  });
  afterEach(() => test.close());

  it('begins with a link: a password is chosen, and the person is signed in', async () => {
    const id = await test.server.host.principal('Ada');
    const path = await test.link(id, 'Ada@Example.org');
    const visitor = test.visitor();
    assert.match((await visitor.get(path)).text, /value="ada@example\.org"/);
    const link = path.split('/').pop() ?? '';
    const answer = await visitor.post('/signin/link', { link, password: goodPassword, again: goodPassword });
    assert.equal(answer.headers.location, '/console');
    assert.equal((await visitor.get('/signin')).headers.location, '/console');
    assert.equal((await visitor.get('/')).headers.location, '/console');
    assert.deepEqual(test.signIn.readSession(`cartulary=${visitor.cookies.get('cartulary')}`)?.memberships, [
      { workspace: 'acme', title: 'acme', principalId: id, displayName: 'Ada' },
    ]);
    assert.deepEqual(
      test.records().filter((line) => /^(?:password|session|link)/.test(line)),
      [
        `link.issue done {"expires_at":${test.server.host.clock.now() + 24 * hour},"first":true}`,
        'password.set done {"first":true}',
        'session.begin done {"method":"link"}',
      ],
    );
  });

  it('is where the bare address of the service leads', async () => {
    assert.equal((await test.visitor().get('/')).headers.location, '/signin');
    const below = await openSignIn({ signIn: { url: 'https://example.org/files' } });
    try {
      assert.equal((await below.visitor().get('/')).headers.location, '/files/signin');
    } finally {
      await below.close();
    }
  });

  it('takes the password from then on, however the name is written', async () => {
    await test.person('Ada', 'ada@example.org');
    const visitor = test.visitor();
    await visitor.signIn('  ADA@example.org ');
    assert.ok(await visitor.isSignedIn());
  });

  it('gives the same answer for a wrong password, an unknown name, and a person disabled or without a password', async () => {
    await test.person('Ada', 'ada@example.org');
    const gone = await test.person('Grace', 'grace@example.org');
    await perform(test.server.host.workspace, operator, setPrincipalState, { principalId: gone, disabled: true });
    await test.link(await test.server.host.principal('New'), 'new@example.org');
    const answers = [];
    for (const [name, password] of [
      ['ada@example.org', 'wrong'],
      ['nob@example.org', goodPassword],
      ['gra@example.org', goodPassword],
      ['grace@example.org', goodPassword],
      ['new@example.org', ''],
    ] as const) {
      const { status, headers, text } = await test.visitor().signIn(name, password);
      const { date: _, 'x-request-id': id, ...rest } = headers;
      assert.match(String(id), /^req_/);
      const cookies = rest['set-cookie'];
      assert.equal(cookies, undefined);
      const same = text.replace(name, 'NAME').replace(/name="csrf" value="[^"]+"/, 'CSRF');
      answers.push({ status, same, headers: { ...rest, 'content-length': undefined } });
    }
    for (const answer of answers.slice(1)) assert.deepEqual(answer, answers[0]);
    assert.equal(answers[0]?.status, 422);
  });

  it('ends when the person signs out, also for a copy of the cookie', async () => {
    await test.person('Ada', 'ada');
    const visitor = test.visitor();
    await visitor.signIn('ada');
    const cookie = `cartulary=${visitor.cookies.get('cartulary')}`;
    assert.ok(await visitor.isSignedIn());
    assert.equal((await visitor.post('/signin/out', {})).headers.location, '/signin/out');
    assert.match((await visitor.get('/signin/out')).text, /You are signed out/);
    assert.equal(test.signIn.readSession(cookie), undefined);
    assert.equal(test.records().at(-1), 'session.end done');
  });

  it('signing in leaves no expired cookie behind', async () => {
    await test.person('Ada', 'ada');
    const visitor = test.visitor();
    await visitor.signIn('ada');
    test.server.host.clock.advance(13 * hour);
    assert.equal((await visitor.post('/signin/out', {})).headers.location, '/signin/out');
    assert.equal(visitor.cookies.get('cartulary'), undefined);
  });

  it('is not ended by a page of another site, which sends no cookie', async () => {
    const { headers } = await test.visitor().post('/signin/out', {});
    assert.equal(headers['set-cookie'], undefined);
  });

  it('ends by itself after twelve hours of silence, and after seven days in any case', async () => {
    await test.person('Ada', 'ada');
    const visitor = test.visitor();
    const { clock } = test.server.host;
    await visitor.signIn('ada');
    clock.advance(12 * hour - 60_001);
    assert.ok(await visitor.isSignedIn());
    clock.advance(12 * hour);
    assert.ok(!(await visitor.isSignedIn()));
    await visitor.signIn('ada');
    for (let hours = 0; hours < 7 * 24 - 6; hours += 6) {
      assert.ok(await visitor.isSignedIn());
      clock.advance(6 * hour);
    }
    clock.advance(6 * hour);
    assert.ok(!(await visitor.isSignedIn()));
  });

  it('ends for good when the person is disabled, in every browser, and so does an unused link', async () => {
    const id = await test.person('Ada', 'ada');
    const [desk, phone] = [test.visitor(), test.visitor()];
    for (const visitor of [desk, phone]) await visitor.signIn('ada');
    const link = await test.link(id);
    const set = (disabled: boolean) =>
      perform(test.server.host.workspace, operator, setPrincipalState, { principalId: id, disabled });
    const { result } = await set(true);
    assert.deepEqual([result.ended, result.keys], [{ sessions: 2, consents: 0 }, 0]);
    const ended = '{"disabled":true,"sessions_ended":2,"consents_ended":0}';
    assert.equal(test.records().at(-1), `principal.set_state done ${ended}`);
    for (const visitor of [desk, phone]) assert.ok(!(await visitor.isSignedIn()));
    assert.equal((await desk.post('/signin/out', {})).headers.location, '/signin/out');
    assert.equal(desk.cookies.get('cartulary'), undefined, 'a cookie of nothing goes');
    await set(false);
    assert.ok(!(await phone.isSignedIn()));
    assert.equal((await test.visitor().get(link)).status, 410);
    await phone.signIn('ada');
    assert.ok(await phone.isSignedIn(), 'the password is the person’s own');
  });

  it('leaves keys as they are: they open nothing meanwhile, and work again when the principal is enabled', async () => {
    const { host } = test.server;
    const { id, key } = await host.person('reader');
    const { workspace } = host;
    const statusOf = async () => (await test.server.as(key).get('/v1/folders')).status;
    const { result: disabled } = await perform(workspace, operator, setPrincipalState, {
      principalId: id,
      disabled: true,
    });
    assert.deepEqual([await statusOf(), disabled.keys], [401, 1]);
    const { result: enabled } = await perform(workspace, operator, setPrincipalState, {
      principalId: id,
      disabled: false,
    });
    assert.deepEqual([await statusOf(), enabled.keys, enabled.ended], [200, 1, undefined]);
  });

  it('ends in the browser used longest ago where one person is signed in in more than a hundred', async () => {
    await test.person('Ada', 'ada');
    const { people } = test.server.host.service;
    const identityId = people.identities.findByName('ada')?.id ?? '';
    const first = test.visitor();
    await first.signIn('ada');
    for (let count = 1; count < 100; count += 1) {
      test.server.host.clock.advance(60_000);
      people.sessions.begin({ identityId, method: 'password', browser: 'Test', address: '127.0.0.1' });
    }
    const last = test.visitor();
    await last.signIn('ada');
    assert.equal(people.sessions.listOf(identityId).length, 100);
    assert.deepEqual([await first.isSignedIn(), await last.isSignedIn()], [false, true]);
    assert.equal(test.records().filter((line) => line.startsWith('session.end')).length, 1, 'it is on record');
  });

  it('shows people where they are signed in, and lets them end one or all of it', async () => {
    const id = await test.person('Ada', 'ada');
    const [desk, phone, old] = [
      test.visitor({ 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' }),
      test.visitor({
        'User-Agent': 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/605.1',
      }),
      test.visitor(),
    ];
    for (const visitor of [old, phone, desk]) await visitor.signIn('ada');
    const { text } = await desk.get('/signin/sessions');
    assert.match(text, /Firefox on Linux<\/strong>\s*<span class="badge">this browser/);
    assert.match(text, /Safari on iOS<\/strong>\s*<div/);
    const { people } = test.server.host.service;
    const identity = people.identities.findByName('ada')?.id ?? '';
    const phoneId = people.sessions.listOf(identity).find(({ browser }) => browser === 'Safari on iOS')?.id ?? '';
    assert.equal((await desk.post('/signin/sessions', { session: phoneId })).status, 303);
    assert.deepEqual([await phone.isSignedIn(), await old.isSignedIn(), await desk.isSignedIn()], [false, true, true]);
    await desk.get('/signin/sessions');
    await desk.post('/signin/sessions', { session: 'all' });
    assert.deepEqual([await old.isSignedIn(), await desk.isSignedIn()], [false, false]);
    await old.signIn('ada');
    const input = { principalId: id };
    assert.equal((await perform(test.server.host.workspace, operator, endSessions, input)).result, 1);
    assert.ok(!(await old.isSignedIn()));
  });

  it('signing in ends no other person’s session', async () => {
    await test.person('Ada', 'ada');
    await test.person('Eve', 'eve');
    const [ada, eve] = [test.visitor(), test.visitor()];
    await ada.signIn('ada');
    await eve.signIn('eve');
    const { people } = test.server.host.service;
    const [session] = people.sessions.listOf(people.identities.findByName('ada')?.id ?? '');
    await eve.get('/signin/sessions');
    await eve.post('/signin/sessions', { session: session?.id ?? '' });
    assert.ok(await ada.isSignedIn());
  });

  it('returns to the person’s page, on this service', async () => {
    await test.person('Ada', 'ada');
    const visitor = test.visitor();
    await visitor.get('/signin?return=/oauth/consent%3Fid%3Da%26b');
    const shown = /name="return" value="([^"]*)"/.exec(visitor.page)?.[1];
    assert.equal(shown, '/oauth/consent?id=a&amp;b');
    const answer = await visitor.post('/signin', {
      name: 'ada',
      password: goodPassword,
      return: '/oauth/consent?id=a&b',
    });
    assert.match(answer.text, /http-equiv="refresh" content="0;url=\/oauth\/consent\?id=a&amp;b"/);
    assert.equal((await visitor.get('/signin?return=/oauth/x')).headers.location, '/oauth/x');
    assert.match((await visitor.get('/signin?return=/oauth/x&again=1')).text, /<h1>Sign in</);
  });

  it('is one identity for a person in two workspaces, until both have disabled them', async () => {
    const first = await test.person('Ada', 'ada@example.org');
    const other = await test.server.addWorkspace();
    await other.host.person('approver');
    const second = await other.host.principal('Ada L.');
    await test.choosePassword(await test.link(second, 'ada@example.org', other.host));
    const visitor = test.visitor();
    await visitor.signIn('ada@example.org');
    const members = () =>
      test.signIn
        .readSession(`cartulary=${visitor.cookies.get('cartulary')}`)
        ?.memberships.map(({ workspace, principalId }) => `${workspace} ${principalId}`);
    const names = [`acme ${first}`, `${other.host.workspace.name} ${second}`];
    assert.deepEqual(members(), names);
    await perform(test.server.host.workspace, operator, setPrincipalState, { principalId: first, disabled: true });
    assert.equal(members(), undefined, 'a session is of the person, not of a workspace');
    await visitor.signIn('ada@example.org');
    assert.deepEqual(members(), names.slice(1));
    await perform(other.host.workspace, operator, setPrincipalState, { principalId: second, disabled: true });
    assert.equal(members(), undefined);
  });
});
