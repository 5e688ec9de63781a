import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Service } from '../../lib/app/service.js';
import { operatorId } from '../../lib/domain/principal.js';
import type { Repository } from '../../lib/git/repositories/repository.js';
import { pathsOf } from '../../lib/journal/workspace-files.js';
import type { Workspace } from '../../lib/workspace/workspace.js';
import { Actor } from '../support/store/actor.js';
import { makeTestRandomness, openTestService, TestClock, type TestService } from '../support/store/service.js';

describe('A checkpoint', () => {
  let test: TestService;
  let someone: Actor;
  const copies: string[] = [];

  beforeEach(async () => {
    test = await openTestService({ store: 'disk' });
    someone = new Actor(test.workspace, operatorId);
    await someone.create('a/b.md', 'first');
    await someone.create('c.md', 'other');
  });
  afterEach(async () => {
    await test.close();
    for (const copy of copies.splice(0)) await rm(copy, { recursive: true, force: true });
  });

  it('moves all pending objects into the repository, and main with them', async () => {
    assert.ok(pendingObjects(test.workspace) > 0);
    await test.workspace.checkpointer.run();
    await isWhole(test.workspace, someone);
    assert.equal(git('rev-parse', 'refs/heads/main'), test.workspace.journal.state.head);
    assert.equal(git('show', 'main:a/b.md'), 'first');
    assert.equal(git('fsck', '--strict'), '');
  });

  it('that fails before its pack is there loses nothing, and the next one repeats it', async () => {
    const pending = pendingObjects(test.workspace);
    const mend = breakRepository(test.workspace.repository, 'addPack');
    await assert.rejects(test.workspace.checkpointer.run(), /no space/);
    assert.equal(pendingObjects(test.workspace), pending);
    assert.equal(await test.workspace.repository.head(), null);
    assert.equal(await someone.read('a/b.md'), 'first');
    await afterCrash(isWhole);
    mend();
    await test.workspace.checkpointer.run();
    await isWhole(test.workspace, someone);
  });

  it('that fails between pack and main keeps the rows until main has moved', async () => {
    const pending = pendingObjects(test.workspace);
    const mend = breakRepository(test.workspace.repository, 'moveHead');
    await assert.rejects(test.workspace.checkpointer.run(), /no space/);
    assert.equal(pendingObjects(test.workspace), pending);
    assert.equal(await test.workspace.repository.head(), null);
    assert.equal((await test.workspace.repository.stats()).packs, 1);
    await afterCrash(isWhole);
    mend();
    await test.workspace.checkpointer.run();
    await isWhole(test.workspace, someone);
  });

  it('that dies between main and the rows finds both, and does it again without harm', async () => {
    const { journal, checkpointer, repository } = test.workspace;
    const write = journal.write.bind(journal);
    Object.defineProperty(journal, 'write', { configurable: true, value: () => Promise.reject(new Error('killed')) });
    await assert.rejects(checkpointer.run(), /killed/);
    Object.defineProperty(journal, 'write', { configurable: true, value: write });
    assert.ok(pendingObjects(test.workspace) > 0);
    assert.equal(await repository.head(), journal.state.head);
    await afterCrash(isWhole);
    await checkpointer.run();
    await isWhole(test.workspace, someone);
  });

  it('leaves later writes alone while it runs', async () => {
    const checkpoint = test.workspace.checkpointer.run();
    await Promise.all([checkpoint, someone.update('a/b.md', 'second'), someone.create('d.md', 'late')]);
    assert.equal(await someone.read('a/b.md'), 'second');
    assert.equal(await someone.read('d.md'), 'late');
    await test.workspace.checkpointer.run();
    assert.equal(git('show', 'main:a/b.md'), 'second');
    assert.equal(git('show', 'main:d.md'), 'late');
    assert.equal(git('fsck', '--strict'), '');
  });

  it('may run after every write or once for all: the history is the same', async () => {
    await test.workspace.checkpointer.run();
    await someone.update('a/b.md', 'second');
    await test.workspace.checkpointer.run();
    await someone.delete('c.md');
    await test.workspace.checkpointer.run();
    const subjects = git('log', '--format=%s', 'main').split('\n');
    assert.deepEqual(subjects, ['Delete c.md', 'Update a/b.md', 'Create c.md', 'Create a/b.md']);
    assert.equal(git('ls-tree', '-r', '--name-only', 'main'), 'a/b.md');
  });

  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', pathsOf(test.dataFolder ?? '', 'acme').repository, ...args], {
      encoding: 'utf8',
    }).trim();

  const isWhole = async (workspace: Workspace, reader: Actor): Promise<void> => {
    assert.equal(await reader.read('a/b.md'), 'first');
    assert.equal(await reader.read('c.md'), 'other');
    assert.equal(pendingObjects(workspace), 0);
    assert.equal(await workspace.repository.head(), workspace.journal.state.head);
    assert.deepEqual(await workspace.repository.fsck(), []);
  };

  /** The state for the next process after a crash at this moment: the present files, opened by another service. */
  async function afterCrash<Result>(look: (workspace: Workspace, someone: Actor) => Promise<Result>): Promise<Result> {
    const copy = await mkdtemp(join(tmpdir(), 'cartulary-test-'));
    copies.push(copy);
    await cp(test.dataFolder ?? '', copy, { recursive: true, filter: (source) => !source.endsWith('.lock') });
    const service = await Service.open({
      dataFolder: copy,
      git: 'auto',
      clock: new TestClock(),
      randomness: makeTestRandomness('after the crash'),
      onFault: () => undefined,
    });
    try {
      const workspace = service.find('acme');
      assert.ok(workspace !== undefined);
      return await look(workspace, new Actor(workspace, operatorId));
    } finally {
      await service.close();
    }
  }
});

const pendingObjects = ({ journal }: Workspace): number => journal.reader.objects.pendingTotals().objects;

/** Lets one method of the repository fail until it is mended. */
function breakRepository(repository: Repository, method: 'addPack' | 'moveHead'): () => void {
  Object.defineProperty(repository, method, {
    configurable: true,
    value: () => Promise.reject(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })),
  });
  return () => void Reflect.deleteProperty(repository, method);
}
