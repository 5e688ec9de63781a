import { execFile } from 'node:child_process';
import { lstatSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packagePath } from '../../lib/config.js';
import { drawCurves, type Panel } from './draw-curves.js';
import { drive, median } from './drive.js';
import { authorization, conditionalLoad, readTags, stepThrough, type Effort } from './measure-core.js';
import type { Report } from './report.js';
import { drawRank, makeDocument, makeRandom, wordOf } from './search-corpus.js';
import { seed, type Seeded } from './seed.js';
import { program, startCartulary, type RunningServer } from './start-server.js';

const run = promisify(execFile);
const megabyte = 1024 * 1024;
/** Milliseconds in which work that a request leaves behind comes to its end. */
const rest = 1500;
/** Documents whose ETags the writers know: asking for a million of them would take longer than the measurement. */
const written = 1000;

/** One workspace of a size, and what it cost. */
interface Costs {
  readonly documents: number;
  /** Documents imported a second, with the search's index. */
  readonly imported: number;
  /** Milliseconds from the program's start to its first answer to a read. */
  readonly start: number;
  /** Microseconds of processor time for each. */
  readonly get: number;
  readonly put: number;
  readonly page: number;
  readonly search: number;
  /** Milliseconds of a search, alone. */
  readonly searchTime: number;
  /** Seconds. */
  readonly verify: number;
  /** Megabytes of memory after all of it. */
  readonly resident: number;
  /** Bytes on the disk for each byte of text. */
  readonly disk: number;
}

const panels: readonly (Panel & { readonly key: keyof Costs; readonly goal?: string })[] = [
  { key: 'get', title: 'GET, µs of processor time', goal: '≤ 1.1 ×' },
  { key: 'put', title: 'PUT with If-Match, µs of processor time', goal: '≤ 1.1 ×' },
  { key: 'page', title: 'a page of 100 documents, µs of processor time', goal: '≤ 1.1 ×' },
  { key: 'search', title: 'search with 10 hits, µs of processor time' },
  { key: 'searchTime', title: 'search with 10 hits, one client, ms', goal: '≤ 4 ms at 100,000' },
  { key: 'imported', title: 'import with its index, documents a second' },
  { key: 'start', title: 'start to the first answer, ms', goal: '< 1 s, < 5 s at 1,000,000' },
  { key: 'verify', title: 'verify --quick, s' },
  { key: 'resident', title: 'memory after all of it, MB' },
  { key: 'disk', title: 'bytes on the disk for a byte of text' },
];

/**
 * What a request, the start, a check and the disk cost in one workspace of 1,000 to a million documents of 3 kB, a
 * hundred in each folder. Draws the curves into `test/bench/curves.svg`.
 * @param most documents of the largest workspace
 */
export async function measureCurves(report: Report, effort: Effort, most = 1_000_000): Promise<void> {
  const all: Costs[] = [];
  for (let documents = 1000; documents <= most; documents *= 10) {
    const costs = await measureSize(documents, effort);
    all.push(costs);
    const [first = costs] = all;
    for (const { key, title, goal } of panels) {
      report.add({
        what: `${title}, among ${documents.toLocaleString('en')}`,
        value: costs[key],
        unit: '',
        baseline: { name: 'among 1,000', value: first[key] },
        ...(goal === undefined ? {} : { goal }),
      });
    }
  }
  const points = (key: keyof Costs) => all.map((costs) => ({ at: costs.documents, value: costs[key] }));
  const picture = drawCurves(panels.map(({ key, title }) => ({ title, points: points(key) })));
  writeFileSync(packagePath('test', 'bench', 'curves.svg'), picture);
}

async function measureSize(documents: number, effort: Effort): Promise<Costs> {
  let bytes = 0;
  let started = performance.now();
  const text = (number: number): string => {
    const made = makeDocument(number).text ?? '';
    bytes += Buffer.byteLength(made);
    return made;
  };
  const seeded = await seed(documents, { perFolder: 100, text });
  const imported = documents / ((performance.now() - started) / 1000);
  try {
    const disk = bytesBelow(seeded.dataFolder) / bytes;
    started = performance.now();
    await run(process.execPath, [program(), 'verify', '--quick', '--data', seeded.dataFolder]);
    const verify = (performance.now() - started) / 1000;
    started = performance.now();
    const service = await startCartulary(seeded.dataFolder);
    try {
      const headers = authorization(seeded.key);
      await (await fetch(`${service.url}/v1/documents/${seeded.locations[0] ?? ''}`, { headers })).arrayBuffer();
      const start = performance.now() - started;
      const requests = await measureRequests(seeded, service, effort);
      const resident = service.residentBytes() / megabyte;
      return { documents, imported, start, ...requests, verify, resident, disk };
    } finally {
      await service.stop();
    }
  } finally {
    await seeded.remove();
  }
}

async function measureRequests(
  seeded: Seeded,
  service: RunningServer,
  { seconds, times }: Effort,
): Promise<Pick<Costs, 'get' | 'put' | 'page' | 'search' | 'searchTime'>> {
  const { url } = service;
  const headers = authorization(seeded.key);
  const few: Seeded = { ...seeded, locations: spread(seeded.locations, written) };
  const random = makeRandom(19);
  const words = (): string => `${wordOf(drawRank(random))}+${wordOf(drawRank(random))}`;
  const one = stepThrough(seeded, 7919);
  const sending = (path: () => string, connections = 16) => ({
    url,
    connections,
    headers,
    next: () => ({ method: 'GET', path: path() }) as const,
  });
  const folderOf = (path: string): string => path.slice('/v1/documents/'.length, path.lastIndexOf('/'));
  const page = (): string => `/v1/documents?location=${folderOf(one())}&limit=100`;
  const search = (): string => `/v1/search?q=${words()}&limit=10`;
  const costs = { get: [] as number[], put: [] as number[], page: [] as number[], search: [] as number[] };
  const searchTimes: number[] = [];
  // The first round warms up.
  for (let round = 0; round <= times; round += 1) {
    const loads = {
      get: sending(one),
      put: conditionalLoad(few, url, await readTags(few, url)),
      page: sending(page),
      search: sending(search, 4),
    };
    for (const name of ['get', 'put', 'page', 'search'] as const) {
      const before = service.processorSeconds();
      const { answered, failures } = await drive({ ...loads[name], seconds });
      if (failures > 0) throw new Error(`${failures} requests failed: ${name}.`);
      await new Promise((resolve) => setTimeout(resolve, rest));
      if (round > 0) costs[name].push(((service.processorSeconds() - before) * 1e6) / answered);
    }
    const alone = await drive({ ...sending(search, 1), seconds });
    if (round > 0) searchTimes.push(1000 / alone.perSecond);
  }
  return {
    get: median(costs.get),
    put: median(costs.put),
    page: median(costs.page),
    search: median(costs.search),
    searchTime: median(searchTimes),
  };
}

/** So many of them, from the whole list. */
function spread<Item>(all: readonly Item[], count: number): Item[] {
  const step = Math.max(1, Math.floor(all.length / count));
  return all.filter((_, index) => index % step === 0).slice(0, count);
}

function bytesBelow(folder: string): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    bytes += entry.isDirectory() ? bytesBelow(path) : lstatSync(path).size;
  }
  return bytes;
}
