import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { SearchIndex } from '../../lib/search/search-index.js';
import { checkHistories } from './check-histories.js';

describe('search: what is out of reach has no effect', function () {
  this.timeout(120_000);
  let folder = '';

  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cartulary-search-'));
  });
  afterEach(() => {
    fs.rmSync(folder, { recursive: true });
  });

  it('hits, order, pages and positions are those of an index without it, through merges and restarts, and of the slow way', async () => {
    const hits = await checkHistories(SearchIndex, { folder, runs: 55 });
    assert.ok(hits > 800, `the histories are worth something: ${hits} hits`);
  });
});
