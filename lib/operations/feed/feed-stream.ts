import type { Release } from '../../limits/work-limiter.js';
import { principalSourceOf } from '../../limits/work-limits.js';
import { Refusal } from '../../domain/refusal.js';
import type { Location } from '../../domain/location.js';
import type { FeedPage } from '../../feed/read-feed.js';
import { Rests } from '../../scheduling/rests.js';
import type { ReadContext } from '../operation.js';
import { recordEnd } from '../record-end.js';
import { FeedListening } from './feed-listening.js';

/** The audit log's action for the end of a stream, however it ended. */
const action = 'feed.followed';

/** Milliseconds. Proxies, and our own port, wait longer in silence. */
export const usualBeat = 15_000;

/** Milliseconds that a reader may take for a page while its stream holds a place among those that catch up. */
const patience = 1000;
/** Milliseconds after which a stream looks again whether there is such a place. */
const untilNextTry = 100;

/** A page with items, a sign of life, or word that the place is not there for the caller any more. */
export type StreamItem = FeedPage | 'beat' | 'gone';

export interface FeedStreamOptions {
  readonly location: Location;
  /** The position where it begins. */
  readonly after: string;
  /** Milliseconds between two signs of life. */
  readonly beat: number;
  readonly standAside: () => AbortSignal;
  /** @param isWanted whether the reader is still there */
  readonly read: (after: string, isWanted: () => boolean) => Promise<FeedPage>;
}

/**
 * The feed as it goes on: pages with items, as soon as there are any. It reads a page only when the reader has taken
 * the one before, so a slow reader holds one page in memory. The caller's rights are asked for before each page.
 *
 * Few streams of a principal catch up at a time, and each rests between its pages: a page that was taken at once gives
 * nobody else a turn.
 *
 * Nothing is sent for a page without items: what a caller cannot reach sends not a byte. Signs of life have times of
 * their own, counted from its opening.
 */
export class FeedStream {
  readonly #context: ReadContext;
  readonly #listening: FeedListening;
  readonly #options: FeedStreamOptions;
  #items = 0;
  /** Gives back its place among the streams that catch up. */
  #giveBack: Release | undefined;

  /**
   * Begins to listen. Call it in the turn of the loop in which the caller's reach was checked.
   * @throws Refusal RATE_LIMITED, UNAVAILABLE where too many listen
   */
  constructor(context: ReadContext, options: FeedStreamOptions) {
    const { location, beat, standAside } = options;
    this.#context = context;
    this.#options = options;
    const onEnd = (fault: unknown): void => this.#record(fault);
    this.#listening = new FeedListening(context, { location, every: beat, standAside, onEnd });
  }

  /** May be called once. It ends when the reader leaves, the service stops, or the caller's rights end. */
  async *pages(): AsyncGenerator<StreamItem> {
    try {
      yield* this.#follow();
    } catch (error) {
      this.#listening.end(error);
      if (error instanceof Refusal && error.code === 'NOT_FOUND') yield 'gone';
    } finally {
      this.leave();
      this.#leaveCatchUp();
    }
  }

  /** Ends it, begun or not. */
  leave(): void {
    this.#listening.end();
  }

  async *#follow(): AsyncGenerator<StreamItem> {
    let { after } = this.#options;
    const rests = new Rests();
    while (!this.#listening.hasEnded) {
      if (rests.isDue) await rests.take();
      this.#listening.requireReadable();
      const page = await this.#options.read(after, () => !this.#listening.hasEnded);
      if (this.#listening.hasEnded) return;
      // The page may have waited for its turn, or be one that another key of the principal read.
      this.#listening.requireReadable();
      after = page.next;
      if (page.isCurrent) this.#leaveCatchUp();
      if (page.items.length > 0) {
        this.#items += page.items.length;
        yield* this.#pass(page);
      } else if (page.isCurrent) yield* this.#beatUntilHint();
      // A reader who is far behind gets signs of life while nothing is found for it.
      else if (this.#listening.takeTime()) yield 'beat';
      if (!page.isCurrent) yield* this.#joinCatchUp();
    }
  }

  /** A reader who takes long for a page leaves its place to other streams meanwhile. */
  async *#pass(page: FeedPage): AsyncGenerator<StreamItem> {
    const timer = setTimeout(() => this.#leaveCatchUp(), patience);
    try {
      yield page;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Waits for a place among the streams that catch up, with signs of life. */
  async *#joinCatchUp(): AsyncGenerator<StreamItem> {
    const { workspace, caller } = this.#context;
    const source = principalSourceOf(workspace.name, caller);
    while (this.#giveBack === undefined && !this.#listening.hasEnded) {
      this.#giveBack = workspace.workLimits.catchUps.tryTake(source);
      if (this.#giveBack !== undefined) return;
      await new Promise((resolve) => setTimeout(resolve, untilNextTry));
      if (this.#listening.takeTime()) yield 'beat';
    }
  }

  #leaveCatchUp(): void {
    this.#giveBack?.();
    this.#giveBack = undefined;
  }

  async *#beatUntilHint(): AsyncGenerator<StreamItem> {
    while ((await this.#listening.wait()) === 'time') {
      // A key that has just run out gets no sign of life.
      this.#listening.requireReadable();
      yield 'beat';
    }
  }

  /** It names no place: an erase that waited for this end has already searched the records. */
  #record(fault: unknown): void {
    const note = { detail: { items: this.#items } };
    recordEnd(this.#context, { action, note, isComplete: fault === undefined, fault });
  }
}
