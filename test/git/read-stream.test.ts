import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createRepository } from '../../lib/git/repositories/open-repository.js';
import type { Repository } from '../../lib/git/repositories/repository.js';
import { until } from '../support/until.js';
import { skipBecause } from '../support/skip.js';
import { TemporaryFolders, incompressible } from '../support/git/fixture.js';

const MiB = 1024 * 1024;

const length = 20 * MiB;

/** Much more than the buffers of a stream, less than what is held near the end of a blob that is held whole. */
const fewPieces = 12 * MiB;

describe('streaming a large blob', () => {
  const folders = new TemporaryFolders();
  after(() => folders.remove());

  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;

  for (const git of ['auto', 'never'] as const)
    it(`holds a few pieces of a staged blob of 20 MiB (git: ${git})`, async () => {
      const path = join(await folders.make(), 'content.git');
      const repository = await createRepository({ path, git });
      const before = heldBytes();
      let maxStaging = 0;
      let given = 0;
      async function* source(): AsyncGenerator<Buffer, void, undefined> {
        for await (const piece of incompressible(length)) {
          if (given % (4 * MiB) === 0) maxStaging = Math.max(maxStaging, heldBytes() - before);
          given += piece.length;
          yield piece;
        }
      }
      const staged = await repository.stageBlob(source());
      assert.ok(maxStaging < fewPieces, `${maxStaging} bytes were held while staging`);
      const { sha256, maxHeld } = await readThrough(repository, staged.oid);
      assert.equal(sha256, staged.sha256);
      assert.ok(maxHeld < fewPieces, `${maxHeld} bytes were held while reading`);
      await repository.close();
    }).timeout(60_000);

  describe('out of a pack, by a git of its own', () => {
    let repository: Repository;
    let oid: string;
    let sha256: string;

    before(async function () {
      this.timeout(60_000);
      const path = join(await folders.make(), 'content.git');
      repository = await createRepository({ path, git: 'auto' });
      ({ oid, sha256 } = await repository.stageBlob(incompressible(length)));
      await repository.maintain();
      assert.equal((await repository.stats()).looseObjects, 0);
    });
    after(() => repository.close());

    let childrenBefore: number;
    beforeEach(() => (childrenBefore = countChildren()));

    it('a stream out of a pack holds only a few pieces of the content', async () => {
      const { sha256: read, maxHeld } = await readThrough(repository, oid);
      assert.equal(read, sha256);
      assert.ok(maxHeld < fewPieces, `${maxHeld} bytes were held`);
    });

    it('waits for a reader that does not read', async () => {
      const { stream } = await repository.readStream(oid);
      const iterator = stream[Symbol.asyncIterator]();
      await iterator.next();
      for (let i = 0; i < 20; i++) {
        await delay(5);
        assert.ok(stream.readableLength < MiB, `${stream.readableLength} bytes wait`);
      }
      assert.equal(countChildren(), childrenBefore + 1, 'git waits too');
      stream.destroy();
      await untilGitEnded();
    });

    it('ends git when the reader goes away', async () => {
      for (let i = 0; i < 5; i++) {
        const { stream } = await repository.readStream(oid);
        stream.once('error', () => undefined);
        stream.destroy(i % 2 === 0 ? undefined : new Error('the client went away'));
      }
      await untilGitEnded();
    });

    it('a stream out of a pack ends when the repository closes', async () => {
      const path = join(await folders.make(), 'content.git');
      const other = await createRepository({ path, git: 'auto' });
      const staged = await other.stageBlob(incompressible(8 * MiB));
      await other.maintain();
      const { stream } = await other.readStream(staged.oid);
      const closed = new Promise((resolve) => stream.once('close', resolve));
      await other.close();
      await closed;
      await untilGitEnded();
    });

    const untilGitEnded = () => until('git has ended', () => countChildren() === childrenBefore);

    /** How many child processes there are, those of other tests included. */
    function countChildren(): number {
      return process.getActiveResourcesInfo().filter((name) => name === 'ProcessWrap').length;
    }
  });

  it('leaves no file open, however often it is given up', async function () {
    const entries = '/proc/self/fd';
    if (!existsSync(entries)) skipBecause(this, 'open files can be counted on Linux only');
    const path = join(await folders.make(), 'content.git');
    const repository = await createRepository({ path, git: 'never' });
    const { oid } = await repository.stageBlob(incompressible(2 * MiB));
    const openHere = async (): Promise<number> => {
      const names = await readdir(entries);
      const targets = await Promise.all(names.map((name) => readlink(`${entries}/${name}`).catch(() => '')));
      return targets.filter((target) => target.startsWith(path)).length;
    };
    for (let i = 0; i < 40; i++) {
      const { stream } = await repository.readStream(oid);
      if (i % 2 === 0) stream.destroy();
      else {
        const iterator = stream[Symbol.asyncIterator]();
        await iterator.next();
        await iterator.return?.();
      }
      await repository.size(oid);
    }
    await until('no file of it is open', async () => (await openHere()) === 0);
    await repository.close();
  });

  /** Bytes held outside of JavaScript's heap, garbage not counted. */
  function heldBytes(): number {
    collectGarbage();
    collectGarbage(); // the second call waits until the first one's garbage is freed
    return process.memoryUsage().arrayBuffers;
  }

  /** Reads a blob to its end, and returns the most that it held meanwhile. */
  async function readThrough(repository: Repository, oid: string): Promise<{ sha256: string; maxHeld: number }> {
    const before = heldBytes();
    const { stream } = await repository.readStream(oid);
    const hash = createHash('sha256');
    let maxHeld = 0;
    let read = 0;
    for await (const piece of stream) {
      const bytes = piece as Buffer;
      hash.update(bytes);
      if (Math.floor(read / (4 * MiB)) !== Math.floor((read + bytes.length) / (4 * MiB)))
        maxHeld = Math.max(maxHeld, heldBytes() - before);
      read += bytes.length;
    }
    return { sha256: hash.digest('hex'), maxHeld };
  }
});
