import type { Clock, Randomness } from '../domain/clock.js';
import { describeError } from '../domain/describe-error.js';
import type { FollowStatus } from '../domain/follow-status.js';
import { superseded, unavailable, type Refusal } from '../domain/refusal.js';
import type { Copies } from '../journal/copies.js';
import type { Timers } from '../scheduling/timers.js';
import { BucketFault } from './bucket-fault.js';
import type { Bucket } from './bucket.js';
import { followFolder, prepareFollowFolder } from './follow-folder.js';
import { FollowedShards, WorkspaceLeftOut, type FollowedService } from './followed-shards.js';
import { Lives, type Superseded } from './lives.js';
import { sweepBucket } from './sweep-bucket.js';

export interface FollowerOptions {
  readonly bucket: Bucket;
  /** Of the bucket and the prefix, as the operator wrote it. */
  readonly address: string;
  readonly dataFolder: string;
  /** age recipients: who can restore. */
  readonly recipients: readonly string[];
  /** Milliseconds after which a change is stored, where the bucket answers soon. */
  readonly interval: number;
  /** Whether the operator knows that the bucket keeps what is deleted. */
  readonly isVersioned: boolean;
  /** Milliseconds between two points. */
  readonly pointInterval: number;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly timers: Timers;
  readonly onFault: (what: string, cause: unknown) => void;
  readonly onNews: (what: string, figures: Readonly<Record<string, unknown>>) => void;
}

/** Milliseconds. */
const sweepInterval = 60 * 60 * 1000;
/** For which a start waits for a bucket that does not answer. */
const beginWithin = 5000;
const longestPause = 30_000;
/** For which a start waits for the first copy; a large one goes on beside the service. */
const firstCopyWithin = 10_000;
/** For the last changes when the service stops. */
const lastCopyWithin = 5000;
/** Of the interval, from one round to the next where storing takes little time. */
const share = 0.7;
/** By how much a copy may be late before it counts as behind. */
const behindAfter = 10_000;

/**
 * Keeps a copy of a service in a bucket, about a second behind, and looks each second whether another machine has taken
 * over. A bucket that cannot be reached keeps nobody from writing here: what was changed stays noted as numbers of
 * pages, and is stored when the bucket is back.
 */
export class Follower implements Copies {
  readonly areKept = true;
  readonly #options: FollowerOptions;
  readonly #lives: Lives;
  readonly #ending = new AbortController();
  #service: FollowedService | undefined;
  #shards: FollowedShards | undefined;
  /** Whether the bucket was asked if it does what it should. */
  #isProbed = false;
  #life: string | undefined;
  #superseded: Superseded | undefined;
  /** Why the last round failed, and why the last look did. */
  readonly #obstacles = new Map<'round' | 'look', string>();
  #failures = 0;
  /** Milliseconds that the last round took. */
  #lastRound = 0;
  #sweptAt: number | undefined;
  #sweeping: Promise<void> = Promise.resolve();
  /** When all had a point last, by the steady clock. */
  #pointAt: number | undefined;
  #loops: readonly Promise<void>[] = [];

  constructor(options: FollowerOptions) {
    this.#options = options;
    const { bucket, address, dataFolder, clock, randomness } = options;
    this.#lives = new Lives({ bucket, address, folder: followFolder(dataFolder), clock, randomness });
  }

  refusal(): Refusal | undefined {
    return this.#superseded === undefined ? undefined : superseded();
  }

  get status(): FollowStatus {
    const shards = this.#shards?.status ?? [];
    const isStarting = shards.length === 0 || shards.some(({ behind }) => behind === null);
    const isBehind = shards.some(({ behind }) => behind !== null && behind > behindAfter);
    return {
      address: this.#options.address,
      life: this.#life ?? null,
      state:
        this.#superseded !== undefined ? 'superseded' : isStarting ? 'starting' : isBehind ? 'behind' : 'following',
      obstacle: this.#obstacle ?? null,
      supersededSince: this.#superseded?.since ?? null,
      shards,
    };
  }

  /**
   * Begins a life, and follows from now on. Waits a while for the first copy. A bucket that cannot be reached now is
   * tried again; one that refuses us is an error, since the operator has just named it.
   * @throws BucketFault `auth`, `denied` or `absent`; ForeignRecord; errors of the data folder
   */
  async start(service: FollowedService): Promise<void> {
    const { clock, dataFolder, interval } = this.#options;
    this.#service = service;
    await prepareFollowFolder(followFolder(dataFolder));
    const late = AbortSignal.timeout(beginWithin);
    try {
      await this.#begin(AbortSignal.any([late, this.#ending.signal]));
    } catch (error) {
      if (!late.aborted && (!(error instanceof BucketFault) || error.kind !== 'away')) throw error;
      this.#noteFailure('round', error);
    }
    const startedAt = clock.elapsed();
    const first = this.#round();
    this.#loops = [
      first.then(() =>
        this.#every(
          () => this.#roundsApart(),
          () => this.#round(),
        ),
      ),
      this.#every(
        () => share * interval,
        () => this.#look(),
      ),
    ];
    await Promise.race([first, this.#wait(firstCopyWithin)]);
    if (this.status.state === 'starting') {
      this.#options.onNews('The service answers before its first copy is complete', {
        waited: clock.elapsed() - startedAt,
        obstacle: this.#obstacle,
      });
    }
  }

  /** Stores the last changes, for a while, and follows no longer. */
  async stop(): Promise<void> {
    this.#ending.abort();
    await Promise.all([...this.#loops, this.#sweeping]);
    if (this.#life !== undefined && this.#superseded === undefined) {
      const signal = AbortSignal.timeout(lastCopyWithin);
      await this.#shards?.store(true, signal).catch((cause: unknown) => this.#noteFailure('round', cause));
    }
    this.#shards?.close();
  }

  async forgetKeys(workspace: string, signal: AbortSignal): Promise<void> {
    // Where it was not reached yet, `forgetPast` fails, and the erase is done again.
    await this.#shards?.forgetKeys(workspace, AbortSignal.any([signal, this.#ending.signal]));
  }

  async forgetPast(workspace: string, signal: AbortSignal): Promise<void> {
    if (this.#shards === undefined) throw unavailable(new Error('The bucket with the copies was not reached yet.'));
    // The last copy would wait for it.
    await this.#shards.forgetPast(workspace, AbortSignal.any([signal, this.#ending.signal]));
  }

  async #begin(signal: AbortSignal): Promise<void> {
    const { bucket, isVersioned } = this.#options;
    if (!this.#isProbed) await bucket.probe({ isVersioned, signal });
    this.#isProbed = true;
    const begun = await this.#lives.begin(signal);
    if ('by' in begun) {
      this.#supersede(begun);
      return;
    }
    this.#shards?.close();
    this.#life = begun.life;
    if (this.#service !== undefined) {
      const requireCurrent = (ending: AbortSignal): Promise<void> => this.#requireCurrent(ending);
      this.#shards = new FollowedShards({ ...this.#options, life: begun.life, service: this.#service, requireCurrent });
    }
  }

  #supersede(by: Superseded): void {
    if (this.#superseded !== undefined) return;
    this.#superseded = by;
    this.#options.onFault(
      'Another machine has taken over: nothing is written here any more. To make this one current again, stop it and ' +
        'run `cartulary follow take-over`',
      new Error(`The life ${by.by} is current.`),
    );
  }

  /** @throws Refusal `superseded`, UNAVAILABLE; BucketFault */
  async #requireCurrent(signal: AbortSignal): Promise<void> {
    const found = await this.#lives.look(signal);
    if (found === 'current') return;
    if (found === 'absent') throw unavailable(new Error('The bucket does not say any more which copy is current.'));
    this.#supersede(found);
    throw superseded();
  }

  /** Never throws. */
  async #look(): Promise<void> {
    this.#service?.file.tend?.();
    if (this.#life === undefined || this.#superseded !== undefined) return;
    try {
      const found = await this.#lives.look(this.#ending.signal);
      if (typeof found !== 'string') this.#supersede(found);
      // Whoever emptied the bucket took the whole files with it.
      else if (found === 'absent') await this.#begin(this.#ending.signal);
      this.#noteSuccess('look');
    } catch (cause) {
      this.#noteFailure('look', cause);
    }
  }

  /** Never throws. */
  async #round(): Promise<void> {
    if (this.#superseded !== undefined) return;
    const { clock, pointInterval } = this.#options;
    try {
      if (this.#life === undefined) await this.#begin(this.#ending.signal);
      const now = clock.elapsed();
      const isPoint = this.#pointAt === undefined || now - this.#pointAt >= pointInterval;
      const leftOut = await this.#shards?.store(isPoint, this.#ending.signal).catch(onlyLeftOut);
      if (isPoint) this.#pointAt = now;
      this.#lastRound = clock.elapsed() - now;
      if (leftOut === undefined) this.#noteSuccess('round');
      else this.#noteFailure('round', leftOut);
      this.#beginSweep();
    } catch (cause) {
      this.#noteFailure('round', cause);
    }
  }

  /** Beside the rounds: listing a large bucket takes longer than a copy may be late. */
  #beginSweep(): void {
    const { clock } = this.#options;
    const now = clock.elapsed();
    if (this.#shards === undefined || (this.#sweptAt !== undefined && now - this.#sweptAt < sweepInterval)) return;
    this.#sweptAt = now;
    const shards = this.#shards;
    this.#sweeping = this.#sweeping.then(() => this.#sweep(shards));
  }

  /** Never throws. */
  async #sweep(shards: FollowedShards): Promise<void> {
    const { bucket, clock, onFault } = this.#options;
    try {
      await sweepBucket(bucket, shards, clock.now(), this.#ending.signal);
    } catch (cause) {
      if (!this.#ending.signal.aborted) onFault('What is no longer needed in the bucket could not be removed', cause);
    }
  }

  get #obstacle(): string | undefined {
    return this.#obstacles.get('round') ?? this.#obstacles.get('look');
  }

  #noteSuccess(of: 'round' | 'look'): void {
    if (of === 'round') this.#failures = 0;
    if (!this.#obstacles.delete(of) || this.#obstacles.size > 0) return;
    this.#options.onNews('The bucket with the copy is reached again', {});
  }

  #noteFailure(of: 'round' | 'look', cause: unknown): void {
    if (this.#ending.signal.aborted) return;
    const obstacle = describeError(cause);
    if (of === 'round') this.#failures += 1;
    // The log says once why, and again when the reason is another.
    const isKnown = [...this.#obstacles.values()].includes(obstacle);
    this.#obstacles.set(of, obstacle);
    if (!isKnown) this.#options.onFault('The copy elsewhere could not be brought up to date', cause);
  }

  /** After failures longer and longer. */
  #roundsApart(): number {
    const { interval } = this.#options;
    // What is changed during a round waits for the end of the next one.
    const apart = Math.max(0, Math.min(share * interval, interval - 2 * this.#lastRound));
    return this.#failures === 0 ? apart : Math.min(longestPause, interval * 2 ** Math.min(this.#failures, 10));
  }

  /** @param apart milliseconds from the beginning of one to that of the next */
  async #every(apart: () => number, work: () => Promise<void>): Promise<void> {
    const { clock } = this.#options;
    for (let began = clock.elapsed(); !this.#ending.signal.aborted;) {
      await this.#wait(Math.max(0, began + apart() - clock.elapsed()));
      began = clock.elapsed();
      if (!this.#ending.signal.aborted) await work();
    }
  }

  /** At the end at once. */
  #wait(milliseconds: number): Promise<void> {
    const { signal } = this.#ending;
    return new Promise((resolve) => {
      const end = (): void => {
        cancel();
        signal.removeEventListener('abort', end);
        resolve();
      };
      const cancel = this.#options.timers.after(milliseconds, end);
      signal.addEventListener('abort', end, { once: true });
    });
  }
}

function onlyLeftOut(cause: unknown): WorkspaceLeftOut {
  if (cause instanceof WorkspaceLeftOut) return cause;
  throw cause;
}
