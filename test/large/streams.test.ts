import assert from 'node:assert/strict';
import { countOf } from '../support/counts.js';
import { LargeService } from './large-service.js';

/** Milliseconds of processor time for which one request may keep the others waiting. */
const maxHold = 50;
/** Events that a stream is behind. */
const many = countOf('LARGE_FEED', { usual: 2000, campaign: 10_000 });
const rounds = 3;

describe('A stream of changes that is far behind', function () {
  this.timeout(600_000);
  let service: LargeService;
  let cursor: string;

  before(async () => {
    service = await LargeService.start(many);
    cursor = (await service.send('GET', '/v1/changes?start=now')).next_cursor;
    await service.send('POST', '/v1/folder-deletions', { location: 'many' });
    await service.send('POST', '/v1/folder-undeletes', { location: 'many' });
  });
  after(() => service.close());

  for (const [what, query] of [
    ['with pages of one item', 'limit=1'],
    ['with the largest pages', 'limit=200'],
  ] as const) {
    it(`keeps nobody waiting ${what}`, async () => {
      const held = await holdOf(() => service.followFeed(`${query}&cursor=${cursor}`, many));
      assert.ok(held < maxHold, `others wait for ${held.toFixed(0)} ms`);
    });
  }

  it('keeps nobody waiting from its beginning', async () => {
    const held = await holdOf(() => service.followFeed('limit=1', many));
    assert.ok(held < maxHold, `others wait for ${held.toFixed(0)} ms`);
  });

  it('keeps nobody waiting beside many others', async () => {
    const held = await holdOf(() =>
      Promise.all(Array.from({ length: 8 }, () => service.followFeed(`limit=1&cursor=${cursor}`, many))),
    );
    assert.ok(held < maxHold, `others wait for ${held.toFixed(0)} ms`);
  });

  /** The least of the longest holds of some rounds: the first one compiles the program. */
  async function holdOf(work: () => Promise<unknown>): Promise<number> {
    let least = Number.POSITIVE_INFINITY;
    for (let round = 0; round < rounds; round += 1) least = Math.min(least, (await service.measure(work)).held);
    return least;
  }
});
