import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { nodeFileSystem } from '../../lib/git/file-system.js';
import { createRepository, openRepository } from '../../lib/git/repositories/open-repository.js';
import type { Repository } from '../../lib/git/repositories/repository.js';
import { FailingFileSystem } from '../support/git/failing-file-system.js';
import type { Fault } from '../support/git/failing-file-system.js';
import { TemporaryFolders, fsck, gather, makeCommit, piecesOf } from '../support/git/fixture.js';
import { countOf } from '../support/counts.js';

const first = makeCommit({ a: 'one' });
const second = makeCommit({ a: 'two', b: 'three' }, [first.commit]);
const content = 'staged content '.repeat(5000);

/** One call in so many is made to fail. */
const step = countOf('DISK_FAULT_STEP', { usual: 7, campaign: 1 });

describe('when the disk fails', () => {
  const folders = new TemporaryFolders();
  after(() => folders.remove());

  // In `npm test` the four kinds of fault share the calls: each call fails in one way.
  const faults: [Fault, boolean, number][] = [
    ['ENOSPC', false, 1],
    ['EIO', true, 2],
    ['torn', false, 3],
    ['torn', true, 4],
  ];
  for (const [fault, isDead, from] of faults)
    it(`nothing half-written shows, and a retry succeeds (${fault}${isDead ? ', for good' : ''}, at one call in ${step})`, async () => {
      let failures = 0;
      for (let failAt = Math.min(from, step); ; failAt += step) {
        const fs = new FailingFileSystem(nodeFileSystem);
        const path = join(await folders.make(), 'content.git');
        const repository = await createRepository({ path, git: 'never', fs });
        await repository.addPack(first.objects);
        await repository.moveHead(first.commit);

        fs.arm(failAt, fault, isDead);
        const outcome = await writeEverything(repository).then(
          () => undefined,
          (error: unknown) => error,
        );
        const { failed } = fs;
        if (failed === undefined) {
          assert.equal(outcome, undefined);
          await repository.close();
          break;
        }
        failures += 1;
        const where = `${failed}, call ${failAt}`;
        // A temporary file that cannot be removed is the one failure without harm.
        if (failed !== 'unlink') assert.match(String(outcome), /made to fail/, where);
        assert.equal(fsck(path), '', where);
        assert.ok([first.commit, second.commit].includes((await repository.head()) ?? ''), where);

        let retrying = repository;
        if (isDead) {
          await repository.close();
          retrying = await openRepository({ path, git: 'auto' });
          assert.deepEqual(await temporaryFiles(path), [], `${where}: not swept`);
        } else fs.disarm();
        await writeEverything(retrying);
        assert.equal(await retrying.head(), second.commit, where);
        assert.equal(fsck(path), '', where);
        await retrying.close();
      }
      assert.ok(failures * step > 25, `${failures} calls were made to fail`);
    }).timeout(120_000);

  it('each file is synced before it gets its name, and its folder before the call returns', async () => {
    const path = join(await folders.make(), 'content.git');
    const fs = new FailingFileSystem(nodeFileSystem);
    const repository = await createRepository({ path, git: 'never', fs });
    for (const write of [
      () => repository.addPack(first.objects),
      () => repository.moveHead(first.commit),
      () => repository.stageBlob(piecesOf(content)),
    ]) {
      fs.log.length = 0;
      await write();
      const renames = fs.log.filter((line) => line.startsWith('rename '));
      assert.ok(renames.length > 0);
      for (const rename of renames) {
        const [, from = '', to = ''] = rename.split(' ');
        const at = fs.log.indexOf(rename);
        const synced = fs.log.indexOf(`sync ${from}`);
        assert.ok(synced > fs.log.lastIndexOf(`write ${from}`) && synced < at, `${to} is synced after the last write`);
        assert.ok(fs.log.indexOf(`syncFolder ${dirname(to)}`, at) > at, `the folder of ${to} is synced`);
      }
    }
    await repository.close();
  });

  it('a write of only half of the bytes is continued', async () => {
    const path = join(await folders.make(), 'content.git');
    const fs = new FailingFileSystem(nodeFileSystem);
    const repository = await createRepository({ path, git: 'never', fs });
    await repository.addPack(first.objects);
    fs.arm(1, 'short', true); // each write from now on
    await writeEverything(repository);
    assert.equal(fs.failed, 'write');
    assert.equal(await repository.head(), second.commit);
    assert.equal(fsck(path), '');
    await repository.close();
  });

  it('a creation interrupted at any call can be repeated', async () => {
    for (let failAt = 1; ; failAt += Math.ceil(step / 2)) {
      const path = join(await folders.make(), 'content.git');
      const fs = new FailingFileSystem(nodeFileSystem);
      fs.arm(failAt, 'torn', true);
      const outcome = await createRepository({ path, git: 'never', fs }).then(
        (made) => made.close(),
        (error: unknown) => error,
      );
      if (fs.failed === undefined) break;
      assert.match(String(outcome), /made to fail/);
      const options = { path, git: 'never' as const };
      // Creation ends with a sync of complete files; then opening remains.
      const again = await createRepository(options).catch(() => openRepository(options));
      assert.equal(fsck(path), '');
      assert.deepEqual(await temporaryFiles(path), []);
      await again.close();
    }
  }).timeout(30_000);

  it('joining packs without git loses nothing, at any call where it stops', async () => {
    for (let failAt = 1; ; failAt += Math.ceil(step / 2)) {
      const path = join(await folders.make(), 'content.git');
      const fs = new FailingFileSystem(nodeFileSystem);
      const repository = await createRepository({ path, git: 'never', fs });
      for (const { objects, commit } of [first, second]) {
        await repository.addPack(objects);
        await repository.moveHead(commit);
      }
      fs.arm(failAt, 'EIO', true);
      const outcome = await repository.maintain().then(
        () => undefined,
        (error: unknown) => error,
      );
      await repository.close();
      if (fs.failed === undefined) break;
      assert.match(String(outcome), /made to fail/);
      const opened = await openRepository({ path, git: 'auto' });
      assert.deepEqual(await opened.fsck(), []);
      assert.equal(fsck(path), '');
      await opened.close();
    }
  }).timeout(60_000);

  async function temporaryFiles(path: string): Promise<string[]> {
    const names = await readdir(path, { recursive: true });
    return names.filter((name) => /\.(?:tmp|lock)$|tmp_/.test(name));
  }
});

/** Every kind of write once. */
async function writeEverything(repository: Repository): Promise<void> {
  const { oid } = await repository.stageBlob(piecesOf(content));
  await repository.addPack(second.objects);
  await repository.moveHead(second.commit);
  assert.equal((await gather((await repository.readStream(oid)).stream)).toString(), content);
}
