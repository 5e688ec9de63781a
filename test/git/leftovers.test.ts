import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeFileSystem, type FileSystem } from '../../lib/git/file-system.js';
import { sweepPacks } from '../../lib/git/maintenance/sweep-packs.js';
import { makePackable } from '../../lib/git/objects/objects.js';
import { sealPack } from '../../lib/git/packs/pack-layout.js';
import { requireGit } from '../../lib/git/program/git-program.js';
import { createRepository, openRepository } from '../../lib/git/repositories/open-repository.js';
import type { Repository } from '../../lib/git/repositories/repository.js';
import { RepositoryFolder } from '../../lib/git/repositories/repository-folder.js';
import { fsck, makeCommit, TemporaryFolders } from '../support/git/fixture.js';

for (const git of ['auto', 'never'] as const) {
  describe(`what a failed write leaves in a repository (${git === 'auto' ? 'with' : 'without'} git)`, () => {
    const folders = new TemporaryFolders();
    const kept = makeCommit({ 'kept.md': 'kept' });
    const gone = makePackable('blob', Buffer.from('it is to go'));
    let disk: ReturnType<typeof makeRefusing>;
    let path: string;
    let repository: Repository;

    beforeEach(async () => {
      disk = makeRefusing();
      path = join(await folders.make(), 'content.git');
      repository = await createRepository({ path, git, fs: disk.fs });
      await repository.addPack(kept.objects);
      await repository.moveHead(kept.commit);
    });
    afterEach(() => repository.close());
    after(() => folders.remove());

    const packFiles = (): Promise<string[]> => readdir(join(path, 'objects', 'pack'));
    const sweep = async (onCopied = (): void | Promise<void> => undefined): Promise<void> =>
      void (await repository.sweep({
        roots: async () => ({ head: kept.commit, also: [], held: [] }),
        onCopied,
      }));

    /** Nothing has it, not even after the next start. */
    async function assertGone(): Promise<void> {
      await repository.close();
      repository = await openRepository({ path, git, fs: disk.fs });
      assert.equal(await repository.has(gone.oid), false);
      assert.equal(await repository.has(kept.commit), true);
      assert.equal(fsck(path), '');
    }

    it('goes with a sweep where the index of its pack was not taken', async () => {
      disk.refused = /\.idx$/;
      await assert.rejects(repository.addPack([gone]), /made to fail/);
      disk.refused = undefined;
      assert.equal((await packFiles()).filter((name) => name.endsWith('.pack')).length, 2);
      await sweep();
      assert.equal((await packFiles()).filter((name) => name.endsWith('.pack')).length, 1);
      await assertGone();
    });

    it('goes with a sweep where it was to be shown, and a part of it was', async () => {
      const [held] = await repository.holdPack([gone]);
      assert.ok(held);
      disk.refused = /objects.pack.*\.idx$/;
      await assert.rejects(repository.showHeld(held, repository.nameOf(held)), /made to fail/);
      disk.refused = undefined;
      await repository.dropHeld(held);
      await sweep();
      assert.deepEqual(await readdir(join(path, 'held')), []);
      await assertGone();
    });

    it('goes with the sweep after one that removed an index and not its pack', async () => {
      await repository.addPack([gone]);
      for (const name of await packFiles()) {
        if (!name.endsWith('.idx')) continue;
        await unlink(join(path, 'objects', 'pack', name));
      }
      await sweep();
      await assertGone();
    });

    it('is no pack that is just being written', async () => {
      const later = makePackable('blob', Buffer.from('added while it sweeps'));
      let goOn: () => void = () => undefined;
      const held = new Promise<void>((resolve) => (goOn = resolve));
      const waits = new Promise<void>((resolve) => {
        const { rename: move } = disk.fs;
        disk.fs.rename = async (from, to) => {
          if (to.endsWith('.idx')) {
            resolve();
            await held;
          }
          return move(from, to);
        };
      });
      const adding = repository.addPack([later]);
      await waits;
      await sweep();
      goOn();
      await adding;
      assert.equal(await repository.has(later.oid), true);
      assert.equal(fsck(path), '');
    });

    it('stops a sweep where it cannot be read: what is in it cannot be told', async () => {
      await repository.addPack([gone]);
      const before = await packFiles();
      await writeFile(join(path, 'objects', 'pack', `pack-${'a'.repeat(40)}.pack`), 'PACK, and then no more');
      await assert.rejects(sweep(), /pack-aaaa/);
      const present = await packFiles();
      for (const name of before) assert.ok(present.includes(name), name);
    });

    it('takes no room in front of the repository', async () => {
      disk.refused = /\.idx$/;
      await assert.rejects(repository.holdPack([gone]), /made to fail/);
      assert.deepEqual(await readdir(join(path, 'held')), []);
    });

    if (git === 'never') return;

    it('goes with a sweep where git was ended', async () => {
      await writeFile(join(path, 'objects', 'pack', 'tmp_pack_abcdef'), 'PACK');
      await sweep();
      assert.deepEqual(
        (await packFiles()).filter((name) => name.startsWith('tmp_')),
        [],
      );
    });

    it('takes no room after a sweep that failed because git could not write', async () => {
      const large = makePackable('blob', randomBytes(100_000));
      await repository.addPack([gone, large]);
      const program = await requireGit('test');
      const file = join(path, '..', 'git-on-a-full-disk');
      const limited = `case "$*" in *pack-objects*) ulimit -f 8;; esac\nexec "${program.file}" "$@"\n`;
      await writeFile(file, `#!/bin/sh\n${limited}`, { mode: 0o700 });
      const before = await packFiles();
      const sweeping = sweepPacks(
        {
          folder: new RepositoryFolder(disk.fs, path),
          seal: sealPack,
          program: { ...program, file },
          read: (oid) => repository.read(oid),
          signal: new AbortController().signal,
          onCopied: () => assert.fail('Nothing was copied.'),
        },
        { packs: await repository.packs(), head: kept.commit, also: [large.oid], held: [] },
      );
      await assert.rejects(sweeping, /pack-objects/);
      assert.deepEqual(await packFiles(), before);
    });

    it('takes no room after a joining of packs that failed', async () => {
      for (let i = 0; i < 8; i++) await repository.addPack(makeCommit({ [`${i}.md`]: `${i}` }).objects);
      disk.refused = /objects.pack.pack-/;
      await assert.rejects(repository.maintain(), /made to fail/);
      assert.deepEqual(await readdir(join(path, 'packing')), []);
      disk.refused = undefined;
      await repository.maintain();
      assert.equal(fsck(path), '');
    });
  });
}

/** The machine's disk, which does not take the files of chosen names. */
function makeRefusing(): { readonly fs: FileSystem; refused: RegExp | undefined } {
  const disk = {
    refused: undefined as RegExp | undefined,
    fs: {
      ...nodeFileSystem,
      rename: async (from: string, to: string) => {
        if (disk.refused?.test(to) === true) throw Object.assign(new Error('made to fail'), { code: 'ENOSPC' });
        return nodeFileSystem.rename(from, to);
      },
    },
  };
  return disk;
}
