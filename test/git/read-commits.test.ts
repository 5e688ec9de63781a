import assert from 'node:assert/strict';
import { nodeFileSystem } from '../../lib/git/file-system.js';
import { findGit } from '../../lib/git/program/git-program.js';
import type { Oid } from '../../lib/git/objects/objects.js';
import { openRepositoryReadOnly } from '../../lib/git/repositories/open-read-only.js';
import { writePack } from '../../lib/git/packs/pack.js';
import { sealPack } from '../../lib/git/packs/pack-layout.js';
import {
  readCommitsByReading,
  readCommitsWithGit,
  type ReadCommit,
  type WantedCommit,
} from '../../lib/git/repositories/read-commits.js';
import { RepositoryFolder } from '../../lib/git/repositories/repository-folder.js';
import { git, makeCommit, TemporaryFolders } from '../support/git/fixture.js';

describe('reading the commits of a history', () => {
  const folders = new TemporaryFolders();
  after(() => folders.remove());

  const ways = ['with git', 'without git'] as const;

  for (const way of ways) {
    it(`${way} gives each of them in order, with its root folder where that is wanted`, async () => {
      const { repository, oids, read } = await openHistory(700);
      const wanted = oids.map((oid, index) => ({ oid, withTree: index % 3 !== 1 }));
      const found = await gatherAll(read(wanted, way));
      assert.deepEqual(
        found.map(({ oid }) => oid),
        oids,
      );
      for (const [index, { oid, bytes, tree }] of found.entries()) {
        assert.ok(bytes.equals((await repository.read(oid)).bytes));
        assert.equal(tree !== undefined, wanted[index]!.withTree);
        if (tree === undefined || index === 3) continue;
        assert.ok(tree.equals((await repository.read(bytes.toString('latin1', 5, 45))).bytes));
      }
      await repository.close();
    });

    it(`${way} fails where one is missing, and gives nothing of the kind for another`, async () => {
      const { repository, oids, read } = await openHistory(5);
      const wanted = [oids[0]!, 'f'.repeat(40), oids[1]!].map((oid) => ({ oid, withTree: true }));
      await assert.rejects(gatherAll(read(wanted, way)), /f{40}/);
      await repository.close();
    });

    it(`${way} ends when nobody takes any more`, async () => {
      const { repository, oids, read } = await openHistory(700);
      for await (const group of read(
        oids.map((oid) => ({ oid, withTree: true })),
        way,
      )) {
        assert.equal(group[0]?.oid, oids[0]);
        break;
      }
      await repository.close();
    });
  }

  it('passes on the error of listing them', async () => {
    const { path, program, repository, oids } = await openHistory(3);
    async function* failing(): AsyncGenerator<WantedCommit, void, undefined> {
      yield { oid: oids[0]!, withTree: false };
      throw new Error('The list broke off.');
    }
    await assert.rejects(gatherAll(readCommitsWithGit(program, path, failing())), /broke off/);
    await repository.close();
  });

  async function openHistory(commits: number) {
    const path = await folders.make();
    git(path, ['init', '-q', '--bare', '.']);
    const objects = [];
    const oids: Oid[] = [];
    for (let index = 0; index < commits; index++) {
      const files = index === 3 ? {} : { [`a${index % 5}/b.md`]: `${index}`, c: 'x'.repeat(index) };
      const made = makeCommit(files, oids.slice(-1));
      objects.push(...made.objects);
      oids.push(made.commit);
    }
    await writePack(objects, new RepositoryFolder(nodeFileSystem, path), sealPack);
    const repository = await openRepositoryReadOnly({ path, git: 'auto' });
    const program = await findGit();
    assert.ok(program !== null);
    const read = (wanted: readonly WantedCommit[], way: (typeof ways)[number]) =>
      way === 'with git'
        ? readCommitsWithGit(program, path, inTurn(wanted))
        : readCommitsByReading((oid) => repository.read(oid), inTurn(wanted));
    return { path, program, repository, oids, read };
  }
});

async function* inTurn(wanted: readonly WantedCommit[]): AsyncGenerator<WantedCommit, void, undefined> {
  yield* wanted;
}

async function gatherAll(groups: AsyncIterable<readonly ReadCommit[]>): Promise<ReadCommit[]> {
  const all: ReadCommit[] = [];
  for await (const group of groups) all.push(...group);
  return all;
}
