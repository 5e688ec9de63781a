import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { SharedPrograms, type SharedRun } from './shared-program.js';

/** The built program, beside the compiled tests. */
const program = fileURLToPath(new URL('../../../bin/cartulary.js', import.meta.url));

/** Milliseconds for a test that starts many processes: a second on an idle machine, far more on a busy one. */
export const timeout = 120_000;

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  /** Added to an environment without any CARTULARY_ variable, and with an empty home. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The account that runs it, by its number. Left out: this one. */
  readonly uid?: number;
  /** Another file that runs it. */
  readonly program?: string;
  /** An open file for its standard error. */
  readonly complaints?: number;
  /** Whether it is a start of the program, for tests of what a start does. Left out: it may be in a process that ran before. */
  readonly isStart?: boolean;
}

/** No program of a test may find data in the home of whoever runs the tests, or leave some there. */
const home = join(tmpdir(), `cartulary-home-${process.pid}`);

function makeEnvironment({ environment }: RunOptions): Record<string, string> {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(?:CARTULARY|XDG)_/.test(name));
  const own = { HOME: home, LOCALAPPDATA: home };
  return { ...(Object.fromEntries(inherited) as Record<string, string>), ...own, ...environment };
}

function spawnProgram(parameters: readonly string[], options: RunOptions): ChildProcess {
  const { cwd, uid } = options;
  return spawn(process.execPath, [options.program ?? program, ...parameters], {
    cwd,
    uid,
    gid: uid,
    env: makeEnvironment(options),
    stdio: ['ignore', 'pipe', options.complaints ?? 'pipe'],
  });
}

/** Processes that run one command after the other (decision 0133). */
const shared = new SharedPrograms();

/** Whether a run has to be a process of its own. Node reads its settings when it starts. */
function needsStart({ program: file, uid, complaints, isStart, environment = {} }: RunOptions): boolean {
  const hasOwn = [file, uid, complaints, environment['NODE_OPTIONS']].some((each) => each !== undefined);
  return isStart === true || hasOwn;
}

function beginShared(parameters: readonly string[], options: RunOptions): SharedRun {
  return shared.begin({ parameters, cwd: options.cwd ?? process.cwd(), environment: makeEnvironment(options) });
}

/** Runs `cartulary …` to its end. */
export async function runProgram(parameters: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  if (!needsStart(options)) return beginShared(parameters, options).ended;
  const child = spawnProgram(parameters, options);
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (piece: string) => (stdout += piece));
  child.stderr?.setEncoding('utf8').on('data', (piece: string) => (stderr += piece));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}

/** Runs a command that must succeed with `--json`. @returns its parsed output */
export async function ask<Result = Record<string, never>>(...parameters: readonly string[]): Promise<Result> {
  const { code, stdout, stderr } = await runProgram([...parameters, '--json']);
  assert.equal(code, 0, stderr + stdout);
  assert.equal(stdout.trimEnd().split('\n').length, 1, 'one line of JSON');
  return JSON.parse(stdout) as Result;
}

/** The parsed error of a command that must be refused with `--json`. */
export async function askRefused(
  ...parameters: readonly string[]
): Promise<{ code: string; message: string; details?: Record<string, unknown> }> {
  const { code, stdout, stderr } = await runProgram([...parameters, '--json']);
  const { error } = JSON.parse(stdout) as {
    error: { code: string; message: string; details?: Record<string, unknown> };
  };
  const isCalledWrongly = /^(?:bad|missing|unknown)_(?:field|location|settings)$/.test(
    String(error.details?.['reason']),
  );
  assert.equal(code, isCalledWrongly ? 2 : 1, stderr + stdout);
  assert.ok(stderr.includes(error.message), 'people read it on standard error');
  return error;
}

export interface RunningProgram {
  readonly pid: number;
  /** Its output up to the awaited line. */
  readonly lines: readonly string[];
  /** Sends the signal and resolves with the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** A lasting command that a failed test may have left. */
interface Staying {
  kill(signal: NodeJS.Signals): unknown;
  readonly ended: Promise<unknown>;
}
const staying = new Set<Staying>();

function remember(left: Staying): void {
  staying.add(left);
  void left.ended.then(() => staying.delete(left));
}

/** Starts a lasting command, and waits until it has printed a matching line. */
export async function startProgram(
  parameters: readonly string[],
  until: RegExp,
  options: RunOptions = {},
): Promise<RunningProgram> {
  if (!needsStart(options)) return startShared(parameters, until, options);
  const child = spawnProgram(parameters, options);
  const closed = once(child, 'close') as Promise<[number | null]>;
  remember({ kill: (signal) => child.kill(signal), ended: closed });
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (piece: string) => (stderr += piece));
  const lines: string[] = [];
  assert.ok(child.stdout);
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (until.test(line)) break;
  }
  if (!until.test(lines.at(-1) ?? '')) {
    await closed;
    assert.fail(`It ended before it said ${String(until)}: ${lines.join('\n')}\n${stderr}`);
  }
  child.stdout.resume();
  return {
    pid: child.pid ?? 0,
    lines,
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      return (await closed)[0];
    },
  };
}

async function startShared(parameters: readonly string[], until: RegExp, options: RunOptions): Promise<RunningProgram> {
  const run = beginShared(parameters, options);
  remember(run);
  const lines = await run.hear(until);
  if (lines === undefined) {
    const { stdout, stderr } = await run.ended;
    assert.fail(`It ended before it said ${String(until)}: ${stdout}\n${stderr}`);
  }
  return {
    pid: run.pid,
    lines,
    async stop(signal = 'SIGTERM') {
      run.kill(signal);
      return (await run.ended).code;
    },
  };
}

/** Serves a data folder on any free port, also one without a workspace. */
export async function serve(
  data: string,
  options: RunOptions = {},
): Promise<RunningProgram & { readonly url: string }> {
  const running = await startProgram(['serve', '--data', data, '--create', '--port', '0', '--json'], /^\{/, options);
  const { url } = JSON.parse(running.lines[0] ?? '') as { url: string };
  return { ...running, url };
}

/** A port that is free at this moment. */
export async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}

const folders: string[] = [];

/** A new folder of its own, until `tidyUp`. */
export async function makeFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'cartulary-command-')));
  folders.push(folder);
  return folder;
}

/** Ends all running programs and removes all folders: the last step of a file of tests. */
export async function tidyUp(): Promise<void> {
  const left = [...staying];
  for (const each of left) each.kill('SIGKILL');
  await Promise.all([...left.map(({ ended }) => ended), shared.endSurplus()]);
  for (const folder of [...folders.splice(0), home]) await removeLeft(folder);
}

/** Removes a data folder whose process was killed: its git may still put a file there, until it notices. */
export function removeLeft(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}
