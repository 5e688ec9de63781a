import { spawn } from 'node:child_process';
import type { ChildProcess, ChildProcessWithoutNullStreams } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { delimiter, join } from 'node:path';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import { GitProgramMissing, WorkInterrupted } from '../errors.js';
import { boundCommand, modestSettings, type GitBounds } from './git-bounds.js';

/** The git program of this machine. */
export interface GitProgram {
  /** Absolute path of the executable. */
  file: string;
  /** Folder of git's own programs. */
  execPath: string;
  /** From its own output, for example "2.39.5". */
  version: string;
  /** What each run may take. Left out for folders that the service wrote itself: see `ForeignGit`. */
  readonly bounds?: GitBounds;
  readonly isAwaited?: boolean;
}

/**
 * A git for repositories whose objects a stranger chose: some bytes of a pack can stand for gigabytes, and for hours.
 * Each run is bounded as a whole, has the lowest priority unless a request waits for it, and ends together with all
 * processes that it started.
 */
export interface ForeignGit extends GitProgram {
  readonly bounds: GitBounds;
  /** Whether a request waits for its work, as for a fetch: then it has the priority of this process. */
  readonly isAwaited?: boolean;
}

/** The same program for foreign objects. */
export function boundGit(program: GitProgram, bounds: GitBounds, isAwaited = false): ForeignGit {
  return { ...program, bounds, isAwaited };
}

/** This version has `multi-pack-index write --stdin-packs` and clean configuration. */
const oldestVersion = [2, 34] as const;

/** The output of a git command that ran to its end. */
export interface GitOutcome {
  /** Exit code; null when a signal ended it. */
  code: number | null;
  stdout: string;
  stderr: string;
}

/**
 * Finds the git program on the search path. Calls then use its absolute path, so that its children need nothing of our
 * environment. Threads that this one starts afterwards are told, and do not look again.
 */
export async function findGit(): Promise<GitProgram | null> {
  const known = getEnvironmentData(ownKey) as GitProgram | undefined;
  if (known !== undefined) return known;
  const program = await (looking ??= lookForGit());
  looking = undefined;
  // Where there is none, it may be installed meanwhile.
  if (program !== null) setEnvironmentData(ownKey, program);
  return program;
}

/** Names the git program among what a new thread is told. */
const ownKey = 'git program';

let looking: Promise<GitProgram | null> | undefined;

async function lookForGit(): Promise<GitProgram | null> {
  const said = await outcomeOf(requirePipes(spawn('git', ['version'])));
  const version = /^git version (\S+)/.exec(said.stdout)?.[1];
  if (said.code !== 0 || version === undefined) return null;
  const where = await outcomeOf(requirePipes(spawn('git', ['--exec-path'])));
  const execPath = where.stdout.trim();
  const name = process.platform === 'win32' ? 'git.exe' : 'git';
  const file = join(execPath, name);
  return { file: existsSync(file) ? file : 'git', execPath, version };
}

/** Whether this git is new enough to be used. */
export function isUsableGit({ version }: GitProgram): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = oldestVersion;
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

/**
 * The git program, for work that cannot be done without it.
 * @param purpose goes on after "is needed to"
 * @throws GitProgramMissing when there is none, or it is too old
 */
export async function requireGit(purpose: string): Promise<GitProgram> {
  const program = await findGit();
  if (program === null || !isUsableGit(program)) throw new GitProgramMissing(purpose);
  return program;
}

/**
 * Settings that override any repository's configuration. The file system monitor is a program named there. It runs
 * whenever an index is read, also when two trees are compared. An empty value is "none" for every release of git.
 */
const ownSettings = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=',
  'safe.directory=*',
  // All files of git are closed to other accounts, whatever the mask of this process.
  'core.sharedRepository=0600',
].flatMap((setting) => ['-c', setting]);

/**
 * Starts git on one repository, cut off from its surroundings: no system or user configuration, no GIT_ variables, no
 * hooks, no replaced objects, no prompts. The repository is named outright, so its owner does not matter.
 *
 * The program's bounds are for objects that a stranger chose. Nothing is fetched, by no protocol: git would request the
 * missing objects of a partial clone by a program that its configuration names.
 * @param remote lets it fetch over http, for a repository of our own alone
 */
export function spawnGit(
  program: GitProgram,
  repository: string,
  parameters: readonly string[],
  remote?: RemoteAccess,
): ChildProcessWithoutNullStreams {
  const { bounds } = program;
  const own = [
    `--git-dir=${repository}`,
    ...ownSettings,
    ...(bounds === undefined ? [] : modestSettings),
    ...parameters,
  ];
  const [file, given] = bounds === undefined ? [program.file, own] : boundCommand(program.file, own, bounds);
  const child = spawn(file, given, {
    cwd: repository,
    env: {
      ...gitEnvironment(program),
      ...(remote === undefined ? {} : remoteEnvironment(remote)),
      ...(bounds === undefined ? {} : { GIT_ALLOC_LIMIT: String(bounds.allocation) }),
    },
    windowsHide: true,
    // It can have children of its own, which have to end with it.
    detached: isGroup(program, remote),
  });
  if (bounds !== undefined && program.isAwaited !== true) lowerPriority(child);
  if (isGroup(program, remote)) endTogether(child);
  return requirePipes(child);
}

/** Whether a git and its children are ended together. */
function isGroup({ bounds }: GitProgram, remote?: RemoteAccess): boolean {
  return bounds !== undefined || remote !== undefined;
}

/** How to end a git of this program. */
export function killerOf(program: GitProgram, child: ChildProcess, remote?: RemoteAccess): () => void {
  return isGroup(program, remote) ? () => killWithChildren(child) : () => void child.kill('SIGKILL');
}

/** The groups of processes that have not ended. */
const groups = new Set<ChildProcess>();

/** What a git started does not outlive it, and neither outlives this process. */
function endTogether(child: ChildProcess): void {
  if (groups.size === 0) process.once('exit', endGroups);
  groups.add(child);
  child.once('exit', () => {
    if (child.pid !== undefined) killGroup(child.pid);
    groups.delete(child);
    if (groups.size === 0) process.off('exit', endGroups);
  });
  child.once('error', () => groups.delete(child));
}

function endGroups(): void {
  for (const child of groups) killWithChildren(child);
}

/**
 * Starts a service of git, such as upload-pack, cut off in the same way. It can have children of its own, which end with
 * it by `killWithChildren`.
 * @param protocol the version that the client asked for, as git has it
 */
export function spawnService(
  program: GitProgram,
  repository: string,
  parameters: readonly string[],
  protocol: string | undefined,
): ChildProcessWithoutNullStreams {
  const child = spawn(program.file, [...ownSettings, ...parameters], {
    cwd: repository,
    env: {
      ...gitEnvironment(program),
      GIT_ALLOC_LIMIT: allocationLimit,
      ...(protocol === undefined ? {} : { GIT_PROTOCOL: protocol }),
    },
    windowsHide: true,
    detached: true,
  });
  return requirePipes(child);
}

/** How a git may talk to a remote. It may speak http alone: what it talks to is a port of this process. */
export interface RemoteAccess {
  /** More of its configuration. It stands in git's environment, which other accounts of this machine cannot read. */
  readonly settings: readonly (readonly [name: string, value: string])[];
}

/** The most that git asks of memory at once. A pack of some bytes can stand for gigabytes. */
const allocationLimit = '512m';

function remoteEnvironment({ settings }: RemoteAccess): Record<string, string> {
  const configuration: Record<string, string> = {};
  for (const [index, [name, value]] of settings.entries()) {
    configuration[`GIT_CONFIG_KEY_${index}`] = name;
    configuration[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  return {
    GIT_ALLOW_PROTOCOL: 'http',
    GIT_ALLOC_LIMIT: allocationLimit,
    GIT_CONFIG_COUNT: `${settings.length}`,
    ...configuration,
  };
}

/** When the system has no file descriptor left, node returns a child without pipes, in spite of its type. */
function requirePipes(child: ChildProcessWithoutNullStreams): ChildProcessWithoutNullStreams {
  if ((child.stdin as unknown) !== undefined) return child;
  child.on('error', () => undefined);
  throw new WorkInterrupted('The git program cannot be started: no file descriptor is left.');
}

/** The whole environment of a git child. */
export function gitEnvironment(program: GitProgram): Record<string, string> {
  return {
    PATH: [program.execPath, '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter),
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    // The first variable is for releases of git that know it, the second for all.
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: '',
    ...keptMemory,
  };
}

/**
 * For the C library's allocator: blocks up to a size are kept for the next use, and not given back to the system. git
 * compresses each object with a block of 268 kB, and would be given new pages for each one.
 */
const keptMemory = { MALLOC_MMAP_THRESHOLD_: '4194304', MALLOC_TRIM_THRESHOLD_: '4194304' };

/** Runs a git command to its end and collects its output. */
export async function runGit(
  program: GitProgram,
  repository: string,
  parameters: readonly string[],
  options: {
    /** Text for its standard input. */
    input?: string;
    /** Runs it at the lowest priority. */
    isBackground?: boolean;
    /** Kills the command. */
    signal?: AbortSignal;
    /** Lets it talk to another machine. */
    remote?: RemoteAccess;
  } = {},
): Promise<GitOutcome> {
  const child = spawnGit(program, repository, parameters, options.remote);
  if (options.isBackground === true) lowerPriority(child);
  return outcomeOf(child, options.input, options.signal, killerOf(program, child, options.remote));
}

/** Ends a git that has children of its own, and them. Does nothing when it has ended. */
export function killWithChildren(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  if (!killGroup(child.pid)) child.kill('SIGKILL');
}

/** @returns false where it has ended, or the system has no groups of processes */
function killGroup(leader: number): boolean {
  try {
    return process.kill(-leader, 'SIGKILL');
  } catch {
    return false;
  }
}

/** Most bytes of each output stream that are stored. */
const maxOutput = 16 * 1024 * 1024;

function outcomeOf(
  child: ChildProcessWithoutNullStreams,
  input = '',
  signal?: AbortSignal,
  kill: () => void = () => void child.kill('SIGKILL'),
): Promise<GitOutcome> {
  return new Promise((resolve) => {
    const stdout = gather(child.stdout);
    const stderr = gather(child.stderr);
    signal?.addEventListener('abort', kill);
    if (signal?.aborted === true) kill();
    child.stdin.on('error', () => undefined); // it ended without reading all
    child.stdin.end(input);
    const finish = (code: number | null, reason = ''): void => {
      signal?.removeEventListener('abort', kill);
      resolve({ code, stdout: stdout(), stderr: stderr() + reason });
    };
    child.on('error', (error) => finish(null, error.message));
    child.on('close', (code, by) => finish(code, by === 'SIGXCPU' ? 'git has used up its time.' : ''));
  });
}

function gather(stream: NodeJS.ReadableStream): () => string {
  const pieces: Buffer[] = [];
  let length = 0;
  stream.on('data', (piece: Buffer) => {
    if (length >= maxOutput) return;
    pieces.push(piece);
    length += piece.length;
  });
  return () => Buffer.concat(pieces).toString('utf8');
}

function lowerPriority(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    setPriority(child.pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It has ended already, or the system does not allow it: then it just runs.
  }
}
