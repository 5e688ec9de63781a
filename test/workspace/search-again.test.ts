import assert from 'node:assert/strict';
import { IndexCatchUp } from '../../lib/indexing/catch-up-search.js';
import type { Timers } from '../../lib/scheduling/timers.js';
import { Actor, outcomeOf } from '../support/store/actor.js';
import { openTestService } from '../support/store/service.js';
import { until } from '../support/until.js';
import { find } from './find.js';

describe('A search index that could not be built', () => {
  it('is built again by itself, without a start, a write or a change of the policy', async () => {
    const faults: string[] = [];
    const test = await openTestService({ onFault: (what, cause) => void faults.push(`${what}: ${String(cause)}`) });
    try {
      const { workspace } = test;
      const { id } = await test.person('editor');
      await new Actor(workspace, id).create('a.md', 'harbour');
      await workspace.searchCaughtUp();
      const { search } = workspace;
      const build = search.startAnew.bind(search);
      search.startAnew = () => {
        search.startAnew = build;
        return Promise.reject(new Error('EIO'));
      };
      search.distrust();
      await workspace.searchCaughtUp();
      assert.equal(await outcomeOf(find(workspace, id, 'harbour')), 'UNAVAILABLE');
      await until('the index is whole again', () => search.isReady);
      assert.deepEqual(await find(workspace, id, 'harbour'), ['a.md']);
      assert.deepEqual(faults, ['The search index could not be built: Error: EIO']);
    } finally {
      await test.close();
    }
  });

  class Waiting implements Timers {
    readonly asked: number[] = [];
    #work: (() => void) | undefined;

    after(milliseconds: number, work: () => void): () => void {
      this.asked.push(milliseconds);
      this.#work = work;
      return () => (this.#work = undefined);
    }

    get isSet(): boolean {
      return this.#work !== undefined;
    }

    pass(): void {
      const work = this.#work;
      this.#work = undefined;
      work?.();
    }
  }

  function open(fails: () => boolean) {
    const timers = new Waiting();
    const counts = { runs: 0, faults: 0 };
    const catchUp = new IndexCatchUp({
      timers,
      run: () => {
        counts.runs += 1;
        return fails() ? Promise.reject(new Error('EIO')) : Promise.resolve();
      },
      onFault: () => void (counts.faults += 1),
    });
    return { timers, counts, catchUp };
  }

  it('is tried again after longer and longer pauses, up to ten minutes, and soon again after it was well', async () => {
    let fails = true;
    const { timers, counts, catchUp } = open(() => fails);
    catchUp.ask();
    for (let round = 0; round < 13; round += 1) {
      await catchUp.ended;
      timers.pass();
    }
    await catchUp.ended;
    assert.deepEqual(timers.asked.slice(0, 5), [1000, 2000, 4000, 8000, 16_000]);
    assert.equal(timers.asked.at(-1), 600_000);
    assert.equal(counts.faults, counts.runs);
    fails = false;
    timers.pass();
    await catchUp.ended;
    assert.equal(timers.isSet, false, 'nothing is left to do');
    fails = true;
    catchUp.ask();
    await catchUp.ended;
    assert.equal(timers.asked.at(-1), 1000);
  });

  it('is tried once where somebody asks meanwhile, and never after the workspace has closed', async () => {
    const { timers, counts, catchUp } = open(() => true);
    catchUp.ask();
    await catchUp.ended;
    catchUp.ask();
    assert.equal(timers.isSet, false);
    await catchUp.ended;
    assert.deepEqual([counts.runs, timers.isSet], [2, true]);
    await catchUp.close();
    assert.equal(timers.isSet, false);
    catchUp.ask();
    await catchUp.ended;
    assert.equal(counts.runs, 2);
  });
});
