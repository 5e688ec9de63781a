import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Service } from '../../lib/app/service.js';
import { readPolicy } from '../../lib/access/read-policy.js';
import { makeRandom } from '../support/faults/load.js';
import { Actor } from '../support/store/actor.js';
import { bundleProgram } from '../support/processes/bundle-program.js';
import { Child } from '../support/processes/child.js';
import { makeTestRandomness, openTestService, TestClock } from '../support/store/service.js';
import { compareWithNew, doAnything } from './search-histories.js';
import { countOf } from '../support/counts.js';

const kills = countOf('SEARCH_KILLS', { usual: 2, campaign: 80 });

describe('search: a process killed while an index in other languages, or of meaning, is being made', function () {
  this.timeout(150_000 + kills * 5_000);

  it('leaves files from which the next start makes the index of its policy, equal to one made of the present documents', async () => {
    const program = await bundleProgram(new URL('policy-changer.js', import.meta.url));
    const test = await openTestService({ store: 'disk-without-git' });
    const dataFolder = test.dataFolder ?? '';
    try {
      const { id } = await test.person('approver');
      const actor = new Actor(test.workspace, id);
      const chance = makeRandom('killed');
      for (let number = 0; number < 260; number += 1) {
        await actor.create(`many/${number}.md`, `Alte Häuser, new contracts ${number % 17}`);
      }
      for (let number = 0; number < 60; number += 1) await doAnything(test.workspace, actor, chance);
      await test.service.close();
      const tasks = new Set<string>();
      let unfinished = 0;
      const wereSeen = (): boolean => tasks.has('languages') && unfinished > 0;
      // Each round is killed elsewhere in its work; on a machine too fast for that, rounds are killed at once.
      for (let round = 0; round < kills || (!wereSeen() && round < kills + 10); round += 1) {
        const child = new Child(program, dataFolder, id, String(round));
        tasks.add(await child.hear());
        if (round < kills) await delay(chance() * 120);
        await child.kill();
        assert.equal(child.complaints, '');
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
          const { searchLanguages, searchByMeaning } = readPolicy(workspace.journal.reader);
          if (workspace.search.index.languages.codes.join() !== searchLanguages.join()) unfinished += 1;
          await workspace.searchCaughtUp();
          const { index } = workspace.search;
          assert.deepEqual(index.languages.codes, searchLanguages);
          assert.equal(index.ranksByMeaning, searchByMeaning && searchLanguages.includes('en'));
          assert.ok((await compareWithNew(workspace, `round ${round}`)) > 100);
          await workspace.search.store();
          const manifest = readFileSync(join(dataFolder, 'acme', 'search', 'manifest.json'), 'utf8');
          assert.equal(JSON.parse(manifest.split('\n')[1] ?? '').commit, index.commit);
        } finally {
          await service.close();
        }
      }
      assert.ok(tasks.has('languages'), [...tasks].join());
      assert.ok(unfinished > 0, 'some were killed on the way');
    } finally {
      await rm(dataFolder, { recursive: true, force: true });
    }
  });
});
