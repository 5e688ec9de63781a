import assert from 'node:assert/strict';
import { countOf, seedOf } from '../support/counts.js';
import { greatCrowd, runCrowdCampaign } from './crowd/crowd-campaign.js';

const erases = countOf('CROWD_ERASES', { usual: 2, campaign: 500 });
const isSmall = erases < 20;
const seed = seedOf(20261126);
/** Few people for a short time, so that all of them have their turn in seconds. */
const smallCrowd = { mostLife: 5000, people: { pushers: 1, writers: 1, erasers: 2 }, slow: 40 } as const;

describe('people push, sync, upload, restore and erase at once', () => {
  it('while their service is killed: no content is lost, nothing stays of what was erased, and verify agrees', async () => {
    const tally = await runCrowdCampaign({ ...(isSmall ? smallCrowd : greatCrowd), seed, erases });
    assert.ok(tally.erases >= erases && tally.pushes + tally.syncs + tally.writes > 0, JSON.stringify(tally));
  }).timeout(120_000 + erases * 15_000);
});
