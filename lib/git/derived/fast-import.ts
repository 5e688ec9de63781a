import type { Writable } from 'node:stream';
import { describeError } from '../../domain/describe-error.js';
import { GitBoundMet, WorkInterrupted } from '../errors.js';
import { encodeSignature, type Oid, type Signature } from '../objects/objects.js';
import type { ForeignGit } from '../program/git-program.js';
import { startGit, type StartedGit } from '../program/start-git.js';
import { blameDisk } from './blame-disk.js';
import { bigFileThreshold } from './blob-source.js';

/** A change of one path by a commit. Null removes the file there. */
export interface ImportedEdit {
  readonly path: string;
  readonly blob: Oid | null;
}

export interface ImportedCommit {
  readonly author: Signature;
  readonly committer: Signature;
  readonly message: string;
  /** In their order: what is removed has to stand before what takes its place. */
  readonly edits: Iterable<ImportedEdit>;
}

/** Bytes that wait before they are written together. */
const enough = 256 * 1024;

/** Settings of git's that decide the bytes of the pack. */
const settings = [
  `core.bigFileThreshold=${bigFileThreshold}`,
  'core.compression=1',
  'core.ignoreCase=false',
  // Also a single object comes in a pack.
  'fastimport.unpackLimit=0',
  'pack.indexVersion=2',
  'i18n.commitEncoding=UTF-8',
].flatMap((setting) => ['-c', setting]);

/**
 * One run of `git fast-import` on refs/heads/main of a repository: blobs, then commits of them. All objects come into
 * one pack. Its bytes depend on the input alone, so the same input gives the same pack.
 */
export class FastImport {
  readonly #git: StartedGit;
  readonly #branch: string;
  #waiting: (string | Buffer)[] = [];
  #bytes = 0;
  #from: Oid | null;
  #isOver = false;

  /** @param from the commit on which the first one stands; null for none */
  constructor(program: ForeignGit, repository: string, branch: string, from: Oid | null, signal: AbortSignal) {
    const parameters = [...settings, 'fast-import', '--quiet', '--done', '--date-format=raw'];
    this.#git = startGit(program, repository, parameters, signal);
    this.#git.stdout.resume();
    void this.#git.ended.then(() => (this.#isOver = true));
    this.#branch = branch;
    this.#from = from;
  }

  /** Begins a blob; its bytes are `put` next, exactly so many, and a blob is ended. */
  beginBlob(size: number): void {
    this.put(`blob\ndata ${size}\n`);
  }

  endBlob(): void {
    this.put('\n');
  }

  /** Bytes of a blob. They are not copied, and must stay as they are. */
  put(piece: string | Buffer): void {
    this.#waiting.push(piece);
    this.#bytes += piece.length;
  }

  /** Writes a commit. Its blobs are there already. */
  async commit({ author, committer, message, edits }: ImportedCommit): Promise<void> {
    const text = Buffer.from(message.replaceAll('\0', ''), 'utf8');
    this.put(
      `commit ${this.#branch}\nauthor ${encodeSignature(author)}\ncommitter ${encodeSignature(committer)}\ndata ${text.length}\n`,
    );
    this.put(text);
    this.put('\n');
    if (this.#from !== null) this.put(`from ${this.#from}\n`);
    this.#from = null;
    for (const { path, blob } of edits) {
      this.put(blob === null ? `D ${quotePath(path)}\n` : `M 100644 ${blob} ${quotePath(path)}\n`);
      if (this.isFull) await this.settle();
    }
    this.put('\n');
    if (this.isFull) await this.settle();
  }

  /** Whether enough waits: then the caller lets it settle. */
  get isFull(): boolean {
    return this.#bytes >= enough;
  }

  /** Hands on what waits, as fast as git takes it. @throws RepositoryUnreadable when git has ended */
  async settle(): Promise<void> {
    const pieces = this.#waiting;
    this.#waiting = [];
    this.#bytes = 0;
    if (this.#isOver) await this.#fail();
    const whole = Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)));
    await write(this.#git.stdin, whole);
  }

  /** Waits until the pack is complete, and the branch moved. @throws RepositoryUnreadable with git's message; GitBoundMet */
  async finish(): Promise<void> {
    this.put('done\n');
    await this.settle();
    this.#git.stdin.end();
    await this.#fail();
  }

  /** Ends git at once, and leaves the branch where it was. May be called twice. */
  close(): void {
    this.#git.kill();
  }

  /** Waits for git's end. */
  async #fail(): Promise<void> {
    try {
      await this.#git.requireSuccess('git cannot write a repository');
    } catch (error) {
      if (error instanceof WorkInterrupted || error instanceof GitBoundMet) throw error;
      throw blameDisk(describeError(error));
    }
  }
}

/** Writes, and waits while the reader is behind. After the reader has gone, the rest is dropped. */
async function write(stream: Writable, bytes: Buffer): Promise<void> {
  if (stream.destroyed || stream.write(bytes)) return;
  await new Promise<void>((resolve) => {
    const goOn = (): void => {
      stream.off('drain', goOn);
      stream.off('close', goOn);
      resolve();
    };
    stream.on('drain', goOn);
    stream.on('close', goOn);
  });
}

/** Characters that stand for something else between quotes, or end the line. */
const special = /["\\\u0000-\u001f\u007f]/gu;

/** A path as fast-import reads it: any name, also one with quotes, newlines or spaces. */
export function quotePath(path: string): string {
  const safe = path.replaceAll(special, (character) =>
    character === '"' || character === '\\'
      ? `\\${character}`
      : `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`,
  );
  return `"${safe}"`;
}
