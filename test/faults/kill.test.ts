import assert from 'node:assert/strict';
import { runCampaign } from './campaign.js';

/** `npm run` has no time for hundreds of rounds: `node dist/test/faults/campaign.js --rounds 300` does. */
describe('a service that is killed at any moment', () => {
  for (const [git, rounds] of [
    ['auto', 12],
    ['never', 6],
  ] as const) {
    it(`keeps everything it has answered, and nothing by halves (${git === 'auto' ? 'with' : 'without'} the git program)`, async () => {
      const seed = Math.floor(Math.random() * 1_000_000);
      const tally = await runCampaign({ rounds, seed, git, maxLifetime: 500 });
      assert.equal(tally.rounds, rounds, `seed ${seed}`);
      assert.ok(tally.acknowledged > 20, `only ${tally.acknowledged} requests were answered`);
    }).timeout(300_000);
  }
});
