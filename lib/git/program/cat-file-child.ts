import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { RepositoryUnreadable } from '../errors.js';

/** git's answer for one object. `bytes` is empty where only facts were requested. */
export interface CatFileAnswer {
  type: string;
  size: number;
  bytes: Buffer;
}

/** A question, waiting for its answer. */
export interface Question {
  oid: string;
  /** How often a child died while this question was first in line. */
  deaths: number;
  /** `undefined` when git knows no such object. */
  resolve(answer: CatFileAnswer | undefined): void;
  reject(error: Error): void;
}

const newline = 0x0a;
const nothing = Buffer.alloc(0);

/**
 * One `git cat-file --batch` (or `--batch-check`) process. Questions leave as they come, and answers come back in the
 * same order. git answers each with a line and, for contents, with exactly the bytes that the line announces and a
 * newline.
 */
export class CatFileChild {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #givesContents: boolean;
  readonly #questions: Question[] = [];
  #answered = 0; // how many at the start of #questions have been answered
  #unsent = '';
  #line: Buffer = nothing;
  #answer: CatFileAnswer | undefined;
  #filled = 0;
  #said = '';
  #isGone = false;
  #isRetired = false;

  /**
   * @param onGone is called once, when the process has ended for any reason, with its unanswered questions and its last
   * output.
   */
  constructor(
    child: ChildProcessWithoutNullStreams,
    givesContents: boolean,
    onGone: (left: Question[], reason: string) => void,
  ) {
    this.#child = child;
    this.#givesContents = givesContents;
    const gone = (reason: string): void => {
      if (this.#isGone) return;
      this.#isGone = true;
      onGone(this.#questions.slice(this.#answered), reason);
    };
    child.on('error', (error) => gone(error.message));
    child.on('close', () => gone(this.#said.trim()));
    child.stdin.on('error', () => undefined); // "close" reports the end
    child.stderr.on('data', (piece: Buffer) => {
      this.#said = (this.#said + piece.toString('utf8')).slice(-2000);
    });
    child.stdout.on('data', (piece: Buffer) => {
      try {
        this.#take(piece);
      } catch (error) {
        this.#said += String(error);
        child.kill('SIGKILL');
      }
    });
    this.#keepProcessAlive(false);
  }

  /** Whether every question has been answered. */
  get isIdle(): boolean {
    return this.#answered === this.#questions.length;
  }

  ask(question: Question): void {
    if (this.isIdle) this.#keepProcessAlive(true);
    this.#questions.push(question);
    if (this.#unsent === '') setImmediate(() => this.#send());
    this.#unsent += `${question.oid}\n`;
  }

  /** Lets the process end after its last answer. Our process stays alive until then. */
  retire(): void {
    this.#isRetired = true;
    this.#keepProcessAlive(true);
    this.#send();
    this.#child.stdin.end();
  }

  /** Ends the process at once. */
  kill(): void {
    this.#keepProcessAlive(true); // until its end was noticed
    this.#child.kill('SIGKILL');
  }

  /** All questions of one turn of the event loop leave in one write. */
  #send(): void {
    if (this.#unsent === '') return;
    this.#child.stdin.write(this.#unsent);
    this.#unsent = '';
  }

  #take(piece: Buffer): void {
    let at = 0;
    while (at < piece.length) {
      if (this.#answer === undefined) {
        const end = piece.indexOf(newline, at);
        if (end < 0) {
          this.#line = Buffer.concat([this.#line, piece.subarray(at)]);
          return;
        }
        const line = this.#line.toString('latin1') + piece.toString('latin1', at, end);
        this.#line = nothing;
        at = end + 1;
        this.#begin(line);
        continue;
      }
      const { bytes } = this.#answer;
      if (this.#filled < bytes.length) {
        const copied = piece.copy(bytes, this.#filled, at);
        this.#filled += copied;
        at += copied;
        continue;
      }
      if (piece[at] !== newline) throw new RepositoryUnreadable('git cat-file lost its place.');
      at += 1;
      this.#finish(this.#answer);
    }
  }

  #begin(line: string): void {
    const [oid = '', type = '', size] = line.split(' ');
    const asked = this.#questions[this.#answered];
    if (asked?.oid !== oid) throw new RepositoryUnreadable(`git cat-file said: ${line}`);
    if (size === undefined) {
      if (type !== 'missing') throw new RepositoryUnreadable(`git cat-file said: ${line}`);
      this.#finish(undefined);
      return;
    }
    const length = Number(size);
    if (!this.#givesContents) {
      this.#finish({ type, size: length, bytes: nothing });
      return;
    }
    this.#answer = { type, size: length, bytes: Buffer.allocUnsafe(length) };
    this.#filled = 0;
  }

  #finish(answer: CatFileAnswer | undefined): void {
    const question = this.#questions[this.#answered];
    this.#answer = undefined;
    this.#answered += 1;
    if (this.isIdle) {
      this.#questions.length = 0;
      this.#answered = 0;
      if (!this.#isRetired) this.#keepProcessAlive(false);
    } else if (this.#answered >= 1024) {
      this.#questions.splice(0, this.#answered);
      this.#answered = 0;
    }
    question?.resolve(answer);
  }

  /** An idle child must not keep ours running; a question must. */
  #keepProcessAlive(keeps: boolean): void {
    const method = keeps ? 'ref' : 'unref';
    const { stdin, stdout, stderr } = this.#child;
    for (const handle of [this.#child, stdin, stdout, stderr])
      // The pipes are sockets, but @types/node says so only of some of them.
      (handle as { ref?(): void; unref?(): void })[method]?.();
  }
}
