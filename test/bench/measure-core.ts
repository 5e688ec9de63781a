import { builtFile, startCartulary, startServer } from './start-server.js';
import { parentOf } from '../../lib/domain/location.js';
import { drive, median, type Load, type LoadResult } from './drive.js';
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

export function stepThrough(seeded: Seeded, step: number): () => string {
  let at = 0;
  return () => {
    at = (at + step) % seeded.locations.length;
    return `/v1/documents/${seeded.locations[at] ?? ''}`;
  };
}

/** GET of a 4 kB document, authorised and durably recorded, beside the least cost of a recorded read. */
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
    // The two alternate, so that a slower machine slows down all of them.
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

/** Durable PUTs by 16 clients, each against the ETag that it knows, in a tree of 10,000; and where folders are wide. */
export async function measureWrites(report: Report, effort: Effort): Promise<void> {
  const what = 'PUT of 4 kB with If-Match, 16 clients on different documents, durable';
  for (const perFolder of [100, 1000, 10_000]) {
    const seeded = await seed(10_000, { perFolder });
    const service = await startCartulary(seeded.dataFolder);
    const file = join(seeded.dataFolder, 'baseline.sqlite');
    const least = await startServer(baselineServer(), 'written', '4096', file);
    const own: LoadResult[] = [];
    const plain: number[] = [];
    for (let run = 0; run < effort.times; run += 1) {
      const tags = await readTags(seeded, service.url);
      own.push(await drive({ ...conditionalLoad(seeded, service.url, tags), seconds: effort.seconds }));
      plain.push((await drive({ ...writeLoad(seeded, least.url, 16), seconds: effort.seconds })).perSecond);
    }
    const p99 = median(own.map((result) => result.p99));
    const failed = own.reduce((sum, { failures }) => sum + failures, 0);
    report.add({
      what: perFolder === 100 ? what : `the same in folders of ${perFolder.toLocaleString('en')}`,
      value: median(own.map(({ perSecond }) => perSecond)),
      unit: '/s',
      baseline: { name: 'node:http, UPDATE and INSERT, group-committed', value: median(plain) },
      ...(perFolder === 100 ? { goal: '≥ 1,500/s' } : {}),
      note: `p99 ${p99} ms, ${failed} failed`,
    });
    await Promise.all([service.stop(), least.stop()]);
    await seeded.remove();
  }
}

/** The ETag of each document, by its path under the service's address. */
export async function readTags(seeded: Seeded, url: string): Promise<Map<string, string>> {
  const tags = new Map<string, string>();
  for (const folder of new Set(seeded.locations.map(parentOf))) {
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = `/v1/documents?location=${folder}&limit=200${cursor === '' ? '' : `&cursor=${cursor}`}`;
      const answer = await fetch(url + page, { headers: authorization(seeded.key) });
      const list = (await answer.json()) as {
        items: { location: string; etag: string }[];
        next_cursor: string | null;
      };
      for (const { location, etag } of list.items) tags.set(`/v1/documents/${location}`, etag);
      cursor = list.next_cursor;
    }
  }
  return tags;
}

/** PUTs of 4 kB over 16 connections, each on another document and against its newest ETag. */
export function conditionalLoad(seeded: Seeded, url: string, tags: Map<string, string>): Omit<Load, 'seconds'> {
  const plain = writeLoad(seeded, url, 16);
  return {
    ...plain,
    next: () => {
      const request = plain.next();
      const { path } = request;
      return {
        ...request,
        headers: { 'if-match': tags.get(path) ?? '' },
        noteTag: (etag) => tags.set(path, etag),
      };
    },
  };
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

/** GET and PUT a second over 16 connections, in alternation, each on documents all over the workspace. */
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
  for (let run = 0; run < times; run += 1) {
    const headers = authorization(seeded.key);
    get.push((await drive({ url, connections: 16, seconds, headers, next })).perSecond);
    put.push((await drive({ ...writeLoad(seeded, url, 16), seconds })).perSecond);
  }
  return { get: median(get), put: median(put) };
}

/**
 * One folder of 1,000, listed by pages of 200. It is measured beside a bare Express route of the same bytes, and beside
 * the same folder in a workspace with many documents elsewhere.
 * @param elsewhere the number of those documents
 */
export async function measureLists(report: Report, effort: Effort, elsewhere: number): Promise<void> {
  const seeded = await seed(1000, { perFolder: 1000 });
  const crowded = await seed(1000 + elsewhere, { perFolder: 1000, bytes: 128 });
  const service = await startCartulary(seeded.dataFolder);
  const large = await startCartulary(crowded.dataFolder);
  const path = '/v1/documents?location=folder-0&limit=200';
  const page = await fetch(service.url + path, { headers: authorization(seeded.key) });
  const bytes = (await page.arrayBuffer()).byteLength;
  const bare = await startServer(baselineServer(), 'bare', String(bytes));
  const own: number[] = [];
  const amid: number[] = [];
  const plain: number[] = [];
  for (let run = 0; run < effort.times; run += 1) {
    const load = { connections: 16, seconds: effort.seconds, next: () => ({ method: 'GET', path }) as const };
    own.push((await drive({ ...load, url: service.url, headers: authorization(seeded.key) })).perSecond);
    amid.push((await drive({ ...load, url: large.url, headers: authorization(crowded.key) })).perSecond);
    plain.push((await drive({ ...load, url: bare.url })).perSecond);
  }
  const what = 'list of a folder of 1,000, a page of 200';
  report.add({
    what,
    value: median(own),
    unit: 'pages/s',
    baseline: { name: 'bare Express, same bytes', value: median(plain) },
    goal: '≥ 0.5 ×',
  });
  report.add({
    what: `the same with ${elsewhere.toLocaleString('en')} documents elsewhere`,
    value: median(amid),
    unit: 'pages/s',
    baseline: { name: 'with none elsewhere', value: median(own) },
    goal: 'the same',
  });
  await Promise.all([service.stop(), large.stop(), bare.stop()]);
  await Promise.all([seeded.remove(), crowded.remove()]);
}
