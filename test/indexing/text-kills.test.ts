import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { Service } from '../../lib/app/service.js';
import { rootLocation } from '../../lib/domain/location.js';
import { verifyWorkspace } from '../../lib/integrity/verify-workspace.js';
import { searchDocuments } from '../../lib/operations/documents/search-documents.js';
import { perform } from '../../lib/operations/perform.js';
import type { Workspace } from '../../lib/workspace/workspace.js';
import { countOf } from '../support/counts.js';
import { makeRandom } from '../support/faults/load.js';
import { bundleProgram } from '../support/processes/bundle-program.js';
import { Child } from '../support/processes/child.js';
import { makeTestRandomness, openTestService, operator, TestClock } from '../support/store/service.js';

const kills = countOf('TEXT_KILLS', { usual: 2, campaign: 100 });

describe('the texts of files after the process was killed', function () {
  this.timeout(120_000 + kills * 20_000);

  it('are made of every present file, found by their words, and none is left of another', async () => {
    const program = await bundleProgram(new URL('file-writer.js', import.meta.url));
    const test = await openTestService({ store: 'disk-without-git' });
    const dataFolder = test.dataFolder ?? '';
    const chance = makeRandom('text kills');
    let found = 0;
    try {
      await test.service.close();
      for (let round = 0; round < kills; round += 1) {
        const child = new Child(program, dataFolder, String(round));
        await child.hear();
        await delay(chance() * 600);
        await child.kill();
        const service = await Service.open({
          dataFolder,
          git: 'never',
          clock: new TestClock(),
          randomness: makeTestRandomness(`after ${round}`),
          onFault: (what, cause) => assert.fail(`${what}: ${String(cause)}`),
        });
        try {
          const workspace = service.find('acme');
          assert.ok(workspace);
          await workspace.searchCaughtUp();
          await workspace.texts.files.settled();
          await workspace.search.settled();
          found += await check(workspace, round);
          await workspace.checkpointer.run();
          const options = { dataFolder, name: 'acme', git: 'never' } as const;
          assert.deepEqual((await verifyWorkspace(options, () => undefined)).problems, []);
        } finally {
          await service.close();
        }
      }
      assert.ok(found > kills, `${found} texts`);
    } finally {
      await rm(dataFolder, { recursive: true, force: true });
    }
  });
});

/** @returns how many texts there are */
async function check(workspace: Workspace, round: number): Promise<number> {
  const live = [...workspace.view(operator).walk(rootLocation)];
  for (const { location, current } of live) {
    const query = `+${current.message ?? ''} body:${current.message ?? ''}`;
    const asked = { query, location: rootLocation, labels: [], limit: 9, position: null };
    const { hits } = (await perform(workspace, operator, searchDocuments, asked)).result;
    assert.ok(
      hits.some((hit) => hit.document.location === location && hit.isMade),
      `round ${round}: ${location}`,
    );
  }
  return live.length;
}
