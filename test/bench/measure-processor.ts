import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drive, median, type Load } from './drive.js';
import { authorization, conditionalLoad, stepThrough, type Effort } from './measure-core.js';
import type { Report } from './report.js';
import { seed, type Seeded } from './seed.js';
import { builtFile, startCartulary, startServer, type RunningServer } from './start-server.js';

const baselineScript = builtFile('./baseline-server.js');
const documents = 240;
const bytes = 4096;
/** Milliseconds in which work that a request leaves behind comes to its end: packs each second, index, close events. */
const rest = 1500;

/** One server under one kind of load. */
interface Side {
  readonly server: RunningServer;
  /** Called before each round. */
  readonly load: () => Promise<Omit<Load, 'seconds'>> | Omit<Load, 'seconds'>;
}

/**
 * Microseconds of processor time for each request, of all threads and started programs: the service beside the
 * baseline (an Express route with one SELECT and one durable, group-committed INSERT) and beside the floor (a store
 * written by hand, which makes the same objects, rows, records and packs). 16 connections, 240 documents of 4 kB in one
 * folder. The sides take turns, so that a slower machine slows down all of them.
 */
export async function measureProcessor(report: Report, { seconds, times }: Effort): Promise<void> {
  const seeded = await seed(documents, { perFolder: documents, bytes });
  const floorFolder = await mkdtemp(join(tmpdir(), 'cartulary-floor-'));
  const service = await startCartulary(seeded.dataFolder);
  const [baseline, floor] = await Promise.all([
    startServer(baselineScript, 'stored', String(bytes), join(floorFolder, 'baseline.sqlite')),
    startServer(builtFile('./floor/floor-server.js'), floorFolder, seeded.key, String(documents), String(bytes)),
  ]);
  const servers = [service, baseline, floor];
  try {
    const gets = await takeTurns(
      { service: readsOf(service, seeded), baseline: readsOf(baseline, seeded), floor: readsOf(floor, seeded) },
      { seconds, times },
    );
    const puts = await takeTurns(
      { service: writesOf(service, seeded), baseline: writesOf(baseline, seeded), floor: writesOf(floor, seeded) },
      { seconds, times },
    );
    const path = '/v1/documents?location=folder-0&limit=200';
    const page = await fetch(service.url + path, { headers: headersOf(seeded) });
    const { byteLength } = await page.arrayBuffer();
    const wide = await startServer(baselineScript, 'stored', String(byteLength), join(floorFolder, 'page.sqlite'));
    servers.push(wide);
    const pages = await takeTurns(
      { service: sending(service, seeded, path), baseline: sending(wide, seeded, '/') },
      { seconds, times },
    );
    const add = (what: string, value: number, name: string, beside: number, goal?: string): void =>
      report.add({
        what: `processor time of ${what}`,
        value,
        unit: 'µs',
        baseline: { name, value: beside },
        ...(goal === undefined ? {} : { goal }),
      });
    add('GET of 4 kB', gets.service, 'Express', gets.baseline, '≤ 1.25 ×');
    add('GET of 4 kB', gets.service, 'floor', gets.floor);
    add('PUT of 4 kB with If-Match', puts.service, 'Express', puts.baseline, '≤ 3.5 ×');
    add('PUT of 4 kB with If-Match', puts.service, 'floor', puts.floor, '≤ 2 ×');
    add('a page of 200', pages.service, 'Express, as many bytes', pages.baseline, '≤ 0.6 ×');
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    await Promise.all([seeded.remove(), rm(floorFolder, { recursive: true, force: true })]);
  }
}

/** @returns the median cost of a request at each side, the first round left out */
export async function takeTurns<Name extends string>(
  sides: Readonly<Record<Name, Side>>,
  { seconds, times }: Effort,
): Promise<Record<Name, number>> {
  const costs = new Map<string, number[]>();
  for (let round = 0; round <= times; round += 1) {
    for (const [name, { server, load }] of Object.entries<Side>(sides)) {
      const prepared = await load();
      const before = server.processorSeconds();
      const { answered, failures } = await drive({ ...prepared, seconds });
      if (failures > 0) throw new Error(`${failures} requests to ${server.url} failed.`);
      await new Promise((resolve) => setTimeout(resolve, rest));
      const cost = ((server.processorSeconds() - before) * 1e6) / answered;
      if (round > 0) costs.set(name, [...(costs.get(name) ?? []), cost]);
    }
  }
  return Object.fromEntries([...costs].map(([name, all]) => [name, median(all)])) as Record<Name, number>;
}

export function readsOf(server: RunningServer, seeded: Seeded): Side {
  const path = stepThrough(seeded, 7919);
  const next = () => ({ method: 'GET', path: path() }) as const;
  return { server, load: () => ({ url: server.url, connections: 16, headers: headersOf(seeded), next }) };
}

function sending(server: RunningServer, seeded: Seeded, path: string): Side {
  const next = () => ({ method: 'GET', path }) as const;
  return { server, load: () => ({ url: server.url, connections: 16, headers: headersOf(seeded), next }) };
}

/** Each write states the newest ETag of its document; the baseline has none and ignores it. */
export function writesOf(server: RunningServer, seeded: Seeded): Side {
  const load = async (): Promise<Omit<Load, 'seconds'>> => {
    const tags = new Map<string, string>();
    for (const location of seeded.locations) {
      const path = `/v1/documents/${location}`;
      const answer = await fetch(server.url + path, { headers: headersOf(seeded) });
      await answer.arrayBuffer();
      tags.set(path, answer.headers.get('etag') ?? '');
    }
    return conditionalLoad(seeded, server.url, tags);
  };
  return { server, load };
}

const headersOf = ({ key }: Seeded) => authorization(key);
