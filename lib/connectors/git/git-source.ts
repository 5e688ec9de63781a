import { join } from 'node:path';
import { RepositoryUnreadable } from '../../git/errors.js';
import type { ForeignGit } from '../../git/program/git-program.js';
import {
  listRemote,
  PathTooLong,
  RemoteGitFailed,
  ShallowCopy,
  type Remote,
  type RemoteReference,
  type CopiedEntry,
} from '../../git/sources/shallow-copy.js';
import {
  SourceFault,
  UnreadableFile,
  type Listing,
  type Source,
  type SourceEntry,
  type SourceFile,
  type SourceMeans,
  type SkippedEntry,
} from '../source.js';
import { mayBePointer, readLfsPointer } from '../../domain/lfs-pointer.js';
import { explainFailure, isAbsentReference } from './explain-failure.js';
import { GitGateway } from './gateway.js';
import type { GitLimits } from './git-limits.js';
import type { GitUpstream } from './git-upstream.js';
import type { SkipReason } from '../../domain/connector.js';

const pathDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export interface GitSourceParts {
  readonly program: ForeignGit;
  readonly upstream: GitUpstream;
  /** `HEAD`, or the full name of a branch. */
  readonly reference: string;
  /** '' for all. */
  readonly folder: string;
  readonly means: SourceMeans;
  readonly limits: GitLimits;
}

/** Entries that are handed on at once. */
const partSize = 500;
/** Bytes of a file that are read in one piece. Larger ones are streamed by a git of their own. */
const wholeBytes = 512 * 1024;

const tooSlow = 'The source does not answer in time. It is asked again later.';
const tooDeep = 'The repository holds a path that is too long. Mirror one of its other folders.';
const lostCopy = 'The copy of the repository on this machine is damaged. The next run fetches it again.';

/**
 * One branch of a git repository. A run fetches its newest commit without history into a copy of its own, and lists and
 * reads the files there. So a source that goes away in the middle of a run has changed nothing.
 */
export class GitSource implements Source {
  readonly #parts: GitSourceParts;
  readonly #copy: ShallowCopy;
  #gateway: Promise<GitGateway> | undefined;
  #isDamaged = false;

  constructor(parts: GitSourceParts) {
    this.#parts = parts;
    this.#copy = new ShallowCopy(parts.program, join(parts.means.cacheFolder, 'copy.git'));
  }

  async check(signal: AbortSignal): Promise<string> {
    const found = await this.#findReference(signal);
    if (found === null) return 'The repository is empty.';
    return `Branch "${showName(found.target ?? found.name)}" is at commit ${found.oid.slice(0, 12)}.`;
  }

  async probe(cursor: string, signal: AbortSignal): Promise<'unchanged' | 'maybe_changed'> {
    const found = await this.#findReference(signal);
    return cursor === this.#cursorAt(found?.oid ?? null) ? 'unchanged' : 'maybe_changed';
  }

  async list(_cursor: string | null, signal: AbortSignal): Promise<Listing> {
    const commit = await this.#fetch(signal);
    if (commit !== null) await this.#requireFolder(commit);
    return {
      mode: 'snapshot',
      entries: commit === null ? nothing() : this.#list(commit, signal),
      cursor: () => this.#cursorAt(commit),
      version: () => commit,
    };
  }

  async *read(file: SourceFile, maxBytes: number, signal: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
    signal.throwIfAborted();
    try {
      const size = file.size ?? (await this.#copy.findSize(file.version));
      if (size === undefined) throw new RepositoryUnreadable('It is not there.');
      if (size > maxBytes) throw new UnreadableFile('too_large', `${size} bytes`);
      yield* size > wholeBytes ? this.#stream(file.version, size, signal) : this.#readWhole(file.version);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof RepositoryUnreadable)) throw error;
      this.#isDamaged = true;
      throw new UnreadableFile('unreadable', lostCopy, error);
    }
  }

  async close(): Promise<void> {
    const gateway = await this.#gateway?.catch(() => undefined);
    await gateway?.close();
    const isKept = !this.#isDamaged && !(await this.#copy.isGrown(this.#parts.limits.copyBytes));
    await (isKept ? this.#copy.close() : this.#copy.remove());
  }

  #cursorAt(commit: string | null): string {
    return `${commit ?? 'empty'} ${this.#parts.folder}`;
  }

  /** @returns null for a repository without any commit */
  async #findReference(signal: AbortSignal): Promise<RemoteReference | null> {
    const { reference, limits } = this.#parts;
    const ask = (patterns: readonly string[]): Promise<RemoteReference[]> =>
      this.#talk(limits.lookTime, signal, (remote, until) =>
        listRemote(this.#parts.program, this.#parts.means.cacheFolder, remote, patterns, until),
      );
    const found = (await ask([reference])).find(({ name }) => name === reference);
    if (found !== undefined) return found;
    if ((await ask([])).length === 0) return null;
    throw new SourceFault('not_found', this.#explainAbsence());
  }

  #explainAbsence(): string {
    const { reference } = this.#parts;
    return reference === 'HEAD'
      ? 'The repository does not say which branch is its main one. Name a branch.'
      : `The repository has no branch "${reference.replace('refs/heads/', '')}". Name another branch.`;
  }

  /** @returns null for a repository without any commit */
  async #fetch(signal: AbortSignal): Promise<string | null> {
    const { reference, limits } = this.#parts;
    try {
      return await this.#talk(limits.fetchTime, signal, (remote, until, hasFault) =>
        this.#copy.fetch(remote, reference, until, hasFault),
      );
    } catch (error) {
      if (!(error instanceof AbsentReference)) throw error;
      // It may have come meanwhile; the next run then finds it.
      if ((await this.#findReference(signal)) === null) return null;
      throw new SourceFault('network', 'The branch changed while it was read. It is read again later.');
    }
  }

  /** Lets git talk to the source, within bounds, and explains what went wrong. */
  async #talk<Result>(
    within: number,
    signal: AbortSignal,
    work: (remote: Remote, until: AbortSignal, hasFault: () => boolean) => Promise<Result>,
  ): Promise<Result> {
    signal.throwIfAborted();
    const gateway = await this.#openGateway();
    gateway.begin(this.#parts.limits);
    const late = AbortSignal.timeout(within);
    const remote: Remote = { url: gateway.url, settings: [['http.extraHeader', gateway.header]] };
    try {
      return await work(remote, AbortSignal.any([signal, late]), () => gateway.fault !== undefined);
    } catch (error) {
      signal.throwIfAborted();
      if (gateway.fault !== undefined) throw gateway.fault;
      if (late.aborted) throw new SourceFault('network', tooSlow);
      if (error instanceof RemoteGitFailed)
        throw isAbsentReference(error.said) ? new AbsentReference() : explainFailure(error.said);
      if (error instanceof RepositoryUnreadable) throw new SourceFault('internal', lostCopy, { cause: error });
      throw error;
    }
  }

  #openGateway(): Promise<GitGateway> {
    const { upstream, means } = this.#parts;
    this.#gateway ??= GitGateway.open(upstream, means.randomness);
    return this.#gateway;
  }

  async #requireFolder(commit: string): Promise<void> {
    const { folder } = this.#parts;
    if (folder === '' || (await this.#copy.findKind(commit, folder)) === 'tree') return;
    throw new SourceFault('not_found', `The branch has no folder "${folder}". Name another folder.`);
  }

  async *#list(commit: string, signal: AbortSignal): AsyncGenerator<readonly SourceEntry[]> {
    const { folder, means } = this.#parts;
    let [files, folders] = [0, 0];
    let part: SourceEntry[] = [];
    try {
      for await (const entry of this.#copy.list(commit, folder, signal)) {
        const described = describeEntry(entry);
        if (described === undefined) folders += 1;
        else files += part.push(described) > 0 ? 1 : 0;
        if (files > means.maxEntries || folders > means.maxEntries) throw tooMany(means.maxEntries);
        if (part.length < partSize) continue;
        yield await this.#markPointers(part);
        part = [];
      }
      if (part.length > 0) yield await this.#markPointers(part);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof PathTooLong) throw new SourceFault('limit', tooDeep);
      if (!(error instanceof RepositoryUnreadable)) throw error;
      this.#isDamaged = true;
      throw new SourceFault('internal', lostCopy, { cause: error });
    }
  }

  /** Finds the files that stand for content in Git LFS, which is not in the repository. */
  #markPointers(part: readonly SourceEntry[]): Promise<SourceEntry[]> {
    return Promise.all(
      part.map(async (entry) => {
        if (entry.type !== 'file' || !mayBePointer(entry.size)) return entry;
        const pointer = readLfsPointer((await this.#copy.read(entry.version)) ?? Buffer.alloc(0));
        if (pointer === undefined) return entry;
        const detail = pointer.size === undefined ? 'in Git LFS' : `${pointer.size} bytes in Git LFS`;
        return { type: 'skipped', path: entry.path, version: entry.version, reason: 'lfs_pointer', detail } as const;
      }),
    );
  }

  async *#readWhole(oid: string): AsyncGenerator<Uint8Array, void, undefined> {
    const bytes = await this.#copy.read(oid);
    if (bytes === undefined) throw new RepositoryUnreadable('It is not there.');
    if (bytes.length > 0) yield bytes;
  }

  async *#stream(oid: string, size: number, signal: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
    const stream = this.#copy.stream(oid, size);
    const abort = (): void => void stream.destroy(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    try {
      yield* stream as AsyncIterable<Uint8Array>;
    } finally {
      signal.removeEventListener('abort', abort);
      stream.destroy();
    }
  }
}

/** A name that the remote gave, fit to be shown. */
function showName(reference: string): string {
  const name = reference.startsWith('refs/heads/') ? reference.slice('refs/heads/'.length) : reference;
  return name.slice(0, 250).replaceAll(/\p{C}/gu, '?');
}

/** The remote has no reference of the name that was asked for. */
class AbsentReference extends Error {}

async function* nothing(): AsyncGenerator<readonly SourceEntry[]> {
  // An empty repository.
}

const tooMany = (most: number): SourceFault =>
  new SourceFault('limit', `The repository holds more than ${most} files or folders. Mirror one of its folders.`);

/** What an entry of a repository is to a mirror. @returns undefined for a folder */
function describeEntry({ mode, oid, size, path }: CopiedEntry): SourceFile | SkippedEntry | undefined {
  if (mode === '040000') return undefined;
  const name = decodePath(path);
  const skip = (reason: SkipReason, shown: string): SkippedEntry => ({
    type: 'skipped',
    path: shown,
    version: oid,
    reason,
  });
  if (name === undefined) return skip('not_decodable', escapePath(path));
  if (mode === '120000') return skip('symlink', name);
  if (mode === '160000') return skip('submodule', name);
  if (!mode.startsWith('100')) return skip('special_file', name);
  return { type: 'file', path: name, version: oid, ...(size === undefined ? {} : { size }) };
}

function decodePath(path: Buffer): string | undefined {
  try {
    return pathDecoder.decode(path);
  } catch {
    return undefined;
  }
}

/** A path that is no text, readable: every byte beyond ASCII in hexadecimal. */
function escapePath(path: Buffer): string {
  let shown = '';
  for (const byte of path) {
    shown += byte < 0x80 ? String.fromCharCode(byte) : String.raw`\x${byte.toString(16)}`;
  }
  return shown;
}
