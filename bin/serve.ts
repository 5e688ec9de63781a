import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import type { LogForm } from '../lib/app/real-world.js';
import type { Opened, RunningService } from '../lib/app/serve.js';
import { findUsualData, type Config } from '../lib/config.js';
import type { CommandAnswer } from '../lib/commands/carrier/send-command.js';
import { sendCommand } from '../lib/commands/carrier/send-command.js';
import { commandName, isKeptInJournal } from './command-name.js';
import { addCommand, readConfig, type CalledWith } from './options.js';
import { fail, printFailure, printFault, printJson, printText } from './print.js';
import { quoteWord } from './quote-word.js';

/** Maximum of milliseconds between a signal and the service's end. */
const stopTimeout = 9500;

/** serve and start: the commands that keep running. */
export function addServeCommands(program: Command): void {
  const serving = addCommand(program, {
    words: 'serve',
    description: 'Serve the data folder until SIGTERM or Ctrl-C.',
    example: 'cartulary serve --data /srv/cartulary --port 8080',
  })
    .option('--host <address>', 'the address to listen on (default: 127.0.0.1)')
    .option('--port <number>', 'the port to listen on; 0 takes any that is free (default: 8080)')
    .option('--public-url <url>', 'the address clients use, where a proxy stands in front')
    .option('--trust-proxy <proxies>', 'trusted proxies in front: their number, or their addresses')
    .option('--upgrade <when>', 'auto upgrades data of an earlier version, never refuses it (default: auto)')
    .option('--log-level <level>', 'trace, debug, info, warn, error, fatal or silent (default: info)')
    .option('--follow <address>', 'keep a copy in a bucket, a second behind: s3://bucket/prefix')
    .option('--follow-recipients <recipients>', 'who can open that copy, as `cartulary follow key` prints it')
    .option('--metrics-port <number>', 'the port of /metrics for Prometheus, such as 9464 (default: not served)')
    .option('--metrics-host <address>', 'the address of /metrics (default: 127.0.0.1)')
    .option('--create', 'serve a folder that has no workspace yet')
    .option('--memory', 'keep everything in memory, for a try-out');
  serving.action(() => serve(serving.opts<CalledWith>()));

  const starting = addCommand(program, {
    words: 'start',
    description:
      'Serve the data folder. The first start creates a workspace, and prints a sign-in link and an API key.',
    example: 'cartulary start',
  })
    .option('--host <address>', 'the address to listen on (default: 127.0.0.1)')
    .option('--port <number>', 'the port to listen on (default: 8080, or the next that is free)')
    .option('--upgrade <when>', 'auto upgrades data of an earlier version, never refuses it (default: auto)')
    .option(
      '--log-level <level>',
      'trace, debug, info, warn, error, fatal or silent (default: info, and at a terminal warn)',
    );
  starting.action(() => start(starting.opts<CalledWith>()));
}

async function serve(options: CalledWith): Promise<void> {
  const config = readConfig(options);
  const inMemory = options['memory'] === true;
  const asJson = options['json'] === true;
  if (!inMemory) await refuseNewerData(config.data);
  if (!inMemory && options['create'] !== true && !(await requireWorkspace(config.data, asJson))) return;
  let made: Made | undefined;
  const prepare = async (opened: Opened): Promise<void> => {
    if (inMemory) made = await initialize(opened);
  };
  const toServe = { ...config, data: inMemory ? null : config.data };
  const running = await open(toServe, [config.port], config, asJson, { prepare });
  if (running === undefined) return;
  const stopped = stopAtSignal(running);
  const { url, metricsUrl } = running;
  const metrics = metricsUrl === null ? {} : { metrics: metricsUrl };
  const facts = { url, ...metrics, data: inMemory ? null : config.data, pid: process.pid };
  if (asJson) printJson(made === undefined ? facts : { ...facts, ...pick(made) });
  else {
    printText(`Cartulary is running at ${running.url}`);
    if (metricsUrl !== null) printText(`Metrics: ${metricsUrl}`);
    printText(inMemory ? 'Everything is in memory, and gone when it stops.' : `Data: ${config.data}`);
    if (made !== undefined) printText(`Key: ${made.key}\nSign in, once: ${made.link}`);
    else if (running.service.names().length === 0) {
      printText(`There is no workspace yet: ${commandName()} init --workspace NAME --admin NAME${dataOption(config)}`);
    }
  }
  await stopped;
}

/** Ports that `start` tries without a configured one. The 0 at the end means any. */
const usualPorts = [8080, 8081, 8082, 8083, 8084, 8085, 8086, 8087, 8088, 8089, 0];

async function start(options: CalledWith): Promise<void> {
  const asJson = options['json'] === true;
  const isTerminal = process.stderr.isTTY;
  // A line for each request would push the link and the key off the screen of somebody who tries it out.
  const config = readConfig(options, isTerminal && !asJson ? { log_level: 'warn' } : {});
  const isUsualPort = config.port === usualPorts[0] && options['port'] === undefined;
  let made: Made | undefined;
  const prepare = async (opened: Opened): Promise<void> => {
    if (opened.service.names().length === 0) made = await initialize(opened);
  };
  const form = isTerminal ? 'short' : 'json';
  const running = await open(config, isUsualPort ? usualPorts : [config.port], config, asJson, { form, prepare });
  if (running === undefined) return;
  const stopped = stopAtSignal(running);
  // The journal would keep the key, and show it to others.
  const shown = isKeptInJournal() ? undefined : made;
  if (asJson) printJson({ url: running.url, data: config.data, ...(shown === undefined ? {} : pick(shown)) });
  else {
    const lines = shown === undefined ? await welcomeBack(running, config) : welcome(running, shown, config);
    printText(lines.join('\n'));
  }
  await stopped;
}

function welcome({ url }: RunningService, made: Made, config: Config): string[] {
  return [
    `Cartulary is running at ${url}`,
    `The data is in ${config.data}, the workspace is called ${made.workspace}.`,
    '',
    'Sign in, with a link that works once and for a day:',
    `  ${made.link}`,
    '',
    'Your API key, shown this once and stored nowhere:',
    `  ${made.key}`,
    '',
    'Write a document, and read it:',
    `  curl -sS -w '\\n' ${url}/v1/documents -H 'Authorization: Bearer ${made.key}' -H 'Idempotency-Key: hello' -H 'Content-Type: application/json' -d '{"location":"hello.md","content":"# Hello"}'`,
    `  curl -sS -w '\\n' ${url}/v1/documents/hello.md -H 'Authorization: Bearer ${made.key}'`,
    '',
    `The manual is at ${url}/docs/`,
    '',
    'Ctrl-C stops it.',
  ];
}

/** The option that names the data folder to further commands in this folder, where they need it. */
function dataOption({ data }: Pick<Config, 'data'>): string {
  if (isUsual(data)) return '';
  return ` --data ${quoteWord(data)}`;
}

function isUsual(data: string): boolean {
  try {
    return data === findUsualData();
  } catch {
    // Another account's data lies in the current folder. Commands there have to name what they mean.
    return false;
  }
}

async function welcomeBack(running: RunningService, config: Config): Promise<string[]> {
  const data = dataOption(config);
  const workspace = running.service.names()[0] ?? '';
  const admin = (await findAdmin(running, workspace)) ?? 'ID';
  return [
    `Cartulary is running at ${running.url}`,
    `The data is in ${config.data}: ${running.service.names().join(', ')}.`,
    '',
    `  curl -sS ${running.url}/v1/health`,
    '',
    'A new link to sign in with:',
    `  ${commandName()} link ${admin} --workspace ${workspace}${data}`,
    '',
    'Another API key:',
    `  ${commandName()} key mint --principal ${admin} --rest --workspace ${workspace}${data}`,
    '',
    'Ctrl-C stops it.',
  ];
}

/** Before anything of the folder is opened: SQLite writes beside a file that it only reads. @throws OtherFormat */
async function refuseNewerData(data: string): Promise<void> {
  const { explainClosedFolder } = await import('../lib/disk/explain-obstacle.js');
  if (explainClosedFolder(data, 'serve') !== undefined) return;
  const { refuseMissingFile } = await import('../lib/integrity/data-format.js');
  refuseMissingFile(data);
  const { requireFormat } = await import('../lib/app/upgrade.js');
  await requireFormat(data, 'any that can be upgraded');
}

/**
 * Refuses a folder without a workspace. It may be mistyped, or its disk may not be mounted: an empty service in its
 * place would look like the loss of everything.
 */
async function requireWorkspace(data: string, asJson: boolean): Promise<boolean> {
  const { explainClosedFolder } = await import('../lib/disk/explain-obstacle.js');
  const { listWorkspaces } = await import('../lib/integrity/open-data-folder.js');
  const closed = explainClosedFolder(data, 'serve');
  if (closed !== undefined) {
    fail(
      { code: 'INVALID_REQUEST', message: `${closed.message} ${closed.remedy}`, details: { reason: 'no_access' } },
      asJson,
    );
    return false;
  }
  try {
    if (listWorkspaces(data).length > 0) return true;
  } catch {
    // Its file is damaged. The start says so.
    return true;
  }
  const option = dataOption({ data });
  const message = [
    `There is no workspace in ${data}.`,
    `To begin, run \`cartulary start${option}\`: it makes a workspace, serves it, and prints a link to sign in and a key.`,
    `\`cartulary init --workspace NAME --admin NAME${option}\` makes one with names of yours; --create serves the folder without one.`,
    'If there should be a workspace, check the name of the folder (--data, CARTULARY_DATA or `data` in cartulary.json), and that its disk is mounted.',
  ].join('\n');
  fail({ code: 'INVALID_REQUEST', message, details: { reason: 'no_workspace', field: 'data' } }, asJson);
  return false;
}

/** Opens the service. After a failure, it prints the reason and sets exit code 1. */
async function open(
  config: Omit<Config, 'data'> & { readonly data: string | null },
  ports: readonly number[],
  { data }: Config,
  asJson: boolean,
  { form = 'json', prepare }: { readonly form?: LogForm; readonly prepare: (opened: Opened) => Promise<void> },
): Promise<RunningService | undefined> {
  const { makeLog } = await import('../lib/app/real-world.js');
  const { DataFolderInUse } = await import('../lib/app/service.js');
  const { OtherFormat } = await import('../lib/integrity/data-format.js');
  const { MetricsUnserved, startService } = await import('../lib/app/serve.js');
  const refuse = (code: string, message: string, reason: string): undefined => {
    printFailure({ code, message, details: { reason } }, asJson ? 'json' : 'text');
    process.exitCode = 1;
    return undefined;
  };
  try {
    // A folder that nothing was made in stays as it is where no port is free.
    if (config.data !== null && !existsSync(config.data)) await requireFreePort(config.host, ports);
    return await startService(config, makeLog(config.logLevel, form), { ports, prepare });
  } catch (error) {
    if (error instanceof DataFolderInUse) {
      const server = await askServer(data);
      const where = server === undefined ? 'another process' : `a server (process ${server.pid}, ${server.url})`;
      return refuse(
        'CONFLICT',
        `${data} is in use by ${where}. Stop it first, or choose another folder with --data.`,
        'data_in_use',
      );
    }
    if (error instanceof OtherFormat) return refuse(error.code, error.message, error.details.reason);
    const code = (error as NodeJS.ErrnoException).code;
    const isOfMetrics = error instanceof MetricsUnserved;
    const address = isOfMetrics ? error.address : `${config.host}:${ports.join(', ')}`;
    const option = isOfMetrics ? 'metrics-port' : 'port';
    if (code === 'EADDRINUSE')
      return refuse(
        'CONFLICT',
        `${address} is taken. Choose another with --${option}; 0 takes any that is free.`,
        'port_in_use',
      );
    if (code === 'EACCES' || code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      return refuse(
        'INVALID_REQUEST',
        `${address} cannot be listened on (${code}). Choose another --${option.replace('port', 'host')} or --${option}.`,
        'bad_address',
      );
    }
    throw error;
  }
}

/** @throws Error with the system's code when the last of the ports cannot be listened on, and none before it */
async function requireFreePort(host: string, ports: readonly number[]): Promise<void> {
  const { probePort } = await import('../lib/commands/operator/probe-port.js');
  let code: string | undefined;
  for (const port of ports) {
    code = await probePort(host, port);
    if (code !== 'EADDRINUSE') break;
  }
  if (code !== undefined) throw Object.assign(new Error(`No port can be listened on (${code})`), { code });
}

interface Made {
  readonly workspace: string;
  readonly key: string;
  readonly link: string;
}

const pick = ({ workspace, key, link }: Made): Made => ({ workspace, key, link });

/** The first workspace, made by the same command as `cartulary init`. */
async function initialize(running: Opened): Promise<Made> {
  const answer = await ask(running, 'init', { workspace: 'main', admin: 'Admin' });
  if ('error' in answer) throw new Error(answer.error.message);
  return answer.result as Made;
}

async function findAdmin(running: RunningService, workspace: string): Promise<string | undefined> {
  const answer = await ask(running, 'grant.list', { scope_type: 'folder', scope_id: '' }, workspace);
  if ('error' in answer) return undefined;
  const { items } = answer.result as { items: { role: string; subject: { type: string; id: string } }[] };
  return items.find(({ role, subject }) => role === 'approver' && subject.type === 'principal')?.subject.id;
}

async function ask(
  { service, url }: Opened,
  command: string,
  fields: Record<string, unknown>,
  workspace?: string,
): Promise<CommandAnswer> {
  const { runCommand } = await import('../lib/commands/carrier/run-command.js');
  return runCommand(
    { command, fields, workspace },
    {
      host: service,
      server: null,
      address: url,
      onProgress: async () => undefined,
      signal: new AbortController().signal,
      onFault: printFault,
    },
  );
}

async function askServer(dataFolder: string): Promise<{ readonly pid: number; readonly url: string } | undefined> {
  const answer = await sendCommand(dataFolder, { command: 'server', fields: {} }, async () => undefined);
  return answer !== undefined && 'result' in answer ? (answer.result as { pid: number; url: string }) : undefined;
}

/**
 * Waits for a signal, then stops gracefully. It is called before anything is printed: whoever waits for the output may
 * send the signal at once. A second signal, or too long a stop, ends the process.
 */
async function stopAtSignal(running: RunningService): Promise<void> {
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
  await new Promise<void>((go) => {
    for (const signal of signals) process.once(signal, () => go());
  });
  for (const signal of signals) process.once(signal, () => process.exit(1));
  const tooLong = setTimeout(() => process.exit(1), stopTimeout).unref();
  // Nothing is open any more. A process that goes on afterwards, as one of the tests does, is not ended.
  process.once('beforeExit', () => clearTimeout(tooLong));
  await running.close();
}
