import assert from 'node:assert/strict';
import { parseFolderLocation } from '../../lib/domain/location.js';
import { mintCredential } from '../../lib/operations/credentials/change-credential.js';
import { mintOwnKey } from '../../lib/operations/credentials/own-keys.js';
import { createGrant } from '../../lib/operations/grants/change-grant.js';
import { perform } from '../../lib/operations/perform.js';
import { issueLink } from '../../lib/operations/principals/manage-sign-in.js';
import { createWebhook } from '../../lib/operations/webhooks/create-webhook.js';
import { operator } from '../support/store/service.js';
import { goodPassword, openSignIn, type SignInTest, type Visitor } from '../support/signin/open-sign-in.js';

describe('Keys on the page of the sessions', () => {
  let test: SignInTest;
  let ada: string;

  beforeEach(async () => {
    test = await openSignIn();
    ada = await test.person('Ada', 'ada');
  });
  afterEach(() => test.close());

  it('that somebody else made are listed, ended one by one, and ended with all sessions', async () => {
    const eve = await test.server.host.principal('Eve');
    const [one, two, theirs] = [await give(ada, 'one'), await give(ada, 'two'), await give(eve, 'theirs')];
    const own = await makeOwn('own');
    const visitor = test.visitor();
    await visitor.signIn('ada');
    const { text } = await visitor.get('/signin/sessions');
    assert.match(text, /Keys that somebody else made for you/);
    assert.match(text, /<strong>one<\/strong>/);
    assert.ok(!text.includes('<strong>own</strong>') && !text.includes('theirs'));
    await visitor.post('/signin/sessions', { key: `acme ${theirs}` });
    await visitor.get('/signin/sessions');
    await visitor.post('/signin/sessions', { key: `acme ${one}` });
    assert.deepEqual([one, two, theirs, own].map(isOver), [true, false, false, false]);
    await visitor.get('/signin/sessions');
    await visitor.post('/signin/sessions', { session: 'all' });
    assert.deepEqual([one, two, theirs, own].map(isOver), [true, true, false, false]);
    assert.ok(!(await visitor.isSignedIn()));
  });

  /** Chooses a new password by a link. @returns the visitor, and where they are led */
  async function renew(): Promise<{ visitor: Visitor; to: string | undefined }> {
    const path = await test.link(ada);
    const visitor = test.visitor();
    await visitor.get(path);
    const password = `${goodPassword} two`;
    const answer = await visitor.post('/signin/link', { link: path.split('/').pop() ?? '', password, again: password });
    return { visitor, to: /\/signin\/sessions\?since=\d+/.exec(answer.text)?.[0] };
  }

  it('come with links, root grants and webhooks of an admin’s old password, each with a way to end it', async () => {
    const { host } = test.server;
    const { clock, workspace } = host;
    await host.grant('approver', { type: 'principal', id: ada }, '');
    const eve = await host.principal('Eve <b>');
    const before = await test.link(await host.principal('Old'));
    clock.advance(60_000);
    await renew();
    clock.advance(60_000);
    const asAda = {
      principalId: ada,
      kind: 'person',
      credentialId: null,
      interface: 'console',
      requestId: 'r',
    } as const;
    const caller = { ...asAda, provenAt: clock.now() };
    const atRoot = { scopeType: 'folder', location: parseFolderLocation('') } as const;
    await perform(workspace, caller, createGrant, {
      ...atRoot,
      subject: { type: 'principal', id: eve },
      role: 'editor',
    });
    const { result: link } = await perform(workspace, caller, issueLink, { principalId: eve });
    const hook = { name: 'Leak', url: 'https://203.0.113.7/x', location: atRoot.location, kinds: null };
    await perform(workspace, caller, createWebhook, hook);
    clock.advance(60_000);
    const { visitor, to } = await renew();
    assert.ok(to !== undefined, 'the person is led to the list');
    const { text } = await visitor.get(to);
    assert.match(text, /Open sign-in link for Eve &lt;b&gt;/);
    assert.match(text, /Grant on the whole workspace to Eve &lt;b&gt;, editor/);
    assert.match(text, /Webhook Leak, to 203\.0\.113\.7/);
    assert.ok(!text.includes('link for Old'), 'made before the old password');
    const traces = [...text.matchAll(/name="trace" value="([^"]+)"/g)].map(([, value]) => value ?? '');
    assert.deepEqual(new Set(traces.map((trace) => trace.split(' ')[0])), new Set(['link', 'grant', 'webhook']));
    assert.equal(traces.length, 3);
    const since = to.split('=')[1] ?? '';
    for (const trace of [...traces, 'grant acme grt_none', 'link nowhere x', 'nothing']) {
      assert.equal((await visitor.post('/signin/sessions', { trace, since })).status, 303);
      await visitor.get(to);
    }
    assert.match((await visitor.get(to)).text, /None of it works any more/);
    assert.equal((await test.visitor().get(`/signin/link/${link.secret}`)).status, 410);
    assert.equal((await test.visitor().get(before)).status, 200, 'the other link goes on');
    assert.equal(workspace.journal.reader.webhooks.countOf(ada), 0);
    const lines = test.records().filter((line) => /^(?:link\.end|grant\.revoke|webhook\.remove) done/.test(line));
    assert.equal(lines.length, 3);
  });

  it('come without what others in the workspace have, where the person administers nothing', async () => {
    const { host } = test.server;
    const eve = await host.principal('Eve');
    host.clock.advance(60_000);
    const path = await test.link(eve);
    const { to, visitor } = await renew();
    assert.equal(to, undefined, 'there is nothing to show');
    assert.ok(!(await visitor.get('/signin/sessions?since=1')).text.includes('Eve'));
    await visitor.post('/signin/sessions', { trace: `link acme ${eve}`, since: '1' });
    assert.equal((await test.visitor().get(path)).status, 200);
  });

  it('that were made under the old password are listed after a new one', async () => {
    const { clock } = test.server.host;
    clock.advance(60_000);
    const made = await makeOwn('left by a guest');
    clock.advance(60_000);
    const path = await test.link(ada);
    const visitor = test.visitor();
    await visitor.get(path);
    const fields = { link: path.split('/').pop() ?? '', password: `${goodPassword} two`, again: `${goodPassword} two` };
    const answer = await visitor.post('/signin/link', fields);
    const to = /\/signin\/sessions\?since=\d+/.exec(answer.text)?.[0] ?? assert.fail(answer.text);
    const { text } = await visitor.get(to);
    assert.match(text, /Made under your old password/);
    assert.match(text, /left by a guest/);
    await visitor.post('/signin/sessions', { key: `acme ${made}`, since: to.split('=')[1] ?? '' });
    assert.ok(isOver(made));
    assert.match((await visitor.get(to)).text, /None of it works any more/);
  });

  const credentials = () => test.server.host.workspace.journal.reader.credentials;

  const isOver = (id: string): boolean => credentials().find(id)?.revokedAt !== null;

  /** A key that the operator makes for somebody. */
  const give = async (principalId: string, name: string): Promise<string> => {
    const input = { principalId, name, interfaces: ['rest'], requestsPerMinute: null } as const;
    return (await perform(test.server.host.workspace, operator, mintCredential, input)).result.credential.id;
  };

  const makeOwn = async (name: string): Promise<string> => {
    const { clock, workspace } = test.server.host;
    const caller = {
      principalId: ada,
      kind: 'person',
      credentialId: null,
      provenAt: clock.now(),
      interface: 'console',
      requestId: 'req',
    } as const;
    const { result } = await perform(workspace, caller, mintOwnKey, { name, interfaces: ['rest'] });
    return result.credential.id;
  };
});
