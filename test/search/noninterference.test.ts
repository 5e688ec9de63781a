import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import type { SearchReach } from '../../lib/search/reachable.js';
import { SearchIndex, type SearchFilters, type SearchPage } from '../../lib/search/search-index.js';
import { filters, history, query, reach, toSearch, Workspace, type Step } from './histories.js';
import { searchSlowly } from './oracle.js';

/** All pages, two hits each. */
async function searchAll(
  index: SearchIndex,
  within: SearchReach,
  text: string,
  narrowed: SearchFilters,
): Promise<SearchPage[]> {
  const pages: SearchPage[] = [];
  for (let page: SearchPage | undefined; page === undefined || page.position !== null; pages.push(page)) {
    const position = page?.position ?? null;
    // Positions travel as JSON.
    page = await index.search({
      reach: within,
      query: text,
      filters: narrowed,
      limit: 2,
      position: JSON.parse(JSON.stringify(position)) as typeof position,
    });
  }
  return pages;
}

/** Plays the history into an index on disk that merges as often as it can. */
async function play(steps: readonly Step[], folder: string): Promise<{ index: SearchIndex; workspace: Workspace }> {
  const open = (): SearchIndex => SearchIndex.open({ folder, readText: () => null, firstTier: 600 });
  let index = open();
  const workspace = new Workspace();
  for (const step of steps) {
    await workspace.take(step, index, async () => {
      await index.save();
      await index.close();
      index = open();
      assert.equal(index.dropped, null);
    });
  }
  return { index, workspace };
}

/** An index that was made in one go and knows nothing but what the caller reaches. */
function build(workspace: Workspace, within: SearchReach): SearchIndex {
  const index = SearchIndex.open({ folder: null, readText: () => null });
  const documents = workspace.reachedBy(within).map(toSearch);
  if (documents.length === 0) return index;
  const analysis = index.analyze(...documents);
  const keys = analysis.locations.map((location) => workspace.documents.get(location)?.key ?? 0);
  index.apply({ commit: 'all', upserts: [{ analysis, keys }] });
  return index;
}

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
    let hits = 0;
    await fc.assert(
      fc.asyncProperty(
        history,
        fc.array(fc.record({ reach, query, filters }), { minLength: 6, maxLength: 12 }),
        async (steps, asked) => {
          const home = fs.mkdtempSync(path.join(folder, 'run-'));
          const { index, workspace } = await play(steps, home);
          for (const each of asked) {
            const alone = build(workspace, each.reach);
            const pages = await searchAll(index, each.reach, each.query, each.filters);
            assert.deepEqual(pages, await searchAll(alone, each.reach, each.query, each.filters), each.query);
            const expected = searchSlowly(workspace.reachedBy(each.reach), each.query, each.filters);
            const found = pages.flatMap((page) => page.hits);
            assert.deepEqual(
              found,
              expected.map(({ key, location }) => ({ key, location })),
              each.query,
            );
            hits += found.length;
          }
          await index.close();
        },
      ),
      { numRuns: 60, seed: 20_250_101 },
    );
    assert.ok(hits > 1_000, `the histories are worth something: ${hits} hits`);
  });
});
