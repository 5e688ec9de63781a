import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Service } from '../../lib/app/service.js';
import { makeRandom } from '../support/faults/load.js';
import { Actor } from '../support/store/actor.js';
import { makeTestRandomness, openTestService, TestClock } from '../support/store/service.js';
import { changeSearchPolicy, compareWithNew, doAnything, eraseAny, type Chance } from './search-histories.js';
import type { Workspace } from '../../lib/workspace/workspace.js';
import { countOf, seedOf } from '../support/counts.js';

const first = seedOf(1);
const seeds = Array.from({ length: countOf('SEARCH_LIVES', { usual: 1, campaign: 40 }) }, (_, place) => first + place);

describe('search: histories of many writers, in several languages, whose policy changes on the way', function () {
  this.timeout(120_000);

  for (const seed of seeds) {
    it(`leave an index that answers like one made of the present documents (${seed})`, async () => {
      const test = await openTestService();
      try {
        const { id } = await test.person('approver');
        const chance = makeRandom(`live ${seed}`);
        let hits = 0;
        for (let part = 0; part < 3; part += 1) {
          await live(test.workspace, id, chance, 25);
          await test.workspace.searchCaughtUp();
          hits += await compareWithNew(test.workspace, `after part ${part}`);
        }
        assert.ok(hits > 100, `${hits} hits`);
      } finally {
        await test.close();
      }
    });

    it(`can be caught up with from any index of a killed process (${seed})`, async () => {
      const test = await openTestService({ store: 'disk-without-git' });
      const kept = mkdtempSync(join(tmpdir(), 'cartulary-kept-'));
      try {
        const { id } = await test.person('approver');
        const chance = makeRandom(`kept ${seed}`);
        const stored = join(test.dataFolder ?? '', 'acme', 'search');
        // The files of any moment are the files of a process killed at that moment.
        const copies: string[] = [];
        const copying = setInterval(() => {
          if (!existsSync(stored) || chance() < 0.5) return;
          const copy = join(kept, String(copies.length));
          cpSync(stored, copy, { recursive: true, filter: (file) => !file.endsWith('.new') });
          copies.push(copy);
        }, 15);
        await live(test.workspace, id, chance, 25);
        clearInterval(copying);
        await test.service.close();
        assert.ok(copies.length > 0);
        let hits = 0;
        for (const copy of [
          copies.at(-1),
          copies[Math.floor(copies.length / 2)],
          copies[Math.floor(chance() * copies.length)],
        ]) {
          await rm(stored, { recursive: true });
          cpSync(copy ?? '', stored, { recursive: true });
          const again = await Service.open({
            dataFolder: test.dataFolder,
            git: 'never',
            clock: new TestClock(),
            randomness: makeTestRandomness('again'),
            onFault: () => undefined,
          });
          try {
            const workspace = again.find('acme');
            assert.ok(workspace);
            await workspace.searchCaughtUp();
            hits += await compareWithNew(workspace, copy ?? '');
          } finally {
            await again.close();
          }
        }
        assert.ok(hits > 50, `${hits} hits`);
      } finally {
        await rm(kept, { recursive: true });
        await rm(test.dataFolder ?? '', { recursive: true, force: true });
      }
    });
  }
});

/** Several writers at once, none waiting for another, while an admin changes how words are read. */
async function live(workspace: Workspace, id: string, chance: Chance, requests: number): Promise<void> {
  const actor = new Actor(workspace, id);
  const write = async (): Promise<void> => {
    for (let done = 0; done < requests; done += 1) {
      await doAnything(workspace, actor, chance);
      if (chance() < 0.05) await delay(chance() * 25);
    }
  };
  const govern = async (): Promise<void> => {
    for (let done = 0; done < 4; done += 1) {
      await delay(chance() * 60);
      await changeSearchPolicy(workspace, chance);
      if (chance() < 0.3) await eraseAny(workspace, actor, chance);
      if (chance() < 0.3) await workspace.search.store();
    }
  };
  await Promise.all([write(), write(), write(), govern()]);
}
