import assert from 'node:assert/strict';
import type { Caller } from '../../lib/domain/caller.js';
import { issueLink } from '../../lib/operations/principals/manage-sign-in.js';
import { showPrincipal } from '../../lib/operations/principals/show-subject.js';
import { setPrincipalState } from '../../lib/operations/principals/set-principal-state.js';
import { perform } from '../../lib/operations/perform.js';
import { until } from '../support/until.js';
import type { TestServer } from '../support/http/server.js';
import { operator } from '../support/store/service.js';
import { goodPassword, openSignIn, type SignInTest, type Visitor } from '../support/signin/open-sign-in.js';

const carols = 'carol@corp.example';
const herPassword = 'a quite different thing';

describe('A person joins another workspace', function () {
  let test: SignInTest;
  let other: TestServer;
  let carol: string;

  beforeEach(async () => {
    test = await openSignIn();
    other = await test.server.addWorkspace();
    carol = await other.host.principal('Carol');
    await other.host.grant('approver', { type: 'principal', id: carol }, '');
  });
  afterEach(() => test.close());

  it('when they use the link made there, and not by who has taken the name before', async () => {
    const { browser } = await takeName();
    const path = await linkThere(carols);
    assert.deepEqual(workspacesOf(browser), ['acme'], 'the browser that was open');
    const another = test.visitor();
    assert.equal((await another.signIn(carols)).status, 303);
    assert.deepEqual(workspacesOf(another), ['acme'], 'a new sign-in');
    const { result: shown } = await perform(other.host.workspace, operator, showPrincipal, { principalId: carol });
    assert.deepEqual([shown.signInName, shown.hasPassword], [carols, false]);
    const hers = await use(path, herPassword);
    assert.deepEqual(workspacesOf(hers), ['acme', 'other-1']);
    assert.deepEqual([workspacesOf(browser), workspacesOf(another)], [undefined, undefined]);
    assert.equal((await browser.signIn(carols)).status, 422, 'the earlier password');
    assert.equal(
      (await perform(other.host.workspace, operator, showPrincipal, { principalId: carol })).result.hasPassword,
      true,
    );
  });

  it('when they use the link, though somebody was given the name later by renaming', async () => {
    const admin = await adminOf(test.server);
    const fay = await test.person('Fay', 'fay');
    const browser = test.visitor();
    await browser.signIn('fay');
    await perform(test.server.host.workspace, admin, issueLink, { principalId: fay, signInName: carols });
    await linkThere(carols);
    assert.deepEqual(workspacesOf(browser), ['acme']);
  });

  it('for good: an earlier link of the first workspace opens nothing after it', async () => {
    const admin = await adminOf(test.server);
    const eve = await test.server.host.principal('Eve');
    const { workspace } = test.server.host;
    const earlier = (await perform(workspace, admin, issueLink, { principalId: eve, signInName: carols })).result;
    const path = await linkThere(carols);
    await use(path, herPassword);
    assert.equal((await test.visitor().get(`/signin/link/${earlier.secret}`)).status, 410);
    await assert.rejects(perform(workspace, admin, issueLink, { principalId: eve }), {
      details: { reason: 'not_yours_alone' },
    });
  });

  it('also after a link of the first workspace was used in between', async () => {
    const admin = await adminOf(test.server);
    const eve = await test.server.host.principal('Eve');
    const { workspace } = test.server.host;
    const { secret } = (await perform(workspace, admin, issueLink, { principalId: eve, signInName: carols })).result;
    const path = await linkThere(carols);
    const browser = await use(`/signin/link/${secret}`, goodPassword);
    assert.deepEqual(workspacesOf(browser), ['acme']);
    assert.deepEqual(workspacesOf(await use(path, herPassword)), ['acme', 'other-1']);
    assert.equal(signedIn(browser), undefined);
  });

  it('by the name that was meant, when another one was given by mistake', async () => {
    const { browser } = await takeName();
    const mistaken = await linkThere(carols);
    const path = await linkThere('carol.there@corp.example');
    assert.equal((await test.visitor().get(mistaken)).status, 410);
    assert.equal(signedIn(browser)?.signInName, carols, 'whose name it is keeps it');
    const hers = await use(path, herPassword);
    assert.deepEqual([signedIn(hers)?.signInName, workspacesOf(hers)], ['carol.there@corp.example', ['other-1']]);
  });

  it('and a link that was never used makes nobody an admin who can sign in', async () => {
    await takeName();
    await linkThere(carols);
    const { id } = await other.host.person('approver', '', 'Root');
    await assert.rejects(
      perform(other.host.workspace, operator, setPrincipalState, { principalId: id, disabled: true }),
      { details: { reason: 'last_approver', scope: '' } },
    );
  });

  it('and before that, disabling them there signs nobody out elsewhere', async () => {
    const { browser } = await takeName();
    const path = await linkThere(carols);
    const admin = await adminOf(other);
    const { result } = await perform(other.host.workspace, admin, setPrincipalState, {
      principalId: carol,
      disabled: true,
    });
    assert.deepEqual(result.ended, { sessions: 0, consents: 0 });
    assert.deepEqual(workspacesOf(browser), ['acme']);
    assert.equal((await test.visitor().get(path)).status, 410);
  });

  it('and disabling them in one workspace leaves a link of the other one alone, however often', async () => {
    const eve = await test.person('Eve', carols);
    await use(await linkThere(carols), herPassword);
    const admin = await adminOf(test.server);
    const disable = () =>
      perform(test.server.host.workspace, admin, setPrincipalState, { principalId: eve, disabled: true });
    const path = await linkThere();
    const browser = test.visitor();
    assert.equal((await disable()).result.ended?.sessions, 1);
    assert.equal((await browser.get(path)).status, 200);
    const again = await use(path, goodPassword);
    assert.deepEqual((await disable()).result.ended, { sessions: 0, consents: 0 });
    assert.deepEqual(workspacesOf(again), ['other-1'], 'a session begun after the disabling stays');
  });

  const adminOf = async (server: TestServer): Promise<Caller> => {
    const { id } = await server.host.person('approver', '');
    const provenAt = server.host.clock.now();
    return {
      principalId: id,
      kind: 'person',
      credentialId: null,
      provenAt,
      interface: 'console',
      requestId: 'req_test',
    };
  };

  const signedIn = (visitor: Visitor) => test.signIn.readSession(`cartulary=${visitor.cookies.get('cartulary')}`);

  const workspacesOf = (visitor: Visitor): string[] | undefined =>
    signedIn(visitor)?.memberships.map(({ workspace }) => workspace);

  const linkThere = (signInName?: string) => test.link(carol, signInName, other.host);

  async function use(path: string, password: string): Promise<Visitor> {
    const visitor = test.visitor();
    await visitor.get(path);
    const fields = { link: path.split('/').pop() ?? '', password, again: password };
    assert.equal((await visitor.post('/signin/link', fields)).status, 303);
    return visitor;
  }

  /** An admin adds somebody by Carol's address, and signs in as them. */
  async function takeName(): Promise<{ readonly eve: string; readonly browser: Visitor; readonly admin: Caller }> {
    const admin = await adminOf(test.server);
    const eve = await test.server.host.principal('Eve');
    const { workspace } = test.server.host;
    const { result } = await perform(workspace, admin, issueLink, { principalId: eve, signInName: carols });
    return { eve, browser: await use(`/signin/link/${result.secret}`, goodPassword), admin };
  }
});

describe('Choosing a password, while the person is disabled', () => {
  it('leaves no session that opens anything when the person is enabled again', async () => {
    const test = await openSignIn();
    try {
      const { host } = test.server;
      const id = await test.server.host.principal('Ada');
      const path = await test.link(id);
      const set = (disabled: boolean) =>
        perform(host.workspace, operator, setPrincipalState, { principalId: id, disabled });
      // The answer of the form waits for its record: the moment is held open there.
      const { journal } = host.service;
      const deliver = journal.deliver.bind(journal);
      let letGo = (): void => undefined;
      let isHeld = false;
      const held = new Promise<void>((resolve) => (letGo = resolve));
      journal.deliver = async (change) => {
        if (!isHeld) {
          isHeld = true;
          await held;
        }
        return deliver(change);
      };
      const visitor = test.visitor();
      await visitor.get(path);
      const fields = { link: path.split('/').pop() ?? '', password: goodPassword, again: goodPassword };
      const chosen = visitor.post('/signin/link', fields);
      await until('the form waits for its record', () => isHeld);
      await set(true);
      letGo();
      await chosen;
      await set(false);
      assert.ok(!(await visitor.isSignedIn()));
      const { people } = host.service;
      assert.deepEqual(people.sessions.listOf(people.identities.findByName('ada')?.id ?? ''), []);
    } finally {
      await test.close();
    }
  });
});
