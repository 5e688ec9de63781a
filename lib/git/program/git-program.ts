import { spawn } from 'node:child_process';
import type { ChildProcess, ChildProcessWithoutNullStreams } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { delimiter, join } from 'node:path';
import { GitProgramMissing, WorkInterrupted } from '../errors.js';

/** The git program of this machine. */
export interface GitProgram {
  /** Absolute path of the executable. */
  file: string;
  /** Folder of git's own programs. */
  execPath: string;
  /** From its own output, for example "2.39.5". */
  version: string;
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
 * environment.
 */
export async function findGit(): Promise<GitProgram | null> {
  const program = await (found ??= lookForGit());
  if (program === null) found = undefined; // it may be installed meanwhile
  return program;
}

let found: Promise<GitProgram | null> | undefined;

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
 * It can be an untrusted clone. So nothing is fetched, by no protocol: git would request the missing objects of a
 * partial clone by a program that the clone's configuration names.
 * @param remote lets it fetch over http, for a repository of our own alone
 */
export function spawnGit(
  program: GitProgram,
  repository: string,
  parameters: readonly string[],
  remote?: RemoteAccess,
): ChildProcessWithoutNullStreams {
  const child = spawn(program.file, [`--git-dir=${repository}`, ...ownSettings, ...parameters], {
    cwd: repository,
    env: { ...gitEnvironment(program), ...(remote === undefined ? {} : remoteEnvironment(remote)) },
    windowsHide: true,
    // A git that fetches has children of its own, which have to end with it.
    detached: remote !== undefined,
  });
  return requirePipes(child);
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

/**
 * Starts git on a repository whose objects a stranger chose: as `spawnGit`, with a bound on its memory. Some bytes of a
 * pack can stand for gigabytes.
 * @param memory the most bytes that it asks for at once. It has twice as much in all, and some for itself
 */
export function spawnBoundedGit(
  program: GitProgram,
  repository: string,
  parameters: readonly string[],
  memory: number,
): ChildProcessWithoutNullStreams {
  const settings = [...ownSettings, ...fewMaps];
  const [file, before] = withLimit(program.file, 2 * memory + mapped + ofItself);
  const child = spawn(file, [...before, `--git-dir=${repository}`, ...settings, ...parameters], {
    cwd: repository,
    env: { ...gitEnvironment(program), GIT_ALLOC_LIMIT: String(memory) },
    windowsHide: true,
  });
  lowerPriority(child);
  return requirePipes(child);
}

/** Bytes of packs that a bounded git maps at once, and of everything else that it has beside its objects. */
const mapped = 256 * 1024 * 1024;
const ofItself = 512 * 1024 * 1024;
const fewMaps = ['core.packedGitWindowSize=32m', `core.packedGitLimit=${mapped}`].flatMap((each) => ['-c', each]);

/**
 * A program whose address space is bounded by the system: git's own bound is one of a single allocation, and it can make
 * very many. The shell gives its place to the program. Only Linux counts address space.
 * @param bytes git holds two objects at once, such as a delta's base and its result
 */
function withLimit(file: string, bytes: number): readonly [file: string, before: readonly string[]] {
  if (process.platform !== 'linux') return [file, []];
  const kibibytes = Math.ceil(bytes / 1024);
  return ['/bin/sh', ['-c', `ulimit -v ${kibibytes} 2>/dev/null; exec "$0" "$@"`, file]];
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
  const kill = options.remote === undefined ? () => void child.kill('SIGKILL') : () => killWithChildren(child);
  return outcomeOf(child, options.input, options.signal, kill);
}

/** Ends a git that has children of its own, and them. Does nothing when it has ended. */
export function killWithChildren(child: ChildProcess): void {
  try {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
  } catch {
    child.kill('SIGKILL'); // a system without groups of processes
  }
}

/** Most bytes of each output stream that are kept. */
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
    child.on('close', (code) => finish(code));
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
