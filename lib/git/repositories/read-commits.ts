import type { Writable } from 'node:stream';
import { decodeCommit } from '../objects/commit-object.js';
import { ObjectNotFound, RepositoryUnreadable } from '../errors.js';
import type { GitProgram } from '../program/git-program.js';
import type { GitObject, Oid } from '../objects/objects.js';
import { startGit } from '../program/start-git.js';
import { Tree } from '../objects/tree.js';

/** A requested commit. */
export interface WantedCommit {
  readonly oid: Oid;
  /** Whether the listing of its root folder is wanted, too. */
  readonly withTree: boolean;
}

/** A commit as it was read. */
export interface ReadCommit {
  readonly oid: Oid;
  readonly bytes: Buffer;
  /** Its root folder's listing, where it was requested and is there. */
  readonly tree: Buffer | undefined;
}

/** Bytes to read before a caller gets a group. */
const groupBytes = 2 * 1024 * 1024;
const groupCommits = 256;

/**
 * Requested commits and the listings of their root folders, in the order of the requests, from one git process. There
 * is no wait for git between two of them. They come in groups, and git reads no further than the caller takes.
 * @throws ObjectNotFound for a missing commit; RepositoryUnreadable when one cannot be read, or git fails on the way
 */
export async function* readCommitsWithGit(
  program: GitProgram,
  repository: string,
  wanted: AsyncIterable<WantedCommit>,
  signal?: AbortSignal,
): AsyncGenerator<readonly ReadCommit[], void, undefined> {
  const git = startGit(program, repository, ['cat-file', '--batch', '--buffer'], signal);
  const open: WantedCommit[] = [];
  const asking = ask(wanted, open, git.stdin);
  // The end of the answers reports the error.
  asking.catch(() => git.kill());
  try {
    const parser = new AnswerParser();
    let group: ReadCommit[] = [];
    let bytes = 0;
    let commit: Buffer | undefined;
    let next = 0;
    for await (const piece of git.stdout as AsyncIterable<Buffer>) {
      bytes += piece.length;
      for (const content of parser.take(piece)) {
        const question = open[next];
        if (question === undefined) throw new RepositoryUnreadable('git cat-file says more than it was asked.');
        if (commit === undefined) {
          if (content === 'missing') throw new ObjectNotFound(question.oid);
          commit = content;
          if (question.withTree) continue;
          group.push({ oid: question.oid, bytes: commit, tree: undefined });
        } else group.push({ oid: question.oid, bytes: commit, tree: content === 'missing' ? undefined : content });
        commit = undefined;
        next += 1;
      }
      if (group.length < groupCommits && bytes < groupBytes) continue;
      open.splice(0, next);
      next = 0;
      yield group;
      group = [];
      bytes = 0;
    }
    await asking;
    await git.requireSuccess('Commits cannot be read');
    if (commit !== undefined || open.length > next) {
      throw new RepositoryUnreadable('git cat-file did not say all that it was asked.');
    }
    if (group.length > 0) yield group;
  } finally {
    git.kill();
  }
}

/** Questions sent in one write. */
const askedAtOnce = 256;

async function ask(wanted: AsyncIterable<WantedCommit>, open: WantedCommit[], stdin: Writable): Promise<void> {
  let lines = '';
  let count = 0;
  const send = async (): Promise<void> => {
    const text = lines;
    lines = '';
    count = 0;
    if (stdin.write(text) || stdin.destroyed) return;
    await new Promise<void>((resolve) => {
      stdin.once('drain', resolve);
      stdin.once('close', resolve);
    });
  };
  for await (const question of wanted) {
    // The reader has stopped.
    if (stdin.destroyed) return;
    open.push(question);
    lines += question.withTree ? `${question.oid}\n${question.oid}^{tree}\n` : `${question.oid}\n`;
    count += 1;
    if (count === askedAtOnce) await send();
  }
  stdin.end(lines);
}

const newline = 0x0a;

/**
 * Takes the contents out of the output of `git cat-file --batch`, however its bytes are cut into pieces. For an object
 * that is not there it gives the word.
 */
class AnswerParser {
  #rest: Buffer = Buffer.alloc(0);
  #pieces: Buffer[] = [];
  /** Bytes still missing before the next look makes sense. */
  #missing = 0;

  *take(piece: Buffer): IterableIterator<Buffer | 'missing'> {
    this.#pieces.push(piece);
    this.#missing -= piece.length;
    if (this.#missing > 0) return;
    const bytes =
      this.#pieces.length === 1 && this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, ...this.#pieces]);
    this.#pieces = [];
    let at = 0;
    for (;;) {
      const end = bytes.indexOf(newline, at);
      if (end < 0) break;
      const line = bytes.toString('latin1', at, end);
      if (/^[0-9a-f]{40}(?:\^\{tree\})? missing$/.test(line)) {
        yield 'missing';
        at = end + 1;
        continue;
      }
      const size = /^[0-9a-f]{40} (?:commit|tree) (\d+)$/.exec(line)?.[1];
      if (size === undefined) throw new RepositoryUnreadable(`git cat-file said: ${line}`);
      const start = end + 1;
      const after = start + Number(size) + 1;
      if (after > bytes.length) {
        this.#missing = after - bytes.length;
        break;
      }
      yield bytes.subarray(start, after - 1);
      at = after;
    }
    this.#rest = bytes.subarray(at);
  }
}

/** The same without a git program. @throws ObjectNotFound, RepositoryUnreadable */
export async function* readCommitsByReading(
  read: (oid: Oid) => Promise<GitObject>,
  wanted: AsyncIterable<WantedCommit>,
): AsyncGenerator<readonly ReadCommit[], void, undefined> {
  for await (const { oid, withTree } of wanted) {
    const { bytes } = await read(oid);
    if (!withTree) {
      yield [{ oid, bytes, tree: undefined }];
      continue;
    }
    const { tree } = decodeCommit(bytes);
    // git knows the empty tree without storing it.
    yield [{ oid, bytes, tree: tree === Tree.empty.oid ? Tree.empty.bytes : await readIfThere(read, tree) }];
  }
}

async function readIfThere(read: (oid: Oid) => Promise<GitObject>, oid: Oid): Promise<Buffer | undefined> {
  try {
    return (await read(oid)).bytes;
  } catch (error) {
    if (error instanceof ObjectNotFound) return undefined;
    throw error;
  }
}
