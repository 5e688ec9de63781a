import { existsSync, readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { listUnknownVariables, packagePath, type Config } from '../lib/config.js';
import type {
  InspectOptions,
  PresentedProblem,
  VerifiedChain,
  VerifiedData,
} from '../lib/commands/operator/inspect.js';
import type { SearchReport } from '../lib/commands/operator/report-search.js';
import { sendCommand } from '../lib/commands/carrier/send-command.js';
import { addCommand, readConfig, type CalledWith, type Description } from './options.js';
import { askForHealth, describeLate, describeUnready } from './ready.js';
import { endProgress, fail, printJson, printLine, refused, showPassing } from './print.js';

/** A result, its form for people, and whether all is well. */
interface Inspection {
  readonly result: unknown;
  readonly lines: readonly string[];
  readonly isWell: boolean;
}

const toInspect = (config: Config): InspectOptions => ({
  dataFolder: config.data,
  workspace: config.workspace,
  git: config.git,
});

const count = (number: unknown, noun: string): string => `${String(number)} ${noun}${number === 1 ? '' : 's'}`;

const recoveredAtOption = [
  '--recovered-at <commit>',
  'you know that the workspace was made from a clone with this newest commit, which restarted its log',
] as const;

/** status, verify, audit verify, doctor: commands that read and change nothing. A server may be running. */
export function addInspectCommands(program: Command): void {
  const add = (
    description: Description,
    inspect: (config: Config, options: CalledWith) => Promise<Inspection>,
  ): Command => {
    const command = addCommand(program, description).option('--workspace <name>', 'only this one');
    command.action(() => run(command.opts<CalledWith>(), inspect));
    return command;
  };
  add(
    { words: 'status', description: 'Show the running server and the size of the data.', example: 'cartulary status' },
    showStatus,
  );
  add(
    {
      words: 'verify',
      description:
        'Check the integrity of all data: the checks of SQLite and git, the bytes of every version, all rows against the commits, the audit log with its archives, the search index. A server may run.',
      example: 'cartulary verify',
    },
    verify,
  )
    .option('--quick', "leave out the history: older versions' bytes, and the rows against what commits say")
    .option(...recoveredAtOption);
  add(
    {
      words: 'audit verify',
      description: 'Check that no record of the audit log was changed, moved or removed.',
      example: 'cartulary audit verify',
    },
    verifyAuditLog,
  )
    .option('--export <file>', 'check this export alone')
    .option('--key <key>', 'with --export: the public key that `cartulary audit key` prints, or a file that holds it')
    .option(
      '--head <head>',
      '"SEQ HASH" that the log must contain: a commit\'s Audit-Head, or the result of an earlier check',
    )
    .option('--clone <folder>', "a clone of the workspace's repository; its commits must agree with the log")
    .option(...recoveredAtOption);
  add(
    {
      words: 'doctor',
      description: 'Check the environment: Node, git, data folder, disk, clock, port, settings.',
      example: 'cartulary doctor',
    },
    examineMachine,
  )
    .option('--host <address>', 'the address to listen on')
    .option('--port <number>', 'the port to listen on')
    .option('--public-url <url>', 'the address clients use, where a proxy stands in front')
    .option('--trust-proxy <proxies>', 'trusted proxies in front: their number, or their addresses');
}

async function run(
  options: CalledWith,
  inspect: (config: Config, options: CalledWith) => Promise<Inspection>,
): Promise<void> {
  const config = readConfig(options);
  const asJson = options['json'] === true;
  try {
    if (inspect === showStatus || inspect === verifyAuditLog) await requireAccess(config);
    if (inspect !== examineMachine && options['export'] === undefined) await requireThisFormat(config);
    const { result, lines, isWell } = await inspect(config, options);
    if (asJson) printJson(result);
    else for (const line of lines) printLine(line);
    if (!isWell) process.exitCode = refused;
  } catch (error) {
    const {
      code = 'INTERNAL',
      message,
      details,
    } = error as { code?: string; message: string; details?: Record<string, unknown> };
    fail(details === undefined ? { code, message } : { code, message, details }, asJson);
  }
}

/** `verify` and `doctor` say this in their own form. @throws Error with a code and details */
async function requireAccess({ data }: Config): Promise<void> {
  const { explainClosedFolder } = await import('../lib/disk/explain-obstacle.js');
  const closed = explainClosedFolder(data, '…');
  if (closed === undefined) return;
  const error = new Error(`${closed.message} ${closed.remedy}`);
  throw Object.assign(error, { code: 'INVALID_REQUEST', details: { reason: 'no_access' } });
}

/** Tables of another format cannot be read. A folder that is closed to this account is judged later. */
async function requireThisFormat({ data }: Config): Promise<void> {
  const { explainClosedFolder } = await import('../lib/disk/explain-obstacle.js');
  if (explainClosedFolder(data, '…') !== undefined) return;
  const { requireFormat } = await import('../lib/app/upgrade.js');
  await requireFormat(data, 'this format');
}

async function showStatus(config: Config): Promise<Inspection> {
  const { reportStatus } = await import('../lib/commands/operator/inspect.js');
  const { describeSearch } = await import('../lib/commands/operator/report-search.js');
  const { describeWaiting } = await import('../lib/commands/operator/report-health.js');
  const { judgeGit } = await import('../lib/commands/operator/judge-git.js');
  const git = await judgeGit(config.git);
  const answer = await sendCommand(config.data, { command: 'server', fields: {} }, async () => undefined);
  const server =
    answer !== undefined && 'result' in answer
      ? (answer.result as { url: string; pid: number; metrics?: string | null })
      : null;
  const reports = server === null ? [] : await askForSearch(config.data);
  const health = server === null ? null : await askForHealth(config.data);
  const statuses = await reportStatus(toInspect(config));
  const workspaces = statuses.map((status) => {
    const found = reports.find(({ workspace }) => workspace === status['name']);
    const waiting = health?.waiting.find(({ workspace }) => workspace === status['name']);
    const waits = waiting === undefined ? null : { since: waiting.since, reason: waiting.reason };
    if (found === undefined) return { ...status, waits, search: null };
    const { workspace: _, ...search } = found;
    return { ...status, waits, search };
  });
  const running = server === null ? 'No server runs.' : `A server runs at ${server.url} (process ${server.pid}).`;
  const scraped = typeof server?.metrics === 'string' ? [`Its metrics are at ${server.metrics}`] : [];
  const late = health === null ? '' : describeLate(health).trim();
  const state = health === null || (health.ready && late === '') ? [] : [health.ready ? late : describeUnready(health)];
  const describe = ({
    name,
    title,
    documents,
    versions,
    stored_bytes: bytes,
    warnings,
    ...more
  }: Readonly<Record<string, unknown>>): string[] => [
    `${String(name)}${title === name ? '' : ` (${String(title)})`}: ${count(documents, 'document')}, ${count(versions, 'version')}, ${count(bytes, 'byte')}`,
    `  beside them: ${describeSizes(more['beside_documents'] as Readonly<Record<string, number>>)}`,
    ...describeDerived(more['derived_repositories'] as DerivedTotals | null),
    ...(warnings as readonly string[]).map((warning) => `  warning: ${warning}`),
    ...(health?.waiting ?? [])
      .filter(({ workspace }) => workspace === name)
      .map((waiting) => `  warning: ${describeWaiting(waiting, Date.now())}`),
    ...reports.filter(({ workspace }) => workspace === name).flatMap(describeSearch),
  ];
  const lines = statuses.flatMap((status) =>
    typeof status['problem'] === 'string'
      ? [`${String(status['name'])}: BROKEN: ${status['problem']}`]
      : describe(status),
  );
  const clones =
    git.refused !== null
      ? [`It refuses git clients: ${git.refused}.`]
      : [`Git clients find a workspace at ${server?.url}/git/NAME.`];
  const { describeFormat } = await import('../lib/app/upgrade.js');
  const format = await describeFormat(config.data);
  const result = { data: config.data, ...format, server, git, health, workspaces };
  const atServer = server === null ? [] : clones;
  return {
    result,
    lines: [
      `${config.data} (data format ${format.data_format}, written by Cartulary ${format.written_by})`,
      running,
      ...scraped,
      ...atServer,
      ...state,
      ...lines,
    ],
    isWell: statuses.every(({ problem }) => problem === null),
  };
}

interface DerivedTotals {
  readonly count: number;
  readonly bytes: number;
}

/** The line of the git repositories made for principals, where there are any. */
function describeDerived(derived: DerivedTotals | null): string[] {
  if (derived === null || derived.count === 0) return [];
  const repositories = derived.count === 1 ? '1 repository' : `${derived.count} repositories`;
  return [`  for git clients: ${repositories}, ${describeSizes({ in_all: derived.bytes })}`];
}

/** `comments 24.6 kB, messages 1.2 MB`, … */
function describeSizes(sizes: Readonly<Record<string, number>>): string {
  return Object.entries(sizes)
    .map(([name, bytes]) => {
      const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), 4);
      const shown = power === 0 ? String(bytes) : (bytes / 1000 ** power).toFixed(1);
      return `${name.replaceAll('_', ' ')} ${shown} ${['B', 'kB', 'MB', 'GB', 'TB'][power]}`;
    })
    .join(', ');
}

/** The server's work on the search indexes. Empty for a server older than this request. */
async function askForSearch(data: string): Promise<readonly SearchReport[]> {
  const answer = await sendCommand(data, { command: 'search.report', fields: {} }, async () => undefined);
  return answer !== undefined && 'result' in answer ? (answer.result as readonly SearchReport[]) : [];
}

async function verify(config: Config, options: CalledWith): Promise<Inspection> {
  const { verifyData } = await import('../lib/commands/operator/inspect.js');
  const recoveredAt = readText(options, 'recoveredAt');
  const toVerify = { ...toInspect(config), isQuick: options['quick'] === true, recoveredAt };
  const { service, workspaces } = await verifyData(toVerify, (name, what, done) => {
    showPassing(`${name}: ${done} ${what} read`);
  });
  endProgress('removed');
  const isSound = service.sound && workspaces.every(({ sound }) => sound);
  const lines = [
    ...(service.sound ? [] : [`The service: ${describeState(service)}`, ...describeProblems(service.problems)]),
    ...workspaces.flatMap((each) => [
      `${each.workspace}: ${describeState(each)}; ${count(each.documents, 'document')}${toVerify.isQuick ? '' : `, ${count(each.versions, 'version')}`} and ${count(each.audit_records, 'audit record')} checked`,
      ...describeProblems(each.problems),
      ...each.remarks.map(({ part, message }) => `  ${part}: ${message}`),
    ]),
  ];
  return { result: { sound: isSound, service, workspaces }, lines, isWell: isSound };
}

/** Where something could not be read, nothing is known about it, unless there are faults besides. */
function describeState({ sound, checked, problems }: VerifiedData['service']): string {
  if (sound) return 'sound';
  return checked || problems.some(({ part }) => part !== 'access' && part !== 'room') ? 'BROKEN' : 'NOT CHECKED';
}

/** A line for each. Below them, once for each kind, its remedy. */
function describeProblems(problems: readonly PresentedProblem[]): string[] {
  const byWay = new Map<string, Set<string>>();
  for (const { part, remedy } of problems) byWay.set(remedy, (byWay.get(remedy) ?? new Set()).add(part));
  return [
    ...problems.map(
      ({ part, location, message }) => `  ${part}: ${location === undefined ? '' : `${location} `}${message}`,
    ),
    ...[...byWay].map(([remedy, parts]) => `  What to do (${[...parts].join(', ')}): ${remedy}`),
  ];
}

async function verifyAuditLog(config: Config, options: CalledWith): Promise<Inspection> {
  const { verifyChains, verifyExport } = await import('../lib/commands/operator/inspect.js');
  const [file, key] = [readText(options, 'export'), readText(options, 'key')];
  const elsewhere = {
    head: readText(options, 'head'),
    clone: readText(options, 'clone'),
    recoveredAt: readText(options, 'recoveredAt'),
  };
  const chains =
    file === undefined
      ? await verifyChains(toInspect(config), elsewhere)
      : [await verifyExport({ ...elsewhere, file, key: key === undefined ? undefined : readKey(key) })];
  const isSound = chains.every(({ sound }) => sound);
  return { result: { sound: isSound, chains }, lines: chains.flatMap(describeChain), isWell: isSound };
}

function readText(options: CalledWith, name: string): string | undefined {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
}

/** A key as printed, or the file that holds it. */
function readKey(text: string): string {
  return existsSync(text) ? readFileSync(text, 'utf8') : text;
}

/** An unsigned end is no defect. */
const whenSigned = 'a running server signs each thousandth record, and the last one when it stops';

function describeChain(chain: VerifiedChain): string[] {
  const whose = chain.workspace === undefined ? '' : `${chain.workspace}: `;
  const remarks = chain.remarks.map((message) => `  ${message}`);
  if (chain.sound) {
    const unsigned = chain.workspace === undefined ? 'no signature was checked' : 'not signed yet';
    const signed = chain.signed === null ? unsigned : `signed up to ${chain.signed.seq}`;
    const rest = chain.signed !== null && chain.signed.seq < chain.records ? ` (${whenSigned})` : '';
    return [`${whose}sound; ${chain.records} records, ${signed}${rest}; the last is ${chain.head}`, ...remarks];
  }
  if (chain.reason !== 'unexpected_restart') {
    return [`${whose}BROKEN: ${chain.problem}; the ${chain.records} records before it are sound`, ...remarks];
  }
  return [
    `${whose}RESTARTED: ${chain.problem}; the ${chain.records} records since then are sound`,
    ...remarks,
    `  If you made this workspace from a clone then: --recovered-at ${chain.restart?.commit ?? ''}. If not, the log was replaced.`,
  ];
}

async function examineMachine(config: Config): Promise<Inspection> {
  const { diagnose } = await import('../lib/commands/operator/diagnose.js');
  const { thisProgram } = await import('../lib/app/upgrade.js');
  const { engines, version } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8')) as {
    engines: { node: string };
    version: string;
  };
  const checks = await diagnose({
    dataFolder: config.data,
    host: config.host,
    port: config.port,
    git: config.git,
    publicUrl: config.publicUrl,
    trustProxy: config.trustProxy,
    diskReserve: config.diskReserve,
    metrics: config.metrics,
    texts: config.extraction,
    copy: { address: config.follow?.address ?? null, attempt: () => tryCopy(config) },
    version,
    format: thisProgram().format,
    oldestNode: engines.node.replace(/^>=/, ''),
    now: Date.now(),
    unknownVariables: listUnknownVariables(),
  });
  const isWell = checks.every(({ ok }) => ok);
  const lines = checks.flatMap(({ name, ok, message, remedy }) => [
    `${ok ? 'ok     ' : 'problem'}  ${name.padEnd(8)}  ${message}`,
    ...(remedy === undefined ? [] : [`${' '.repeat(19)}${remedy}`]),
  ]);
  return { result: { ok: isWell, checks }, lines, isWell };
}

/** @throws Error with a message for people */
async function tryCopy(config: Config): Promise<void> {
  const { follow } = config;
  if (follow === null) return;
  const { openBucket, requireRecipients } = await import('../lib/app/open-follower.js');
  requireRecipients(follow);
  const bucket = openBucket(config, follow.address);
  await bucket.probe({ isVersioned: follow.isVersioned, signal: AbortSignal.timeout(longestTry) });
}

/** Milliseconds for a bucket to answer to all that it is tried by. */
const longestTry = 30_000;
