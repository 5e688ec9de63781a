import assert from 'node:assert/strict';
import { mintCredential } from '../../lib/operations/credentials/change-credential.js';
import { mintOwnKey } from '../../lib/operations/credentials/own-keys.js';
import { perform } from '../../lib/operations/perform.js';
import { operator } from '../support/store/service.js';
import { goodPassword, openSignIn, type SignInTest } from '../support/signin/open-sign-in.js';

describe('Keys on the page of the sessions', () => {
  let test: SignInTest;
  let ada: string;

  beforeEach(async () => {
    test = await openSignIn();
    ada = await test.person('Ada', 'ada');
  });
  afterEach(() => test.close());

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
    assert.match((await visitor.get(to)).text, /None of these keys works any more/);
  });
});
