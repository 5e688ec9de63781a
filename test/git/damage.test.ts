import assert from 'node:assert/strict';
import { chmod, open, readFile, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makePackable } from '../../lib/git/objects/objects.js';
import { createRepository, openRepository } from '../../lib/git/repositories/open-repository.js';
import { RepositoryUnreadable } from '../../lib/git/repositories/repository.js';
import type { Repository } from '../../lib/git/repositories/repository.js';
import { TemporaryFolders, fsck, gather, incompressible, makeCommit, piecesOf } from '../support/git/fixture.js';

for (const git of ['auto', 'never'] as const)
  describe(`damage on the disk (${git === 'auto' ? 'with' : 'without'} the git program)`, () => {
    const folders = new TemporaryFolders();
    let path: string;
    let repository: Repository;

    beforeEach(async () => {
      path = join(await folders.make(), 'content.git');
      repository = await createRepository({ path, git });
    });
    afterEach(() => repository.close());
    after(() => folders.remove());

    async function packFile(ending: 'pack' | 'idx'): Promise<string> {
      const names = await readdir(join(path, 'objects', 'pack'));
      const name = names.find((each) => each.endsWith(`.${ending}`));
      const file = join(path, 'objects', 'pack', name ?? '');
      await chmod(file, 0o644);
      return file;
    }

    async function looseFile(oid: string): Promise<string> {
      const file = join(path, 'objects', oid.slice(0, 2), oid.slice(2));
      await chmod(file, 0o644);
      return file;
    }

    async function flip(file: string, position: number): Promise<void> {
      const handle = await open(file, 'r+');
      const byte = Buffer.alloc(1);
      await handle.read(byte, 0, 1, position);
      byte[0]! ^= 0x55;
      await handle.write(byte, 0, 1, position);
      await handle.close();
    }

    async function assertUnreadable(oid: string): Promise<void> {
      await assert.rejects(repository.read(oid), RepositoryUnreadable);
      await assert.rejects(async () => {
        const { stream } = await repository.readStream(oid);
        await gather(stream);
      }, RepositoryUnreadable);
      assert.notDeepEqual(await repository.fsck(), []);
    }

    it('of a pack is reported, and not mistaken for an absent object', async () => {
      const blob = makePackable('blob', await gather(incompressible(600_000)));
      await repository.addPack([blob]);
      await flip(await packFile('pack'), 300_000);
      await assertUnreadable(blob.oid);
    });

    it('of a shortened pack is reported', async () => {
      const blob = makePackable('blob', await gather(incompressible(600_000)));
      await repository.addPack([blob]);
      await truncate(await packFile('pack'), 300_000);
      await assertUnreadable(blob.oid);
      await assert.rejects(repository.has(blob.oid), RepositoryUnreadable);
    });

    it('of a staged blob is reported, at its beginning, in its middle and at its end', async () => {
      const { oid } = await repository.stageBlob(incompressible(600_000));
      const file = await looseFile(oid);
      const whole = await readFile(file);
      for (const damage of [
        () => flip(file, 0),
        () => flip(file, 300_000),
        () => truncate(file, 300_000),
        () => truncate(file, whole.length - 2000),
        () => truncate(file, 0),
      ]) {
        await writeFile(file, whole);
        await damage();
        await assertUnreadable(oid);
      }
    });

    it('of one object does not affect reads of others at the same time', async () => {
      const { oid } = await repository.stageBlob(piecesOf('soon to be damaged'));
      const blobs = Array.from({ length: 50 }, (_, i) => makePackable('blob', Buffer.from(`number ${i}`)));
      await repository.addPack(blobs);
      await flip(await looseFile(oid), 5);
      const asked = [...blobs.slice(0, 25).map((blob) => blob.oid), oid, ...blobs.slice(25).map((blob) => blob.oid)];
      const outcomes = await Promise.allSettled(asked.map((each) => repository.read(each)));
      for (const [i, outcome] of outcomes.entries()) {
        assert.equal(outcome.status, asked[i] === oid ? 'rejected' : 'fulfilled');
        if (outcome.status === 'rejected') assert.ok(outcome.reason instanceof RepositoryUnreadable);
      }
    });

    it('of a staged blob is mended by staging it again: a file is not trusted by its name', async () => {
      const { oid } = await repository.stageBlob(incompressible(600_000));
      await truncate(await looseFile(oid), 1000);
      await repository.stageBlob(incompressible(600_000));
      assert.equal((await gather((await repository.readStream(oid)).stream)).length, 600_000);
      assert.equal(fsck(path), '');
    });

    it('of a pack is mended by adding it again', async () => {
      const { objects, commit } = makeCommit({ a: 'x'.repeat(5000) });
      await repository.addPack(objects);
      await truncate(await packFile('pack'), 50);
      await repository.close();
      repository = await openRepository({ path, git });
      await repository.addPack(objects);
      await repository.moveHead(commit);
      assert.equal(fsck(path), '');
    });

    it('of the main branch is reported', async () => {
      for (const text of ['', 'ref: refs/heads/other\n', 'abc\n']) {
        await writeFile(join(path, 'refs', 'heads', 'main'), text);
        await assert.rejects(repository.head(), RepositoryUnreadable);
      }
    });

    it('that removed an object still needed by others is found', async () => {
      const { objects, commit } = makeCommit({ a: 'x' });
      await repository.addPack(objects.filter(({ type }) => type !== 'blob'));
      await repository.moveHead(commit);
      const problems = await repository.fsck();
      assert.ok(
        problems.some((problem) => problem.includes(objects[0]!.oid)),
        problems.join('\n'),
      );
    });

    it('that removed the whole folder is reported, and not mistaken for absent objects', async () => {
      const { objects } = makeCommit({ a: 'x' });
      await repository.addPack(objects);
      await repository.close();
      await rm(path, { recursive: true });
      await assert.rejects(repository.read(objects[0]!.oid), RepositoryUnreadable);
      await assert.rejects(openRepository({ path, git }), RepositoryUnreadable);
    });

    it('that left a pack without its index, or temporary files, is swept at opening', async () => {
      const { objects, commit } = makeCommit({ a: 'x' });
      await repository.addPack(objects);
      await repository.moveHead(commit);
      await repository.close();
      const leftovers = [
        '77-1.tmp',
        `objects/pack/pack-${'0'.repeat(40)}.pack`,
        'objects/pack/tmp_pack_AbCdEf',
        'objects/pack/multi-pack-index.lock',
        'objects/info/commit-graph.lock',
        'refs/heads/main.lock',
      ];
      for (const name of leftovers) await writeFile(join(path, name), 'half');
      repository = await openRepository({ path, git });
      const names = await readdir(path, { recursive: true });
      assert.deepEqual(
        leftovers.filter((name) => names.includes(name)),
        [],
      );
      assert.equal(await repository.head(), commit);
      await repository.moveHead(commit);
      assert.equal(fsck(path), '');
    });
  });
