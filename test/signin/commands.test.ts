import assert from 'node:assert/strict';
import { issueLink } from '../../lib/operations/principals/manage-sign-in.js';
import { perform } from '../../lib/operations/perform.js';
import { runCommand } from '../../lib/commands/carrier/run-command.js';
import { operator } from '../support/store/service.js';
import { openSignIn, type SignInTest } from '../support/signin/open-sign-in.js';

describe('The commands about signing in', function () {
  let test: SignInTest;

  beforeEach(async () => {
    test = await openSignIn();
  });
  afterEach(() => test.close());

  it('print a link that opens, with a unique name, made from the display name or given', async () => {
    const { host } = test.server;
    const [first, second] = [await host.principal('Ada Lovelace'), await host.principal('Ada LOVELACE')];
    const made = await run('link', { principal: first });
    assert.equal(made.sign_in_name, 'ada.lovelace');
    assert.equal((await test.visitor().get(new URL(made.link).pathname)).status, 200);
    assert.equal((await run('link', { principal: second })).sign_in_name, 'ada.lovelace.2');
    assert.equal(
      (await run('link', { principal: second, sign_in: 'Ada@Example.org' })).sign_in_name,
      'ada@example.org',
    );
    assert.equal((await run('link', { principal: second })).sign_in_name, 'ada@example.org', 'it stays');
    assert.equal((await run('link', { principal: first, sign_in: 'ada@example.org' })).refused, 'CONFLICT');
    for (const bad of ['', ' ', 'two words', '@x', 'a\u0000', 'a'.repeat(255)]) {
      assert.equal((await run('link', { principal: first, sign_in: bad })).refused, 'INVALID_REQUEST', bad);
    }
  });

  it('name the workspaces in which a sign-in name is known, to the operator alone', async () => {
    await test.person('Eve', 'carol@corp.example');
    const other = await test.server.addWorkspace();
    const carol = await other.host.principal('Carol');
    const fields = { principal: carol, sign_in: 'carol@corp.example' };
    const { hint } = await run('link', fields, other.host.workspace.name);
    assert.match(hint, /^"carol@corp\.example" signs in to another workspace too: acme\./);
    const made = await run('init', { workspace: 'third', admin: 'Carol', sign_in: 'carol@corp.example' });
    assert.match(made.hint, /too: acme, other-1\./);
    assert.equal((await run('link', { principal: carol, sign_in: 'new@corp.example' }, 'other-1')).hint, undefined);
    await other.host.grant('approver', { type: 'principal', id: carol }, '');
    const provenAt = other.host.clock.now();
    const caller = { ...operator, principalId: carol, kind: 'person', provenAt, interface: 'console' } as const;
    const { result } = await perform(other.host.workspace, caller, issueLink, { principalId: carol });
    assert.deepEqual(result.elsewhere, []);
  });

  it('are for people alone, and not for disabled ones', async () => {
    const { host } = test.server;
    const agent = await host.principal('Robot', 'agent');
    const gone = await host.principal('Gone');
    await run('principal.disable', { principal: gone });
    assert.equal((await run('link', { principal: agent })).refused, 'NOT_FOUND');
    assert.equal((await run('sessions', { principal: agent })).refused, 'NOT_FOUND');
    assert.equal((await run('link', { principal: 'prn_nobody' })).refused, 'NOT_FOUND');
    assert.equal((await run('link', { principal: gone })).refused, 'CONFLICT');
  });

  it('name the permanent losses of a disabled person, and that keys come back', async () => {
    const { host } = test.server;
    const id = await test.person('Ada', 'ada');
    await test.visitor().signIn('ada');
    await host.key(id);
    await host.key(id, ['mcp'], host.clock.now() + 1000);
    host.clock.advance(2000);
    const disabled = await run('principal.disable', { principal: id });
    assert.deepEqual([disabled.sessions_ended, disabled.consents_ended, disabled.keys], [1, 0, 1]);
    assert.match(disabled.hint, /work again when it is enabled \(1\); `cartulary key revoke` ends one for good/);
    const enabled = await run('principal.enable', { principal: id });
    assert.deepEqual([enabled.sessions_ended, enabled.keys], [undefined, 1]);
    assert.match(
      enabled.hint,
      /Keys from before work again \(1\)\. Sessions and applications from before stay ended\./,
    );
    const agent = await host.principal('Robot', 'agent');
    assert.equal((await run('principal.disable', { principal: agent })).hint, undefined);
  });

  it('list sessions, and end them', async () => {
    const id = await test.person('Ada', 'ada');
    assert.deepEqual((await run('sessions', { principal: id })).items, []);
    const visitor = test.visitor({ 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' });
    await visitor.signIn('ada');
    const { items } = await run('sessions', { principal: id });
    assert.deepEqual(
      items.map(({ browser, method, address }) => [browser, method, String(address).replace('::ffff:', '')]),
      [['Firefox on Linux', 'password', '127.0.0.1']],
    );
    assert.equal((await run('sessions', { principal: id, end: true })).ended, 1);
    assert.ok(!(await visitor.isSignedIn()));
    assert.equal(test.records().filter((line) => line.startsWith('session.end_all done')).length, 1);
  });

  async function run(command: string, fields: Readonly<Record<string, unknown>>, workspace = 'acme'): Promise<Shown> {
    const options = {
      host: test.server.host.service,
      server: null,
      address: test.url,
      onProgress: () => Promise.resolve(),
      signal: new AbortController().signal,
      onFault: (what: string, cause: unknown) => assert.fail(`${what}: ${String(cause)}`),
    };
    const answer = await runCommand({ command, fields, workspace }, options);
    return ('error' in answer ? { refused: answer.error.code } : answer.result) as Shown;
  }
});

interface Shown {
  readonly link: string;
  readonly sign_in_name: string;
  readonly ended: number;
  readonly items: readonly Readonly<Record<string, unknown>>[];
  readonly refused: string;
  readonly sessions_ended?: number;
  readonly consents_ended?: number;
  readonly keys: number;
  readonly hint: string;
}
