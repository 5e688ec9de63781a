import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { derivedPaths, packFolder, readState, writeState } from '../../lib/derived/state.js';
import { GitBoundMet } from '../../lib/git/errors.js';
import { BlobSource } from '../../lib/git/derived/blob-source.js';
import { FastImport } from '../../lib/git/derived/fast-import.js';
import { joinPacks, measurePacks } from '../../lib/git/derived/join-derived-packs.js';
import { boundsFor } from '../../lib/git/program/git-bounds.js';
import { boundGit, requireGit, type ForeignGit } from '../../lib/git/program/git-program.js';
import { makeDeltaBomb } from '../support/git/delta-bomb.js';
import { git, TemporaryFolders } from '../support/git/fixture.js';
import { canWatchChildren, watchChildren } from '../support/processes/watch-children.js';
import { skipBecause } from '../support/skip.js';
import { DerivedBench } from './derived-bench.js';

const mebibyte = 1024 * 1024;
/** The most that a git may take of memory, whatever the objects are. */
const most = 600 * mebibyte;
const { signal: never } = new AbortController();
/** A chain that is longer than git lets one be, so the last object has to be unpacked: the longest one. */
const longChain = [...Array.from({ length: 50 }, (_, index) => index + 2), 900];

describe('a derivation from objects that a stranger made', function () {
  this.timeout(120_000);
  const folders = new TemporaryFolders();
  const { pack, head } = makeDeltaBomb(longChain, true);
  let repository: string;
  let program: ForeignGit;

  before(async function () {
    if (!canWatchChildren) skipBecause(this, 'only Linux bounds the memory of a process.');
    const folder = await folders.make();
    repository = join(folder, 'content.git');
    git(folder, ['init', '-q', '--bare', '-b', 'main', repository]);
    git(repository, ['index-pack', '--stdin', '--threads=1'], pack);
    program = boundGit(await requireGit('test'), boundsFor({ objects: 60, bytes: pack.length }, 60), true);
  });
  after(() => folders.remove());

  it('reads a content of gigabytes in little memory, and says what it has met', async () => {
    const oid = git(repository, ['rev-parse', `${head}:large.txt`])
      .toString()
      .trim();
    const source = new BlobSource(program, repository, never);
    source.ask([oid]);
    const nothing = (): undefined => undefined;
    await meetsBound(() => source.read(nothing, nothing), /cannot read the contents: .*needs more than \d+ MiB/);
    source.close();
  });

  it('joins packs in little memory, and says what it has met', async () => {
    const target = await folders.make();
    const names = packsIn(packFolder(repository));
    const join = () => joinPacks(program, repository, names, target, never);
    await meetsBound(join, /cannot join packs: .*needs more than \d+ MiB/);
    assert.deepEqual(packsIn(target), [], 'nothing is left of it');
    assert.deepEqual(await measurePacks(packFolder(repository), names), { objects: 93, bytes: pack.length });
  });

  it('writes in little memory, and says what it has met', async () => {
    const folder = await folders.make();
    git(folder, ['init', '-q', '--bare', '.']);
    const little = boundGit(program, { ...program.bounds, allocation: 100_000 });
    const into = new FastImport(little, folder, 'refs/heads/main', null, never);
    into.beginBlob(500_000);
    into.put(Buffer.alloc(500_000));
    into.endBlob();
    await meetsBound(() => into.finish(), /cannot write a repository: .*needs more than \d+ MiB/);
  });

  it('makes a repository again whose packs take too much to be joined', async () => {
    const world = await DerivedBench.open();
    try {
      const reader = await world.person('reader', 'pub');
      await world.bench.actor.create('pub/a.md', 'first');
      const early = await world.derived.prepare(reader);
      const folder = join(world.folder, reader);
      const state = await readState(folder);
      assert.ok(state !== undefined);
      const own = packFolder(derivedPaths(folder).repository);
      await cp(packFolder(repository), own, { recursive: true });
      const blobs = Array.from({ length: 38 }, (_, small) => `blob\ndata 2\n${10 + small}\ncheckpoint\n`);
      git(early.path, ['-c', 'fastimport.unpackLimit=0', 'fast-import', '--quiet'], blobs.join(''));
      const listed = packsIn(own).map((name) => ({ name, bytes: statSync(join(own, `pack-${name}.pack`)).size }));
      assert.equal(listed.length, 40, 'as many as are not joined');
      await writeState(folder, { ...state, packs: listed });
      let last = early;
      const peak = await watchChildren(async () => {
        await world.bench.actor.update('pub/a.md', 'second');
        last = await world.derived.prepare(reader);
      });
      assert.ok(peak < most, `a git took ${Math.round(peak / mebibyte)} MiB`);
      assert.notEqual(last.life, early.life);
      assert.equal(world.read(last, 'pub/a.md'), 'second');
      assert.deepEqual(
        world.bench.reported.map(({ what }) => what),
        ['A derived repository could not be extended; it is made again'],
        'it is not tried twice',
      );
      assert.ok(packsIn(packFolder(last.path)).length < 5, 'what was pushed is gone');
    } finally {
      await world.close();
    }
  });

  const packsIn = (folder: string): string[] =>
    readdirSync(folder).flatMap((file) => /^pack-(.*)\.pack$/.exec(file)?.[1] ?? []);

  async function meetsBound(work: () => Promise<unknown>, words: RegExp): Promise<void> {
    const peak = await watchChildren(() =>
      assert.rejects(work(), (error) => error instanceof GitBoundMet && words.test(error.message)),
    );
    assert.ok(peak < most, `a git took ${Math.round(peak / mebibyte)} MiB`);
  }
});
