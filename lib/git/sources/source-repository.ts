import type { Readable } from 'node:stream';
import { CatFile } from '../program/cat-file.js';
import { checkSizes, maxForeign } from '../packs/check-sizes.js';
import { decodeTreeOf } from '../objects/commit-object.js';
import { EntryCount } from './count-tree-entries.js';
import { RepositoryUnreadable } from '../errors.js';
import { decodeForeignCommit, type ForeignCommit } from './foreign-commit.js';
import type { ForeignRepository } from './foreign-repository.js';
import { runGit, type ForeignGit } from '../program/git-program.js';
import type { Oid } from '../objects/objects.js';
import { readCommitsWithGit, type WantedCommit } from '../repositories/read-commits.js';
import { splitOutput } from '../program/split-output.js';
import { startGit, type StartedGit } from '../program/start-git.js';
import { streamBlob } from '../program/stream-with-git.js';
import { Tree } from '../objects/tree.js';
import { diffTreeParameters, TreeDiffer } from './tree-differ.js';

/** Where a path of a tree leads. */
export interface SourceEntry {
  /** As git has it: octal, `100644`, `100755`, `120000` for a symbolic link, `160000` for a submodule. */
  readonly mode: string;
  readonly oid: Oid;
}

/** A file of a commit; its path is bytes, since git does not restrict names. */
export interface SourceFile extends SourceEntry {
  readonly path: Buffer;
}

/** A commit's change of a path. */
export interface SourceChange {
  readonly path: Buffer;
  /** null where it was not there. */
  readonly before: SourceEntry | null;
  /** null where it is not there any more. */
  readonly after: SourceEntry | null;
}

/** A foreign repository, of any content: read by the git program, never changed, never trusted. */
export class SourceRepository {
  readonly #program: ForeignGit;
  readonly #path: string;
  readonly #signal: AbortSignal;
  readonly #contents: CatFile;
  readonly #facts: CatFile;
  readonly #differ: TreeDiffer;

  private constructor(program: ForeignGit, path: string, signal: AbortSignal) {
    this.#program = program;
    this.#path = path;
    this.#signal = signal;
    this.#contents = new CatFile(program, path, 'contents');
    this.#facts = new CatFile(program, path, 'facts');
    this.#differ = new TreeDiffer((parameters) => this.#start(parameters));
  }

  /**
   * @param signal ends git's current work
   * @param onProgress reports the number of objects checked so far
   * @throws RepositoryUnreadable when it has a commit, tag or folder that is too large to be read whole
   */
  static async open(
    foreign: ForeignRepository,
    signal: AbortSignal,
    onProgress?: (objects: number) => Promise<void>,
  ): Promise<SourceRepository> {
    await checkSizes(foreign, maxForeign, signal, onProgress);
    return new SourceRepository(foreign.git, foreign.path, signal);
  }

  /** The commit of a branch, tag or any other revision of git; undefined when it leads to none. */
  async findCommit(ref: string): Promise<Oid | undefined> {
    // No revision begins with a dash, and git would take it for an option.
    if (ref.startsWith('-') || ref.includes('\0')) return undefined;
    const parameters = ['rev-parse', '--verify', '--quiet', `${ref}^{commit}`];
    const { code, stdout } = await runGit(this.#program, this.#path, parameters, { signal: this.#signal });
    const oid = stdout.trim();
    return code === 0 && /^[0-9a-f]{40}$/.test(oid) ? oid : undefined;
  }

  /** Every file below a commit's root, in git's order. @throws RepositoryUnreadable */
  async *listFiles(commit: Oid): AsyncGenerator<SourceFile> {
    for await (const record of this.#list(['ls-tree', '-r', '-z', '--full-tree', commit])) {
      const tab = record.indexOf(0x09);
      const [mode = '', , oid = ''] = record.toString('latin1', 0, tab).split(' ');
      yield { mode, oid, path: record.subarray(tab + 1) };
    }
  }

  /** A commit and, of each, its first parent: the oldest first. @throws RepositoryUnreadable */
  async *listCommits(tip: Oid): AsyncGenerator<Oid> {
    const child = this.#start(['rev-list', '--first-parent', '--reverse', tip]);
    for await (const line of splitOutput(child, 0x0a)) yield line.toString('latin1');
  }

  /**
   * The number of files and folders of a commit; any number above `most` where there are more. They are counted without
   * walking them: few objects can stand for any number.
   * @throws RepositoryUnreadable
   */
  async countFiles(commit: Oid, most: number): Promise<number> {
    for await (const count of this.countChanges(null, [commit], most)) return count;
    throw new RepositoryUnreadable(`Commit ${commit} is missing.`);
  }

  /**
   * How many files and folders each commit changed against the one before it in the list, counted in the same way.
   * @param before the one before the first; null where there is none
   * @throws RepositoryUnreadable
   */
  async *countChanges(before: Oid | null, commits: Iterable<Oid>, most: number): AsyncGenerator<number> {
    const count = new EntryCount(async (oid) => {
      const answer = await this.#contents.ask(oid);
      return answer?.type === 'tree' ? answer.bytes : undefined;
    }, most);
    const wanted = wantEach(before === null ? commits : [before, ...commits]);
    let tree: Oid | null = null;
    let isFirst = true;
    for await (const group of readCommitsWithGit(this.#program, this.#path, wanted, this.#signal)) {
      for (const { bytes } of group) {
        const next = decodeTreeOf(bytes);
        if (before !== null && isFirst) tree = next;
        else {
          yield await count.changed(tree, next);
          tree = next;
        }
        isFirst = false;
      }
    }
  }

  /**
   * The changes of a commit against the one before it; null where it is the first. One at a time.
   * @throws RepositoryUnreadable
   */
  async *listChanges(before: Oid | null, commit: Oid): AsyncGenerator<SourceChange> {
    let facts: string[] | undefined;
    const records =
      before === null ? this.#list([...diffTreeParameters, Tree.empty.oid, commit]) : this.#differ.list(before, commit);
    for await (const record of records) {
      if (facts === undefined) {
        facts = record.toString('latin1').slice(1).split(' ');
        continue;
      }
      const [modeBefore = '', modeAfter = '', oidBefore = '', oidAfter = ''] = facts;
      facts = undefined;
      const entry = (mode: string, oid: Oid): SourceEntry | null => (/^0+$/.test(mode) ? null : { mode, oid });
      yield { path: record, before: entry(modeBefore, oidBefore), after: entry(modeAfter, oidAfter) };
    }
  }

  /** @throws RepositoryUnreadable */
  async readCommit(oid: Oid): Promise<ForeignCommit> {
    const answer = await this.#contents.ask(oid);
    if (answer?.type !== 'commit') throw new RepositoryUnreadable(`Commit ${oid} is missing.`);
    return decodeForeignCommit(answer.bytes);
  }

  /** A blob's length in bytes; undefined when it is missing or cannot be read. */
  async findSize(oid: Oid): Promise<number | undefined> {
    const answer = await this.#facts.ask(oid).catch(() => undefined);
    return answer?.type === 'blob' ? answer.size : undefined;
  }

  /** A blob's bytes; undefined when it is missing or cannot be read. */
  async readBlob(oid: Oid): Promise<Buffer | undefined> {
    const answer = await this.#contents.ask(oid).catch(() => undefined);
    return answer?.type === 'blob' ? answer.bytes : undefined;
  }

  /** @param size bytes, as `findSize` said */
  streamBlob(oid: Oid, size: number): Readable {
    return streamBlob(this.#program, this.#path, oid, size);
  }

  async close(): Promise<void> {
    await Promise.all([this.#contents.close(), this.#facts.close(), this.#differ.close()]);
  }

  #start(parameters: readonly string[]): StartedGit {
    return startGit(this.#program, this.#path, parameters, this.#signal);
  }

  #list(parameters: readonly string[]): AsyncGenerator<Buffer> {
    return splitOutput(this.#start(parameters), 0);
  }
}

async function* wantEach(commits: Iterable<Oid>): AsyncGenerator<WantedCommit> {
  for (const oid of commits) yield { oid, withTree: false };
}
