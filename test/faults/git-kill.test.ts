import assert from 'node:assert/strict';
import { countOf, seedOf } from '../support/counts.js';
import { runGitCampaign } from './git-campaign.js';

const rounds = countOf('GIT_KILLS', { usual: 1, campaign: 60 });

describe('a service that is killed while people clone, fetch, push and erase', () => {
  it('has kept every promise when it answers again: nothing lost, half done, doubled or left over', async () => {
    const tally = await runGitCampaign({ rounds, seed: seedOf(20261215), most: rounds === 1 ? 10 : 40 });
    assert.ok(tally.writes + tally.pushes + tally.fetches > 0, JSON.stringify(tally));
  }).timeout(60_000 + rounds * 90_000);
});
