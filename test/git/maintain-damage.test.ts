import assert from 'node:assert/strict';
import { chmod, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { makePackable } from '../../lib/git/objects/objects.js';
import { createRepository, openRepository } from '../../lib/git/repositories/open-repository.js';
import { RepositoryUnreadable, type Repository } from '../../lib/git/repositories/repository.js';
import { TemporaryFolders, fsck, gather, incompressible, makeCommit } from '../support/git/fixture.js';

for (const git of ['auto', 'never'] as const)
  describe(`damage that maintenance meets (${git === 'auto' ? 'with' : 'without'} the git program)`, () => {
    const folders = new TemporaryFolders();
    let path: string;
    let repository: Repository;

    beforeEach(async () => {
      path = join(await folders.make(), 'content.git');
      repository = await createRepository({ path, git });
    });
    afterEach(() => repository.close());
    after(() => folders.remove());

    async function flip(file: string, position: number): Promise<void> {
      await chmod(join(path, file), 0o644);
      const handle = await open(join(path, file), 'r+');
      const byte = Buffer.alloc(1);
      await handle.read(byte, 0, 1, position);
      byte[0]! ^= 0x55;
      await handle.write(byte, 0, 1, position);
      await handle.close();
    }

    const packs = async (): Promise<string[]> =>
      (await readdir(join(path, 'objects', 'pack'))).filter((name) => name.endsWith('.pack')).toSorted();

    /** Packs of one commit each, all reachable from main. */
    async function addCommits(count: number, from = 0): Promise<string[]> {
      const before = new Set(await packs());
      let parent = await repository.head();
      for (let number = from; number < from + count; number += 1) {
        const { objects, commit } = makeCommit({ [`f${number}`]: `text ${number}` }, parent === null ? [] : [parent]);
        await repository.addPack(objects);
        await repository.moveHead(commit);
        parent = commit;
      }
      return (await packs()).filter((name) => !before.has(name));
    }

    it('in a large file of its own stays where it is, and packs are joined without it', async () => {
      const { oid } = await repository.stageBlob(incompressible(600_000));
      const other = await repository.stageBlob(incompressible(500_000));
      await flip(`objects/${oid.slice(0, 2)}/${oid.slice(2)}`, 300_000);
      await addCommits(12);
      const { damaged, after: stats } = await repository.maintain();
      assert.deepEqual(damaged, git === 'auto' ? [`objects/${oid.slice(0, 2)}/${oid.slice(2)}`] : []);
      assert.ok(stats.packs <= 3, `${stats.packs} packs`);
      await assert.rejects(repository.read(oid), RepositoryUnreadable);
      assert.equal((await gather((await repository.readStream(other.oid)).stream)).length, 500_000);
      await addCommits(12, 100);
      assert.ok((await repository.maintain()).after.packs <= 4);
    });

    it('in a pack stays in that pack, and the others are joined', async () => {
      const blob = makePackable('blob', await gather(incompressible(60_000)));
      await repository.addPack([blob]);
      const [name = ''] = await packs();
      await flip(`objects/pack/${name}`, 30_000);
      await addCommits(12);
      const { damaged, after: stats } = await repository.maintain();
      assert.deepEqual(damaged, [`objects/pack/${name}`]);
      assert.ok(stats.packs <= 3, `${stats.packs} packs`);
      assert.ok((await packs()).includes(name));
      await addCommits(12, 100);
      const again = await repository.maintain();
      assert.ok(again.after.packs <= 4, `${again.after.packs} packs`);
      assert.deepEqual(again.damaged, [`objects/pack/${name}`]);
    });

    it('in the index of a pack is mended at the next start', async () => {
      const [name = ''] = await addCommits(1);
      await flip(`objects/pack/${name.replace('.pack', '.idx')}`, 1060);
      await repository.close();
      repository = await openRepository({ path, git });
      assert.equal(fsck(path), '');
      assert.deepEqual(await repository.fsck(), []);
    });

    it('in the index of a pack is mended when packs are joined', async () => {
      const [name = ''] = await addCommits(12);
      await flip(`objects/pack/${name.replace('.pack', '.idx')}`, 1060);
      const { damaged, after: stats } = await repository.maintain();
      assert.deepEqual(damaged, []);
      assert.ok(stats.packs <= 2, `${stats.packs} packs`);
      assert.equal(fsck(path), '');
    });

    /** Sweeps all that main does not reach. */
    const sweep = async (): Promise<void> =>
      void (await repository.sweep({
        roots: async () => ({ head: (await repository.head()) ?? '', also: [], held: [] }),
        onCopied: () => undefined,
      }));

    /** A pack with something that stays, and something that goes. @returns its name */
    async function addDirtyPack(): Promise<{ readonly name: string; readonly going: string }> {
      const before = new Set(await packs());
      const goes = makePackable('blob', Buffer.from('goes'));
      const { objects, commit } = makeCommit({ one: 'text one', two: 'text two', three: 'text three' }, []);
      await repository.addPack([...objects, goes]);
      await repository.moveHead(commit);
      const [name = ''] = (await packs()).filter((each) => !before.has(each));
      return { name, going: goes.oid };
    }

    it('in the index of a pack is mended before a sweep goes by it', async () => {
      for (let byte = 0; byte < 120; byte += 20) {
        await repository.close();
        path = join(await folders.make(), 'content.git');
        repository = await createRepository({ path, git });
        const { name, going } = await addDirtyPack();
        await flip(`objects/pack/${name.replace('.pack', '.idx')}`, 8 + 1024 + byte);
        await sweep();
        await repository.close();
        repository = await openRepository({ path, git });
        assert.equal(await repository.has(going), false);
        assert.equal(fsck(path), '');
        assert.deepEqual(await repository.fsck(), []);
      }
    });

    it('in a pack and in its index lets no sweep remove the pack', async () => {
      const { name } = await addDirtyPack();
      await flip(`objects/pack/${name.replace('.pack', '.idx')}`, 8 + 1024);
      await flip(`objects/pack/${name}`, 30);
      await assert.rejects(sweep(), (error: Error) => error.message.includes(name.replace('.pack', '')));
      assert.deepEqual(await packs(), [name]);
    });

    if (git === 'never') return;

    for (const file of ['objects/pack/multi-pack-index', 'objects/info/commit-graph']) {
      it(`in ${file} is mended at the next start, and when packs are joined`, async () => {
        for (const mend of [
          async () => {
            await repository.close();
            repository = await openRepository({ path, git });
          },
          async () => void (await addCommits(12, 100).then(() => repository.maintain())),
        ]) {
          await addCommits(12);
          await repository.maintain();
          await flip(file, 1100);
          await mend();
          assert.deepEqual(await repository.fsck(), []);
        }
      });
    }
  });
