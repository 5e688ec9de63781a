import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportAudit } from '../../lib/operations/audit/audit-log.js';
import { changePolicy } from '../../lib/operations/workspaces/change-policy.js';
import { perform } from '../../lib/operations/perform.js';
import { addClient, type Client } from '../support/store/client.js';
import { runGit } from '../support/processes/run-git.js';
import { openTestService, operator, type TestService } from '../support/store/service.js';
import { bring, bringRefused, type Brought } from './bring.js';

describe('an import', function () {
  this.timeout(30_000);
  let folder: string;
  let service: TestService;
  let ada: Client;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cartulary-dry-'));
    service = await openTestService();
    ada = await addClient({ service, workspace: service.workspace }, 'Ada', 'approver');
  });
  afterEach(async () => {
    await service.close();
    await rm(folder, { recursive: true, force: true });
  });

  describe('that runs dry', () => {
    it('says of a folder what would be created, is unchanged or skipped, over many batches, and writes nothing', async () => {
      await ada.create('wiki/same.md', 'same');
      await ada.create('wiki/other.md', 'here');
      await ada.create('wiki/taken', 'a document where the source has a folder');
      await write('same.md', 'same');
      await write('other.md', 'there');
      await write('taken/inside.md', 'x');
      await write('cafe\u0301.md', 'decomposed');
      await write('caf\u00e9.md', 'composed: the same place, in a later batch');
      for (let number = 0; number < 300; number += 1) await write(`cb/${number}.md`, `${number}`);
      await write('large.bin', Buffer.alloc(1_500_000, 7));
      await write('policies/.keep', '');
      await symlink('/etc/passwd', join(folder, 'link.md'));
      const dry = await assertAgreement();
      assert.deepEqual([dry.created, dry.unchanged], [302, 1]);
      assert.deepEqual(skippedIn(dry), ['caf\u00e9.md', 'link.md', 'other.md', 'policies/.keep', 'taken/inside.md']);
      assert.equal(dry.dry_run, true);
    });

    it('says the same of a commit in a repository', async () => {
      runGit(folder, ['init', '-q', '-b', 'main']);
      await write('a.md', 'one');
      await write('docs/b.md', 'two');
      await symlink('a.md', join(folder, 'link.md'));
      runGit(folder, ['add', '-A']);
      runGit(folder, ['commit', '-q', '-m', 'All']);
      await ada.create('wiki/a.md', 'mine');
      const dry = await assertAgreement({ ref: 'main' });
      assert.deepEqual([dry.would_create, skippedIn(dry)], [['wiki/docs/b.md'], ['a.md', 'link.md']]);
      const refused = await bringRefused(service, { directory: folder, dry_run: true, history: true });
      assert.deepEqual([refused.code, refused.details?.['field']], ['INVALID_REQUEST', 'dry_run']);
    });

    it('is refused where the import would be: without room, above a bound, and at a document', async () => {
      await write('a.md', 'x'.repeat(600));
      await write('b.md', 'y'.repeat(600));
      await perform(service.workspace, operator, changePolicy, { storageQuota: 1000 });
      for (const dry_run of [true, false]) {
        assert.equal(
          (await bringRefused(service, { directory: folder, dry_run })).details?.['reason'],
          'storage_quota',
        );
      }
      await ada.create('note', 'x');
      for (const [fields, reason] of [
        [{ max_files: 1 }, 'import_too_large'],
        [{ max_bytes: '700' }, 'import_too_large'],
        [{ into: 'note' }, 'name_taken'],
      ] as const) {
        const refused = await bringRefused(service, { directory: folder, dry_run: true, ...fields });
        assert.equal(refused.details?.['reason'], reason);
      }
    });
  });

  describe('of a folder with .gitignore files', () => {
    beforeEach(async () => {
      await write('.gitignore', '*.log\n/build/\n!keep.log\nsecret*\n');
      await write('a.log', 'x');
      await write('keep.log', 'x');
      await write('build/out.md', 'x');
      await write('docs/build/in.md', 'x');
      await write('docs/.gitignore', '# nearer\n!b.log\n*.tmp\n');
      await write('docs/b.log', 'x');
      await write('docs/c.tmp', 'x');
      await write('d.tmp', 'x');
      await write('secrets/.gitignore', '!key\n');
      await write('secrets/key', 'x');
    });

    it('leaves out what they name, nested and with exceptions, and says which line does', async () => {
      const dry = await assertAgreement();
      const reasons = Object.fromEntries(dry.skipped.map(({ path, reason }) => [path, reason]));
      assert.deepEqual(reasons, {
        'a.log': 'is ignored by .gitignore, line 1',
        build: 'is ignored by .gitignore, line 2',
        'docs/c.tmp': 'is ignored by docs/.gitignore, line 3',
        secrets: 'is ignored by .gitignore, line 4',
      });
      const wanted = ['.gitignore', 'd.tmp', 'docs/.gitignore', 'docs/b.log', 'docs/build/in.md', 'keep.log'];
      assert.deepEqual(dry.would_create?.toSorted(), wanted.map((name) => `wiki/${name}`).toSorted());
    });

    it('counts nothing in folders that they leave out, and brings all in where it is asked to', async () => {
      for (let number = 0; number < 30; number += 1) await write(`build/${number}.md`, 'x');
      const bounded = await run({ max_files: 20, dry_run: true });
      assert.equal(bounded.created, 6);
      const all = await run({ no_ignore: true });
      assert.deepEqual([all.created, all.skipped], [41, []]);
    });

    it('says so where one is not heeded: too long, or a folder or a link in its place', async () => {
      await write('docs/.gitignore', `${'x'.repeat(2000)}\n`);
      const long = await run({ dry_run: true });
      assert.deepEqual(long.unheeded, [{ path: 'docs/.gitignore', reason: 'has a line of more than 1000 characters' }]);
      assert.ok(long.would_create?.includes('wiki/docs/c.tmp'));
      await rm(join(folder, '.gitignore'));
      await writeFile(join(folder, 'elsewhere'), '*\n');
      await symlink('elsewhere', join(folder, '.gitignore'));
      const linked = await run({ dry_run: true });
      assert.ok(linked.would_create?.includes('wiki/a.log'));
      assert.match(linked.skipped.find(({ path }) => path === '.gitignore')?.reason ?? '', /symbolic link/);
    });
  });

  const write = async (name: string, text: string | Buffer): Promise<void> => {
    await mkdir(join(folder, name, '..'), { recursive: true });
    await writeFile(join(folder, name), text);
  };

  const run = (fields: Record<string, unknown> = {}): Promise<Preview> =>
    bring(service, { directory: folder, ...fields });

  const skippedIn = ({ skipped }: Brought): string[] => skipped.map(({ path }) => path).toSorted();

  async function actions(): Promise<string[]> {
    const { result } = await perform(service.workspace, operator, exportAudit, { withTexts: false });
    const lines: string[] = [];
    for await (const line of result as unknown as AsyncIterable<{ record?: { action: string } }>) {
      if (line.record !== undefined) lines.push(line.record.action);
    }
    return lines;
  }

  /** Runs dry, then really, and compares what was said with what was done. */
  async function assertAgreement(fields: Record<string, unknown> = {}): Promise<Preview> {
    const before = service.workspace.journal.state.head;
    const recorded = (await actions()).length;
    const dry = await run({ ...fields, dry_run: true });
    assert.equal(service.workspace.journal.state.head, before, 'a dry run writes nothing');
    const since = (await actions()).slice(recorded);
    assert.deepEqual(
      since.filter((action) => !['document.preview_import', 'audit.export', 'policy.show'].includes(action)),
      [],
      'and its records are those of reads',
    );
    const real = await run(fields);
    assert.deepEqual(
      [dry.created, dry.unchanged, dry.skipped],
      [real.created, real.unchanged, real.skipped],
      'the dry run said what the import does',
    );
    assert.equal(dry.would_create?.length, real.created);
    for (const location of dry.would_create ?? []) await ada.read(location);
    const [again, repeated] = [await run({ ...fields, dry_run: true }), await run(fields)];
    assert.deepEqual([again.created, again.unchanged], [0, repeated.unchanged]);
    return dry;
  }
});

interface Preview extends Brought {
  readonly dry_run?: boolean;
  readonly would_create?: readonly string[];
  readonly unheeded?: readonly { readonly path: string; readonly reason: string }[];
}
