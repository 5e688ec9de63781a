import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { lstatSync, readdirSync } from 'node:fs';
import { chmod, chown, mkdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { makeHistory } from '../support/store/history.js';
import { eraseAt } from '../support/store/erase-at.js';
import { backUpWorkspace } from '../../lib/operations/workspaces/back-up-workspace.js';
import { archiveAudit } from '../../lib/operations/audit/archive-audit.js';
import { perform } from '../../lib/operations/perform.js';
import { openTestService, operator } from '../support/store/service.js';
import { runGit } from '../support/processes/run-git.js';
import { skipBecause } from '../support/skip.js';
import { ask, makeFolder, timeout, runProgram, serve, tidyUp } from '../support/processes/run-program.js';

describe('a data folder', function () {
  this.timeout(timeout);
  let mask: number;

  beforeEach(() => {
    mask = process.umask();
  });
  afterEach(async () => {
    process.umask(mask);
    await tidyUp();
  });

  it('is closed to other accounts at every moment, with its whole content and its backups, under any mask', async () => {
    const folder = await makeFolder();
    const at = (name: string): string => join(folder, name);
    // Only a start has the mask of this process.
    const ask = async (...words: string[]): Promise<void> => {
      const { code, stderr } = await runProgram([...words, '--json'], { isStart: true });
      assert.equal(code, 0, stderr);
    };
    const [data, copy] = [at('data'), ['--data', at('copy')]];
    await mkdir(at('source'));
    for (let index = 0; index < 300; index += 1) await writeFile(join(at('source'), `${index}.md`), `text ${index}`);
    await writeFile(join(at('source'), 'large.bin'), Buffer.alloc(3_000_000, 7));
    await writeFile(at('passphrase'), 'correct horse battery\n');
    runGit(at('source'), ['init', '-q', '-b', 'main']);
    runGit(at('source'), ['add', '-A']);
    runGit(at('source'), ['commit', '-q', '-m', 'All']);
    runGit(at('source'), ['bundle', 'create', '-q', at('all.bundle'), 'main']);
    const on = ['--data', data];
    const secret = ['--passphrase-file', at('passphrase')];
    for (const umask of [0o000, 0o022]) {
      process.umask(umask);
      const folders = ['data', 'copy', 'backup'].map(at);
      const open = await watching(folders, async () => {
        if (umask === 0) await ask('init', '--workspace', 'acme', '--admin', 'Ada', ...on);
        const server = await serve(data, { isStart: true });
        await ask('import', at('source'), '--into', `folder-${umask}`, ...on);
        await ask('import', at('all.bundle'), '--into', `bundle-${umask}`, ...on);
        if (umask === 0) {
          await ask('audit', 'archive', '--before', '3', ...on);
          await ask('backup', at('backup'), ...secret, ...on);
        }
        await server.stop();
        if (umask === 0) await ask('restore', at('backup'), ...secret, ...copy);
      });
      assert.deepEqual(open, []);
    }
  });

  it('is closed by the service itself, started by any account, with all files that git writes in it', async () => {
    process.umask(0);
    const test = await openTestService({ store: 'disk' });
    try {
      await makeHistory(test);
      const { workspace } = test;
      await workspace.checkpointer.run();
      await workspace.repository.maintain();
      await workspace.searchCaughtUp();
      await perform(workspace, operator, archiveAudit, { before: { seq: 3 } });
      const folder = join(await makeFolder(), 'backup');
      await perform(workspace, operator, backUpWorkspace, { folder, passphrase: 'a long passphrase', cost: 1024 });
      await workspace.eraser.finished((await eraseAt(workspace, 'plan.md')).id);
      assert.deepEqual(findOpen(test.dataFolder ?? ''), []);
      assert.deepEqual(findOpen(folder), []);
    } finally {
      await test.close();
    }
  });

  it('that was open is closed at the next command, and doctor reports it before', async () => {
    const folder = await makeFolder();
    const data = join(folder, 'data');
    await ask('init', '--data', data, '--workspace', 'acme', '--admin', 'Ada');
    const closed = ['.', 'acme', 'acme/content.git', 'acme/sidecar.sqlite', 'owner.lock', 'service.sqlite'];
    for (const name of closed) await chmod(join(data, name), 0o777);
    await writeFile(join(folder, 'elsewhere'), 'not ours to change', { mode: 0o644 });
    await symlink(join(folder, 'elsewhere'), join(data, 'link'));
    const { code, stdout } = await runProgram(['doctor', '--data', data, '--port', '0']);
    assert.equal(code, 1);
    assert.match(
      stdout,
      /problem +privacy +other accounts of this machine reach the data folder \(mode 777\)\n +chmod 700/,
    );
    await ask('key', 'list', '--data', data);
    assert.deepEqual(findOpen(data), []);
    assert.equal((await stat(join(folder, 'elsewhere'))).mode & 0o777, 0o644, 'no link is followed');
    assert.equal((await runProgram(['doctor', '--data', data, '--port', '0'])).code, 0);
  });

  it('can be named by a link, and the target of the link is closed', async () => {
    const folder = await makeFolder();
    await mkdir(join(folder, 'disk'));
    await chmod(join(folder, 'disk'), 0o755);
    await symlink(join(folder, 'disk'), join(folder, 'data'));
    await ask('init', '--data', join(folder, 'data'), '--workspace', 'acme', '--admin', 'Ada');
    assert.deepEqual(findOpen(join(folder, 'disk')), []);
  });

  describe('seen by another account', () => {
    before(function () {
      if (process.geteuid?.() !== 0) skipBecause(this, 'Only root can act as another account.');
      if (asNobody('true').status !== 0) skipBecause(this, 'There is no `setpriv` to act as another account with.');
    });

    it('has no file that it can lock or read', async () => {
      const folder = await makeFolder();
      const data = join(folder, 'data');
      await chmod(folder, 0o755);
      await writeFile(join(folder, 'open'), '', { mode: 0o644 });
      assert.equal(tryToOpen(join(folder, 'open')), 'opened\n');
      await ask('init', '--data', data, '--workspace', 'acme', '--admin', 'Ada');
      const files = ['owner.lock', 'service.sqlite', 'acme/sidecar.sqlite'].map((name) => join(data, name));
      for (const file of files) assert.equal(tryToOpen(file), '', file);
      // Also where another account owns the folders, so that they cannot be closed.
      for (const place of ['.', 'acme']) await chmod(join(data, place), 0o755);
      for (const file of files) assert.equal(tryToOpen(file), '', file);
    });

    it('may be a folder of that account: the service runs, its files are closed, and doctor gives the remedy', async () => {
      const folder = await makeFolder();
      const data = join(folder, 'data');
      await mkdir(data);
      await chmod(data, 0o777);
      await chown(data, 65534, 65534);
      await ask('init', '--data', data, '--workspace', 'acme', '--admin', 'Ada');
      assert.deepEqual(findOpen(data), [`${data} 777`]);
      const { code, stdout } = await runProgram(['doctor', '--data', data, '--port', '0']);
      assert.equal(code, 1);
      assert.match(stdout, /belongs to another account \(uid 65534\)/);
    });

    /** Runs something as an account without rights. */
    const asNobody = (...words: string[]) =>
      spawnSync('setpriv', ['--reuid=65534', '--regid=65534', '--clear-groups', '--', ...words], { encoding: 'utf8' });

    /** Opens a file to read, which a lock on it needs (fcntl(2)). */
    const tryToOpen = (path: string): string => asNobody('sh', '-c', 'exec 3< "$1" && echo opened', 'sh', path).stdout;
  });
});

/** The names in a folder, which may be gone by now. */
function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Files that other accounts can access, each with its mode; links have none of their own. */
function findOpen(folder: string): string[] {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found === undefined || found.isSymbolicLink()) return [];
  const own = (found.mode & 0o077) === 0 ? [] : [`${folder} ${(found.mode & 0o777).toString(8)}`];
  if (!found.isDirectory()) return own;
  return [...own, ...listNames(folder).flatMap((name) => findOpen(join(folder, name)))];
}

/** Looks again and again during some work. @returns everything that was open at any moment */
async function watching(folders: readonly string[], work: () => Promise<unknown>): Promise<string[]> {
  const open = new Set<string>();
  const state = { isDone: false };
  const done = work().finally(() => (state.isDone = true));
  const look = (): void => {
    for (const folder of folders) for (const found of findOpen(folder)) open.add(found);
  };
  while (!state.isDone) {
    const started = performance.now();
    look();
    // The programs at work need a processor, too.
    await rest(performance.now() - started);
  }
  await done;
  look();
  return [...open];
}
