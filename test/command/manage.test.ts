import assert from 'node:assert/strict';
import { join } from 'node:path';
import {
  ask,
  askRefused,
  makeFolder,
  tidyUp,
  runProgram,
  serve,
  type RunningProgram,
  timeout,
} from '../support/processes/run-program.js';

const keyPattern = /^ck_acme_[0-9a-z]{16}_[0-9a-z]{59}$/;

for (const mode of ['without a server', 'beside a server'] as const) {
  describe(`the command line manages a workspace ${mode}`, function () {
    this.timeout(timeout);

    let data: string;
    let made: Made;
    let server: RunningProgram | undefined;

    /** The command in this workspace, e.g. `at('principal list')`. */
    const at = (words: string, ...rest: string[]): string[] => [
      ...words.split(' '),
      ...rest,
      '--data',
      data,
      '--workspace',
      'acme',
    ];

    before(async () => {
      data = join(await makeFolder(), 'data');
      if (mode === 'beside a server') server = await serve(data);
      made = await ask<Made>('init', '--data', data, '--workspace', 'acme', '--admin', 'Ada');
    });

    after(async () => {
      await server?.stop();
      await tidyUp();
    });

    it('init names the workspace, its admin, a key, which is for REST and MCP, and a link to sign in with', async () => {
      assert.equal(made.workspace, 'acme');
      assert.match(made.admin.id, /^prn_/);
      assert.equal(made.admin['display_name'], 'Ada');
      assert.match(made.key, keyPattern);
      assert.equal(made.sign_in_name, 'ada');
      assert.match(made.link, /^http:\/\/127\.0\.0\.1:\d+\/signin\/link\/[0-9a-x]{52}$/);
      const { items } = await ask<Listed>(...at('key list'));
      assert.deepEqual(
        items.map((key) => [key['principal'], key['interfaces'], 'key' in key]),
        [[made.admin.id, ['rest', 'mcp'], false]],
      );
      const grants = await ask<Listed>(...at('grant list', '--scope-type', 'folder', '--scope-id', ''));
      assert.deepEqual(
        grants.items.map(({ role, subject }) => [role, (subject as Shown).id]),
        [['approver', made.admin.id]],
      );
      const again = await askRefused('init', '--data', data, '--workspace', 'acme', '--admin', 'Ada');
      assert.equal(again.code, 'CONFLICT');
    });

    it('adds people, agents and groups, nests groups, and disables and enables principals', async () => {
      const agent = await ask<Shown>(...at('principal add', 'Indexer', '--kind', 'agent'));
      assert.equal(agent['kind'], 'agent');
      const [outer, inner] = await Promise.all([
        ask<Shown>(...at('group add', 'Everyone')),
        ask<Shown>(...at('group add', 'Agents')),
      ]);
      const joined = await ask<Shown>(...at('group join', inner.id, '--member', `principal:${agent.id}`));
      assert.deepEqual(joined, { id: inner.id, member: { type: 'principal', id: agent.id }, changed: true });
      await ask(...at('group join', outer.id, '--member', `group:${inner.id}`));
      const cycle = await askRefused(...at('group join', inner.id, '--member', `group:${outer.id}`));
      assert.deepEqual([cycle.code, cycle.details?.['reason']], ['CONFLICT', 'group_cycle']);
      const groups = await ask<Listed>(...at('group list'));
      const listed = groups.items.find(({ id }) => id === outer.id)?.['members'];
      const [member, ...others] = (listed ?? []) as Shown[];
      assert.deepEqual(
        [member?.['type'], member?.id, member?.['display_name'], others.length],
        ['group', inner.id, 'Agents', 0],
      );
      await ask(...at('group leave', outer.id, '--member', `group:${inner.id}`));

      const disabled = await ask<Shown>(...at('principal disable', agent.id));
      assert.equal(typeof disabled['disabled_at'], 'string');
      const enabled = await ask<Shown>(...at('principal enable', agent.id));
      assert.equal(enabled['disabled_at'], null);
      const last = await askRefused(...at('principal disable', made.admin.id));
      assert.equal(last.details?.['reason'], 'last_approver');
    });

    it('grants, lists inherited grants, and revokes', async () => {
      const person = await ask<Shown>(...at('principal add', 'Bea', '--kind', 'person'));
      const grant = ['--scope-type', 'folder', '--scope-id', 'handbook', '--subject', `principal:${person.id}`];
      const added = await ask<Shown>(...at('grant add', ...grant, '--role', 'editor'));
      assert.match(added.id, /^grt_/);
      assert.equal(added['created'], true);
      const below = ['--scope-type', 'folder', '--scope-id', 'handbook/policies', '--inherited'];
      const { items } = await ask<Listed>(...at('grant list', ...below));
      assert.deepEqual(
        items.map((item) => [item['inherited_from'], item['role']]),
        [
          ['', 'approver'],
          ['handbook', 'editor'],
        ],
      );
      const removed = await ask<Shown>(...at('grant remove', ...grant, '--role', 'editor'));
      assert.deepEqual([removed.id, removed['revoked']], [added.id, true]);
      const gone = await askRefused(...at('grant remove', ...grant, '--role', 'editor'));
      assert.equal(gone.code, 'NOT_FOUND');
      assert.match(gone.message, /grant list/);
    });

    it('mints keys for MCP unless the option asks for REST, rotates and revokes them', async () => {
      const mint = (...more: string[]): Promise<Shown> =>
        ask<Shown>(...at('key mint', '--principal', made.admin.id, ...more));
      const [plain, rest] = await Promise.all([
        mint(),
        mint('--rest', '--name', 'Integration', '--expires', '30d', '--rate-limit', '60'),
      ]);
      assert.deepEqual(plain['interfaces'], ['mcp']);
      assert.equal(plain['expires_at'], null);
      assert.deepEqual(rest['interfaces'], ['rest']);
      assert.deepEqual([rest['name'], rest['requests_per_minute']], ['Integration', 60]);
      const lasts = Date.parse(rest['expires_at'] as string) - Date.parse(rest['created_at'] as string);
      assert.ok(Math.abs(lasts - 30 * 86_400_000) < 60_000, `${lasts} ms`);
      assert.match(rest['key'] as string, keyPattern);

      const rotated = await ask<Shown>(...at('key rotate', rest.id));
      assert.equal(rotated.id, rest.id);
      assert.match(rotated['key'] as string, keyPattern);
      assert.notEqual(rotated['key'], rest['key']);
      const revoked = await ask<Shown>(...at('key revoke', rest.id));
      assert.equal(typeof revoked['revoked_at'], 'string');
      const past = await askRefused(...at('key mint', '--principal', made.admin.id, '--expires', '2020-01-01T00:00Z'));
      assert.deepEqual(past.details, { reason: 'bad_field', field: 'expires' });
    });

    it('mints keys for git, alone or with others, and prints where a client finds the workspace', async () => {
      const mint = (...more: string[]): Promise<Shown> =>
        ask<Shown>(...at('key mint', '--principal', made.admin.id, ...more));
      const alone = await mint('--git', '--name', 'Laptop');
      assert.deepEqual(alone['interfaces'], ['git']);
      assert.match(String(alone['git_address']), /^http:\/\/acme@127\.0\.0\.1:\d+\/git\/acme$/);
      const all = await mint('--git', '--mcp', '--rest');
      assert.deepEqual(all['interfaces'], ['rest', 'mcp', 'git']);
      assert.equal('git_address' in (await mint('--rest')), false);
      const { items } = await ask<{ items: Shown[] }>(...at('key list', '--principal', made.admin.id));
      assert.deepEqual(items.find(({ id }) => id === alone.id)?.['interfaces'], ['git']);
    });

    it('gives the workspace a title, says what keeps its name, and takes the title away again', async () => {
      const rename = (title: string): Promise<Shown> =>
        ask<Shown>('workspace', 'rename', 'acme', title, '--data', data);
      const listed = async (): Promise<unknown> =>
        (await ask<{ items: Shown[] }>('workspace', 'list', '--data', data)).items.find(
          ({ name }) => name === 'acme',
        )?.['title'];
      assert.equal(await listed(), 'acme');
      const changed = await rename(' Acme handbook ');
      assert.deepEqual([changed['name'], changed['before'], changed['title']], ['acme', 'acme', 'Acme handbook']);
      assert.match(String(changed['note']), /keys, clones, backups and the audit log keep the name acme: .* undo/);
      assert.equal(await listed(), 'Acme handbook');
      assert.equal((await ask<Shown>(...at('policy show')))['workspace_title'], 'Acme handbook');
      const status = await ask<{ workspaces: Shown[] }>('status', '--data', data);
      assert.ok(status.workspaces.some(({ name, title }) => name === 'acme' && title === 'Acme handbook'));
      for (const bad of ['', '  ', 'x'.repeat(81), 'two\nlines', 'acme\u200b', 'exe\u202egnp']) {
        assert.equal(
          (await askRefused('workspace', 'rename', 'acme', bad, '--data', data)).details?.['field'],
          'title',
        );
      }
      await askRefused('workspace', 'rename', 'nowhere', 'Title', '--data', data);
      assert.equal(await listed(), 'Acme handbook');
      assert.equal((await rename('acme'))['before'], 'Acme handbook');
      assert.equal(await listed(), 'acme');
    });

    it('shows the policy and changes one setting of it', async () => {
      const changed = await ask<Record<string, unknown>>(...at('policy set', 'storage_quota', '2GiB'));
      assert.deepEqual(changed, { name: 'storage_quota', before: 1000 * 1000 ** 3, after: 2 * 1024 ** 3 });
      await ask(...at('policy set', 'credential_lifetime', '90d'));
      const policy = await ask<Record<string, unknown>>(...at('policy show'));
      assert.equal(policy['storage_quota'], 2 * 1024 ** 3);
      assert.equal(policy['credential_lifetime'], '90d');
      await ask(...at('policy set', 'credential_lifetime', 'none'));
      const meaning = await ask<Record<string, unknown>>(...at('policy set', 'search_by_meaning', 'on'));
      assert.deepEqual(meaning, { name: 'search_by_meaning', before: 'off', after: 'on' });
      await askRefused(...at('policy set', 'search_by_meaning', 'true'));
      const languages = await ask<Record<string, unknown>>(...at('policy set', 'search_languages', 'de, en'));
      assert.deepEqual(languages, { name: 'search_languages', before: 'en', after: 'de,en' });
      for (const value of ['', 'de,de', 'xx', 'en,de,fr,es,it', '__proto__']) {
        await askRefused(...at('policy set', 'search_languages', value));
      }
      const charset = await ask<Record<string, unknown>>(...at('policy set', 'text_charset', 'latin1'));
      assert.deepEqual(charset, { name: 'text_charset', before: 'none', after: 'windows-1252' });
      await ask(...at('policy set', 'text_charset', 'none'));
      for (const value of ['utf-8', 'klingon', '', '"; x', '../etc']) {
        await askRefused(...at('policy set', 'text_charset', value));
      }
      assert.equal((await ask<Record<string, unknown>>(...at('policy set', 'extract_text', 'off')))['after'], 'off');
      await ask(...at('policy set', 'extract_text', 'on'));
      assert.equal(
        (await ask<Record<string, unknown>>(...at('policy set', 'largest_extracted', '64MiB')))['after'],
        64 * 1024 ** 2,
      );
      await askRefused(...at('policy set', 'largest_extracted', '65MiB'));
      const wrong = await askRefused(...at('policy set', 'burst', 'many'));
      assert.equal(wrong.details?.['field'], 'value');
    });

    it('takes a subject by its id alone, and a place with a slash before or behind it', async () => {
      const { id } = await ask<Shown>(...at('principal add', 'Cleo', '--kind', 'agent'));
      const scope = ['--scope-type', 'folder', '--scope-id', '/Übersicht 2026/', '--role', 'reader'];
      await ask(...at('grant add', ...scope, '--subject', id));
      const bare = ['--scope-type', 'folder', '--scope-id', 'Übersicht 2026'];
      const { items } = await ask<{ items: { subject: Shown }[] }>(...at('grant list', ...bare));
      assert.deepEqual(
        items.map(({ subject }) => subject.id),
        [id],
      );
      const { items: atRoot } = await ask<Listed>(...at('grant list', '--scope-type', 'folder', '--scope-id', '/'));
      assert.ok(atRoot.length > 0);
    });

    it('demands a workspace’s name where there is more than one', async () => {
      await ask('init', '--data', data, '--workspace', 'other', '--admin', 'Ada');
      const unclear = await askRefused('principal', 'list', '--data', data);
      assert.match(unclear.message, /--workspace: acme, other/);
      const { items } = await ask<Listed>(...at('principal list'));
      assert.ok(items.some(({ id }) => id === made.admin.id));
    });

    it('prints the same for people, in columns', async () => {
      const { code, stdout } = await runProgram(at('principal list'));
      assert.equal(code, 0);
      assert.match(stdout, /^id +kind +display_name/);
      assert.match(stdout, new RegExp(`^${made.admin.id} +person +Ada `, 'm'));
    });
  });
}

interface Shown {
  readonly id: string;
  readonly [name: string]: unknown;
}

interface Listed {
  readonly items: readonly Shown[];
}

interface Made {
  readonly workspace: string;
  readonly admin: Shown;
  readonly key: string;
  readonly sign_in_name: string;
  readonly link: string;
}
