import { Rests } from '../scheduling/rests.js';
import { takeBatch, type IndexBatch, type QueuedIndexEvent } from './index-event.js';

/** Milliseconds for which events are gathered before they are applied, unless a caller waits for them. */
const gatheredFor = 20;
/** Maximum of waiting events; beyond, writers wait until half of them are applied. */
const maxWaiting = 4096;
/** The same for writes of many documents. It is lower, so that a row of them seldom fills the queue for the others. */
const maxBeforeMany = 1024;

export interface IndexEventApplier<Begun> {
  /**
   * Begins the part of a batch that does not depend on those before it, while the one before it is being applied.
   * Undefined where there is none.
   */
  readonly begin: (batch: IndexBatch) => Begun | undefined;
  /** Applies events that can be applied together. Never fails: it mends its own faults. */
  readonly follow: (batch: IndexBatch, begun: Begun | undefined) => Promise<void>;
  /** Called when the events of a commit are all applied. Never fails. */
  readonly rest: () => void;
}

interface Taken<Begun> {
  readonly batch: IndexBatch;
  readonly begun: Begun | undefined;
}

/**
 * The queue of events for the index. They are applied in the order of arrival. They are gathered for a moment so that
 * many small commits are applied together, but at once where a caller waits.
 */
export class IndexQueue<Begun> {
  readonly #follower: IndexEventApplier<Begun>;
  #notes: QueuedIndexEvent[] = [];
  /** Number of all events ever taken, and of those applied. */
  #taken = 0;
  #followed = 0;
  #waiting: { readonly until: number; readonly resolve: () => void }[] = [];
  #isFollowing = false;
  /** Ends the gathering of events. */
  #hurry: () => void = () => undefined;

  constructor(follower: IndexEventApplier<Begun>) {
    this.#follower = follower;
  }

  /** Whether every event taken so far has been applied. */
  get isSettled(): boolean {
    return this.#followed === this.#taken;
  }

  /** Returns at once. Events of one commit come in one call. */
  add(notes: readonly QueuedIndexEvent[]): void {
    for (const note of notes) this.#notes.push(note);
    this.#taken += notes.length;
    if (!this.#isFollowing) void this.#followAll();
  }

  /** Resolves when all events taken so far have been applied; at once when none wait. */
  async settled(): Promise<void> {
    this.#hurry();
    await this.#reach(this.#taken);
  }

  /**
   * Resolves when there is room for the events of another write: at once but under a long flood of them.
   * @param isLong whether the write may bring many
   */
  async roomForWrites(isLong = false): Promise<void> {
    const most = isLong ? maxBeforeMany : maxWaiting;
    if (this.#taken - this.#followed > most) await this.#reach(this.#taken - most / 2);
  }

  #reach(until: number): Promise<void> | undefined {
    if (this.#followed >= until) return undefined;
    return new Promise((resolve) => void this.#waiting.push({ until, resolve }));
  }

  async #followAll(): Promise<void> {
    this.#isFollowing = true;
    const rests = new Rests();
    while (this.#notes.length > 0) {
      if (this.#waiting.length === 0) await this.#gather();
      const notes = this.#notes;
      this.#notes = [];
      let next = 0;
      for (let some = this.#takeSome(notes, next); some !== undefined;) {
        next += some.batch.count;
        // Work on the index decides how what comes after it is done.
        const following = some.batch.isUpsert ? this.#takeSome(notes, next) : undefined;
        await this.#follow(some);
        if (rests.isDue) await rests.take();
        some = following ?? this.#takeSome(notes, next);
      }
      this.#follower.rest();
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

  /** The next batch, with what can be done of it already. */
  #takeSome(notes: readonly QueuedIndexEvent[], from: number): Taken<Begun> | undefined {
    if (from >= notes.length) return undefined;
    const batch = takeBatch(notes, from);
    return { batch, begun: this.#follower.begin(batch) };
  }

  async #follow({ batch, begun }: Taken<Begun>): Promise<void> {
    await this.#follower.follow(batch, begun);
    this.#followed += batch.count;
    const done = this.#waiting.filter(({ until }) => until <= this.#followed);
    if (done.length > 0) this.#waiting = this.#waiting.filter(({ until }) => until > this.#followed);
    for (const { resolve } of done) resolve();
  }
}
