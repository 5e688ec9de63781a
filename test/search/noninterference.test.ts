import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { SearchIndex } from '../../lib/search/search-index.js';
import { countOf, leastOf, seedOf } from '../support/counts.js';
import { checkHistories, usualSeed } from './check-histories.js';

const runs = countOf('SEARCH_HISTORIES', { usual: 12, campaign: 600 });

describe('search: documents out of reach have no effect', function () {
  this.timeout(60_000 + runs * 2_000);
  let folder = '';

  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cartulary-search-'));
  });
  afterEach(() => {
    fs.rmSync(folder, { recursive: true });
  });

  it('hits, order, pages and positions are those of an index without them, through merges and restarts, and of the slow way', async () => {
    const hits = await checkHistories(SearchIndex, { folder, runs, seed: seedOf(usualSeed) });
    assert.ok(hits > leastOf(runs, 800, 55), `the histories are worth something: ${hits} hits`);
  });
});
