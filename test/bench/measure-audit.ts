import Database from 'better-sqlite3';
import { pathsOf } from '../../lib/journal/workspace-files.js';
import type { Caller } from '../../lib/domain/caller.js';
import { parseLocation, type Location } from '../../lib/domain/location.js';
import { listAudit, type ListAuditInput } from '../../lib/operations/audit/list-audit.js';
import { createDocument } from '../../lib/operations/documents/create-document.js';
import { readDocument } from '../../lib/operations/documents/read-document.js';
import { updateDocument } from '../../lib/operations/documents/update-document.js';
import { perform } from '../../lib/operations/perform.js';
import { openTestService, operator, type TestService } from '../support/store/service.js';
import { until } from '../support/until.js';
import { median } from './drive.js';
import type { Effort } from './measure-core.js';
import type { Report } from './report.js';

const people = 40;
const folders = 20;
const documents = 400;
/** Records committed together: larger groups would leave too many without a signature. */
const group = 1000;
const frequent = [
  'document.read',
  'document.read',
  'document.read',
  'document.search',
  'folder.list',
  'document.update',
];

interface Log {
  readonly host: TestService;
  readonly approver: Caller;
  readonly ids: readonly string[];
  readonly documentIds: readonly string[];
}

/** Numbers that look random, and are the same in each run. */
function* draw(): Generator<number, never> {
  for (let state = 1; ; state = (state * 48_271) % 2_147_483_647) yield state / 2_147_483_647;
}
const numbers = draw();
const below = (count: number): number => Math.floor(numbers.next().value * count);

const placeOf = (index: number): string => `folder-${index % folders}/page-${index}.md`;

async function makeLog(records: number): Promise<Log> {
  const host = await openTestService({ store: 'disk-without-git' });
  const ids: string[] = [];
  for (let index = 0; index < people; index += 1) ids.push(await host.principal(`Person ${index}`));
  await host.grant('approver', { type: 'principal', id: ids[0] ?? '' }, 'folder-0');
  const documentIds: string[] = [];
  for (let index = 0; index < documents; index += 1) {
    const input = { location: parseLocation(placeOf(index)), labels: [], message: null };
    const content = { bytes: Buffer.from('text') };
    documentIds.push((await perform(host.workspace, operator, createDocument, { ...input, content })).result.id);
  }
  for (let left = records; left > 0; left -= group) {
    host.clock.advance(1000);
    await host.workspace.journal.write({
      isRecordOnly: true,
      run: (transaction) => addSome(transaction.audit.bind(transaction), ids, documentIds, left),
    });
  }
  const approver = { ...operator, principalId: ids[0] ?? '', kind: 'person', interface: 'rest' } as const;
  return { host, approver, ids, documentIds };
}

type Audit = Parameters<Parameters<TestService['workspace']['journal']['write']>[0]['run']>[0]['audit'];

function addSome(audit: Audit, ids: readonly string[], documentIds: readonly string[], left: number): void {
  for (let index = 0; index < Math.min(left, group); index += 1) {
    const number = below(documents);
    const isRefused = below(50) === 0;
    const action = below(1000) === 0 ? 'grant.create' : (frequent[below(frequent.length)] ?? '');
    const hasDocument = !isRefused && action.startsWith('document') && action !== 'document.search';
    audit({
      principal: ids[below(people)] ?? null,
      credential: `key_${below(people)}`,
      interface: 'rest',
      action,
      outcome: isRefused ? 'refused' : 'done',
      ...(isRefused ? { code: 'NOT_FOUND' as const } : {}),
      requestId: `req_${left}_${index}`,
      target: placeOf(number),
      ...(hasDocument ? { documentId: documentIds[number] } : {}),
    });
  }
}

async function timesOf(
  log: Log,
  caller: Caller,
  times: number,
  draws: () => Partial<ListAuditInput>,
): Promise<number[]> {
  const taken: number[] = [];
  for (let time = 0; time < times; time += 1) {
    const input = { after: '', limit: 50, ...draws() };
    const started = performance.now();
    await perform(log.host.workspace, caller, listAudit, input);
    taken.push(performance.now() - started);
  }
  return taken.toSorted((a, b) => a - b);
}

/** Milliseconds of processor time of one call. */
async function costOf(times: number, call: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  for (let time = 0; time < times; time += 1) await call();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / times;
}

const update =
  ({ host }: Log, number: number) =>
  () =>
    perform(host.workspace, operator, updateDocument, {
      location: parseLocation(placeOf(number)),
      content: { bytes: Buffer.from(`text ${numbers.next().value}`) },
      precondition: { any: true },
      mediaType: undefined,
      message: null,
    } as never);

const read =
  ({ host }: Log, number: number) =>
  () =>
    perform(host.workspace, operator, readDocument, {
      location: parseLocation(placeOf(number)),
      versionId: undefined,
      withContent: true,
    });

/** Questions to a log of a million records, and what its indexes cost a write and a read. */
export async function measureAudit(report: Report, { times }: Effort, records: number): Promise<void> {
  const log = await makeLog(records);
  const { host, approver, ids } = log;
  const rounds = 40 * times;
  const questions: Readonly<Record<string, readonly [Caller, () => Partial<ListAuditInput>]>> = {
    'everything, by an admin': [operator, () => ({})],
    'by a principal': [operator, () => ({ principal: ids[below(people)] })],
    'by a rare action': [operator, () => ({ action: 'grant.create' })],
    'by a principal and a rare action': [operator, () => ({ principal: ids[below(people)], action: 'grant.create' })],
    'refused, by a principal': [operator, () => ({ principal: ids[below(people)], outcome: 'refused' })],
    'who read a document': [
      operator,
      () => ({ location: placeOf(below(documents)) as Location, action: 'document.read' }),
    ],
    'a folder, by its approver': [approver, () => ({ location: 'folder-0' as Location })],
    'refused in a folder, by its approver': [
      approver,
      () => ({ location: 'folder-0' as Location, outcome: 'refused' }),
    ],
    'own doings': [approver, () => ({})],
    'by a request': [operator, () => ({ requestId: `req_${group * (1 + below(records / group))}_${below(group)}` })],
  };
  for (const [what, [caller, draws]] of Object.entries(questions)) {
    const first = await timesOf(log, caller, 1, draws);
    const taken = await timesOf(log, caller, rounds, draws);
    const p95 = taken[Math.floor(0.95 * taken.length)] ?? 0;
    report.add({ what: `${what}: p95`, value: p95, unit: 'ms', goal: '< 50 ms' });
    if (what === 'by a request') report.add({ what: 'the first by a request', value: first[0] ?? 0, unit: 'ms' });
  }
  const started = performance.now();
  const { id } = host.workspace.chainChecks.start();
  await until('the log is checked', () => host.workspace.chainChecks.find(id)?.endedAt !== null);
  if (host.workspace.chainChecks.find(id)?.verdict?.sound !== true) throw new Error('The log is not sound.');
  report.add({ what: 'check of the whole log', value: (performance.now() - started) / 1000, unit: 's' });

  const calls = 100 * times;
  const measure = async (of: Log): Promise<readonly [number, number]> => {
    await costOf(calls, update(of, below(documents)));
    const writes: number[] = [];
    const readings: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      writes.push(await costOf(calls, update(of, below(documents))));
      readings.push(await costOf(calls, read(of, below(documents))));
    }
    return [median(writes), median(readings)];
  };
  const [write, reading] = await measure(log);
  const file = new Database(pathsOf(host.dataFolder ?? '', host.workspace.name).sidecar);
  const indexes = file
    .prepare<[], { name: string; sql: string }>(
      "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name IN ('audit_record', 'audit_text') AND sql IS NOT NULL",
    )
    .all();
  for (const { name } of indexes) file.exec(`DROP INDEX ${name}`);
  const [bareWrite, bareReading] = await measure(log);
  report.add({
    what: 'processor time of an update',
    value: write,
    unit: 'ms',
    baseline: { name: 'no index', value: bareWrite },
    goal: '< 5 % more',
  });
  report.add({
    what: 'processor time of a read',
    value: reading,
    unit: 'ms',
    baseline: { name: 'no index', value: bareReading },
  });
  const migrated = performance.now();
  for (const { sql } of indexes) file.exec(sql);
  report.add({
    what: 'the indexes of a file with these records',
    value: (performance.now() - migrated) / 1000,
    unit: 's',
  });
  file.close();
  await host.close();
}
