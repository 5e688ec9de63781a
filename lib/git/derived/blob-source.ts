import { RepositoryUnreadable } from '../errors.js';
import type { Oid } from '../objects/objects.js';
import type { ForeignGit } from '../program/git-program.js';
import { startGit, type StartedGit } from '../program/start-git.js';

/** Bytes from which git streams a blob instead of holding it. */
export const bigFileThreshold = '1m';

const newline = 0x0a;
/** The longest line that git answers with. */
const maxLine = 200;

/**
 * Blobs of a repository, whole histories of them, by one `git cat-file --batch`. They are read in the order in which they
 * were asked for. A blob is handed on in pieces, so it may be of any size.
 */
export class BlobSource {
  readonly #start: () => StartedGit;
  #git: StartedGit | undefined;
  #pieces: AsyncIterator<Buffer> | undefined;
  #asked: readonly Oid[] = [];
  #answered = 0;
  #rest: Buffer = Buffer.alloc(0);

  constructor(program: ForeignGit, repository: string, signal: AbortSignal) {
    const parameters = ['-c', `core.bigFileThreshold=${bigFileThreshold}`, 'cat-file', '--batch', '--buffer'];
    this.#start = () => startGit(program, repository, parameters, signal);
  }

  /** Asks for blobs, once. Each of them has to be read. git is started where there are any. */
  ask(oids: readonly Oid[]): void {
    if (oids.length === 0) return;
    this.#asked = oids;
    this.#git = this.#start();
    this.#pieces = (this.#git.stdout as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
    this.#git.stdin.end(oids.map((oid) => `${oid}\n`).join(''));
  }

  /**
   * Reads the next blob that was asked for.
   * @param begin called with its bytes, before the first piece
   * @param take called with each piece; where it returns a promise, git waits for it
   * @throws RepositoryUnreadable when it is missing, or cannot be read; GitBoundMet
   */
  async read(begin: (size: number) => void, take: (piece: Buffer) => Promise<void> | undefined): Promise<void> {
    const oid = this.#asked[this.#answered];
    this.#answered += 1;
    const line = await this.#line();
    const [named, type, size] = line.split(' ');
    if (named !== oid || type !== 'blob') throw new RepositoryUnreadable(`git cat-file said: ${line}`);
    let left = Number(size);
    begin(left);
    while (left > 0) {
      if (this.#rest.length === 0) await this.#more();
      const piece = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(piece.length);
      left -= piece.length;
      const taken = take(piece);
      if (taken !== undefined) await taken;
    }
    if (this.#rest.length === 0) await this.#more();
    if (this.#rest[0] !== newline) throw new RepositoryUnreadable('git cat-file lost its place.');
    this.#rest = this.#rest.subarray(1);
  }

  /** Ends git. May be called twice. */
  close(): void {
    this.#git?.kill();
  }

  async #line(): Promise<string> {
    let end = this.#rest.indexOf(newline);
    while (end < 0) {
      if (this.#rest.length > maxLine) throw new RepositoryUnreadable('git cat-file gives no end of a line.');
      await this.#more();
      end = this.#rest.indexOf(newline);
    }
    const line = this.#rest.toString('latin1', 0, end);
    this.#rest = this.#rest.subarray(end + 1);
    return line;
  }

  async #more(): Promise<void> {
    const next = await this.#pieces?.next();
    if (next === undefined || next.done === true) {
      await this.#git?.requireSuccess('git cannot read the contents');
      throw new RepositoryUnreadable('git cat-file ended early.');
    }
    this.#rest = this.#rest.length === 0 ? next.value : Buffer.concat([this.#rest, next.value]);
  }
}
