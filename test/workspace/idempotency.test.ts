import assert from 'node:assert/strict';
import { operatorId } from '../../lib/domain/principal.js';
import { rememberedFor } from '../../lib/operations/idempotently.js';
import { Actor, outcomeOf } from '../support/store/actor.js';
import { eraseAt } from '../support/store/erase-at.js';
import { openTestService, type TestService } from '../support/store/service.js';

describe('A retried create', () => {
  let test: TestService;
  let someone: Actor;

  beforeEach(async () => {
    test = await openTestService();
    someone = new Actor(test.workspace, operatorId);
  });
  afterEach(() => test.close());

  it('gives the first answer again, also after the document was changed, moved or deleted', async () => {
    const first = await someone.create('a.md', 'text', 'key-1');
    const { head } = test.workspace.journal.state;
    assert.deepEqual(await someone.create('a.md', 'text', 'key-1'), first);
    assert.equal(test.workspace.journal.state.head, head);
    await someone.update('a.md', 'changed');
    assert.deepEqual(await someone.create('a.md', 'text', 'key-1'), first);
    await someone.move('a.md', 'elsewhere');
    assert.deepEqual(await someone.create('a.md', 'text', 'key-1'), first);
    await someone.delete('elsewhere/a.md');
    assert.deepEqual(await someone.create('a.md', 'text', 'key-1'), first);
    assert.deepEqual(await someone.list(), []);
  });

  it('is a conflict when the key is used with another request', async () => {
    await someone.create('a.md', 'text', 'key-1');
    assert.equal(await outcomeOf(someone.create('a.md', 'other', 'key-1')), 'CONFLICT idempotency_key_reused');
    assert.equal(await someone.read('a.md'), 'text');
  });

  it('has a key of its own for each principal', async () => {
    const other = new Actor(test.workspace, (await test.person('editor')).id);
    await someone.create('a.md', 'text', 'key-1');
    await other.create('b.md', 'text', 'key-1');
    assert.deepEqual(await someone.list(), ['a.md', 'b.md']);
  });

  it('is done again when the first one was refused: only successes are kept', async () => {
    await someone.create('a.md', 'in the way');
    assert.equal(await outcomeOf(someone.create('a.md', 'text', 'key-1')), 'CONFLICT name_taken');
    await someone.delete('a.md');
    await someone.create('a.md', 'text', 'key-1');
    assert.equal(await someone.read('a.md'), 'text');
  });

  it('is remembered for a day and not longer', async () => {
    const first = await someone.create('a.md', 'text', 'key-1');
    test.clock.advance(rememberedFor - 1);
    assert.deepEqual(await someone.create('a.md', 'text', 'key-1'), first);
    test.clock.advance(1);
    assert.equal(await outcomeOf(someone.create('a.md', 'text', 'key-1')), 'CONFLICT name_taken');
    await someone.create('b.md', 'other', 'key-1');
    assert.equal(await outcomeOf(someone.create('a.md', 'text', 'key-1')), 'CONFLICT idempotency_key_reused');
  });

  it('is refused once its document was erased, with any body, and is free again after a day', async () => {
    const other = new Actor(test.workspace, (await test.person('editor')).id);
    await someone.create('a.md', 'text', 'key-1');
    await someone.create('b.md', 'other', 'key-2');
    const { id } = await eraseAt(test.workspace, 'a.md');
    const outcomes = async (): Promise<string[]> => [
      await outcomeOf(someone.create('a.md', 'text', 'key-1')),
      await outcomeOf(someone.create('c.md', 'else', 'key-1')),
    ];
    assert.deepEqual(await outcomes(), ['NOT_FOUND', 'NOT_FOUND']);
    await test.workspace.eraser.finished(id);
    assert.deepEqual(await outcomes(), ['NOT_FOUND', 'NOT_FOUND']);
    assert.deepEqual(await someone.list(), ['b.md']);
    assert.equal(await outcomeOf(someone.create('b.md', 'other', 'key-2')), 'done');
    await other.create('a.md', 'of somebody else', 'key-1');
    await someone.delete('a.md');
    test.clock.advance(rememberedFor);
    await someone.create('a.md', 'text', 'key-1');
    assert.deepEqual(await someone.list(), ['a.md', 'b.md']);
  });
});
