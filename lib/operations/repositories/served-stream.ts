import { Transform, type TransformCallback } from 'node:stream';
import { callbackify } from 'node:util';
import type { Release } from '../../limits/work-limiter.js';
import type { Caller } from '../../domain/caller.js';
import { Refusal } from '../../domain/refusal.js';
import type { FetchAnswer } from '../../git/serving/fetch-answer.js';
import { encodeError } from '../../git/serving/packets.js';
import type { RunningService } from '../../git/serving/start-service.js';
import type { Workspace } from '../../workspace/workspace.js';
import type { AuditNote } from '../operation.js';
import { recordRefusal } from '../perform.js';
import type { FetchTally } from './fetch-tally.js';
import type { OpenRepository } from './prepare-repository.js';

/** Bytes between git and the client: a few of the largest packets. */
const highWaterMark = 256 * 1024;

/** What looks at the answer to a fetch as it passes. */
export interface Followed {
  readonly tally: FetchTally;
  readonly answer: FetchAnswer;
  /** Objects that the record of the fetch accounts for. Undefined where it says that everything was given out. */
  readonly explained: number | undefined;
  /** Records that everything is given out. Called before any object of a pack with more objects is sent. */
  readonly recordWhole: () => Promise<unknown>;
  /** Called at the end, when `answer` has seen all of it. */
  readonly end: (answer: FetchAnswer) => void;
}

export interface ServedAnswer {
  readonly workspace: Workspace;
  readonly caller: Caller;
  /** Of the operation, for the record of an early end. */
  readonly name: string;
  readonly open: OpenRepository;
  readonly git: RunningService;
  readonly followed: Followed | undefined;
  /** Called once git has ended. */
  readonly release: Release;
}

/**
 * What git answers, as long as its caller may have it. git ends with the stream, and waits while the client does not
 * read.
 */
export class ServedStream extends Transform {
  readonly #served: ServedAnswer;
  readonly #abort: () => void;
  #isCut = false;
  #isCounted = false;
  #bytes = 0;

  constructor(served: ServedAnswer) {
    super({ readableHighWaterMark: highWaterMark, writableHighWaterMark: highWaterMark });
    this.#served = served;
    const { open, git, release } = served;
    const { signal } = open.hold;
    this.#abort = () => this.#cut(signal.reason as Error);
    signal.addEventListener('abort', this.#abort, { once: true });
    git.stdout.on('error', (error) => this.destroy(error));
    git.stdout.pipe(this);
    void git.ended.then(release);
    if (signal.aborted) this.#abort();
  }

  override _transform(piece: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    callbackify(() => this.#pass(piece))(done);
  }

  override _flush(done: TransformCallback): void {
    callbackify(() => this.#finish())(done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    const { open, git } = this.#served;
    open.hold.signal.removeEventListener('abort', this.#abort);
    endGit(git);
    void this.#record(error === null && !this.#isCut && this.readableEnded);
    done(error);
  }

  async #pass(piece: Buffer): Promise<void> {
    if (this.#isCut) return;
    try {
      const { open, followed } = this.#served;
      open.watch.requireAll();
      const passed = followed?.answer.pass(piece) ?? piece;
      if (followed !== undefined && this.#sendsMore(followed)) await followed.recordWhole();
      if (!this.#hasBeenCut()) this.#send(passed);
    } catch (error) {
      this.#cut(error as Error);
    }
  }

  /** Whether git sends more than the record says. It is reported once. */
  #sendsMore({ answer: { objects }, explained }: Followed): boolean {
    if (this.#isCounted || objects === undefined) return false;
    this.#isCounted = true;
    return explained !== undefined && objects > explained;
  }

  #hasBeenCut(): boolean {
    return this.#isCut || this.destroyed;
  }

  #send(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#bytes += bytes.length;
    this.#served.followed?.tally.add(bytes.length);
    this.push(bytes);
  }

  async #finish(): Promise<void> {
    if (this.#isCut) return;
    const { git, followed, workspace } = this.#served;
    if (followed !== undefined) {
      this.#send(followed.answer.rest());
      followed.end(followed.answer);
    }
    if (this.#bytes > 0 || (await git.ended) === 0) return;
    // git said nothing to its client, and what it said instead is for the log.
    workspace.onFault(`git could not answer a fetch: ${git.said()}`, undefined);
    this.#send(encodeError('This request is not understood, or the repository cannot be read.'));
  }

  /** Ends it before git is done, with words for the person where they can stand. */
  #cut(error: Error): void {
    if (this.#isCut || this.destroyed) return;
    this.#isCut = true;
    const { git, followed, workspace, caller, name, open } = this.#served;
    git.stdout.unpipe(this);
    endGit(git);
    if (error instanceof Refusal) {
      const note: AuditNote = { detail: { head: open.repository.head, broken_off: true } };
      void recordRefusal(workspace, caller, { name, note: () => note }, undefined, error);
    }
    const words = followed?.answer.breakOff('This ends here: the key may not read all of it any more.');
    if (words === undefined) {
      this.destroy(error);
      return;
    }
    this.push(words);
    this.end();
  }

  async #record(isWhole: boolean): Promise<void> {
    const code = await this.#served.git.ended;
    this.#served.followed?.tally.end(isWhole && code === 0);
  }
}

/** Its output may be unread, and would keep it from being over. */
function endGit(git: RunningService): void {
  git.kill();
  git.stdout.destroy();
}
