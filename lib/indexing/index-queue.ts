import { takeBatch, type IndexBatch, type QueuedIndexEvent } from './index-event.js';

/** Milliseconds that notes are gathered before they are followed, unless somebody is waiting for them. */
const gatheredFor = 20;
/** Notes that may wait; beyond, writers wait until half of them are followed. */
const maxWaiting = 4096;

export interface IndexEventApplier {
  /** Follows notes that can be followed together. Never fails: what goes wrong is its own to mend. */
  readonly follow: (batch: IndexBatch) => Promise<void>;
  /** Called where the notes of a commit are followed whole. Never fails. */
  readonly rest: () => Promise<void>;
}

/**
 * The line in which notes wait for the index: they are followed in the order in which they came, gathered for a moment
 * so that many small commits are followed together, and at once where somebody waits.
 */
export class IndexQueue {
  readonly #follower: IndexEventApplier;
  #notes: QueuedIndexEvent[] = [];
  /** How many notes were ever taken, and how many of them are followed. */
  #taken = 0;
  #followed = 0;
  #waiting: { readonly until: number; readonly resolve: () => void }[] = [];
  #isFollowing = false;
  /** Ends the time in which notes are gathered. */
  #hurry: () => void = () => undefined;

  constructor(follower: IndexEventApplier) {
    this.#follower = follower;
  }

  /** Whether every note taken so far has been followed. */
  get isSettled(): boolean {
    return this.#followed === this.#taken;
  }

  /** Returns at once. Notes of one commit come in one call. */
  add(notes: readonly QueuedIndexEvent[]): void {
    for (const note of notes) this.#notes.push(note);
    this.#taken += notes.length;
    if (!this.#isFollowing) void this.#followAll();
  }

  /** Resolves when all notes taken so far have been followed; at once when none wait. */
  async settled(): Promise<void> {
    this.#hurry();
    await this.#reach(this.#taken);
  }

  /** Resolves when there is room for the notes of another write: at once but under a long flood of them. */
  async roomForWrites(): Promise<void> {
    if (this.#taken - this.#followed > maxWaiting) await this.#reach(this.#taken - maxWaiting / 2);
  }

  #reach(until: number): Promise<void> | undefined {
    if (this.#followed >= until) return undefined;
    return new Promise((resolve) => void this.#waiting.push({ until, resolve }));
  }

  async #followAll(): Promise<void> {
    this.#isFollowing = true;
    while (this.#notes.length > 0) {
      if (this.#waiting.length === 0) await this.#gather();
      const notes = this.#notes;
      this.#notes = [];
      for (let next = 0; next < notes.length;) next += await this.#followSome(notes, next);
      await this.#follower.rest();
    }
    this.#isFollowing = false;
  }

  #gather(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, gatheredFor);
      this.#hurry = () => {
        clearTimeout(timer);
        this.#hurry = () => undefined;
        resolve();
      };
    });
  }

  /** @returns how many notes it followed */
  async #followSome(notes: readonly QueuedIndexEvent[], from: number): Promise<number> {
    const batch = takeBatch(notes, from);
    await this.#follower.follow(batch);
    this.#followed += batch.count;
    const done = this.#waiting.filter(({ until }) => until <= this.#followed);
    if (done.length > 0) this.#waiting = this.#waiting.filter(({ until }) => until > this.#followed);
    for (const { resolve } of done) resolve();
    return batch.count;
  }
}
