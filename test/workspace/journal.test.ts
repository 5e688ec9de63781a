import assert from 'node:assert/strict';
import { schemaPath } from '../../lib/app/upgrade.js';
import { readReach } from '../../lib/view/reach.js';
import { exportAudit } from '../../lib/operations/audit/audit-log.js';
import { operatorId } from '../../lib/domain/principal.js';
import { parseLocation } from '../../lib/domain/location.js';
import { notFound } from '../../lib/domain/refusal.js';
import { openRepository } from '../../lib/git/repositories/open-repository.js';
import { Tree } from '../../lib/git/objects/tree.js';
import type { Oid } from '../../lib/git/objects/objects.js';
import { perform } from '../../lib/operations/perform.js';
import { openSidecar } from '../../lib/sidecar/sidecar.js';
import { Journal } from '../../lib/journal/journal.js';
import { TreeCache } from '../../lib/journal/object-cache.js';
import { pathsOf } from '../../lib/journal/workspace-files.js';
import { openWriteContext } from '../../lib/changes/write-context.js';
import type { WriteTransaction } from '../../lib/journal/write-transaction.js';
import type { Workspace } from '../../lib/workspace/workspace.js';
import { Actor, outcomeOf } from '../support/store/actor.js';
import {
  makeTestRandomness,
  openTestService,
  operator,
  TestClock,
  type TestService,
} from '../support/store/service.js';
import { verifyAudit } from '../support/store/verify-audit.js';
import { applyRelocate } from '../../lib/operations/folders/relocate.js';
import { Sqlite } from '../support/store/sqlite.js';

describe('The journal', () => {
  let test: TestService;
  let someone: Actor;

  beforeEach(async () => {
    test = await openTestService({ store: 'disk' });
    someone = new Actor(test.workspace, operatorId);
  });
  afterEach(() => test.close());

  it('undoes a refused write alone: its rows, its state and its later work', async () => {
    const { journal } = test.workspace;
    const { storedBytes } = journal.state;
    const done: string[] = [];
    const outcomes = await Promise.allSettled([
      journal.write({ run: addGroup('a') }),
      journal.write({
        run(transaction) {
          addGroup('b')(transaction);
          transaction.whenDurable(() => done.push('b'));
          throw notFound();
        },
      }),
      journal.write({
        run(transaction) {
          transaction.whenDurable(() => done.push('c'));
          return addGroup('c')(transaction);
        },
      }),
    ]);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.deepEqual(names(), ['a', 'c']);
    assert.equal(journal.state.storedBytes, storedBytes + 2);
    assert.deepEqual(done, ['c']);
  });

  it('shows each write of a group the results of those before it', async () => {
    const { journal } = test.workspace;
    const seen = (transaction: WriteTransaction): number => transaction.tables.groups.list().length;
    const [, first, , second] = await Promise.all([
      journal.write({ run: addGroup('a') }),
      journal.write({ run: seen }),
      journal.write({ run: addGroup('b') }),
      journal.write({ run: seen }),
    ]);
    assert.deepEqual([first, second], [1, 2]);
  });

  it('keeps the record of a refusal although the refused write is undone', async () => {
    await someone.create('a.md', 'first');
    const outcomes = await Promise.all([
      outcomeOf(someone.create('b.md')),
      outcomeOf(someone.create('a.md', 'second')),
      outcomeOf(someone.create('c.md')),
    ]);
    assert.deepEqual(outcomes, ['done', 'CONFLICT name_taken', 'done']);
    assert.deepEqual((await auditOf(test.workspace)).slice(-3), [
      'document.create done',
      'document.create CONFLICT',
      'document.create done',
    ]);
    assert.equal(await someone.read('a.md'), 'first');
    await assertSoundChain(test.workspace);
  });

  it('turns an error of the program into INTERNAL for its caller alone', async () => {
    const { journal } = test.workspace;
    const [broken, fine] = await Promise.all([
      outcomeOf(
        journal.write({
          run() {
            throw new TypeError('a bug');
          },
        }),
      ),
      journal.write({ run: addGroup('a') }),
    ]);
    assert.deepEqual([broken, fine], ['INTERNAL', 'a']);
  });

  it('gives all callers of a group that cannot be committed INTERNAL, and continues from the state on the disk', async () => {
    await someone.create('a.md', 'first');
    const before = test.workspace.journal.state;
    failNextCommit(test.workspace);
    const outcomes = await Promise.all([
      outcomeOf(someone.update('a.md', 'lost')),
      outcomeOf(someone.create('b.md')),
      outcomeOf(someone.create('a.md')),
    ]);
    assert.deepEqual(outcomes, ['INTERNAL', 'INTERNAL', 'INTERNAL']);
    assert.deepEqual(test.workspace.journal.state, before);
    assert.deepEqual(await someone.list(), ['a.md']);
    assert.equal(await someone.read('a.md'), 'first');
    await someone.update('a.md', 'second');
    assert.equal(await someone.read('a.md'), 'second');
    await assertSoundChain(test.workspace);
  });

  it('leaves a retry of a lost write free to be done', async () => {
    failNextCommit(test.workspace);
    assert.equal(await outcomeOf(someone.create('a.md', 'text', 'key-1')), 'INTERNAL');
    await someone.create('a.md', 'text', 'key-1');
    await someone.create('a.md', 'text', 'key-1');
    assert.deepEqual(await someone.list(), ['a.md']);
  });

  it('does not answer a read whose record could not be kept', async () => {
    await someone.create('a.md');
    failNextCommit(test.workspace);
    assert.equal(await outcomeOf(someone.read('a.md')), 'UNAVAILABLE');
  });

  it('forgets the rights that a lost group had given', async () => {
    await someone.create('secret/a.md');
    const id = await test.principal('Ada');
    const ada = new Actor(test.workspace, id);
    failNextCommit(test.workspace);
    const { journal } = test.workspace;
    const grant = {
      id: 'grt_lost',
      scope: { type: 'folder', location: parseLocation('secret') },
      subject: { type: 'principal', id },
      role: 'editor',
      grantedBy: operatorId,
      createdAt: 0,
    } as const;
    let wasEditor = false;
    const outcomes = await Promise.all([
      outcomeOf(journal.write({ run: (transaction) => transaction.tables.grants.insert(grant) })),
      outcomeOf(
        // In the same group: the grant from which her reach follows is about to be lost.
        journal.write({
          run(transaction) {
            wasEditor = test.workspace.reachIn(transaction, id).holds('editor', parseLocation('secret/a.md'));
          },
        }),
      ),
    ]);
    assert.ok(wasEditor);
    assert.deepEqual(outcomes, ['INTERNAL', 'INTERNAL']);
    assert.equal(await outcomeOf(ada.read('secret/a.md')), 'NOT_FOUND');
    assert.equal(await outcomeOf(ada.update('secret/a.md', 'x')), 'NOT_FOUND');
    assert.deepEqual(await ada.list(), []);
  });

  it('finishes waiting writes when it is closed, and takes nothing more', async () => {
    const { journal } = test.workspace;
    const waiting = journal.write({ run: addGroup('a') });
    await journal.drained();
    assert.equal(await waiting, 'a');
    const closing = journal.write({ run: addGroup('b') });
    await journal.close();
    assert.equal(await closing, 'b');
    assert.equal(await outcomeOf(journal.write({ run: addGroup('c') })), 'UNAVAILABLE');
  });

  const names = (): string[] => test.workspace.journal.reader.groups.list().map((group) => group.displayName);

  const addGroup = (displayName: string) => (transaction: WriteTransaction) => {
    transaction.tables.groups.insert({ id: `grp_${displayName}`, displayName, createdAt: 0 });
    transaction.state = { ...transaction.state, storedBytes: transaction.state.storedBytes + 1 };
    return displayName;
  };
});

describe('The journal with next to no memory for trees', () => {
  let test: TestService;

  beforeEach(async () => {
    test = await openTestService({ store: 'disk' });
    const someone = new Actor(test.workspace, operatorId);
    for (const location of ['a/b/c/d/one.md', 'a/b/c/d/two.md', 'x/y/z/three.md']) await someone.create(location);
    await test.workspace.close();
  });
  afterEach(() => test.close().catch(() => undefined));

  it('fetches the trees for a write outside of its transaction, and runs it to its end', async () => {
    const fetched: Oid[] = [];
    const { journal, move, close } = await reopen((oid, read) => {
      fetched.push(oid);
      return read(oid);
    });
    const results = await Promise.all([
      move('a/b/c/d/one.md', 'x/y/z/one.md'),
      move('x/y/z/three.md', 'a/b/c/d/three.md'),
      journal.write({ run: () => 'beside' }),
    ]);
    assert.equal(results[2], 'beside');
    // Both paths, from the root to the file's folder.
    assert.ok(new Set(fetched).size >= 8, `${fetched.length} fetched`);
    assert.ok(fetched.length <= 40, `${fetched.length} fetched`);
    const { reader } = journal;
    const [inD, inZ] = ['three.md', 'one.md'].map((name) => {
      const folders = name === 'three.md' ? ['a', 'b', 'c', 'd'] : ['x', 'y', 'z'];
      const folder = folders.reduce((parent, segment) => reader.folders.child(parent, segment)?.number ?? -1, 1);
      return reader.documents.at(folder, name)?.name;
    });
    assert.deepEqual([inD, inZ], ['three.md', 'one.md']);
    await close();
  });

  it('keeps the trees that are to be written to, and no replaced ones', async () => {
    const fetched: Oid[] = [];
    const trees = new TreeCache(1024 * 1024);
    const { journal, move, close } = await reopen((oid, read) => {
      fetched.push(oid);
      return read(oid);
    }, trees);
    const replaced: Oid[] = [];
    for (const [from, to] of [
      ['a/b/c/d/one.md', 'x/one.md'],
      ['x/one.md', 'a/b/one.md'],
    ] as const) {
      replaced.push(journal.state.tree ?? '');
      await move(from, to);
    }
    // Of a, b, c, d and the root, and x on the other path; none of them a second time.
    assert.equal(fetched.length, 6);
    assert.equal(new Set(fetched).size, 6);
    for (const oid of replaced) assert.equal(trees.get(oid), undefined);
    assert.notEqual(trees.get(journal.state.tree ?? ''), undefined);
    await close();
  });

  it('gives the caller INTERNAL when a tree is missing, changes nothing, and continues', async () => {
    let isBroken = true;
    const { journal, move, close } = await reopen((oid, read) =>
      isBroken ? Promise.reject(new Error('the disk is gone')) : read(oid),
    );
    const { head } = journal.state;
    assert.equal(await outcomeOf(move('a/b/c/d/one.md', 'x/one.md')), 'INTERNAL');
    assert.equal(journal.state.head, head);
    isBroken = false;
    await move('a/b/c/d/one.md', 'x/one.md');
    assert.notEqual(journal.state.head, head);
    await close();
  });

  /** Opens the same files again, with a cache that keeps no tree by default. */
  async function reopen(
    loadTree: (oid: Oid, read: (oid: Oid) => Promise<Tree>) => Promise<Tree>,
    trees = new TreeCache(1),
  ) {
    const paths = pathsOf(test.dataFolder ?? '', 'acme');
    const repository = await openRepository({ path: paths.repository, git: 'auto' });
    const journal = new Journal({
      openSidecar: () => openSidecar(paths.sidecar, schemaPath('sidecar')),
      trees,
      loadTree: (oid) => loadTree(oid, async (wanted) => Tree.parse((await repository.read(wanted)).bytes)),
      clock: new TestClock(),
      randomness: makeTestRandomness('again'),
      onObjectsAdded: () => undefined,
      onFault: () => undefined,
    });
    const move = (from: string, to: string) =>
      journal.write({
        run(transaction) {
          const author = transaction.tables.principals.find(operatorId);
          assert.ok(author !== undefined);
          const context = openWriteContext(transaction, operator, author, readReach(transaction.tables, operatorId), {
            name: 'acme',
            search: { follow: () => undefined, catchUp: () => undefined, distrust: () => undefined },
            hasPassword: () => false,
            countSignIns: () => ({ sessions: 0, consents: 0 }),
            eraser: { wake: () => undefined },
          });
          const [source, target] = [parseLocation(from), parseLocation(to)];
          return applyRelocate(context, {
            operation: 'move',
            from: source,
            to: target,
            acknowledged: true,
          });
        },
      });
    const close = async (): Promise<void> => {
      await journal.close();
      await repository.close();
    };
    return { journal, move, close };
  }
});

/** Lets the next commit fail as a full disk does. */
function failNextCommit(workspace: Workspace): void {
  const { sqlTransaction } = workspace.journal.sidecar;
  Object.assign(sqlTransaction, {
    commit() {
      throw new Sqlite.SqliteError('disk I/O error', 'SQLITE_IOERR');
    },
  });
}

/** The records of the audit log, as `action code`. */
async function auditOf(workspace: Workspace): Promise<string[]> {
  const { result } = await perform(workspace, operator, exportAudit, { withTexts: false });
  const lines: string[] = [];
  for await (const line of result as unknown as AsyncIterable<{ record?: { action: string; code: string | null } }>) {
    if (line.record !== undefined) lines.push(`${line.record.action} ${line.record.code ?? 'done'}`);
  }
  return lines.filter((line) => !line.startsWith('audit.'));
}

async function assertSoundChain(workspace: Workspace): Promise<void> {
  const { result } = await perform(workspace, operator, verifyAudit, {});
  assert.equal(result.sound, true);
}
