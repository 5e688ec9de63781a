/**
 * Measures search over made-up documents of 3 kB, each part in a process of its own.
 * Alone: node dist/test/bench/search.js [documents]
 */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Report } from './report.js';

interface Times {
  readonly p50: number;
  readonly p95: number;
}
interface Built {
  readonly analyze: number;
  readonly apply: number;
  readonly slow: number;
  readonly stall: number;
  readonly busy: number;
  readonly memory: number;
}
interface Asked {
  readonly load: number;
  readonly memory: number;
  readonly all: Times;
  readonly inFolder: Times;
  readonly manyGrants: Times;
  /** The queries, their time, and the processor time of a turn of the event loop. */
  readonly slowest: readonly (readonly [string, number, number])[];
}
interface AskedMeaning {
  readonly all: Times;
  readonly absent: number;
  readonly memory: number;
}
interface Compared extends Times {
  readonly built: number;
  readonly memory: number;
}

const child = fileURLToPath(new URL('search-child.js', import.meta.url));

async function run<Result>(...args: readonly string[]): Promise<Result> {
  const { stdout } = await promisify(execFile)(process.execPath, [child, ...args], { maxBuffer: 1e7 });
  return JSON.parse(stdout) as Result;
}

/** The number of documents for the comparison with other engines: stock lunr takes some 45 kB of heap for each. */
const maxCompared = 10_000;

export async function measureSearch(
  report: Report,
  { times, documents = 100_000 }: { readonly times: number; readonly documents?: number },
): Promise<void> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cartulary-bench-'));
  const rounds = String(times);
  const among = `among ${documents.toLocaleString('en')} documents`;
  try {
    const built = await run<Built>('build', String(documents), folder);
    report.add({
      what: `search: refresh for a commit ${among}, amortised`,
      value: built.apply,
      unit: 'ms',
      goal: '< 5 ms',
    });
    report.add({ what: 'search: the same, slowest in a hundred', value: built.slow, unit: 'ms' });
    report.add({ what: 'search: the same, longest stall', value: built.stall, unit: 'ms', goal: '< 50 ms' });
    report.add({
      what: 'search: the same, longest time on the processor',
      value: built.busy,
      unit: 'ms',
      goal: '< 50 ms',
    });
    report.add({ what: 'search: taking a document apart before its turn', value: built.analyze, unit: 'ms' });
    report.add({
      what: 'search: memory of the process while building',
      value: built.memory,
      unit: 'MB',
      goal: '< 600 MB',
    });
    const asked = await run<Asked>('query', String(documents), folder, rounds);
    report.add({
      what: `search: loading ${documents.toLocaleString('en')} documents`,
      value: asked.load,
      unit: 'ms',
      goal: '< 1 s',
    });
    report.add({
      what: 'search: memory of a process that loaded them',
      value: asked.memory,
      unit: 'MB',
      goal: '< 600 MB',
    });
    const plain = await run<Compared>('compare', String(documents), 'fts5', rounds);
    const baseline = (name: string, value: number) => ({ baseline: { name, value } });
    const words = `search: words ${among}`;
    report.add({
      what: `${words}, p50`,
      value: asked.all.p50,
      unit: 'ms',
      goal: '< 3 ms',
      ...baseline('FTS5', plain.p50),
    });
    report.add({
      what: `${words}, p95`,
      value: asked.all.p95,
      unit: 'ms',
      goal: '< 10 ms',
      ...baseline('FTS5', plain.p95),
    });
    report.add({ what: `${words}, in a folder of 1,000, p50`, value: asked.inFolder.p50, unit: 'ms', goal: '< 1 ms' });
    report.add({ what: `${words}, with 10,000 grants on documents, p50`, value: asked.manyGrants.p50, unit: 'ms' });
    for (const [name, value, transaction] of asked.slowest) {
      report.add({ what: `search: ${name}, ${among}`, value, unit: 'ms', goal: '< 100 ms' });
      report.add({
        what: 'search: the same, longest turn on the processor',
        value: transaction,
        unit: 'ms',
        goal: '< 50 ms',
      });
    }
    await measureMeaning(report, documents, rounds);
    await compareEngines(report, Math.min(maxCompared, documents), rounds);
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

async function measureMeaning(report: Report, documents: number, rounds: string): Promise<void> {
  const among = `among ${documents.toLocaleString('en')} documents`;
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cartulary-bench-'));
  try {
    const built = await run<Built>('build', String(documents), folder, rounds, 'meaning');
    const { all, absent, memory } = await run<AskedMeaning>('queryMeaning', String(documents), folder, rounds);
    const name = `search: words and meaning ${among}`;
    report.add({ what: `${name}, p50`, value: all.p50, unit: 'ms' });
    report.add({ what: `${name}, p95`, value: all.p95, unit: 'ms' });
    report.add({ what: `${name}, of words that stand nowhere`, value: absent, unit: 'ms', goal: '< 100 ms' });
    report.add({ what: 'search: taking a document apart for meaning, too', value: built.analyze, unit: 'ms' });
    report.add({
      what: 'search: memory of a process that loaded them with meaning',
      value: memory,
      unit: 'MB',
      goal: '< 600 MB',
    });
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

async function compareEngines(report: Report, documents: number, rounds: string): Promise<void> {
  const among = `among ${documents.toLocaleString('en')} documents`;
  const ours = await run<Compared>('compare', String(documents), 'ours', rounds);
  const others = [
    ['stock lunr', 'lunr'],
    ['MiniSearch', 'minisearch'],
    ['FTS5', 'fts5'],
  ] as const;
  for (const [name, engine] of others) {
    const theirs = await run<Compared>('compare', String(documents), engine, rounds);
    report.add({
      what: `search: words ${among}, p50`,
      value: ours.p50,
      unit: 'ms',
      baseline: { name, value: theirs.p50 },
    });
    report.add({
      what: `search: words ${among}, p95`,
      value: ours.p95,
      unit: 'ms',
      baseline: { name, value: theirs.p95 },
    });
    report.add({
      what: `search: indexing a document ${among}`,
      value: ours.built,
      unit: 'ms',
      baseline: { name, value: theirs.built },
    });
    report.add({
      what: `search: memory for ${documents.toLocaleString('en')} documents`,
      value: ours.memory,
      unit: 'MB',
      baseline: { name, value: theirs.memory },
    });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const report = new Report();
  await measureSearch(report, { times: 5, documents: Number(process.argv[2] ?? 100_000) });
  report.print();
}
