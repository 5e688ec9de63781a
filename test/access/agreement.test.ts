import assert from 'node:assert/strict';
import { openTestService } from '../harness/service.js';
import { tellHistories } from './both.js';
import { names, paths } from './commands.js';
import { Compared, pathsIn } from './compared.js';
import { parentOf } from './reference-model.js';

/** Random histories that are compared in each run of the tests. Raise it, or change the seed, for a longer hunt. */
const histories = 120;
const seed = 20260105;

describe('Access and the reference model', () => {
  it('agree on the outcome of every command and on what everyone sees after it', async function () {
    this.timeout(600_000);
    const seen = await tellHistories(
      {
        async open() {
          const told = new Compared(await openTestService());
          await told.begin();
          return told;
        },
        afterEach: (told, done, context) => told.compare(['', ...names.slice(0, 2)], [], pathsIn(done), context),
        async atTheEnd(told, context) {
          const { docs } = told.model;
          const there = docs.flatMap(({ at }) => (at === null ? [] : [parentOf(at), parentOf(parentOf(at))]));
          await told.compare([...new Set(['', ...names, ...there])], [''], paths, context);
          await told.compareReaders(paths, context);
          await told.compareBriefs(context);
        },
      },
      { histories, seed },
    );
    // A comparison in which nothing happens shows nothing.
    for (const outcome of [
      'move done',
      'rename done',
      'undelete done',
      'move CONFLICT access_would_widen',
      'delete-folder done',
      'undelete-folder done',
      'restore done',
      'claim done',
      'comment done',
      'revert done',
      'revert NOT_FOUND',
    ]) {
      assert.ok((seen.get(outcome) ?? 0) >= 5, `${outcome}: ${seen.get(outcome) ?? 0}`);
    }
    const seldom = ['claim CONFLICT claimed', 'delete CONFLICT claimed', 'release done', 'label NOT_FOUND'];
    for (const outcome of seldom) assert.ok(seen.has(outcome), outcome);
  });
});
