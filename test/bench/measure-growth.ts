import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readReach } from '../../lib/view/reach.js';
import { parseLocation } from '../../lib/domain/location.js';
import { openTestService } from '../support/store/service.js';
import { drive, median } from './drive.js';
import { authorization, measureBoth, type Effort } from './measure-core.js';
import type { Report } from './report.js';
import { seed, type Seeded } from './seed.js';
import { startCartulary, type RunningServer } from './start-server.js';

const milliseconds = (from: number): number => performance.now() - from;

/** 16 clients update one document by their last read: every answered update is in the history, and none is lost. */
export async function measureLostUpdates(report: Report, effort: Effort): Promise<void> {
  const seeded = await seed(10);
  const service = await startCartulary(seeded.dataFolder);
  const url = `${service.url}/v1/documents/${seeded.locations[0] ?? ''}`;
  const headers = authorization(seeded.key);
  let accepted = 0;
  let refused = 0;
  const until = performance.now() + effort.seconds * 1000;
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      while (performance.now() < until) {
        const read = await fetch(url, { headers });
        const { content } = (await read.json()) as { content: string };
        const count = /^count (\d+)$/.exec(content)?.[1] ?? '0';
        const answer = await fetch(url, {
          method: 'PUT',
          headers: { ...headers, 'content-type': 'application/json', 'if-match': read.headers.get('etag') ?? '' },
          body: JSON.stringify({ content: `count ${Number(count) + 1}` }),
        });
        await answer.arrayBuffer();
        if (answer.ok) accepted += 1;
        else refused += 1;
      }
    }),
  );
  const { content } = (await (await fetch(url, { headers })).json()) as { content: string };
  const counted = Number(/^count (\d+)$/.exec(content)?.[1] ?? 0);
  report.add({
    what: 'updates lost, 16 clients on one document with If-Match',
    value: accepted - counted,
    unit: 'updates',
    goal: '0',
    note: `${accepted} accepted, ${refused} refused`,
  });
  await service.stop();
  await seeded.remove();
}

/** One principal's reach, read from the tables: in 1,000 groups, each in the next, with 10,000 grants. */
export async function measureReach(report: Report, effort: Effort): Promise<void> {
  const test = await openTestService();
  const id = await test.principal('Deep');
  await test.workspace.journal.write({
    run({ tables, now }) {
      let member: { type: 'principal' | 'group'; id: string } = { type: 'principal', id };
      for (let depth = 0; depth < 1000; depth += 1) {
        const group = { id: `grp_${depth}`, displayName: `Group ${depth}`, createdAt: now };
        tables.groups.insert(group);
        tables.groups.join(group.id, member, now);
        member = { type: 'group', id: group.id };
        for (let number = 0; number < 10; number += 1) {
          tables.grants.insert({
            id: `grt_${depth}_${number}`,
            scope: { type: 'folder', location: parseLocation(`folder-${depth}/part-${number}`) },
            subject: { type: 'group', id: group.id },
            role: 'reader',
            grantedBy: id,
            createdAt: now,
          });
        }
      }
    },
  });
  const times: number[] = [];
  for (let run = 0; run < effort.times * 4; run += 1) {
    const started = performance.now();
    readReach(test.workspace.journal.reader, id);
    times.push(milliseconds(started));
  }
  const caller = { principalId: id, kind: 'person', credentialId: null, interface: 'rest', requestId: 'r' } as const;
  test.workspace.view(caller);
  const started = performance.now();
  for (let run = 0; run < 1000; run += 1) test.workspace.view(caller).roleAt(parseLocation('folder-500/part-5/a.md'));
  const what = 'reach of a principal in 1,000 nested groups with 10,000 grants';
  report.add({ what: `${what}, read again`, value: median(times), unit: 'ms' });
  report.add({ what: `${what}, in a request`, value: milliseconds(started) / 1000, unit: 'ms', goal: '< 1 ms' });
  await test.close();
}

/** Export of 10,000 documents beside `git archive` of the same tree. */
export async function measureExport(report: Report, effort: Effort): Promise<void> {
  const seeded = await seed(10_000);
  const service = await startCartulary(seeded.dataFolder);
  const repository = join(seeded.dataFolder, 'acme', 'content.git');
  const own: number[] = [];
  const git: number[] = [];
  let resident = 0;
  for (let run = 0; run < effort.times; run += 1) {
    let started = performance.now();
    const answer = await fetch(`${service.url}/v1/folders/export?location=`, { headers: authorization(seeded.key) });
    await answer.arrayBuffer();
    own.push(10_000 / (milliseconds(started) / 1000));
    resident = Math.max(resident, service.residentBytes());
    started = performance.now();
    execFileSync('git', ['-C', repository, 'archive', '--format=zip', 'main'], { maxBuffer: 2 ** 30 });
    git.push(10_000 / (milliseconds(started) / 1000));
  }
  report.add({
    what: 'export of 10,000 documents of 4 kB as zip',
    value: median(own),
    unit: 'documents/s',
    baseline: { name: 'git archive --format=zip', value: median(git) },
    goal: '≥ 0.5 ×',
    note: `${Math.round(resident / 1024 ** 2)} MB resident at most`,
  });
  await service.stop();
  await seeded.remove();
}

/** Milliseconds from starting the program on a data folder to its first answer to a read. */
async function timeStart(seeded: Seeded): Promise<{ readonly service: RunningServer; readonly took: number }> {
  const started = performance.now();
  const service = await startCartulary(seeded.dataFolder);
  await fetch(`${service.url}/v1/documents/${seeded.locations[0] ?? ''}`, { headers: authorization(seeded.key) });
  return { service, took: milliseconds(started) };
}

async function post(service: RunningServer, seeded: Seeded, path: string, body: object): Promise<Response> {
  return fetch(service.url + path, {
    method: 'POST',
    headers: {
      ...authorization(seeded.key),
      'content-type': 'application/json',
      'idempotency-key': `bench-${Math.round(performance.now() * 1000)}`,
    },
    body: JSON.stringify(body),
  });
}

/**
 * GET and PUT as documents grow. The largest also measures start, memory, and the rename of a folder with all of them.
 */
export async function measureGrowth(report: Report, effort: Effort): Promise<void> {
  const sizes = effort.times === 1 ? [1000, 10_000] : [1000, 10_000, 100_000];
  let first: { get: number; put: number } | undefined;
  for (const size of sizes) {
    const seeded = await seed(size, { bytes: 3072, below: 'all' });
    const { service, took } = await timeStart(seeded);
    const now = await measureBoth(seeded, service.url, effort);
    first ??= now;
    const baseline = (value: number) => ({ name: `among ${sizes[0] ?? 0}`, value });
    const among = `among ${size.toLocaleString('en')} documents`;
    report.add({ what: `GET ${among}`, value: now.get, unit: '/s', baseline: baseline(first.get), goal: '≥ 0.9 ×' });
    report.add({ what: `PUT ${among}`, value: now.put, unit: '/s', baseline: baseline(first.put), goal: '≥ 0.67 ×' });
    report.add({
      what: `start to first answer, ${size.toLocaleString('en')} documents`,
      value: took,
      unit: 'ms',
      goal: '< 2,000 ms',
    });
    await measureRename(report, effort, service, seeded, size);
    const resident = service.residentBytes() / 1024 ** 2;
    report.add({
      what: `resident memory after this load, ${size.toLocaleString('en')} documents`,
      value: resident,
      unit: 'MB',
      goal: '< 600 MB',
    });
    await service.stop();
    await seeded.remove();
  }
}

async function measureRename(
  report: Report,
  effort: Effort,
  service: RunningServer,
  seeded: Seeded,
  size: number,
): Promise<void> {
  const small = await post(service, seeded, '/v1/documents', { location: 'aside.md', content: 'aside' });
  await small.arrayBuffer();
  const reading = drive({
    url: service.url,
    connections: 4,
    seconds: Math.max(2, effort.seconds),
    headers: authorization(seeded.key),
    next: () => ({ method: 'GET', path: '/v1/documents/aside.md' }),
  });
  const took: number[] = [];
  for (let run = 0; run < 5; run += 1) {
    const from = run % 2 === 0 ? 'all' : 'everything';
    const started = performance.now();
    const answer = await post(service, seeded, '/v1/renames', {
      location: from,
      name: run % 2 === 0 ? 'everything' : 'all',
    });
    if (!answer.ok) throw new Error(`The rename was answered ${answer.status}: ${await answer.text()}`);
    await answer.arrayBuffer();
    took.push(milliseconds(started));
    await delay(200);
  }
  const { p99 } = await reading;
  report.add({
    what: `rename of a folder of ${size.toLocaleString('en')} documents`,
    value: median(took),
    unit: 'ms',
    goal: '< 200 ms',
    note: `GET p99 meanwhile ${p99} ms, goal < 50`,
  });
}
