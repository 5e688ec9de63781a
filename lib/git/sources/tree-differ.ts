import { RepositoryUnreadable } from '../errors.js';
import type { Oid } from '../objects/objects.js';
import type { StartedGit } from '../program/start-git.js';

/** The parameters for diffs of trees, of one pair or of many. */
export const diffTreeParameters = [
  'diff-tree',
  '-r',
  '-z',
  '--raw',
  '--no-renames',
  '--no-abbrev',
  '--ignore-submodules=none',
];

/** A line with which no diff begins. git repeats a line that names no object, and flushes its output. */
const mark = '.\n';

/**
 * The changes between pairs of commits, one after the other, from one git that starts with the first. Starting git
 * takes longer than a small commit.
 */
export class TreeDiffer {
  readonly #start: (parameters: readonly string[]) => StartedGit;
  #git: StartedGit | undefined;
  #pieces: AsyncIterator<Buffer> | undefined;
  #rest: Buffer = Buffer.alloc(0);

  /** @param start starts a git in the repository */
  constructor(start: (parameters: readonly string[]) => StartedGit) {
    this.#start = start;
  }

  /**
   * The fields of a raw diff (git-diff-tree(1), `-z`), facts and path in alternation. One diff at a time; a caller that
   * stops early ends git.
   * @throws RepositoryUnreadable
   */
  async *list(before: Oid, commit: Oid): AsyncGenerator<Buffer, undefined> {
    const git = this.#open();
    let isWhole = false;
    try {
      git.stdin.write(`${commit} ${before}\n${mark}`);
      // git passes over an unknown commit in silence; for every other it prints the name first.
      if (await this.#isAtMark(git)) throw new RepositoryUnreadable(`Commit ${commit} is missing.`);
      await this.#takeField(git);
      while (!(await this.#isAtMark(git))) {
        yield await this.#takeField(git);
        yield await this.#takeField(git);
      }
      isWhole = true;
    } finally {
      if (!isWhole) await this.close();
    }
  }

  async close(): Promise<void> {
    const git = this.#git;
    this.#git = undefined;
    git?.kill();
    // It ends only after its output has been read or thrown away.
    git?.stdout.destroy();
    await git?.ended;
  }

  #open(): StartedGit {
    if (this.#git === undefined) {
      this.#git = this.#start([...diffTreeParameters, '--stdin', '--always']);
      this.#pieces = (this.#git.stdout as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
      this.#rest = Buffer.alloc(0);
    }
    return this.#git;
  }

  /** Takes the mark where it comes next. */
  async #isAtMark(git: StartedGit): Promise<boolean> {
    while (this.#rest.length < mark.length) await this.#read(git);
    const isMark = this.#rest.toString('latin1', 0, mark.length) === mark;
    if (isMark) this.#rest = this.#rest.subarray(mark.length);
    return isMark;
  }

  /** Up to the next NUL, which is dropped. */
  async #takeField(git: StartedGit): Promise<Buffer> {
    for (let from = 0; ;) {
      const end = this.#rest.indexOf(0, from);
      if (end >= 0) {
        const field = this.#rest.subarray(0, end);
        this.#rest = this.#rest.subarray(end + 1);
        return field;
      }
      from = this.#rest.length;
      await this.#read(git);
    }
  }

  async #read(git: StartedGit): Promise<void> {
    const next = await this.#pieces?.next();
    if (next === undefined || next.done === true) {
      await git.requireSuccess('git cannot read the repository');
      throw new RepositoryUnreadable('git ended before it had said what a commit changed.');
    }
    this.#rest = this.#rest.length === 0 ? next.value : Buffer.concat([this.#rest, next.value]);
  }
}
