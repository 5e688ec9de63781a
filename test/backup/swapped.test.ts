import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { schemaPath } from '../../lib/app/upgrade.js';
import { Refusal } from '../../lib/domain/refusal.js';
import { nodeFileSystem, type FileSystem } from '../../lib/git/file-system.js';
import { archiveAudit } from '../../lib/operations/audit/archive-audit.js';
import { backUpWorkspace } from '../../lib/operations/workspaces/back-up-workspace.js';
import { perform } from '../../lib/operations/perform.js';
import { checkBackup } from '../../lib/backup/check-backup.js';
import { stageBackup } from '../../lib/backup/stage-workspace.js';
import { Actor } from '../support/store/actor.js';
import { makeTestRandomness, openTestService, operator, type TestService } from '../support/store/service.js';
import { Sqlite } from '../support/store/sqlite.js';

/** scrypt's N. It is small, since its cost is not under test. */
const cost = 2 ** 10;
const passphrase = 'correct horse battery staple';

describe('a backup in a folder that others can write to', () => {
  let test: TestService;
  let work: string;
  let folder: string;

  beforeEach(async () => {
    work = await mkdtemp(join(tmpdir(), 'cartulary-backup-swapped-'));
    folder = join(work, 'backup');
    test = await openTestService({ store: 'disk' });
    await new Actor(test.workspace, (await test.person('editor')).id).create('plan.md', 'a plan');
    await perform(test.workspace, operator, archiveAudit, { before: { seq: 2 } });
  });

  afterEach(async () => {
    await test.close();
    await rm(work, { recursive: true, force: true });
  });

  it('closes it to them, and so follows none of their links', async () => {
    await mkdir(folder);
    await chmod(folder, 0o777);
    await backUp();
    assert.equal((await stat(folder)).mode & 0o777, 0o700);
    for (const name of await readdir(folder, { recursive: true })) {
      assert.equal((await stat(join(folder, name))).mode & 0o077, 0, name);
    }
  });

  it('is not restored from a file that was replaced after it was checked', async () => {
    await backUp();
    const forged = join(work, 'forged.sqlite');
    await copyFile(join(folder, 'sidecar.sqlite'), forged);
    const connection = new Sqlite(forged);
    connection.exec("UPDATE principal SET display_name = 'Mallory'");
    connection.close();
    const { size } = await stat(join(folder, 'sidecar.sqlite'));
    assert.equal((await stat(forged)).size, size, 'nothing but the content tells them apart');
    const checked = await checkBackup(folder, passphrase);
    /** Puts the forged file in its place at the moment when the checked one is opened to be copied. */
    const fs: FileSystem = {
      ...nodeFileSystem,
      async openToRead(path) {
        if (path === join(folder, 'sidecar.sqlite')) await rename(forged, path);
        return nodeFileSystem.openToRead(path);
      },
    };
    const stage = join(work, 'stage');
    await mkdir(stage);
    const { clock } = test;
    const files = {
      dataFolder: work,
      fs,
      git: 'auto' as const,
      migrations: schemaPath('sidecar'),
      clock,
      randomness: makeTestRandomness(),
      onFault: () => undefined,
      signerOf: () => assert.fail('Nothing is signed.'),
    };
    const options = { files, serviceMigrations: schemaPath('service'), isListed: () => false };
    await assert.rejects(stageBackup(checked, stage, options), (error: unknown) => {
      assert.ok(error instanceof Refusal && error.details?.reason === 'backup_damaged');
      assert.match(error.message, /sidecar\.sqlite was changed: it has another SHA-256/);
      return true;
    });
  });

  it('does not wait for a FIFO, and does not read an endless manifest', async () => {
    await backUp();
    const refuse = (message: RegExp): Promise<void> => assert.rejects(checkBackup(folder, passphrase), message);
    for (const name of ['manifest.json', 'content.bundle', 'service.sealed']) {
      await rename(join(folder, name), join(work, name));
      execFileSync('mkfifo', [join(folder, name)]);
      await refuse(/cannot be read|is neither a file nor a folder|has 0 bytes/);
      await rm(join(folder, name));
      await rename(join(work, name), join(folder, name));
    }
    await symlink('/dev/zero', join(work, 'zero'));
    await rm(join(folder, 'manifest.json'));
    await symlink(join(work, 'zero'), join(folder, 'manifest.json'));
    await refuse(/manifest\.json cannot be read/);
    await rm(join(folder, 'manifest.json'));
    await writeFile(join(folder, 'manifest.json'), Buffer.alloc(17 * 1024 * 1024, ' '));
    await refuse(/manifest\.json cannot be read/);
  });

  const backUp = (): Promise<unknown> =>
    perform(test.workspace, operator, backUpWorkspace, { folder, passphrase, cost });
});
