import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Service } from '../../lib/app/service.js';
import { operatorId } from '../../lib/domain/principal.js';
import { readAnyObject } from '../../lib/integrity/open-data-folder.js';
import { pathsOf } from '../../lib/journal/workspace-files.js';
import { readPending } from '../../lib/journal/pending-object.js';
import type { Workspace } from '../../lib/workspace/workspace.js';
import { RepositoryUnreadable } from '../../lib/git/repositories/repository.js';
import { Actor } from '../support/store/actor.js';
import { eraseAt } from '../support/store/erase-at.js';
import { requireSound } from '../support/store/evidence.js';
import { makeTestRandomness, openTestService, TestClock, type TestService } from '../support/store/service.js';
import { Sqlite } from '../support/store/sqlite.js';

interface Row {
  readonly number: number;
  readonly oid: string;
  readonly type: string;
  readonly size: number;
  readonly base: string | null;
  readonly depth: number;
}

describe('Pending trees', function () {
  this.timeout(60_000);
  let test: TestService;
  let someone: Actor;
  let copies: string;

  beforeEach(async () => {
    copies = mkdtempSync(join(tmpdir(), 'cartulary-test-'));
    test = await openTestService({ store: 'disk' });
    someone = new Actor(test.workspace, operatorId);
    for (let i = 0; i < 20; i++) await someone.create(`team/notes on the subject ${i}.md`, `first ${i}`);
    await test.workspace.checkpointer.run();
  });
  afterEach(async () => {
    await test.close();
    rmSync(copies, { recursive: true, force: true });
  });

  /** Runs work without a checkpoint on the way. */
  const unmoved = <Result>(work: () => Promise<Result>): Promise<Result> =>
    test.workspace.checkpointer.exclusively(work);

  const folder = (): string => test.dataFolder ?? '';

  const rows = (): Row[] => {
    const sidecar = new Sqlite(pathsOf(folder(), 'acme').sidecar, { readonly: true });
    const found = sidecar
      .prepare<[], Row>('SELECT number, oid, type, size, base, depth FROM pending_object ORDER BY number')
      .all();
    sidecar.close();
    return found;
  };

  const trees = (): Row[] => rows().filter(({ type }) => type === 'tree');

  const update = (i: number, text: string): Promise<unknown> =>
    someone.update(`team/notes on the subject ${i % 20}.md`, text);

  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', pathsOf(folder(), 'acme').repository, ...args], { encoding: 'utf8' }).trim();

  it('wait as deltas of the trees before them, and as what they are for every reader', async () => {
    await unmoved(async () => {
      for (let i = 0; i < 5; i++) await update(i, `second ${i}`);
      await someone.create('team/new.md', 'new');
      await someone.delete('team/notes on the subject 7.md');
      const folders = trees().filter(({ base, size }) => base !== null && size < 100);
      assert.equal(folders.length, 6, 'the folder of each write but the first, whose base is in a pack');
      for (const { oid } of trees()) {
        const pending = readPending(test.workspace.journal.reader.objects, oid);
        assert.ok(pending !== undefined);
        const { tree } = await readTreeOf(oid);
        assert.ok(tree.equals(pending.bytes));
      }
      assert.equal(await someone.read('team/new.md'), 'new');
    });
    await requireSound(test.workspace, folder());
    assert.equal(git('show', 'main:team/notes on the subject 3.md'), 'second 3');
    assert.equal(git('ls-tree', '-r', '--name-only', 'main').split('\n').length, 20);
  });

  /** The tree as the integrity check reads it, which compares it with its name. */
  async function readTreeOf(oid: string): Promise<{ tree: Buffer }> {
    const { journal, repository } = test.workspace;
    const { bytes } = await readAnyObject({ sidecar: journal.sidecar, repository }, oid);
    return { tree: bytes };
  }

  it('wait whole where a chain would have more than forty deltas', async () => {
    await unmoved(async () => {
      for (let i = 0; i < 100; i++) await update(i, `text ${i}`);
    });
    const depths = trees().map(({ depth }) => depth);
    assert.equal(Math.max(...depths), 40);
    const inTheFolder = trees().filter(({ depth, size }) => depth === 0 && size > 500).length;
    assert.equal(inTheFolder, 3, 'a hundred writes have three trees of the folder that are whole');
    await requireSound(test.workspace, folder());
  });

  it('have their bases in their own pack, also where a checkpoint is under way', async () => {
    const { repository, checkpointer } = test.workspace;
    await unmoved(async () => {
      for (let i = 0; i < 5; i++) await update(i, `before ${i}`);
    });
    const upTo = rows().at(-1)?.number ?? 0;
    const addPack = repository.addPack.bind(repository);
    let during: Row[] = [];
    Object.defineProperty(repository, 'addPack', {
      configurable: true,
      value: async (objects: Parameters<typeof addPack>[0]) => {
        await addPack(objects);
        for (let i = 0; i < 5; i++) await update(i, `meanwhile ${i}`);
        during = trees().filter(({ number }) => number > upTo);
      },
    });
    await checkpointer.run();
    Object.defineProperty(repository, 'addPack', { configurable: true, value: addPack });
    const later = new Set(during.map(({ oid }) => oid));
    assert.ok(during.some(({ base }) => base !== null));
    for (const { base } of during) assert.ok(base === null || later.has(base));
    await test.workspace.checkpointer.run();
    requireWholePacks(folder());
    await requireSound(test.workspace, folder());
  });

  it('that come back have no later delta on a row that is about to go', async () => {
    const { repository, checkpointer } = test.workspace;
    await unmoved(async () => {
      await update(1, 'one');
      await update(1, 'other');
    });
    const addPack = repository.addPack.bind(repository);
    Object.defineProperty(repository, 'addPack', {
      configurable: true,
      value: async (objects: Parameters<typeof addPack>[0]) => {
        await addPack(objects);
        // The same trees as before: their older rows stay, and are deleted with the checkpoint.
        await update(1, 'one');
        await update(1, 'other');
        await update(2, 'another');
      },
    });
    await checkpointer.run();
    Object.defineProperty(repository, 'addPack', { configurable: true, value: addPack });
    for (const { base } of rows()) {
      if (base !== null)
        assert.ok(
          rows().some(({ oid }) => oid === base),
          'its base waits',
        );
    }
    await checkpointer.run();
    requireWholePacks(folder());
    await requireSound(test.workspace, folder());
  });

  it('become whole where a checkpoint begins a new pack within a chain', async () => {
    await unmoved(async () => {
      for (let i = 0; i < 30; i++) {
        await update(i, `text ${i}`);
        await someone.create(
          `team/large ${i}.txt`,
          createHash('shake256', { outputLength: 700_000 }).update(`${i}`).digest('base64'),
        );
      }
    });
    const before = packsOf(folder()).length;
    await test.workspace.checkpointer.run();
    assert.ok(packsOf(folder()).length >= before + 2);
    requireWholePacks(folder());
    await requireSound(test.workspace, folder());
  });

  it('are whole and readable for the next process, wherever a checkpoint dies', async () => {
    const { journal, repository, checkpointer } = test.workspace;
    await unmoved(async () => {
      for (let i = 0; i < 700; i++) await update(i, `text ${i}`);
    });
    const places: string[] = [];
    const die = (when: string): void => {
      const copy = join(copies, `${places.length}`);
      cpSync(folder(), copy, { recursive: true, filter: (source) => !source.endsWith('.lock') });
      places.push(when);
    };
    const addPack = repository.addPack.bind(repository);
    const moveHead = repository.moveHead.bind(repository);
    const write = journal.write.bind(journal);
    const around = <Arguments extends unknown[], Result>(
      name: string,
      work: (...args: Arguments) => Promise<Result>,
    ) => ({
      configurable: true,
      value: async (...args: Arguments) => {
        die(`before ${name}`);
        return work(...args);
      },
    });
    Object.defineProperty(repository, 'addPack', around('the pack', addPack));
    Object.defineProperty(repository, 'moveHead', around('main', moveHead));
    Object.defineProperty(journal, 'write', around('a deletion', write));
    await checkpointer.run();
    Object.defineProperty(repository, 'addPack', { configurable: true, value: addPack });
    Object.defineProperty(repository, 'moveHead', { configurable: true, value: moveHead });
    Object.defineProperty(journal, 'write', { configurable: true, value: write });
    assert.ok(places.filter((place) => place === 'before a deletion').length >= 2, places.join(', '));
    for (const [number, when] of places.entries()) {
      const copy = join(copies, `${number}`);
      await opened(copy, async (workspace) => {
        const reader = new Actor(workspace, operatorId);
        assert.equal(await reader.read('team/notes on the subject 19.md'), 'text 699', when);
        await reader.update('team/notes on the subject 19.md', 'after it');
        await requireSound(workspace, copy);
        requireWholePacks(copy);
      });
    }
  });

  it('that come later are not deleted, also where an earlier checkpoint has ended between two deletions', async () => {
    const { journal, checkpointer } = test.workspace;
    await unmoved(async () => {
      for (let i = 0; i < 1200; i++) await update(i, `text ${i}`);
    });
    const write = journal.write.bind(journal);
    const beforeDeletion = (work: (deletion: number) => Promise<unknown>): void => {
      let deletion = 0;
      let isOther = false;
      const value = async (deleting: Parameters<typeof write>[0]): Promise<unknown> => {
        if (isOther) return write(deleting);
        isOther = true;
        await work((deletion += 1)).finally(() => (isOther = false));
        return write(deleting);
      };
      Object.defineProperty(journal, 'write', { configurable: true, value });
    };
    beforeDeletion(async (deletion) => {
      if (deletion === 2) await update(1, 'while the first one deletes');
      if (deletion === 3) throw new Error('The disk is full for a moment.');
    });
    await assert.rejects(checkpointer.run(), /full for a moment/);
    // The newest rows go first, and their numbers are given again.
    beforeDeletion(async (deletion) => {
      if (deletion === 2) await update(2, 'while the second one deletes');
    });
    await checkpointer.run();
    Object.defineProperty(journal, 'write', { configurable: true, value: write });
    assert.ok(rows().length > 0, 'the last write waits');
    await requireSound(test.workspace, folder());
    assert.equal(await someone.read('team/notes on the subject 1.md'), 'while the first one deletes');
    assert.equal(await someone.read('team/notes on the subject 2.md'), 'while the second one deletes');
  });

  it('whose bases go round in a circle are damaged, and reading them ends', async () => {
    await unmoved(async () => {
      for (let i = 0; i < 3; i++) await update(i, `text ${i}`);
      const [first, second] = trees().filter(({ base }) => base !== null);
      assert.ok(first !== undefined && second !== undefined);
      const objects = {
        find: (oid: string) => {
          const found = test.workspace.journal.reader.objects.find(oid);
          return found === undefined ? undefined : { ...found, base: oid === first.oid ? second.oid : first.oid };
        },
      };
      assert.throws(() => readPending(objects, first.oid), RepositoryUnreadable);
    });
  });

  it('are no obstacle to an erase, and leave nothing of the name that it destroys', async () => {
    await unmoved(async () => {
      for (let i = 0; i < 5; i++) await update(i, `text ${i}`);
      await someone.create('team/quokka-dossier.md', 'about a quokka');
      await update(5, 'text');
    });
    const { id } = await eraseAt(test.workspace, 'team/quokka-dossier.md');
    await test.workspace.eraser.finished(id);
    await requireSound(test.workspace, folder());
    assert.equal(git('log', '--all', '-S', 'quokka', '--format=%H'), '');
  });

  /** The data folder as another process opens it. */
  async function opened(dataFolder: string, work: (workspace: Workspace) => Promise<void>): Promise<void> {
    const service = await Service.open({
      dataFolder,
      git: 'auto',
      clock: new TestClock(),
      randomness: makeTestRandomness('the next process'),
      onFault: () => undefined,
    });
    try {
      const workspace = service.find('acme');
      assert.ok(workspace !== undefined);
      await work(workspace);
    } finally {
      await service.close();
    }
  }
});

describe('Pending trees of a workspace without git', () => {
  for (const store of ['memory', 'disk-without-git'] as const) {
    it(`wait whole, so that their packs can be joined (${store})`, async () => {
      const test = await openTestService({ store });
      try {
        const { repository, checkpointer, journal } = test.workspace;
        const someone = new Actor(test.workspace, operatorId);
        for (let i = 0; i < 20; i++) {
          for (let j = 0; j < 3; j++) await someone.create(`team/notes on the subject ${i} ${j}.md`, `${i} ${j}`);
          assert.equal(readPending(journal.reader.objects, journal.state.tree ?? '')?.type, 'tree');
          await checkpointer.run();
        }
        const { after } = await repository.maintain();
        assert.ok(after.packs < 10, `${after.packs} packs`);
        assert.equal(await someone.read('team/notes on the subject 7 2.md'), '7 2');
        assert.deepEqual(await repository.fsck(), []);
      } finally {
        await test.close();
      }
    });
  }

  it('that waited as deltas when there was git are written whole', async () => {
    const test = await openTestService({ store: 'disk' });
    const { dataFolder, workspace } = test;
    try {
      const someone = new Actor(workspace, operatorId);
      for (let i = 0; i < 20; i++) await someone.create(`team/notes on the subject ${i}.md`, `${i}`);
      Object.defineProperty(workspace.repository, 'takesDeltas', { value: false });
      await workspace.checkpointer.run();
      const [pack = ''] = packsOf(dataFolder ?? '');
      const said = execFileSync('git', ['verify-pack', '-v', pack], { encoding: 'utf8' });
      assert.match(said, / tree /);
      assert.match(said, /^non delta: \d+ objects?\n.*ok$/m);
      assert.doesNotMatch(said, /chain length/);
      await requireSound(workspace, dataFolder ?? '');
    } finally {
      await test.close();
    }
  });
});

function packsOf(dataFolder: string): string[] {
  const packs = join(pathsOf(dataFolder, 'acme').repository, 'objects', 'pack');
  return readdirSync(packs)
    .filter((name) => name.endsWith('.pack'))
    .map((name) => join(packs, name));
}

/** Every base of a delta is in the delta's own pack: git reads each pack without any other. */
function requireWholePacks(dataFolder: string): void {
  for (const pack of packsOf(dataFolder)) {
    const alone = mkdtempSync(join(tmpdir(), 'cartulary-test-'));
    try {
      execFileSync('git', ['index-pack', '-o', join(alone, 'alone.idx'), pack], { cwd: alone, stdio: 'pipe' });
    } finally {
      rmSync(alone, { recursive: true, force: true });
    }
  }
}
