import assert from 'node:assert/strict';
import { countOf, leastOf, seedOf } from '../support/counts.js';
import { runCampaign } from './campaign.js';

const rounds = {
  auto: countOf('KILLS', { usual: 3, campaign: 150 }),
  never: countOf('KILLS_WITHOUT_GIT', { usual: 2, campaign: 150 }),
} as const;

describe('a service that is killed at any moment', () => {
  for (const git of ['auto', 'never'] as const) {
    it(`keeps everything it has answered, and no half of a write (${git === 'auto' ? 'with' : 'without'} the git program)`, async () => {
      const seed = seedOf(3);
      const tally = await runCampaign({ rounds: rounds[git], seed, git, maxLifetime: 500 });
      assert.equal(tally.rounds, rounds[git], `seed ${seed}`);
      assert.ok(tally.acknowledged > leastOf(rounds[git], 20, 18), `only ${tally.acknowledged} requests were answered`);
    }).timeout(60_000 + rounds[git] * 20_000);
  }
});
