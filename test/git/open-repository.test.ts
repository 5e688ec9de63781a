import assert from 'node:assert/strict';
import { access, chown, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeFileSystem, type FileSystem } from '../../lib/git/file-system.js';
import { makePackable } from '../../lib/git/objects/objects.js';
import { createRepository, openRepository } from '../../lib/git/repositories/open-repository.js';
import { findGit, isUsableGit } from '../../lib/git/program/git-program.js';
import { RepositoryUnreadable } from '../../lib/git/repositories/repository.js';
import { until } from '../support/until.js';
import { TemporaryFolders, fsck, git, makeCommit } from '../support/git/fixture.js';

describe('a repository on disk', () => {
  const folders = new TemporaryFolders();
  let path: string;
  beforeEach(async () => (path = join(await folders.make(), 'content.git')));
  after(() => folders.remove());

  const fixture = makeCommit({ 'read me.md': 'hello', 'a/b/c.md': 'deep' });

  it('can be cloned by any git, empty and filled', async () => {
    const repository = await createRepository({ path, git: 'never' });
    assert.equal(fsck(path), '');
    git(path, ['clone', '-q', path, join(path, '..', 'empty')]);
    await repository.addPack(fixture.objects);
    await repository.moveHead(fixture.commit);
    assert.equal(fsck(path), '');
    const clone = join(path, '..', 'clone');
    git(path, ['clone', '-q', path, clone]);
    assert.equal(await readFile(join(clone, 'a/b/c.md'), 'utf8'), 'deep');
    assert.equal(git(clone, ['branch', '--show-current']).toString().trim(), 'main');
    await repository.close();
  });

  it('is created without git as git would want it configured', async () => {
    await (await createRepository({ path, git: 'never' })).close();
    const expected = {
      'core.repositoryformatversion': '0',
      'core.bare': 'true',
      'gc.auto': '0',
      'maintenance.auto': 'false',
      'receive.denyNonFastForwards': 'true',
    };
    for (const [key, value] of Object.entries(expected))
      assert.equal(git(path, ['config', '--local', key]).toString().trim(), value, key);
    assert.equal(git(path, ['rev-parse', '--is-bare-repository']).toString().trim(), 'true');
    assert.match(await readFile(join(path, 'description'), 'utf8'), /workspace/);
  });

  it('holds the same objects after it is opened again', async () => {
    for (const kind of ['auto', 'never'] as const) {
      await rm(path, { recursive: true, force: true });
      const made = await createRepository({ path, git: kind });
      await made.addPack(fixture.objects);
      await made.moveHead(fixture.commit);
      await made.close();
      const opened = await openRepository({ path, git: kind === 'auto' ? 'never' : 'auto' });
      assert.equal(await opened.head(), fixture.commit);
      assert.equal((await opened.read(fixture.tree)).type, 'tree');
      await opened.close();
    }
  });

  it('is not created twice, nor opened where there is none', async () => {
    await assert.rejects(openRepository({ path, git: 'auto' }), RepositoryUnreadable);
    await (await createRepository({ path, git: 'auto' })).close();
    await assert.rejects(createRepository({ path, git: 'auto' }), /already/);
  });

  it('moves main also where git has packed the refs', async () => {
    const next = makeCommit({ a: 'b' }, [fixture.commit]);
    const repository = await createRepository({ path, git: 'auto' });
    await repository.addPack([...fixture.objects, ...next.objects]);
    await repository.moveHead(fixture.commit);
    git(path, ['tag', 'v1', fixture.commit]);
    git(path, ['pack-refs', '--all']);
    await assert.rejects(access(join(path, 'refs/heads/main')));
    assert.equal(await repository.head(), fixture.commit);
    await repository.moveHead(next.commit);
    assert.equal(await repository.head(), next.commit);
    assert.equal(git(path, ['rev-parse', 'main']).toString().trim(), next.commit);
    await repository.close();
  });

  it('waits for a git program that holds the lock of main', async () => {
    const lock = join(path, 'refs/heads/main.lock');
    let tried = 0;
    const openNew: FileSystem['openNew'] = (file, mode) => {
      if (file === lock) tried += 1;
      return nodeFileSystem.openNew(file, mode);
    };
    const repository = await createRepository({ path, git: 'never', fs: { ...nodeFileSystem, openNew } });
    await repository.addPack(fixture.objects);
    await writeFile(lock, '');
    const moved = repository.moveHead(fixture.commit);
    await until('the lock was met three times', () => tried > 2);
    assert.equal(await repository.head(), null);
    await rm(lock);
    await moved;
    assert.equal(await repository.head(), fixture.commit);
    await repository.close();
  });

  it('runs no hook and needs no owner that git would trust', async function () {
    const repository = await createRepository({ path, git: 'auto' });
    const ran = join(path, 'ran');
    await mkdir(join(path, 'hooks'));
    for (const hook of ['post-checkout', 'reference-transaction', 'pre-auto-gc', 'post-rewrite'])
      await writeFile(join(path, 'hooks', hook), `#!/bin/sh\ntouch '${ran}'\n`, { mode: 0o755 });
    if (process.getuid?.() === 0) await chown(path, 12_345, 12_345);
    for (let i = 0; i < 3; i++) await repository.addPack([makePackable('blob', Buffer.from(`${i}`))]);
    await repository.addPack(fixture.objects);
    await repository.moveHead(fixture.commit);
    assert.equal((await repository.read(fixture.commit)).type, 'commit');
    await repository.maintain();
    assert.deepEqual(await repository.fsck(), []);
    await assert.rejects(access(ran));
    await repository.close();
  });

  it('gets a multi-pack index and a commit graph by maintenance, and git can still clone it', async () => {
    const repository = await createRepository({ path, git: 'auto' });
    let parents: string[] = [];
    for (let i = 0; i < 12; i++) {
      const { objects, commit } = makeCommit({ 'a.md': `number ${i}` }, parents);
      await repository.addPack(objects);
      parents = [commit];
    }
    await repository.moveHead(parents[0]!);
    await repository.maintain();
    const packs = await readdir(join(path, 'objects/pack'));
    assert.equal(packs.filter((name) => name.endsWith('.pack')).length, 1);
    assert.ok(packs.includes('multi-pack-index'));
    git(path, ['multi-pack-index', 'verify']);
    git(path, ['commit-graph', 'verify']);
    assert.equal(fsck(path), '');
    git(path, ['clone', '-q', `file://${path}`, join(path, '..', 'clone')]);
    assert.equal(
      git(join(path, '..', 'clone'), ['rev-list', '--count', 'HEAD'])
        .toString()
        .trim(),
      '12',
    );
    await repository.close();
  });

  it('is read by git only where git is new enough', async () => {
    assert.match((await findGit())?.version ?? '', /^\d+\.\d+/);
    const usable = (version: string): boolean => isUsableGit({ file: '', execPath: '', version });
    assert.deepEqual(['2.34.0', '2.39.5', '3.0.0', '2.50.1.windows.1', '2.45.GIT'].map(usable), Array(5).fill(true));
    assert.deepEqual(['2.33.9', '1.99.0', '2'].map(usable), [false, false, false]);
  });
});
