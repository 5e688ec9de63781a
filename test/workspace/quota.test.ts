import assert from 'node:assert/strict';
import { changePolicy } from '../../lib/operations/workspaces/change-policy.js';
import { parseLocation } from '../../lib/domain/location.js';
import { findDocument } from '../../lib/view/locate.js';
import { operatorId } from '../../lib/domain/principal.js';
import { perform } from '../../lib/operations/perform.js';
import { Actor, outcomeOf } from '../support/store/actor.js';
import { openTestService, operator, type TestService } from '../support/store/service.js';

describe('The storage quota', () => {
  let test: TestService;
  let someone: Actor;
  const full = 'INVALID_REQUEST storage_quota';

  beforeEach(async () => {
    test = await openTestService();
    someone = new Actor(test.workspace, operatorId);
    await perform(test.workspace, operator, changePolicy, { storageQuota: 10 });
  });
  afterEach(() => test.close());

  it('counts the bytes of every version, to the last one', async () => {
    await someone.create('a.md', 'four');
    await someone.update('a.md', 'four');
    assert.equal(stored(), 8);
    assert.equal(await outcomeOf(someone.update('a.md', 'abc')), full);
    await someone.update('a.md', 'ab');
    assert.equal(stored(), 10);
    assert.equal(await outcomeOf(someone.create('b.md', 'x')), full);
    await someone.create('empty.md', '');
  });

  it('counts what is kept of grants that move along with a folder, after the first ten thousand rows', async () => {
    await someone.create('team/a.md', 'four');
    const ada = await test.principal('Ada');
    await test.grant('reader', { type: 'principal', id: ada }, 'team');
    const { storedBytes } = test.workspace.journal.reader;
    assert.equal(storedBytes.beside(), 0);
    // As many changes of labels as are free.
    await test.workspace.journal.write({
      run({ tables }) {
        const { number } = findDocument(tables, parseLocation('team/a.md'))?.row ?? assert.fail();
        const label = { kind: 'label_set', document: number, actor: ada } as const;
        for (let count = 0; count < 10_000; count += 1) tables.activities.add(label);
      },
    });
    const before = storedBytes.beside();
    const limit = (storageQuota: number): Promise<unknown> =>
      perform(test.workspace, operator, changePolicy, { storageQuota });
    await limit(stored() + before);
    assert.equal(await outcomeOf(someone.rename('team', 'crew')), 'done');
    assert.equal(storedBytes.beside() - before, 2 * 100);
    assert.equal(await outcomeOf(someone.rename('crew', 'team')), full);
    assert.equal(await someone.read('crew/a.md'), 'four');
    await limit(stored() + storedBytes.beside());
    assert.equal(await outcomeOf(someone.rename('crew', 'team')), 'done');
  });

  it('is not given back by a delete, and an undelete takes room like a write', async () => {
    await someone.create('a.md', 'four');
    await someone.delete('a.md');
    assert.equal(stored(), 4);
    await someone.undelete('a.md');
    assert.equal(stored(), 8);
    await someone.delete('a.md');
    assert.equal(await outcomeOf(someone.undelete('a.md')), full);
    assert.equal(await outcomeOf(someone.read('a.md')), 'NOT_FOUND');
  });

  it('a write that the storage quota refuses leaves no trace', async () => {
    const { head } = test.workspace.journal.state;
    const objects = test.workspace.journal.reader.objects.pendingTotals();
    assert.equal(await outcomeOf(someone.create('a/b/c.md', 'eleven bytes')), full);
    assert.equal(stored(), 0);
    assert.equal(test.workspace.journal.state.head, head);
    assert.deepEqual(test.workspace.journal.reader.objects.pendingTotals(), objects);
    assert.deepEqual(await someone.list(), []);
  });

  it('does not block renames, moves, deletes and reads', async () => {
    await someone.create('a.md', 'ten bytes.');
    await someone.rename('a.md', 'b.md');
    await someone.move('b.md', 'folder');
    assert.equal(await someone.read('folder/b.md'), 'ten bytes.');
    await someone.delete('folder/b.md');
    assert.equal(stored(), 10);
  });

  it('the storage quota holds for simultaneous requests', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, (_, index) => outcomeOf(someone.create(`${index}.md`, 'four'))),
    );
    assert.equal(outcomes.filter((outcome) => outcome === 'done').length, 2);
    assert.equal(outcomes.filter((outcome) => outcome === full).length, 6);
    assert.equal(stored(), 8);
  });

  const stored = (): number => test.workspace.journal.state.storedBytes;
});
