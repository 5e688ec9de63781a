import assert from 'node:assert/strict';
import { countOf, seedOf } from '../support/counts.js';
import { runMirrorCampaign } from './mirror-campaign.js';

const rounds = countOf('MIRROR_ROUNDS', { usual: 1, campaign: 100 });
const seed = seedOf(20261123);

describe('the consumer of the manual', () => {
  it('keeps a mirror equal to a listing, while documents and grants change and both sides are killed', async () => {
    const changes = rounds === 1 ? 40 : 100;
    const tally = await runMirrorCampaign({ rounds, changes, seed });
    assert.deepEqual([tally.serverKills, tally.consumerKills], [rounds, rounds]);
    assert.ok(tally.compared > 0);
  }).timeout(60_000 + rounds * 60_000);
});
