import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseLocation } from '../../lib/domain/location.js';
import { changePolicy } from '../../lib/operations/workspaces/change-policy.js';
import { eraseDocument } from '../../lib/operations/documents/erase-document.js';
import { perform } from '../../lib/operations/perform.js';
import { makeRandom } from '../support/faults/load.js';
import { Actor } from '../support/store/actor.js';
import { openTestService, operator } from '../support/store/service.js';
import { choose, compareWithNew, policies } from './search-histories.js';

describe('search: a document erased while an index in other languages is being made', function () {
  this.timeout(120_000);

  it('leaves no word in any file of either index, and others are found as before', async () => {
    const test = await openTestService({ store: 'disk-without-git' });
    try {
      const { workspace } = test;
      const { id } = await test.person('approver');
      const actor = new Actor(workspace, id);
      const chance = makeRandom('erased');
      const folder = join(test.dataFolder ?? '', 'acme', 'search');
      const holds = (word: string): boolean =>
        readdirSync(folder).some((name) => readFileSync(join(folder, name)).includes(word));
      for (let number = 0; number < 300; number += 1) await actor.create(`many/${number}.md`, `Häuser ${number % 9}`);
      for (let round = 0; round < 5; round += 1) {
        // Letters that no stemmer cuts.
        const word = `xqzvk${'bcdfg'.charAt(round)}jwptk`;
        const location = parseLocation(`many/secret-${round}.md`);
        const { id: documentId } = await actor.create(
          location,
          `The contract is with ${word} and der Vertrag ist mit ${word}.`,
        );
        await workspace.search.store();
        assert.ok(holds(word), 'it is in the index of before');
        // Other languages than the present ones, so that an index has to be made.
        const searchLanguages = policies[(round + 1) % policies.length] ?? choose(chance, policies);
        await perform(workspace, operator, changePolicy, { searchLanguages });
        await delay(chance() * 30);
        const erased = await perform(workspace, actor.caller, eraseDocument, {
          location,
          confirmation: `secret-${round}.md`,
          documentId,
        });
        await actor.update('many/7.md', `Häuser ${round}`);
        await workspace.eraser.finished(erased.result.id);
        assert.ok(!holds(word), `round ${round}: ${readdirSync(folder).join()}`);
        await workspace.searchCaughtUp();
        await workspace.search.store();
        assert.ok(!holds(word));
        assert.deepEqual(workspace.search.index.languages.codes, searchLanguages);
        assert.ok((await compareWithNew(workspace, `round ${round}`)) > 100);
      }
    } finally {
      await test.close();
    }
  });
});
