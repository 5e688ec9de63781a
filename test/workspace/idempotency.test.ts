import assert from 'node:assert/strict';
import { operatorId } from '../../lib/domain/principal.js';
import { Housekeeper } from '../../lib/journal/housekeep.js';
import { rememberedFor } from '../../lib/operations/idempotently.js';
import type { Workspace } from '../../lib/workspace/workspace.js';
import { makeWorkbench } from '../support/faults/workbench.js';
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

describe('Answers for retries, where the time of day is set', () => {
  const minute = 60 * 1000;
  const day = 24 * 60 * minute;

  it('outlast a clock that is ahead for a while, and the sweeps in it', async () => {
    const bench = await makeWorkbench();
    try {
      const { actor, clock, workspace } = bench;
      const first = await actor.create('a.md', 'text', 'key-1');
      clock.ahead = 30 * day;
      assert.deepEqual(await actor.create('a.md', 'text', 'key-1'), first);
      await actor.create('b.md', 'text', 'key-2');
      await sweep(workspace);
      clock.ahead = 0;
      assert.deepEqual(await actor.create('a.md', 'text', 'key-1'), first);
      // What the test itself takes counts, too.
      clock.advance(day - 2 * minute);
      assert.deepEqual(await actor.create('a.md', 'text', 'key-1'), first);
      clock.advance(2 * minute);
      assert.equal(await outcomeOf(actor.create('a.md', 'text', 'key-1')), 'CONFLICT name_taken');
      assert.equal(await outcomeOf(actor.create('b.md', 'text', 'key-2')), 'CONFLICT name_taken');
    } finally {
      await bench.remove();
    }
  });

  it('outlast a start with a clock that is ahead', async () => {
    const bench = await makeWorkbench();
    try {
      const { clock } = bench;
      const first = await bench.actor.create('a.md', 'text', 'key-1');
      clock.ahead = 30 * day;
      await sweep(await bench.reopen());
      assert.deepEqual(await bench.actor.create('a.md', 'text', 'key-1'), first);
      clock.ahead = 0;
      assert.deepEqual(await bench.actor.create('a.md', 'text', 'key-1'), first);
      await sweep(await bench.reopen());
      assert.deepEqual(await bench.actor.create('a.md', 'text', 'key-1'), first);
      clock.advance(day);
      assert.equal(await outcomeOf(bench.actor.create('a.md', 'text', 'key-1')), 'CONFLICT name_taken');
    } finally {
      await bench.remove();
    }
  });

  it('end although the service was first started with a clock that was behind or ahead', async () => {
    for (const ahead of [-50 * 365 * day, 10 * 365 * day]) {
      const bench = await makeWorkbench();
      try {
        const { clock } = bench;
        await bench.close();
        clock.ahead = ahead;
        await bench.open();
        const first = await bench.actor.create('a.md', 'text', 'key-1');
        clock.ahead = 0;
        assert.deepEqual(await bench.actor.create('a.md', 'text', 'key-1'), first);
        await bench.reopen();
        clock.advance(day - 120 * minute);
        assert.deepEqual(await bench.actor.create('a.md', 'text', 'key-1'), first);
        clock.advance(120 * minute);
        assert.equal(await outcomeOf(bench.actor.create('a.md', 'text', 'key-1')), 'CONFLICT name_taken');
      } finally {
        await bench.remove();
      }
    }
  });

  it('end in a service that is only up for some hours each day', async () => {
    const bench = await makeWorkbench();
    try {
      for (let i = 0; i < 6; i++) {
        bench.clock.advance(day / 6);
        await bench.actor.create(`${i}.md`, 'text', `key-${i}`);
        await bench.close();
        bench.clock.advance((5 * day) / 6);
        await sweep(await bench.open());
      }
      const { idempotency } = bench.workspace.journal.reader;
      const isKept = (i: number): boolean => idempotency.find(operatorId, 'document.create', `key-${i}`) !== undefined;
      assert.deepEqual([isKept(0), isKept(1), isKept(5)], [false, true, true]);
    } finally {
      await bench.remove();
    }
  });
});

async function sweep({ journal, clock, answerTime }: Workspace): Promise<void> {
  const sweepFiles = (): Promise<void> => Promise.resolve();
  const onFault = (cause: unknown): never => assert.fail(String(cause));
  await new Housekeeper({ journal, clock, answerTime, sweepFiles, onFault }).sweep();
}
