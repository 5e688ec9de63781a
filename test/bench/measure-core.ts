import { builtFile, startCartulary, startServer } from './start-server.js';
import { drive, driveRepeatedly, median, type Load } from './drive.js';
import { join } from 'node:path';
import type { Report } from './report.js';
import { seed, textOf, type Seeded } from './seed.js';

/** How long and how often; `quick` is for a look while working. */
export interface Effort {
  readonly seconds: number;
  readonly times: number;
}

const baselineServer = (): string => builtFile('./baseline-server.js');
export const authorization = (key: string) => ({ authorization: `Bearer ${key}` });

function stepThrough(seeded: Seeded, step: number): () => string {
  let at = 0;
  return () => {
    at = (at + step) % seeded.locations.length;
    return `/v1/documents/${seeded.locations[at] ?? ''}`;
  };
}

/** GET of a 4 kB document: authorised, recorded durably; beside the least that a recorded read can cost. */
export async function measureReads(report: Report, effort: Effort): Promise<void> {
  const seeded = await seed(10_000);
  const service = await startCartulary(seeded.dataFolder);
  const stored = await startServer(baselineServer(), 'stored', '4096', join(seeded.dataFolder, 'baseline.sqlite'));
  const bare = await startServer(baselineServer(), 'bare', '4096');
  for (const connections of [16, 64]) {
    const path = stepThrough(seeded, 7919);
    const get = (url: string, headers = {}): Load => ({
      url,
      connections,
      seconds: effort.seconds,
      headers,
      next: () => ({ method: 'GET', path: path() }),
    });
    // Alternating, so that a machine that slows down slows all of them.
    const own: number[] = [];
    const least: number[] = [];
    const plain: number[] = [];
    for (let run = 0; run < effort.times; run += 1) {
      own.push((await drive(get(service.url, authorization(seeded.key)))).perSecond);
      least.push((await drive(get(stored.url))).perSecond);
      plain.push((await drive(get(bare.url))).perSecond);
    }
    const what = `GET of 4 kB among 10,000 documents, ${connections} connections`;
    report.add({
      what,
      value: median(own),
      unit: '/s',
      baseline: { name: 'Express, SELECT and group-committed INSERT', value: median(least) },
      goal: '≥ 0.9 ×',
    });
    report.add({ what, value: median(own), unit: '/s', baseline: { name: 'bare Express', value: median(plain) } });
  }
  await Promise.all([service.stop(), stored.stop(), bare.stop()]);
  await seeded.remove();
}

/** Durable conditional PUTs by 16 clients, each on documents of its own, in a tree of 10,000. */
export async function measureWrites(report: Report, effort: Effort): Promise<void> {
  const seeded = await seed(10_000);
  const service = await startCartulary(seeded.dataFolder);
  const result = await driveRepeatedly(effort.times, {
    ...writeLoad(seeded, service.url, 16),
    seconds: effort.seconds,
  });
  report.add({
    what: 'PUT of 4 kB with If-Match, 16 clients on different documents, durable',
    value: result.perSecond,
    unit: '/s',
    goal: '≥ 1,500/s',
    note: `p99 ${result.p99} ms, ${result.failures} failed`,
  });
  await service.stop();
  await seeded.remove();
}

/** PUTs of 4 kB, each on another document. */
export function writeLoad(seeded: Seeded, url: string, connections: number): Omit<Load, 'seconds'> {
  const path = stepThrough(seeded, 7919);
  let number = 0;
  return {
    url,
    connections,
    headers: { ...authorization(seeded.key), 'content-type': 'application/json', 'if-match': '*' },
    next: () => {
      number += 1;
      return { method: 'PUT', path: path(), body: JSON.stringify({ content: textOf(number, 4096) }) };
    },
  };
}

/** GET and PUT a second over 16 connections, in turn, each on documents all over the workspace. */
export async function measureBoth(
  seeded: Seeded,
  url: string,
  { seconds, times }: Effort,
): Promise<{ readonly get: number; readonly put: number }> {
  const { locations } = seeded;
  const next = () =>
    ({
      method: 'GET',
      path: `/v1/documents/${locations[Math.floor(Math.random() * locations.length)] ?? ''}`,
    }) as const;
  const get: number[] = [];
  const put: number[] = [];
  for (let run = 0; run < Math.min(3, times); run += 1) {
    const headers = authorization(seeded.key);
    get.push((await drive({ url, connections: 16, seconds, headers, next })).perSecond);
    put.push((await drive({ ...writeLoad(seeded, url, 16), seconds })).perSecond);
  }
  return { get: median(get), put: median(put) };
}

/** One folder of 1,000 listed by pages of 200, beside a bare Express route of the same bytes. */
export async function measureLists(report: Report, effort: Effort): Promise<void> {
  const seeded = await seed(1000, { perFolder: 1000 });
  const service = await startCartulary(seeded.dataFolder);
  const path = '/v1/documents?location=folder-0&limit=200';
  const page = await fetch(service.url + path, { headers: authorization(seeded.key) });
  const bytes = (await page.arrayBuffer()).byteLength;
  const bare = await startServer(baselineServer(), 'bare', String(bytes));
  const own: number[] = [];
  const plain: number[] = [];
  for (let run = 0; run < effort.times; run += 1) {
    const load = { connections: 16, seconds: effort.seconds, next: () => ({ method: 'GET', path }) as const };
    own.push((await drive({ ...load, url: service.url, headers: authorization(seeded.key) })).perSecond);
    plain.push((await drive({ ...load, url: bare.url })).perSecond);
  }
  report.add({
    what: 'list of a folder of 1,000, a page of 200',
    value: median(own),
    unit: 'pages/s',
    baseline: { name: 'bare Express, same bytes', value: median(plain) },
    goal: '≥ 0.5 ×',
  });
  await Promise.all([service.stop(), bare.stop()]);
  await seeded.remove();
}
