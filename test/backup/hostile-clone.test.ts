import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Service } from '../../lib/app/service.js';
import { perform } from '../../lib/operations/perform.js';
import { putBomb, putCommit, putObject, putTree } from '../support/git/put-object.js';
import { Actor } from '../support/store/actor.js';
import { runGit } from '../support/processes/run-git.js';
import { makeTestRandomness, openTestService, operator, type TestService } from '../support/store/service.js';
import { verifyAudit } from '../support/store/verify-audit.js';

describe('a clone of hostile origin', () => {
  let test: TestService;
  let work: string;
  let clone: string;
  let data: string;
  let service: Service;

  beforeEach(async () => {
    work = await mkdtemp(join(tmpdir(), 'cartulary-hostile-clone-'));
    [clone, data] = [join(work, 'clone.git'), join(work, 'data')];
    test = await openTestService({ store: 'disk' });
    await new Actor(test.workspace, (await test.person('editor')).id).create('plan.md', 'a plan');
    await test.workspace.checkpointer.run();
    runGit(work, ['clone', '-q', '--bare', join(test.dataFolder ?? '', 'acme', 'content.git'), clone]);
    const { clock } = test;
    const randomness = makeTestRandomness('recovered');
    service = await Service.open({ dataFolder: data, git: 'auto', clock, randomness, onFault: () => undefined });
  });

  afterEach(async () => {
    await service.close();
    await test.close();
    await rm(work, { recursive: true, force: true });
  });

  it('is refused when a commit stands for too many files, also in the middle of the history', async () => {
    const file = { mode: '100644', oid: putObject(clone, 'blob', 'a file') };
    const first = putCommit(clone, { tree: putTree(clone, [{ name: 'a.md', ...file }]) });
    const bomb = putCommit(clone, { tree: putBomb(clone, 12, file), parents: [first] });
    await refuse(new RegExp(`Commit ${bomb} has more than 1000000 files`));
    putCommit(clone, { tree: putTree(clone, []), parents: [bomb] });
    await refuse(new RegExp(`Commit ${bomb} has more than 1000000 files`));
  });

  it('is restored up to the number of files that the operator allows', async () => {
    await new Actor(test.workspace, (await test.person('editor')).id).create('other.md', 'another plan');
    await test.workspace.checkpointer.run();
    runGit(clone, ['fetch', '-q', join(test.dataFolder ?? '', 'acme', 'content.git'), '+main:main']);
    await refuse(/has more than 1 files and folders.*--max-files/, { maxFiles: 1 });
    const workspace = await service.restore({ clone, name: 'acme', maxFiles: 2 }, operator);
    assert.equal(await new Actor(workspace, operator.principalId).read('other.md'), 'another plan');
  });

  it('is refused when a commit is too large to be held, by a check of the log as well', async () => {
    const tree = putTree(clone, []);
    const commit = putCommit(clone, { tree, message: ' '.repeat(65 * 1024 * 1024) });
    const large = new RegExp(`The commit ${commit} .* has \\d+ bytes, and no more than`);
    await refuse(large);
    await assert.rejects(perform(test.workspace, operator, verifyAudit, { clone }), large);
  });

  it('includes no content of another repository on the machine', async () => {
    const borrowing = join(work, 'borrowing');
    const secret = join(test.dataFolder ?? '', 'acme', 'content.git');
    await mkdir(borrowing);
    await writeFile(join(borrowing, '.git'), `gitdir: ${secret}\n`);
    await refuse(/points to a repository elsewhere/, { clone: borrowing });
    await rm(join(borrowing, '.git'));
    runGit(borrowing, ['init', '-q', '--bare', '-b', 'main', '.']);
    await writeFile(join(borrowing, 'objects/info/alternates'), `${secret}/objects\n`);
    runGit(borrowing, ['update-ref', 'refs/heads/main', runGit(secret, ['rev-parse', 'main']).trim()]);
    await refuse(/does not hold all its objects itself/, { clone: borrowing });
  });

  it('keeps no other request waiting', async () => {
    for (const place of ['refs/heads/other', 'config.worktree']) {
      execFileSync('mkfifo', [join(clone, place)]);
      await refuse(/neither a file nor a folder/);
      await assert.rejects(perform(test.workspace, operator, verifyAudit, { clone }), /neither a file nor a folder/);
      await rm(join(clone, place));
    }
    execFileSync('mkfifo', [join(work, 'fifo')]);
    await appendFile(join(clone, 'config'), `[include]\n\tpath = ${join(work, 'fifo')}\n`);
    await perform(test.workspace, operator, verifyAudit, { clone });
    assert.ok(existsSync(clone));
    await service.restore({ clone, name: 'acme' }, operator);
  });

  /** Nothing of it is restored. */
  async function refuse(message: RegExp, options: { clone?: string; maxFiles?: number } = {}): Promise<void> {
    await assert.rejects(service.restore({ clone, name: 'acme', ...options }, operator), message);
    assert.deepEqual(
      (await readdir(data)).filter((name) => name.includes('acme')),
      [],
    );
  }
});
