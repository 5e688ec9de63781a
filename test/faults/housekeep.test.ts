import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Housekeeper } from '../../lib/journal/housekeep.js';
import { makeWorkbench } from '../support/faults/workbench.js';

describe('housekeeping', () => {
  it('frees the sidecar’s room after a burst of writes, and loses nothing by it', async () => {
    const bench = await makeWorkbench();
    try {
      const { actor, workspace } = bench;
      const { journal } = workspace;
      await workspace.checkpointer.close(); // it all waits in the sidecar
      for (let i = 0; i < 50; i++) await actor.create(`${i}.bin`, `\u0000${randomBytes(400_000).toString('base64')}`);
      await workspace.checkpointer.run();
      const unusedPages = (): Promise<number> =>
        journal.write({ run: () => journal.sidecar.reclaim(Number.MAX_SAFE_INTEGER, 0) });
      const before = await unusedPages();
      await new Housekeeper({
        journal,
        clock: bench.clock,
        answerTime: workspace.answerTime,
        sweepFiles: () => Promise.resolve(),
        onFault: (cause) => assert.fail(String(cause)),
      }).sweep();
      assert.ok(before > 4500, `${before} pages were unused`);
      assert.equal(await unusedPages(), 4096);
      assert.deepEqual(journal.sidecar.checkIntegrity(), []);
      await bench.reopen();
      assert.equal((await bench.actor.read('7.bin')).length, 533_337);
    } finally {
      await bench.remove();
    }
  }).timeout(60_000);
});
