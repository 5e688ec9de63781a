import assert from 'node:assert/strict';
import { parseLocation } from '../../lib/domain/location.js';
import { importDocuments } from '../../lib/operations/folders/import-documents.js';
import { operatorId } from '../../lib/domain/principal.js';
import { perform } from '../../lib/operations/perform.js';
import { pathsOf } from '../../lib/journal/workspace-files.js';
import { Actor, outcomeOf } from '../support/store/actor.js';
import { openTestService, type TestService } from '../support/store/service.js';
import { Sqlite } from '../support/store/sqlite.js';

describe('A rename or move', () => {
  let test: TestService;
  let someone: Actor;

  beforeEach(async () => {
    test = await openTestService({ store: 'disk' });
    someone = new Actor(test.workspace, operatorId);
  });
  afterEach(() => test.close());

  it('of a big folder takes one commit, a tree for each level and a few rows', async () => {
    await fill('top/big', 20, 50);
    await someone.create('top/beside.md');
    await someone.create('far/away/x.md');
    await test.workspace.checkpointer.run();
    const before = rows();
    const { head } = test.workspace.journal.state;
    await someone.rename('top/big', 'huge');
    assert.notEqual(test.workspace.journal.state.head, head);
    // The root's tree, that of `top`, and the commit.
    assert.equal(test.workspace.journal.reader.objects.pendingTotals().objects, 3);
    assert.deepEqual(changedSince(before), ['folder', 'relocation']);

    await test.workspace.checkpointer.run();
    const renamed = rows();
    await someone.move('top/huge', 'far/away');
    // Root, `top`, `far`, `far/away`, and the commit.
    assert.equal(test.workspace.journal.reader.objects.pendingTotals().objects, 5);
    assert.deepEqual(changedSince(renamed), ['folder', 'relocation']);
    assert.equal(await someone.read('far/away/huge/f7/n7.md'), 'text 7');
    assert.equal((await someone.list('far/away/huge')).length, 20);
  });

  it('makes no version: ETags stay, and a write with one from before is fine', async () => {
    const { current, id } = await someone.create('a/b.md', 'first');
    await someone.rename('a', 'z');
    const { moved } = await someone.move('z/b.md', 'y');
    assert.ok(moved.type === 'document');
    assert.deepEqual([moved.document.id, moved.document.current.id], [id, current.id]);
    await someone.update('y/b.md', 'second', `"${current.id}"`);
    assert.equal(await someone.read('y/b.md', current.id), 'first');
  });

  it('of an absent document is not found, of a stale one a conflict', async () => {
    await someone.create('a/b.md');
    assert.equal(await outcomeOf(someone.rename('a/c.md', 'd.md')), 'NOT_FOUND');
    assert.equal(await outcomeOf(someone.move('c', 'd')), 'NOT_FOUND');
    assert.equal(await outcomeOf(someone.move('a/b.md/c', 'd')), 'NOT_FOUND');
  });

  it('keeps the history of each path: the repository agrees with the rows', async () => {
    await fill('top/big', 3, 2);
    await someone.move('top/big/f1', 'other');
    await someone.rename('other/f1', 'f2');
    await someone.move('other/f2', 'top/big/f0');
    const view = test.workspace.view(someone.caller);
    const live = [...view.walk(parseLocation('top'))].map(({ location }) => location).toSorted();
    assert.deepEqual(live, [
      'top/big/f0/f2/n1.md',
      'top/big/f0/f2/n4.md',
      'top/big/f0/n0.md',
      'top/big/f0/n3.md',
      'top/big/f2/n2.md',
      'top/big/f2/n5.md',
    ]);
    for (const location of live) assert.match(await someone.read(location), /^text \d$/);
    assert.deepEqual(await someone.list(), ['top/']);
  });

  async function fill(folder: string, folders: number, documents: number): Promise<void> {
    const files = Array.from({ length: folders * documents }, (_, index) => ({
      location: parseLocation(`${folder}/f${index % folders}/n${index}.md`),
      content: { bytes: Buffer.from(`text ${index}`) },
    }));
    await perform(test.workspace, someone.caller, importDocuments, {
      into: parseLocation(folder),
      files,
      message: null,
    });
    await test.workspace.checkpointer.run();
  }

  /** Rows of the tables for places, as text. */
  function rows(): Set<string> {
    const file = new Sqlite(pathsOf(test.dataFolder ?? '', 'acme').sidecar, { readonly: true });
    try {
      const tables = ['folder', 'document', 'version', 'access_grant', 'label', 'relocation'];
      return new Set(
        tables.flatMap((table) =>
          file
            .prepare(`SELECT * FROM ${table}`)
            .all()
            .map((row) => `${table} ${JSON.stringify(row)}`),
        ),
      );
    } finally {
      file.close();
    }
  }

  /** Tables with new or changed rows. */
  function changedSince(before: ReadonlySet<string>): string[] {
    const changed = [...rows()].filter((row) => !before.has(row));
    return changed.map((row) => row.slice(0, row.indexOf(' '))).toSorted();
  }
});
