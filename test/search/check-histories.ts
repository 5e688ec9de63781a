/** Plays random histories into an index and compares what it answers with what it must. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import type {
  SearchFilters,
  SearchIndex,
  SearchOptions,
  SearchPage,
  SearchReach,
} from '../../lib/search/search-index.js';
import { filters, history, query, reach, toSearch, Workspace, type Step } from './histories.js';
import { searchSlowly } from './oracle.js';

type Engine = typeof SearchIndex;

/** How the index is opened: merging more or less often, with words widened or not. */
const options: fc.Arbitrary<Partial<SearchOptions>> = fc
  .record({ firstTier: fc.constantFrom(100, 600), isWidening: fc.nat(3).map((number) => number === 0) })
  .map(({ firstTier, isWidening }) => (isWidening ? { firstTier, neighboursOf } : { firstTier }));

function neighboursOf(term: string): { term: { type: 'exact'; term: string }; weight: number }[] {
  const near = { ada: ['bell', 'walk'], cell: ['cellar'], draft: ['ada'] }[term] ?? [];
  return near.map((each) => ({ term: { type: 'exact', term: each }, weight: 0.4 }));
}

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

/** Plays the history into an index on disk that merges early. */
async function play(
  engine: Engine,
  steps: readonly Step[],
  folder: string,
  options: Partial<SearchOptions>,
): Promise<{ index: SearchIndex; workspace: Workspace }> {
  const open = (): SearchIndex => engine.open({ folder, readText: () => null, ...options });
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
function build(
  engine: Engine,
  workspace: Workspace,
  within: SearchReach,
  options: Partial<SearchOptions>,
): SearchIndex {
  const index = engine.open({ folder: null, readText: () => null, ...options });
  const documents = workspace.reachedBy(within).map(toSearch);
  if (documents.length === 0) return index;
  const analysis = index.analyze(...documents);
  const keys = analysis.locations.map((location) => workspace.documents.get(location)?.key ?? 0);
  index.apply({ commit: 'all', upserts: [{ analysis, keys }] });
  return index;
}

/**
 * Hits, order, pages and positions must be those of an index that knows nothing but what the caller reaches, and
 * the hits those of the slow way. Returns how many hits were compared.
 */
export async function checkHistories(
  engine: Engine,
  { folder, runs, endsAtFirst = false }: { folder: string; runs: number; endsAtFirst?: boolean },
): Promise<number> {
  let hits = 0;
  const questions = fc.array(fc.record({ reach, query, filters }), { minLength: 6, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(history, questions, options, async (steps, asked, opened) => {
      const { index, workspace } = await play(engine, steps, fs.mkdtempSync(path.join(folder, 'run-')), opened);
      try {
        for (const { reach: within, query: text, filters: narrowed } of asked) {
          const pages = await searchAll(index, within, text, narrowed);
          const alone = build(engine, workspace, within, opened);
          assert.deepEqual(pages, await searchAll(alone, within, text, narrowed), text);
          const found = pages.flatMap((page) => page.hits);
          hits += found.length;
          const expected = searchSlowly(workspace.reachedBy(within), text, narrowed, opened.neighboursOf);
          assert.deepEqual(
            found,
            expected.map(({ key, location }) => ({ key, location })),
            text,
          );
        }
      } finally {
        await index.close();
      }
    }),
    { numRuns: runs, seed: 20_250_101, endOnFailure: endsAtFirst },
  );
  return hits;
}
