import { RepositoryUnreadable } from '../errors.js';
import type { Oid } from '../objects/objects.js';
import type { StartedGit } from '../program/start-git.js';

/** An object on its way from git. Its bytes are to be read before the next object is asked for. */
export interface ArrivingObject {
  readonly oid: Oid;
  readonly type: string;
  /** Bytes. */
  readonly size: number;
  readonly content: AsyncIterable<Buffer>;
}

/**
 * Reads objects one after the other from one git, in their order. Memory holds a piece of one. What its reader leaves of
 * an object is thrown away.
 * @param start starts git with these parameters
 * @throws RepositoryUnreadable where git fails, or lacks one
 */
export async function* readObjects(
  start: (parameters: readonly string[]) => StartedGit,
  oids: readonly Oid[],
): AsyncGenerator<ArrivingObject> {
  if (oids.length === 0) return;
  // A large object is streamed by git, and not inflated whole in it, unless it is a delta.
  const git = start(['-c', 'core.bigFileThreshold=1m', 'cat-file', '--batch', '--buffer']);
  const output = new Output(git);
  git.stdin.end(`${oids.join('\n')}\n`);
  try {
    for (const oid of oids) {
      const [name, type = '', size = ''] = (await output.line()).split(' ');
      if (name !== oid || size === '') throw new RepositoryUnreadable(`git cat-file lacks ${oid}.`);
      const content = output.bytes(Number(size));
      yield { oid, type, size: Number(size), content };
      for await (const _ of content) void _;
      if ((await output.line()) !== '') throw new RepositoryUnreadable('git cat-file lost its place.');
    }
    await git.requireSuccess('git cannot read what was pushed');
  } finally {
    git.kill();
    git.stdout.destroy();
  }
}

/** A folder that was asked for. */
export interface AskedTree {
  readonly oid: Oid;
  readonly bytes: Buffer;
}

/** Asks one git for folders, one after the other. To be closed. */
export class TreeReader {
  readonly #git: StartedGit;
  readonly #output: Output;

  /** @param start starts git with these parameters */
  constructor(start: (parameters: readonly string[]) => StartedGit) {
    this.#git = start(['cat-file', '--batch']);
    this.#output = new Output(this.#git);
  }

  /**
   * @param name of a folder, or of a commit with `^{tree}` behind it
   * @returns undefined where git lacks it
   * @throws RepositoryUnreadable
   */
  async read(name: string): Promise<AskedTree | undefined> {
    this.#git.stdin.write(`${name}\n`);
    const line = await this.#output.line();
    const [oid = '', type, size] = line.split(' ');
    if (line.endsWith(' missing') || size === undefined) return undefined;
    const pieces: Buffer[] = [];
    for await (const piece of this.#output.bytes(Number(size))) pieces.push(piece);
    await this.#output.line();
    if (type !== 'tree') throw new RepositoryUnreadable(`${name} is a ${type}, and no folder.`);
    return { oid, bytes: Buffer.concat(pieces) };
  }

  close(): void {
    this.#git.kill();
    this.#git.stdout.destroy();
  }
}

/** git's output, as lines and as stretches of bytes. */
class Output {
  readonly #git: StartedGit;
  readonly #pieces: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(git: StartedGit) {
    this.#git = git;
    this.#pieces = (git.stdout as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  }

  async line(): Promise<string> {
    for (;;) {
      const end = this.#rest.indexOf(0x0a);
      if (end >= 0) {
        const line = this.#rest.toString('latin1', 0, end);
        this.#rest = this.#rest.subarray(end + 1);
        return line;
      }
      await this.#read();
    }
  }

  /** A second iteration goes on where the first one stopped. */
  bytes(size: number): AsyncIterable<Buffer> {
    let missing = size;
    const take = async (): Promise<IteratorResult<Buffer, undefined>> => {
      if (missing === 0) return { done: true, value: undefined };
      if (this.#rest.length === 0) await this.#read();
      const piece = this.#rest.subarray(0, missing);
      this.#rest = this.#rest.subarray(piece.length);
      missing -= piece.length;
      return { done: false, value: piece };
    };
    return { [Symbol.asyncIterator]: () => ({ next: take }) };
  }

  async #read(): Promise<void> {
    const next = await this.#pieces.next();
    if (next.done === true) {
      await this.#git.requireSuccess('git cannot read what was pushed');
      throw new RepositoryUnreadable('git ended before it had given every object.');
    }
    this.#rest = this.#rest.length === 0 ? next.value : Buffer.concat([this.#rest, next.value]);
  }
}
