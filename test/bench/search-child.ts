/** One measurement of search in a process of its own; prints its figures as one line of JSON. */
import fs from 'node:fs';
import lunr from 'lunr';
import MiniSearch from 'minisearch';
import type { Location } from '../../lib/domain/location.js';
import type { SearchReach } from '../../lib/search/reachable.js';
import { SearchIndex } from '../../lib/search/search-index.js';
import { chanceVectors, drawRank, makeDocument, makeRandom, placeOf, wordOf } from './search-corpus.js';
import { Sqlite } from '../support/store/sqlite.js';

const hitsOnPage = 50;
const everything: SearchReach = { everything: true, folders: [], documents: [] };
const oneFolder = 'team-1' as Location;
const [task = '', count = '', folder = '', rounds = '', manner = 'words'] = process.argv.slice(2);
const documents = Number(count);

function quantile(times: readonly number[], part: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

const median = (times: readonly number[]): number => quantile(times, 0.5);
const megabytes = (): number => process.memoryUsage().rss / 1e6;

/** Two or three words, drawn as they come in the documents. */
function makeQueries(many: number): string[] {
  const random = makeRandom(4_711);
  const words = (): string => wordOf(drawRank(random));
  return Array.from({ length: many }, (_, index) =>
    [words(), words(), ...(index % 2 === 0 ? [words()] : [])].join(' '),
  );
}

/** Milliseconds of each query: medians over the rounds of the half and of the slow twentieth. */
async function timeQueries(ask: (query: string) => unknown, many: number): Promise<{ p50: number; p95: number }> {
  const queries = makeQueries(many);
  for (const query of queries.slice(0, 50)) await ask(query);
  const halves: number[] = [];
  const slow: number[] = [];
  for (let round = 0; round < Number(rounds); round += 1) {
    const times: number[] = [];
    for (const query of queries) {
      const start = performance.now();
      await ask(query);
      times.push(performance.now() - start);
    }
    halves.push(median(times));
    slow.push(quantile(times, 0.95));
  }
  return { p50: median(halves), p95: median(slow) };
}

function open(where: string | null): SearchIndex {
  return SearchIndex.open({ folder: where, readText: () => null });
}

/** Milliseconds of this thread on a processor; undefined where the system has no such figure. */
function timeOnProcessor(): number | undefined {
  try {
    return Number(fs.readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return undefined;
  }
}

/** The longest processor time of one turn of the event loop until the answer. Milliseconds. */
async function watchTurns(answer: Promise<unknown>): Promise<number> {
  const state = { isAnswered: false };
  void answer.finally(() => (state.isAnswered = true));
  let longest = 0;
  for (let last = timeOnProcessor() ?? 0; !state.isAnswered;) {
    await new Promise((resolve) => setImmediate(resolve));
    const now = timeOnProcessor() ?? 0;
    longest = Math.max(longest, now - last);
    last = now;
  }
  return longest;
}

/** While the index is empty, no document has to be revised. */
function startWithMeaning(index: SearchIndex): void {
  index.useVectors(chanceVectors);
  index.startRevision();
  index.endRevision();
}

/** One commit a document; merges go on beside. */
async function build(): Promise<unknown> {
  const index = open(folder);
  if (manner === 'meaning') startWithMeaning(index);
  const analyses: number[] = [];
  const applies: number[] = [];
  let peak = 0;
  let busy = 0;
  for (let number = 0; number < documents; number += 1) {
    const document = makeDocument(number);
    const start = performance.now();
    const analysis = index.analyze(document);
    const before = timeOnProcessor() ?? 0;
    const analyzed = performance.now();
    index.apply({ commit: String(number), upserts: [{ analysis, keys: [number + 1] }] });
    applies.push(performance.now() - analyzed);
    busy = Math.max(busy, (timeOnProcessor() ?? 0) - before);
    analyses.push(analyzed - start);
    if (number % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
    if (number % 500 === 0) peak = Math.max(peak, megabytes());
  }
  await index.settle();
  await index.save();
  await index.close();
  const mean = (times: readonly number[]): number => times.reduce((sum, time) => sum + time, 0) / times.length;
  return {
    analyze: mean(analyses),
    apply: mean(applies),
    slow: quantile(applies, 0.99),
    stall: quantile(applies, 1),
    busy,
    memory: peak,
  };
}

async function query(): Promise<unknown> {
  const before = performance.now();
  const index = open(folder);
  const load = performance.now() - before;
  const ask = (reach: SearchReach) => (text: string) => index.search({ reach, query: text, limit: hitsOnPage });
  const all = await timeQueries(ask(everything), 400);
  const inFolder = await timeQueries(ask({ everything: false, folders: [oneFolder], documents: [] }), 400);
  const frequent = Array.from({ length: 24 }, (_, rank) => wordOf(rank)).join(' ');
  const worst = {
    'the 24 most frequent words': frequent,
    'four wildcards and 20 frequent words': `bra* cle* dri* flo* ${frequent.split(' ').slice(0, 20).join(' ')}`,
    'four words of two edits': 'bracle~2 drigru~2 stetri~2 plasho~2',
    'four short words of two edits and 20 frequent words': `bace~2 dice~2 stet~2 plas~2 ${frequent.split(' ').slice(0, 20).join(' ')}`,
    'a word that must not be there': `-${wordOf(0)}`,
  };
  const slowest: [string, number, number][] = [];
  for (const [name, text] of Object.entries(worst)) {
    const times: number[] = [];
    const waits: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const start = performance.now();
      waits.push(await watchTurns(ask(everything)(text)));
      times.push(performance.now() - start);
    }
    slowest.push([name, median(times), median(waits)]);
  }
  const scattered = Array.from({ length: Math.min(10_000, documents) }, (_, number) => placeOf(number));
  const manyGrants = await timeQueries(ask({ everything: false, folders: [], documents: scattered }), 20);
  await index.close();
  return { load, all, inFolder, slowest, manyGrants, memory: megabytes() };
}

/** An index built with meaning. It answers words with meaning, and absent words, so that all documents are compared. */
async function queryMeaning(): Promise<unknown> {
  const index = open(folder);
  if (index.useVectors(chanceVectors)) throw new Error('The index was built without meaning.');
  const ask = (text: string) => index.search({ reach: everything, query: text, limit: hitsOnPage });
  const all = await timeQueries(ask, 400);
  const times: number[] = [];
  for (let round = 0; round < 9; round += 1) {
    const start = performance.now();
    await ask(`nowhere${round} neverwhere${round}`);
    times.push(performance.now() - start);
  }
  await index.close();
  return { all, absent: median(times), memory: megabytes() };
}

/** The same documents and queries for each; memory is the growth of the process. */
async function compare(): Promise<unknown> {
  const before = megabytes();
  const start = performance.now();
  const ask = await engines[folder]?.();
  const built = performance.now() - start;
  if (ask === undefined) throw new Error(`There is no engine ${folder}.`);
  const memory = megabytes() - before;
  return { built: built / documents, memory, ...(await timeQueries(ask, 100)) };
}

const bodyOf = (number: number): string => makeDocument(number).text ?? '';

const engines: Readonly<Record<string, () => Promise<(query: string) => unknown>>> = {
  ours: async () => {
    const index = open(null);
    for (let number = 0; number < documents; number += 1) {
      const analysis = index.analyze(makeDocument(number));
      index.apply({ commit: '', upserts: [{ analysis, keys: [number] }] });
    }
    await index.settle();
    return (text) => index.search({ reach: everything, query: text, limit: hitsOnPage });
  },
  lunr: () => {
    const index = lunr((builder) => {
      builder.ref('id');
      builder.field('text');
      for (let number = 0; number < documents; number += 1) builder.add({ id: String(number), text: bodyOf(number) });
    });
    return Promise.resolve((text: string) => index.search(text).slice(0, hitsOnPage));
  },
  minisearch: () => {
    const index = new MiniSearch({ fields: ['text'] });
    for (let number = 0; number < documents; number += 1) index.add({ id: number, text: bodyOf(number) });
    return Promise.resolve((text: string) => index.search(text).slice(0, hitsOnPage));
  },
  fts5: () => {
    const database = new Sqlite(':memory:');
    database.exec("CREATE VIRTUAL TABLE page USING fts5(text, tokenize = 'porter unicode61')");
    const insert = database.prepare('INSERT INTO page (rowid, text) VALUES (?, ?)');
    for (let number = 0; number < documents; number += 1) insert.run(number + 1, bodyOf(number));
    const select = database.prepare(`SELECT rowid FROM page WHERE page MATCH ? ORDER BY rank LIMIT ${hitsOnPage}`);
    return Promise.resolve((text: string) => select.all(text.replaceAll(' ', ' OR ')));
  },
};

const tasks: Readonly<Record<string, () => Promise<unknown>>> = { build, query, queryMeaning, compare };
process.stdout.write(`${JSON.stringify(await tasks[task]?.())}\n`);
