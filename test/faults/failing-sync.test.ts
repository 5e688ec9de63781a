import assert from 'node:assert/strict';
import { join } from 'node:path';
import { nodeFileSystem } from '../../lib/git/file-system.js';
import { SyncingService } from '../support/connectors/syncing-service.js';
import { countOf } from '../support/counts.js';
import { makeRandom } from '../support/faults/load.js';
import { FailingFileSystem, type Fault } from '../support/git/failing-file-system.js';
import { requireSound } from '../support/store/evidence.js';
import { ChangingFolder } from './changing-folder.js';

/** Every so many calls to the disk, one fails. */
const step = countOf('FAILING_SYNC_STEP', { usual: 8, campaign: 1 });
const faults: readonly Fault[] = ['ENOSPC', 'EIO', 'torn'];

describe('a sync on a disk that fails', function () {
  this.timeout(step === 1 ? 300_000 : 60_000);

  for (const isDead of [false, true]) {
    it(`mirrors all or nothing, and reports what it did (the disk fails ${isDead ? 'from then on' : 'once'})`, async () => {
      const disk = new FailingFileSystem(nodeFileSystem);
      const service = await SyncingService.open(undefined, { git: 'never', fs: disk });
      const outcomes = new Set<string | null>();
      try {
        const source = new ChangingFolder(join(service.outside, 'shared'), makeRandom(`failing ${isDead}`));
        await source.begin();
        const id = await service.connect({ kind: 'folder', settings: { path: source.path } });
        for (let failAt = 1; ; failAt += step) {
          const before = source.mirrored;
          await source.change();
          disk.arm(failAt, faults[Math.floor(failAt / step) % faults.length] ?? 'EIO', isDead);
          const run = await service.sync(id);
          const { failed } = disk;
          disk.disarm();
          const context = `call ${failAt} (${failed}): ${run.outcome} ${run.message}`;
          outcomes.add(run.outcome);
          const found = await service.digests();
          if (run.outcome === 'changed') assert.deepEqual(found, source.mirrored, context);
          else {
            assert.equal(run.outcome, 'failed', context);
            assert.ok(run.message !== null, context);
            assert.deepEqual(found, before, context);
          }
          await service.sync(id);
          assert.deepEqual(await service.digests(), source.mirrored, context);
          assert.equal((await service.shown(id)).state, 'active', context);
          if (failed === undefined) break;
        }
        await requireSound(service.workspace, service.dataFolder, false);
      } finally {
        await service.close();
      }
      assert.deepEqual(outcomes, new Set(['changed', 'failed']));
    });
  }
});
