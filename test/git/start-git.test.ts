import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { findGit } from '../../lib/git/program/git-program.js';
import type { GitProgram } from '../../lib/git/program/git-program.js';
import { RepositoryUnreadable } from '../../lib/git/repositories/repository.js';
import { startGit } from '../../lib/git/program/start-git.js';
import { TemporaryFolders, gather, git } from '../support/git/fixture.js';

describe('a git started beside us', () => {
  const folders = new TemporaryFolders();
  let path: string;
  let program: GitProgram;

  before(async () => {
    path = await folders.make();
    git(path, ['init', '-q', '--bare', '.']);
    program = (await findGit())!;
  });
  after(() => folders.remove());

  it('is known to a new thread from the start, which does not look for it again', async () => {
    const module = new URL('../../lib/git/program/git-program.js', import.meta.url).href;
    const ask = `import(${JSON.stringify(module)}).then(async ({ findGit }) =>
      require('node:worker_threads').parentPort.postMessage(await findGit()))`;
    const thread = new Worker(ask, { eval: true, env: { PATH: '' } });
    assert.deepEqual(await once(thread, 'message'), [program]);
  });

  it('has succeeded when its exit code says so', async () => {
    const started = startGit(program, path, ['hash-object', '--stdin']);
    started.stdin.end('');
    assert.equal((await gather(started.stdout)).toString(), 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391\n');
    await started.requireSuccess('It cannot be');
  });

  it('reports its output when it gives up', async () => {
    const started = startGit(program, path, ['cat-file', 'blob', 'nothing']);
    started.stdout.resume();
    await assert.rejects(
      started.requireSuccess('It cannot be'),
      (error: Error) => error instanceof RepositoryUnreadable && /^It cannot be: fatal: .*nothing/.test(error.message),
    );
  });

  it('has failed when it is ended, by us or by the holder of the signal, before or after its start', async () => {
    const killed = startGit(program, path, ['cat-file', '--batch']);
    killed.kill();
    const controller = new AbortController();
    const aborted = startGit(program, path, ['cat-file', '--batch'], controller.signal);
    controller.abort();
    const late = startGit(program, path, ['cat-file', '--batch'], controller.signal);
    for (const started of [killed, aborted, late]) {
      started.stdout.resume();
      await assert.rejects(
        started.requireSuccess('It cannot be'),
        /^RepositoryUnreadable: It cannot be: git was ended$/,
      );
      assert.equal(await started.ended, null);
    }
  });

  it('has failed when there is no such program', async () => {
    const started = startGit({ ...program, file: '/nowhere/git' }, path, ['version']);
    started.stdin.end('into the void');
    started.stdout.resume();
    await assert.rejects(started.requireSuccess('It cannot be'), /^RepositoryUnreadable: It cannot be: spawn .*ENOENT/);
  });
});
