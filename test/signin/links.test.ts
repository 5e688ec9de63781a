import assert from 'node:assert/strict';
import type { Caller } from '../../lib/domain/caller.js';
import { issueLink } from '../../lib/operations/principals/manage-sign-in.js';
import { perform } from '../../lib/operations/perform.js';
import { changePolicy } from '../../lib/operations/workspaces/change-policy.js';
import { operator } from '../support/store/service.js';
import { goodPassword, openSignIn, type SignInTest } from '../support/signin/open-sign-in.js';

describe('Signing in by links, attacked', function () {
  let test: SignInTest;

  beforeEach(async () => {
    test = await openSignIn();
  });
  afterEach(() => test.close());

  it('a link is used up by the form, not by looking, and works once', async () => {
    const path = await test.link(await test.server.host.principal('Ada'));
    const [first, second] = [test.visitor(), test.visitor()];
    for (let look = 0; look < 3; look += 1) assert.equal((await second.get(path)).status, 200);
    await first.get(path);
    assert.equal((await first.post('/signin/link', fields(path))).status, 303);
    assert.equal((await second.post('/signin/link', fields(path, 'another long password'))).status, 410);
    assert.equal((await second.get(path)).status, 410);
    assert.ok(!(await second.isSignedIn()));
    await second.signIn('ada', goodPassword);
    assert.ok(await second.isSignedIn());
  });

  it('a first link names the workspace by its title', async () => {
    const path = await test.link(await test.server.host.principal('Ada'));
    assert.match((await test.visitor().get(path)).text, /You have a place in <strong>acme<\/strong>/);
    await perform(test.server.host.workspace, operator, changePolicy, { workspaceTitle: 'Acme <b> handbook' });
    assert.match((await test.visitor().get(path)).text, /a place in <strong>Acme &lt;b&gt; handbook<\/strong>/);
  });

  it('of two who use a link at once one is too late', async () => {
    const path = await test.link(await test.server.host.principal('Ada'));
    const visitors = [test.visitor(), test.visitor(), test.visitor()];
    for (const visitor of visitors) await visitor.get(path);
    const answers = await Promise.all(visitors.map((each) => each.post('/signin/link', fields(path))));
    assert.equal(
      answers
        .map(({ status }) => String(status))
        .toSorted()
        .join(' '),
      '303 410 410',
    );
    assert.equal(test.records().filter((line) => line.startsWith('password.set')).length, 1);
  });

  it('a link ends after a day, and when there is a newer one', async () => {
    const id = await test.server.host.principal('Ada');
    const old = await test.link(id);
    const newer = await test.link(id);
    const visitor = test.visitor();
    assert.equal((await visitor.get(old)).status, 410);
    assert.equal((await visitor.get(newer)).status, 200);
    test.server.host.clock.advance(24 * 60 * 60_000);
    assert.equal((await visitor.post('/signin/link', fields(newer))).status, 410);
  });

  it('a forgotten password is replaced, and every session of the old one ends', async () => {
    const id = await test.person('Ada', 'ada');
    const thief = test.visitor();
    await thief.signIn('ada');
    const path = await test.link(id);
    const visitor = test.visitor();
    await visitor.get(path);
    await visitor.post('/signin/link', fields(path, 'a quite different thing'));
    assert.ok(await visitor.isSignedIn());
    assert.ok(!(await thief.isSignedIn()));
    assert.equal((await thief.signIn('ada', goodPassword)).status, 422);
  });

  it('an old password that is still being checked when a new one is chosen opens nothing', async () => {
    const id = await test.person('Ada', 'ada');
    const { people } = test.server.host.service;
    const path = await test.link(id);
    const newHash = await people.passwords.hash('a quite different thing');
    const look = people.passwords.matches.bind(people.passwords);
    people.passwords.matches = async (...values) => {
      const isRight = await look(...values);
      people.links.use(secretOf(path), newHash);
      return isRight;
    };
    const thief = test.visitor();
    assert.equal((await thief.signIn('ada', goodPassword)).status, 422);
    assert.ok(!(await thief.isSignedIn()));
    assert.deepEqual(people.sessions.listOf(people.identities.findByName('ada')?.id ?? ''), []);
  });

  it('a password that is short, easy or typed differently leaves the link as it was', async () => {
    const path = await test.link(await test.server.host.principal('Ada'), 'ada@example.org');
    const visitor = test.visitor();
    await visitor.get(path);
    for (const [password, again] of [
      ['eleven char', 'eleven char'],
      ['aaaaaaaaaaaaaaaa', 'aaaaaaaaaaaaaaaa'],
      ['xADA@example.orgx', 'xADA@example.orgx'],
      [goodPassword, `${goodPassword} `],
      ['a'.repeat(1025), 'a'.repeat(1025)],
    ] as const) {
      assert.equal((await visitor.post('/signin/link', fields(path, password, again))).status, 422, password);
    }
    assert.equal((await visitor.post('/signin/link', fields(path))).status, 303);
  });

  it('an admin of one workspace makes no link for a person who is in another one too', async () => {
    await test.person('Ada', 'ada@example.org');
    const other = await test.server.addWorkspace();
    const admin = await other.host.person('approver', '');
    const caller: Caller = {
      principalId: admin.id,
      kind: 'person',
      credentialId: null,
      provenAt: other.host.clock.now(),
      interface: 'console',
      requestId: 'req_test',
    };
    const mine = await other.host.principal('Mine');
    const ask = (principalId: string, signInName?: string) =>
      perform(other.host.workspace, caller, issueLink, { principalId, signInName });
    await assert.rejects(ask(mine, 'ada@example.org'), { code: 'CONFLICT' });
    await ask(mine, 'mine@example.org');
    await test.link(mine, undefined, other.host);
    const both = await other.host.principal('Ada there');
    await test.link(both, 'ada@example.org', other.host);
    await assert.rejects(ask(both), { code: 'CONFLICT' });
  });

  const secretOf = (path: string): string => path.split('/').pop() ?? '';

  const fields = (path: string, password = goodPassword, again = password) => ({
    link: secretOf(path),
    password,
    again,
  });
});
