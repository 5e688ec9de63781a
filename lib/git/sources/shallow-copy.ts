import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { RepositoryUnreadable } from '../errors.js';
import { orAbsent } from '../file-system.js';
import type { Oid } from '../objects/objects.js';
import { CatFile } from '../program/cat-file.js';
import { runGit, type ForeignGit, type RemoteAccess } from '../program/git-program.js';
import { PartTooLong, splitOutput } from '../program/split-output.js';
import { startGit, type StartedGit } from '../program/start-git.js';
import { streamBlob } from '../program/stream-with-git.js';

/** Where a foreign repository is, and how git may talk to it. */
export interface Remote extends RemoteAccess {
  readonly url: string;
}

/** A reference of a remote. `target` is the one that a symbolic reference stands for. */
export interface RemoteReference {
  readonly name: string;
  readonly oid: Oid;
  readonly target?: string;
}

/** An entry of a commit, folders included. Its path is bytes, since git does not restrict names. */
export interface CopiedEntry {
  /** Octal: `100644`, `100755`, `040000` for a folder, `120000` for a symbolic link, `160000` for a submodule. */
  readonly mode: string;
  readonly oid: Oid;
  /** Bytes of a file. */
  readonly size: number | undefined;
  readonly path: Buffer;
}

/** git could not do what was asked of a remote. */
export class RemoteGitFailed extends Error {
  override readonly name = 'RemoteGitFailed';
  /** git's last words, without what it only passes on. The remote has written some of them all the same. */
  readonly said: string;

  constructor(said: string) {
    super('git could not read the remote repository.');
    this.said = lastWordsOf(said);
  }
}

/** Characters that are looked at of what git says. A remote can make it say megabytes. */
const keptOfWords = 64 * 1024;

function lastWordsOf(said: string): string {
  const lines = said.slice(-keptOfWords).split('\n');
  if (said.length > keptOfWords) lines.shift();
  return lines.filter((line) => !line.startsWith('remote:')).join('\n');
}

/** A path is longer than any file system takes. */
export class PathTooLong extends Error {
  override readonly name = 'PathTooLong';
}

/** Where the remote's commit is stored. */
const ref = 'refs/heads/source';
/** Bytes of git's answer for one entry. No file system takes as long a path. */
const maxEntryLength = 16 * 1024;
/** What another copy would not change: no such reference, an object that git refuses, or one that is too large. */
const isRemoteFault = /couldn't find remote ref|\bobject [0-9a-f]{40,64}: \w+:|attempting to allocate/;
/** git has met one of its bounds, and another copy would meet it, too. */
const wordsOfBounds = ['Out of memory', 'died of signal', 'used up its time'];
/** Characters of an answer with references that are looked at: thousands, and a pattern leaves one. */
const maxAnswer = 1024 * 1024;
/** Packs that are kept. Each fetch with news brings one. */
const maxPacks = 20;

/**
 * What git's check of received objects reports and nobody here needs: old programs wrote such commits and trees, and
 * nothing here ever looks at a submodule's address.
 */
const forgiven = [
  'badTimezone',
  'missingSpaceBeforeDate',
  'missingEmail',
  'missingSpaceBeforeEmail',
  'zeroPaddedFilemode',
  'gitmodulesLarge',
  'gitmodulesName',
  'gitmodulesParse',
  'gitmodulesPath',
  'gitmodulesSymlink',
  'gitmodulesUpdate',
  'gitmodulesUrl',
] as const;

/** How git talks to any remote: it follows nothing that the remote says, checks every object, and asks nobody. */
const caution: readonly (readonly [string, string])[] = [
  ['protocol.version', '2'],
  ['transfer.fsckObjects', 'true'],
  ...forgiven.map((problem) => [`fetch.fsck.${problem}`, 'ignore'] as const),
  // Every fetch gives one pack, and never a flood of files.
  ['fetch.unpackLimit', '1'],
  ['transfer.bundleURI', 'false'],
  ['fetch.uriProtocols', ''],
  ['fetch.recurseSubmodules', 'false'],
  ['fetch.writeCommitGraph', 'false'],
  ['http.followRedirects', 'false'],
  ['http.proxy', ''],
  ['credential.helper', ''],
  ['core.askPass', ''],
  ['pack.threads', '1'],
  ['core.bigFileThreshold', '1m'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
];

/** One commit, and nothing that was not asked for. */
const fetchOne: readonly string[] = [
  'fetch',
  '--quiet',
  '--no-progress',
  '--depth=1',
  '--no-tags',
  '--refmap=',
  '--no-recurse-submodules',
  '--no-auto-maintenance',
  '--no-write-fetch-head',
  '--no-show-forced-updates',
];

const cautiously = ({ settings }: Remote): RemoteAccess => ({ settings: [...caution, ...settings] });

/**
 * Asks a remote for its references.
 * @param folder any folder of ours; nothing is written
 * @param patterns names, or patterns of git for them; all references when there are none
 * @throws RemoteGitFailed
 */
export async function listRemote(
  program: ForeignGit,
  folder: string,
  remote: Remote,
  patterns: readonly string[],
  signal: AbortSignal,
): Promise<RemoteReference[]> {
  const parameters = ['ls-remote', '--quiet', '--symref', '--', remote.url, ...patterns];
  const { code, stdout, stderr } = await runGit(program, folder, parameters, { signal, remote: cautiously(remote) });
  signal.throwIfAborted();
  if (code !== 0) throw new RemoteGitFailed(stderr);
  const references: RemoteReference[] = [];
  let target: string | undefined;
  for (const line of stdout.slice(0, maxAnswer).split('\n')) {
    const [first = '', name = ''] = line.split('\t');
    if (first.startsWith('ref: ')) target = first.slice('ref: '.length);
    else if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(first)) {
      references.push({ name, oid: first, ...(target === undefined ? {} : { target }) });
      target = undefined;
    }
  }
  return references;
}

/**
 * One commit of a foreign repository with all its files, and without its history. It is stored in a bare
 * repository of its own, so that the next fetch brings only what is new. One user at a time.
 */
export class ShallowCopy {
  readonly #program: ForeignGit;
  readonly #path: string;
  #contents: CatFile | undefined;
  #facts: CatFile | undefined;

  /** @param path a folder of its own; it is made by the first fetch */
  constructor(program: ForeignGit, path: string) {
    this.#program = program;
    this.#path = path;
  }

  /**
   * Fetches one commit. A copy that git cannot go on with is made again from nothing.
   * @param name the remote's reference
   * @param isFinal whether a failure would be the same with another copy, such as a refusal of the remote
   * @returns the commit
   * @throws RemoteGitFailed; what was copied before is still there, or nothing
   */
  async fetch(remote: Remote, name: string, signal: AbortSignal, isFinal: () => boolean): Promise<Oid> {
    const isOld = await this.#prepare();
    try {
      return await this.#fetch(remote, name, signal);
    } catch (error) {
      if (signal.aborted || isFinal() || !(error instanceof RemoteGitFailed)) throw error;
      const format = /mismatched algorithms: client \w+; server (\w+)/.exec(error.said)?.[1];
      if (!isOld && format === undefined) throw error;
      if (isRemoteFault.test(error.said) || wordsOfBounds.some((words) => error.said.includes(words))) throw error;
      await this.remove();
      await this.#prepare(format === 'sha256' ? 'sha256' : 'sha1');
      return this.#fetch(remote, name, signal);
    }
  }

  /**
   * Everything below a folder of the commit, in git's order. It streams: some hundred bytes of a repository can stand
   * for any number of entries.
   * @param folder its path, or '' for all
   * @throws RepositoryUnreadable when there is no such folder, or the copy is damaged; PathTooLong
   */
  async *list(commit: Oid, folder: string, signal: AbortSignal): AsyncGenerator<CopiedEntry> {
    const parameters = [
      'ls-tree',
      '-r',
      '-t',
      '-z',
      '-l',
      '--full-tree',
      folder === '' ? commit : `${commit}:${folder}`,
    ];
    const git = startGit(this.#program, this.#path, parameters, signal);
    for await (const record of recordsOf(git)) {
      const tab = record.indexOf(0x09);
      const [mode = '', , oid = '', ...size] = record.toString('latin1', 0, tab).split(' ');
      const digits = size.at(-1) ?? '';
      yield { mode, oid, size: /^\d+$/.test(digits) ? Number(digits) : undefined, path: record.subarray(tab + 1) };
    }
  }

  /** What lies at a path of the commit: `tree`, `blob`, or undefined for nothing. */
  async findKind(commit: Oid, path: string): Promise<string | undefined> {
    const { code, stdout } = await this.#run(['cat-file', '-t', `${commit}:${path}`]);
    return code === 0 ? stdout.trim() : undefined;
  }

  /** A small file's bytes; undefined when the copy lacks it. @throws RepositoryUnreadable */
  async read(oid: Oid): Promise<Buffer | undefined> {
    this.#contents ??= new CatFile(this.#program, this.#path, 'contents');
    return (await this.#contents.ask(oid))?.bytes;
  }

  /** A file's length in bytes; undefined when the copy lacks it. @throws RepositoryUnreadable */
  async findSize(oid: Oid): Promise<number | undefined> {
    this.#facts ??= new CatFile(this.#program, this.#path, 'facts');
    return (await this.#facts.ask(oid))?.size;
  }

  /** @param size bytes, as it was listed */
  stream(oid: Oid, size: number): Readable {
    return streamBlob(this.#program, this.#path, oid, size);
  }

  /** Ends the processes that read from it. */
  async close(): Promise<void> {
    await Promise.all([this.#contents?.close(), this.#facts?.close()]);
    this.#contents = undefined;
    this.#facts = undefined;
  }

  /** Deletes it. The next fetch makes it again. */
  async remove(): Promise<void> {
    await this.close();
    await rm(this.#path, { recursive: true, force: true });
  }

  /**
   * Whether it has grown so much that it is better made again than kept. To join packs that another program wrote could
   * take any amount of memory.
   * @param maxBytes of all packs
   */
  async isGrown(maxBytes: number): Promise<boolean> {
    const folder = join(this.#path, 'objects', 'pack');
    const packs = ((await orAbsent(readdir(folder))) ?? []).filter((name) => name.endsWith('.pack'));
    let bytes = 0;
    for (const pack of packs.slice(0, maxPacks)) bytes += (await orAbsent(stat(join(folder, pack))))?.size ?? 0;
    return packs.length > maxPacks || bytes > maxBytes;
  }

  async #fetch(remote: Remote, name: string, signal: AbortSignal): Promise<Oid> {
    const parameters = [...fetchOne, '--', remote.url, `+${name}:${ref}`];
    const { code, stderr } = await runGit(this.#program, this.#path, parameters, {
      signal,
      remote: cautiously(remote),
    });
    if (code !== 0) await this.#sweep();
    signal.throwIfAborted();
    if (code !== 0) throw new RemoteGitFailed(stderr);
    const found = await this.#run(['rev-parse', '--verify', '--quiet', `${ref}^{commit}`]);
    if (found.code !== 0) throw new RemoteGitFailed('The reference leads to no commit.');
    return found.stdout.trim();
  }

  /** Makes the repository, or frees an old one from what an interrupted fetch left. @returns whether it is an old one */
  async #prepare(format: 'sha1' | 'sha256' = 'sha1'): Promise<boolean> {
    if ((await orAbsent(readdir(join(this.#path, 'objects', 'pack')))) === undefined) {
      await rm(this.#path, { recursive: true, force: true });
      await mkdir(this.#path, { recursive: true, mode: 0o700 });
      const made = await this.#run(['init', '--quiet', '--bare', '--template=', `--object-format=${format}`]);
      if (made.code !== 0) throw new RepositoryUnreadable(`git cannot make a repository: ${made.stderr.trim()}`);
      return false;
    }
    await this.#sweep();
    return true;
  }

  /** Removes what a git leaves that was ended at its work. */
  async #sweep(): Promise<void> {
    const packs = join(this.#path, 'objects', 'pack');
    const names = (await orAbsent(readdir(packs))) ?? [];
    const left = names.filter((name) => name.startsWith('tmp_')).map((name) => join(packs, name));
    const locks = ['shallow.lock', 'config.lock', 'HEAD.lock', 'packed-refs.lock', `${ref}.lock`];
    for (const file of [...left, ...locks.map((name) => join(this.#path, name))]) await rm(file, { force: true });
  }

  #run(parameters: readonly string[]): ReturnType<typeof runGit> {
    return runGit(this.#program, this.#path, parameters);
  }
}

async function* recordsOf(git: StartedGit): AsyncGenerator<Buffer> {
  try {
    yield* splitOutput(git, 0, maxEntryLength);
  } catch (error) {
    throw error instanceof PartTooLong ? new PathTooLong(error.message) : error;
  }
}
