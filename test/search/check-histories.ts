/** Plays random histories into an index and compares its answers with the right ones. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import type { SearchFilters, SearchIndex, SearchOptions, SearchPage } from '../../lib/search/search-index.js';
import type { WordVectors } from '../../lib/search/meaning/word-vectors.js';
import type { SearchReach } from '../../lib/search/reachable.js';
import { english, openLanguages } from '../../lib/search/languages/languages.js';
import { wordVectors } from './tiny-vectors.js';
import { filters, history, query, reach, toSearch, Workspace, type Step } from './histories.js';
import { searchSlowly } from './oracle.js';

export const usualSeed = 20_250_101;

type Engine = typeof SearchIndex;

interface Opening {
  readonly options: Partial<SearchOptions>;
  readonly vectors: WordVectors | null;
}

/** Meaning is known of English words alone, so all have it. */
const spoken = [['en'], ['en'], ['en', 'de'], ['en', 'ru'], ['en', 'de', 'fr', 'ru']] as const;

/** Texts that stay whole, or are cut into chunks of two or three words. */
const cuts = [undefined, undefined, { whole: 24, usual: 18 }, { whole: 60, usual: 40 }];

/**
 * The options of the index: more or less merging; by words alone, or by meaning as well; in one language or several; with
 * and without long texts.
 */
const opening: fc.Arbitrary<Opening> = fc
  .record({
    firstTier: fc.constantFrom(100, 600),
    manner: fc.constantFrom('words', 'meaning'),
    codes: fc.constantFrom(...spoken),
    chunkLengths: fc.constantFrom(...cuts),
  })
  .map(({ firstTier, manner, codes, chunkLengths }) => ({
    options: {
      firstTier,
      ...(chunkLengths === undefined ? {} : { chunkLengths }),
      languages: openLanguages(codes),
    },
    vectors: manner === 'meaning' ? wordVectors : null,
  }));

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

/** Plays the history into an index on disk with early merges. */
async function play(
  engine: Engine,
  steps: readonly Step[],
  folder: string,
  { options, vectors }: Opening,
): Promise<{ index: SearchIndex; workspace: Workspace }> {
  const workspace = new Workspace();
  const open = (): SearchIndex => engine.open({ folder, readText: (_, at) => workspace.textAt(at), ...options });
  let index = open();
  beginWith(index, vectors);
  for (const step of steps) {
    await workspace.take(step, index, vectors, async () => {
      await index.save();
      await index.close();
      index = open();
      assert.equal(index.dropped, null);
      assert.equal(index.useVectors(vectors), false, 'what was stored has them');
    });
  }
  return { index, workspace };
}

/** While it is empty, nothing is to be revised. */
function beginWith(index: SearchIndex, vectors: WordVectors | null): void {
  if (!index.useVectors(vectors)) return;
  index.startRevision();
  index.endRevision();
}

/** An index made in one go of the caller's reach alone. */
function build(engine: Engine, workspace: Workspace, within: SearchReach, { options, vectors }: Opening): SearchIndex {
  const index = engine.open({ folder: null, readText: (_, at) => workspace.textAt(at), ...options });
  beginWith(index, vectors);
  const documents = workspace.reachedBy(within).map(toSearch);
  if (documents.length === 0) return index;
  const analysis = index.analyze(...documents);
  const keys = analysis.locations.map((location) => workspace.documents.get(location)?.key ?? 0);
  index.apply({ commit: 'all', upserts: [{ analysis, keys }] });
  return index;
}

/**
 * Hits, order, pages and positions must be those of an index of the caller's reach alone, and the hits those of the
 * slow way. Returns the number of compared hits.
 */
export async function checkHistories(
  engine: Engine,
  { folder, runs, seed, endsAtFirst = false }: { folder: string; runs: number; seed: number; endsAtFirst?: boolean },
): Promise<number> {
  let hits = 0;
  const questions = fc.array(fc.record({ reach, query, filters }), { minLength: 6, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(history, questions, opening, async (steps, asked, opened) => {
      const { index, workspace } = await play(engine, steps, fs.mkdtempSync(path.join(folder, 'run-')), opened);
      try {
        for (const { reach: within, query: text, filters: narrowed } of asked) {
          const pages = await searchAll(index, within, text, narrowed);
          const alone = build(engine, workspace, within, opened);
          assert.deepEqual(pages, await searchAll(alone, within, text, narrowed), text);
          const found = pages.flatMap((page) => page.hits);
          hits += found.length;
          const { languages = english, chunkLengths } = opened.options;
          const reading = { languages, vectors: opened.vectors, chunkLengths };
          const expected = searchSlowly(workspace.reachedBy(within), text, narrowed, reading);
          assert.deepEqual(
            found.map(({ key, location }) => ({ key, location })),
            expected.map(({ key, location }) => ({ key, location })),
            text,
          );
        }
      } finally {
        await index.close();
      }
    }),
    { numRuns: runs, seed, endOnFailure: endsAtFirst },
  );
  return hits;
}
