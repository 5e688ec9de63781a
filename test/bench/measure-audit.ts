import { cpSync, rmSync } from 'node:fs';
import { Service } from '../../lib/app/service.js';
import type { Caller } from '../../lib/domain/caller.js';
import { parseLocation, type Location } from '../../lib/domain/location.js';
import { pathsOf } from '../../lib/journal/workspace-files.js';
import { listAudit, type ListAuditInput } from '../../lib/operations/audit/list-audit.js';
import { createDocument } from '../../lib/operations/documents/create-document.js';
import { readDocument } from '../../lib/operations/documents/read-document.js';
import { updateDocument } from '../../lib/operations/documents/update-document.js';
import { perform } from '../../lib/operations/perform.js';
import { makeTestRandomness, openTestService, operator, type TestService } from '../support/store/service.js';
import type { Workspace } from '../../lib/workspace/workspace.js';
import { until } from '../support/until.js';
import { median } from './drive.js';
import type { Effort } from './measure-core.js';
import type { Report } from './report.js';
import { Sqlite, type Connection } from '../support/store/sqlite.js';

const people = 40;
const folders = 20;
const documents = 400;
/** Milliseconds for a check of the whole log on a busy machine. */
const maxCheck = 300_000;
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
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number;
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
  const startedAt = host.clock.now();
  for (let left = records; left > 0; left -= group) {
    host.clock.advance(1000);
    await host.workspace.journal.write({
      isRecordOnly: true,
      run: (transaction) => addSome(transaction.audit.bind(transaction), ids, documentIds, left),
    });
  }
  const approver = { ...operator, principalId: ids[0] ?? '', kind: 'person', interface: 'rest' } as const;
  return { host, approver, ids, startedAt, endedAt: host.clock.now() };
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

/** Milliseconds of processor time of one call. */
async function costOf(times: number, call: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  for (let time = 0; time < times; time += 1) await call();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / times;
}

/** The processor time of each question, sorted. */
async function costsOf(
  { host }: Log,
  caller: Caller,
  times: number,
  draws: () => Partial<ListAuditInput>,
): Promise<number[]> {
  const taken: number[] = [];
  for (let time = 0; time < times; time += 1) {
    const input = { after: '', limit: 50, ...draws() };
    taken.push(await costOf(1, () => perform(host.workspace, caller, listAudit, input)));
  }
  return taken.toSorted((a, b) => a - b);
}

const update = (workspace: Workspace, number: number) => () =>
  perform(workspace, operator, updateDocument, {
    location: parseLocation(placeOf(number)),
    content: { bytes: Buffer.from(`text ${numbers.next().value}`) },
    precondition: { any: true },
    mediaType: undefined,
    message: null,
  } as never);

const read = (workspace: Workspace, number: number) => () =>
  perform(workspace, operator, readDocument, {
    location: parseLocation(placeOf(number)),
    versionId: undefined,
    withContent: true,
  });

/** The question of each kind, who asks it, and what differs from time to time. */
function questionsTo({ approver, ids, startedAt, endedAt }: Log, records: number): Questions {
  const person = () => ids[below(people)];
  const key = () => `key_${below(people)}`;
  const hour = (): Partial<ListAuditInput> => {
    const from = startedAt + below(endedAt - startedAt);
    return { from, to: from + 10_000 };
  };
  const folder = { location: 'folder-0' as Location };
  const document = () => ({ location: placeOf(below(documents)) as Location });
  return {
    'everything, by an admin': [operator, () => ({})],
    'by a principal': [operator, () => ({ principal: person() })],
    'by a credential': [operator, () => ({ credential: key() })],
    'by a principal and a credential': [operator, () => ({ principal: person(), credential: key() })],
    'by a frequent action': [operator, () => ({ action: 'document.update' })],
    'by a rare action': [operator, () => ({ action: 'grant.create' })],
    'by an action that never was': [operator, () => ({ action: 'grant.revoke' })],
    'by a principal and a rare action': [operator, () => ({ principal: person(), action: 'grant.create' })],
    refused: [operator, () => ({ outcome: 'refused' })],
    'refused, by a principal': [operator, () => ({ principal: person(), outcome: 'refused' })],
    'refused, by a principal and a rare action': [
      operator,
      () => ({ principal: person(), action: 'grant.create', outcome: 'refused' }),
    ],
    'by a time': [operator, hour],
    'by a time, a principal and a rare action': [
      operator,
      () => ({ ...hour(), principal: person(), action: 'grant.create' }),
    ],
    'by a request': [operator, () => ({ requestId: `req_${group * (1 + below(records / group))}_${below(group)}` })],
    'who read a document': [operator, () => ({ ...document(), action: 'document.read' })],
    'a document, by a principal': [operator, () => ({ ...document(), principal: person() })],
    'a folder, by its approver': [approver, () => folder],
    'who wrote in a folder, by its approver': [approver, () => ({ ...folder, action: 'document.update' })],
    'refused in a folder, by its approver': [approver, () => ({ ...folder, outcome: 'refused' })],
    'one principal in a folder, by its approver': [approver, () => ({ ...folder, principal: person() })],
    'a time in a folder, by its approver': [approver, () => ({ ...folder, ...hour() })],
    'a request in a folder, by its approver': [approver, () => ({ ...folder, requestId: 'req_1000_1' })],
    'a key in a folder, by its approver': [approver, () => ({ ...folder, credential: key() })],
    'own doings': [approver, () => ({})],
    'own refusals': [approver, () => ({ outcome: 'refused' })],
    'own doings at a place': [approver, () => ({ principal: approver.principalId, ...document() })],
    'own doings by a key': [approver, () => ({ credential: key() })],
    'own doings at a time': [approver, hour],
    'own request': [approver, () => ({ requestId: 'req_1000_1' })],
  };
}

type Questions = Readonly<Record<string, readonly [Caller, () => Partial<ListAuditInput>]>>;

const indexesOf = (file: Connection): { name: string; sql: string }[] =>
  file
    .prepare<[], { name: string; sql: string }>(
      "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name IN ('audit_record', 'audit_text') AND sql IS NOT NULL",
    )
    .all();

/**
 * What the indexes cost a write and a read: the same workspace is opened twice, once from a copy without them, and both
 * take turns.
 */
async function measureCost(report: Report, { host }: Log, rounds: number): Promise<void> {
  const folder = host.dataFolder ?? '';
  const copy = `${folder}-bare`;
  await host.service.close();
  cpSync(folder, copy, { recursive: true });
  const file = new Sqlite(pathsOf(copy, 'acme').sidecar);
  const indexes = indexesOf(file);
  for (const { name } of indexes) file.exec(`DROP INDEX ${name}`);
  file.close();
  const open = (dataFolder: string): Promise<Service> =>
    Service.open({
      dataFolder,
      git: 'never',
      clock: host.clock,
      randomness: makeTestRandomness('cost'),
      onFault: () => undefined,
    });
  const services = [await open(folder), await open(copy)] as const;
  const calls = 100;
  const costs: Readonly<Record<'write' | 'read', [number[], number[]]>> = { write: [[], []], read: [[], []] };
  try {
    for (let round = -5; round < rounds; round += 1) {
      const number = below(documents);
      for (const which of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
        const workspace = services[which].find('acme');
        if (workspace === undefined) throw new Error('There is no workspace.');
        const write = await costOf(calls, update(workspace, number));
        const reading = await costOf(calls, read(workspace, number));
        if (round < 0) continue;
        costs.write[which].push(write);
        costs.read[which].push(reading);
      }
    }
  } finally {
    for (const service of services) await service.close();
  }
  for (const [what, [withThem, without]] of Object.entries(costs)) {
    const ratios = withThem.map((cost, round) => cost / (without[round] ?? Number.NaN));
    report.add({
      what: `processor time of ${what === 'write' ? 'an update' : 'a read'}`,
      value: median(withThem),
      unit: 'ms',
      baseline: { name: 'no index', value: median(without) },
      note: `median of ratios ${median(ratios).toFixed(3)}`,
      ...(what === 'write' ? { goal: '< 5 % more' } : {}),
    });
  }
  const bare = new Sqlite(pathsOf(copy, 'acme').sidecar);
  const before = process.cpuUsage();
  for (const { sql } of indexes) bare.exec(sql);
  const { user, system } = process.cpuUsage(before);
  report.add({ what: 'the indexes of a file with these records', value: (user + system) / 1e6, unit: 's' });
  bare.close();
  rmSync(copy, { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
}

/** Questions to a log of a million records, and what its indexes cost a write and a read, in processor time. */
export async function measureAudit(report: Report, { times }: Effort, records: number): Promise<void> {
  const log = await makeLog(records);
  const { host } = log;
  const rounds = 40 * times;
  for (const [what, [caller, draws]] of Object.entries(questionsTo(log, records))) {
    const [first = 0] = await costsOf(log, caller, 1, draws);
    const taken = await costsOf(log, caller, rounds, draws);
    const p95 = taken[Math.floor(0.95 * taken.length)] ?? 0;
    report.add({
      what: `${what}: p95`,
      value: p95,
      unit: 'ms',
      goal: '< 50 ms',
      note: `the first ${first.toFixed(0)}`,
    });
  }
  const started = process.cpuUsage();
  const { id } = host.workspace.chainChecks.start();
  await until('the log is checked', () => host.workspace.chainChecks.find(id)?.endedAt !== null, maxCheck);
  if (host.workspace.chainChecks.find(id)?.verdict?.sound !== true) throw new Error('The log is not sound.');
  const { user, system } = process.cpuUsage(started);
  report.add({ what: 'check of the whole log', value: (user + system) / 1e6, unit: 's' });
  await measureCost(report, log, 10 * times);
}
