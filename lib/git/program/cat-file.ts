import { CatFileChild } from './cat-file-child.js';
import type { CatFileAnswer, Question } from './cat-file-child.js';
import { RepositoryUnreadable } from '../errors.js';
import type { GitProgram } from './git-program.js';
import { spawnGit } from './git-program.js';
import type { Oid } from '../objects/objects.js';

/** Milliseconds that a child may stay idle before it is ended. */
const idleTime = 60_000;

/**
 * Asks a long-lived `git cat-file` child. It starts with the first question and ends after a minute without one. When a
 * child dies, its questions go to a new one. Only the question in progress can have killed it: that question fails when
 * a second child dies of it.
 */
export class CatFile {
  readonly #start: (onGone: (left: Question[], reason: string) => void) => CatFileChild;
  readonly #children = new Map<CatFileChild, Promise<void>>();
  #current: CatFileChild | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** @param kind whether answers carry contents, or only type and size. */
  constructor(program: GitProgram, repository: string, kind: 'contents' | 'facts') {
    const parameter = kind === 'contents' ? '--batch' : '--batch-check';
    this.#start = (onGone) =>
      new CatFileChild(spawnGit(program, repository, ['cat-file', parameter]), kind === 'contents', onGone);
  }

  /**
   * git's answer for an object, or undefined when it is "missing" (also its answer for some damaged ones).
   * @throws RepositoryUnreadable when git fails on it twice, or cannot start.
   */
  ask(oid: Oid): Promise<CatFileAnswer | undefined> {
    return new Promise((resolve, reject) => {
      this.#put({ oid, deaths: 0, resolve, reject });
    });
  }

  /**
   * From now on a new child answers, without knowledge of removed packs. The old one ends after its last answer and
   * closes their files.
   */
  renew(): void {
    this.#current?.retire();
    this.#current = undefined;
  }

  /** The same; resolves when the old ones have ended. */
  async replace(): Promise<void> {
    this.renew();
    await Promise.all(this.#children.values());
  }

  /** Ends every child; questions still waiting are rejected. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idleTimer);
    for (const child of this.#children.keys()) child.kill();
    await Promise.all(this.#children.values());
  }

  #put(question: Question): void {
    if (this.#isClosed) {
      question.reject(new RepositoryUnreadable('The repository is closed.'));
      return;
    }
    this.#current ??= this.#startChild();
    this.#current.ask(question);
    if (this.#idleTimer === undefined) this.#idleTimer = setTimeout(() => this.#letGo(), idleTime).unref();
    else this.#idleTimer.refresh();
  }

  #letGo(): void {
    if (this.#current?.isIdle === true) this.renew();
    else this.#idleTimer?.refresh();
  }

  #startChild(): CatFileChild {
    let ended: () => void;
    const end = new Promise<void>((resolve) => (ended = resolve));
    const child = this.#start((left, reason) => {
      if (this.#current === child) this.#current = undefined;
      this.#children.delete(child);
      ended();
      this.#askAgain(left, reason);
    });
    this.#children.set(child, end);
    return child;
  }

  #askAgain(left: Question[], reason: string): void {
    const [first, ...others] = left;
    if (first === undefined) return;
    first.deaths += 1;
    if (first.deaths > 1 || this.#isClosed)
      first.reject(new RepositoryUnreadable(`git cannot read object ${first.oid}: ${reason || 'it was ended'}`));
    else this.#put(first);
    for (const question of others) this.#put(question);
  }
}
