import assert from 'node:assert/strict';
import { openTestService } from '../support/store/service.js';
import { compareHistories } from '../support/model/service-and-model.js';
import { names, paths } from '../support/model/commands.js';
import { Compared, pathsIn } from '../support/model/compared.js';
import { parentOf } from '../support/model/reference-model.js';
import { countOf, requireSeen, seedOf } from '../support/counts.js';

const histories = countOf('ACCESS_HISTORIES', { usual: 10, campaign: 1000 });
const seed = seedOf(20260105);
/** The number of histories that show the rare outcomes. */
const enoughHistories = 120;

describe('Access and the reference model', () => {
  it('agree on the outcome of every command, and on the answers to all people after it', async function () {
    this.timeout(60_000 + histories * 5_000);
    const seen = await compareHistories(
      {
        async open() {
          const pair = new Compared(await openTestService());
          await pair.begin();
          return pair;
        },
        async afterEach(pair, done, context) {
          await pair.compare(['', ...names.slice(0, 2)], [], pathsIn(done), context);
          await pair.compareFeeds(context);
        },
        async atTheEnd(pair, context) {
          const { docs } = pair.model;
          const there = docs.flatMap(({ at }) => (at === null ? [] : [parentOf(at), parentOf(parentOf(at))]));
          await pair.compare([...new Set(['', ...names, ...there])], [''], paths, context);
          await pair.compareReaders(paths, context);
          await pair.compareBriefs(context);
        },
      },
      { histories, seed },
    );
    const often = [
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
    ];
    const seldom = ['claim CONFLICT claimed', 'delete CONFLICT claimed', 'release done', 'label NOT_FOUND'];
    requireSeen([...often, ...seldom], seen, { count: histories, enough: enoughHistories });
    const least = histories < enoughHistories ? 0 : 5;
    for (const outcome of often) assert.ok((seen.get(outcome) ?? 0) >= least, `${outcome}: ${seen.get(outcome) ?? 0}`);
  });
});
