import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countOf, seedOf } from '../support/counts.js';
import { mountDisk, unmountAll } from '../support/processes/obstacles.js';
import { runGitCampaign } from './git-campaign.js';

const rounds = countOf('GIT_KILLS', { usual: 1, campaign: 60 });
const fullRounds = countOf('GIT_FULL_DISKS', { usual: 1, campaign: 20 });
const seed = seedOf(20261215);

describe('people clone, fetch, push and erase', () => {
  it('while their service is killed: nothing is lost, half done, doubled or left over', async () => {
    const tally = await runGitCampaign({ rounds, seed, most: rounds === 1 ? 10 : 40 });
    assert.ok(tally.writes + tally.pushes + tally.fetches > 0, JSON.stringify(tally));
  }).timeout(60_000 + rounds * 90_000);

  it('while the disk of their service fills and has room again: the same', async function () {
    const folder = await mkdtemp(join(tmpdir(), 'cartulary-git-full-'));
    const disk = join(folder, 'disk');
    try {
      mountDisk(this, disk, 96);
      const tally = await runGitCampaign({ rounds: fullRounds, seed, disk, most: fullRounds === 1 ? 10 : 40 });
      assert.ok(tally.full > 0, JSON.stringify(tally));
    } finally {
      unmountAll();
      await rm(folder, { recursive: true, force: true });
    }
  }).timeout(60_000 + fullRounds * 90_000);
});
