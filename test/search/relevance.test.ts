import assert from 'node:assert/strict';
import lunr from 'lunr';
import MiniSearch from 'minisearch';
import { parseLocation, type Location } from '../../lib/domain/location.js';
import { importDocuments } from '../../lib/operations/folders/import-documents.js';
import { perform } from '../../lib/operations/perform.js';
import { type WordVectors, ownVectors } from '../../lib/search/meaning/word-vectors.js';
import { skipBecause } from '../support/skip.js';
import { openVectors } from '../../lib/search/meaning/open-vectors.js';
import type { Workspace } from '../../lib/workspace/workspace.js';
import { openTestServer } from '../support/http/server.js';
import { operator } from '../support/store/service.js';
import { everything, IndexOf } from './index-of.js';
import {
  ndcgAt10,
  readGitManual,
  readQuestions,
  readSciFact,
  reciprocalRank,
  recallAt,
  type Collection,
} from './relevance.js';

const noSciFact = 'the SciFact collection is not on this machine (CARTULARY_SCIFACT=folder)';

describe('search: relevance', function () {
  this.timeout(120_000);

  it('on SciFact is nDCG@10 of 0.69 or more, and an index of meaning makes it no worse in the first ten', async function () {
    const collection = readSciFact();
    if (collection === undefined) return skipBecause(this, noSciFact);
    const of = indexOf(collection, openVectors(ownVectors));
    assert.ok(of.index.ranksByMeaning);
    const meant = await measure(of, collection);
    of.index.useVectors(null);
    const plain = await measure(of, collection);
    const figures = JSON.stringify({ plain, meant });
    assert.ok(plain.ndcg >= 0.69 && plain.recall >= 0.91, figures);
    // Of the first hundred it may cost one answer in three hundred questions, not of the first ten.
    assert.ok(meant.ndcg >= plain.ndcg && meant.recall >= 0.915, figures);
  });

  it('is over REST the same as at the engine, claim by claim, nDCG@10 0.69 or more', async function () {
    this.timeout(600_000);
    const collection = readSciFact();
    if (collection === undefined) return skipBecause(this, noSciFact);
    const server = await openTestServer({ server: { validateResponses: false } });
    try {
      const reader = await server.person('reader', 'abstracts');
      await importAbstracts(server.host.workspace, collection);
      const { judgements, queries } = collection;
      const gained: number[] = [];
      for (const [index, { id, text }] of queries.entries()) {
        // A page of a hundred now and then, since each hit costs its snippet.
        const limit = index % 30 === 0 ? 100 : 10;
        const { status, json } = await reader.get(`/v1/search?limit=${limit}&q=${encodeURIComponent(text)}`);
        assert.equal(status, 200, text);
        const found = json.items.map((item: { location: string }) => /(\d+)\.md$/.exec(item.location)?.[1] ?? '');
        gained.push(ndcgAt10(found, judgements.get(id) ?? new Map<string, number>()));
        const page = await server.host.workspace.search.index.search({ reach: everything, query: text, limit });
        assert.deepEqual(
          json.items.map((item: { location: string }) => item.location),
          page.hits.map(({ location }) => location),
        );
      }
      assert.ok(mean(gained) >= 0.69, `nDCG@10 ${mean(gained).toFixed(4)}`);
    } finally {
      await server.close();
    }
  });

  it('answers questions about git from its manual at least as well as stock lunr and MiniSearch', async function () {
    const texts = readGitManual();
    if (texts === undefined) return skipBecause(this, 'git’s manual is not there (apt-get install git-doc)');
    const of = new IndexOf(Object.fromEntries(texts));
    const stock = lunr((builder) => {
      builder.ref('id');
      builder.field('name');
      builder.field('text');
      for (const [id, text] of texts) builder.add({ id, name: id, text });
    });
    const mini = new MiniSearch({ fields: ['name', 'text'] });
    mini.addAll([...texts].map(([id, text]) => ({ id, name: id, text })));
    const askers: Readonly<Record<string, (question: string) => Promise<readonly string[]> | readonly string[]>> = {
      words: (question) => of.find(question),
      lunr: (question) => stock.search(question.replaceAll('-', ' ')).map(({ ref }) => ref),
      MiniSearch: (question) => mini.search(question).map(({ id }) => id as string),
    };
    const told: Record<string, { first: number; amongFive: number; rank: number }> = {};
    for (const [name, ask] of Object.entries(askers)) {
      const ranks: number[] = [];
      for (const { question, answer } of readQuestions()) ranks.push(reciprocalRank(await ask(question), answer));
      const count = (least: number): number => ranks.filter((rank) => rank >= least).length;
      told[name] = { first: count(1), amongFive: count(1 / 5), rank: mean(ranks) };
    }
    const figures = JSON.stringify(told);
    const own = told['words'];
    for (const other of [told['lunr'], told['MiniSearch']]) {
      assert.ok(own !== undefined && other !== undefined && own.rank >= other.rank, figures);
      assert.ok(own.amongFive >= other.amongFive, figures);
    }
  });
});

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

/** An index of all documents, being Markdown with a heading, with their meaning. */
function indexOf({ documents }: Collection, vectors: WordVectors): IndexOf {
  const of = new IndexOf({});
  of.index.useVectors(vectors);
  of.index.startRevision();
  of.index.endRevision();
  const analysis = of.index.analyze(
    ...documents.map(({ id, title, text }) => ({
      location: `${id}.md` as Location,
      text: `# ${title}\n\n${text}\n`,
      kind: 'text' as const,
      labels: [],
    })),
  );
  of.index.apply({ commit: 'c', upserts: [{ analysis, keys: analysis.locations.map((_, index) => index + 1) }] });
  return of;
}

/** Mean nDCG@10 and recall at 100 over all queries. */
async function measure(of: IndexOf, { queries, judgements }: Collection): Promise<{ ndcg: number; recall: number }> {
  const gained: number[] = [];
  const recalled: number[] = [];
  for (const { id, text } of queries) {
    const found = (await of.find(text, { limit: 100 })).map((location) => location.replace('.md', ''));
    const gains = judgements.get(id) ?? new Map<string, number>();
    gained.push(ndcgAt10(found, gains));
    recalled.push(recallAt(100, found, gains));
  }
  return { ndcg: mean(gained), recall: mean(recalled) };
}

/** As an admin brings in a folder. */
async function importAbstracts(workspace: Workspace, { documents }: Collection): Promise<void> {
  const into = parseLocation('abstracts');
  for (let from = 0; from < documents.length; from += 500) {
    const files = documents.slice(from, from + 500).map(({ id, title, text }) => ({
      location: parseLocation(`abstracts/${id}.md`),
      content: { bytes: Buffer.from(`# ${title}\n\n${text}\n`) },
    }));
    await perform(workspace, operator, importDocuments, { into, files, message: null });
  }
}
