import type { Clock } from '../domain/clock.js';
import { describeError } from '../domain/describe-error.js';
import type { Oid } from '../git/objects/objects.js';
import type { MaintenanceReport, Repository } from '../git/repositories/repository.js';

export interface MaintainOptions {
  readonly repository: Pick<Repository, 'maintain' | 'stats'>;
  /** Whether a blob is to be kept in a file of its own, at the moment of the call. */
  readonly isKept: (oid: Oid) => boolean;
  readonly clock: Clock;
  /** Called with the cause when maintenance failed; it is tried again after a while. */
  readonly onFault: (cause: unknown) => void;
  /** Called once with the path in the repository of each damaged file that maintenance leaves as it is. */
  readonly onDamage: (path: string) => void;
}

/** Number of packs that starts a joining. */
const many = 20;
/** The same during an erase, because it is going to write the remaining objects into new packs anyway. */
const manyMeanwhile = 40;
/** Packs at which no other is added until some are joined; joining itself adds two before it removes any. */
const tooMany = 46;
/** Milliseconds to leave a failed maintenance alone. */
const retryAfter = 60_000;

/**
 * Joins packs in the background when they pile up, so there are at most 50 at any time. Checkpoints wait for a joining
 * that cannot keep up. They go on if it fails, since durability comes first.
 */
export class Maintainer {
  readonly #options: MaintainOptions;
  #packs = 0;
  #startAt = many;
  #failedAt = Number.NEGATIVE_INFINITY;
  #failure: unknown = undefined;
  #damaged: readonly string[] = [];
  #running: Promise<MaintenanceReport | undefined> | undefined;
  #isHeldOff = false;
  #isAside = false;
  #lastAside: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  #calling = new AbortController();
  /** The rewriting of packs that replaces a joining. */
  #instead: Promise<unknown> | undefined;
  readonly #closed: Promise<void>;
  #resolveClosed!: () => void;

  constructor(options: MaintainOptions) {
    this.#options = options;
    this.#closed = new Promise((resolve) => (this.#resolveClosed = resolve));
  }

  /** What stands in the way of maintenance, a sentence each: the last failure, and damaged files. */
  get obstacles(): readonly string[] {
    const damaged = this.#damaged.map((path) => `${path} is damaged`);
    return this.#failure === undefined
      ? damaged
      : [`packs could not be joined: ${describeError(this.#failure)}`, ...damaged];
  }

  /** Counts the present packs, and joins them when they are many. @throws errors of the file system */
  async open(): Promise<void> {
    this.#packs = (await this.#options.repository.stats()).packs;
    this.#consider();
  }

  /** Counts them again, after others added or removed some. @throws errors of the file system */
  async recount(): Promise<void> {
    this.#packs = (await this.#options.repository.stats()).packs;
  }

  /** Leaves packs apart as long as their number allows it, while something is done. */
  async heldOff<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#isHeldOff = true;
    try {
      return await work();
    } finally {
      this.#isHeldOff = false;
      this.#consider();
    }
  }

  /**
   * Lets other work rewrite the packs, without a wait for a joining under way: it is called off. Such works take turns.
   * @param work gets a function, and calls it once it can finish without another pack. From then on, additions over the
   * maximum wait for the work.
   */
  stoodAside<Result>(work: (goOn: () => void) => Promise<Result>): Promise<Result> {
    const turn = this.#lastAside.then(() => this.#standAside(work));
    this.#lastAside = turn.catch(() => undefined);
    return turn;
  }

  async #standAside<Result>(work: (goOn: () => void) => Promise<Result>): Promise<Result> {
    this.#isAside = true;
    this.#calling.abort();
    try {
      await this.#running;
      const working: Promise<Result> = work(() => {
        this.#instead = working.catch(() => undefined);
      });
      return await working;
    } finally {
      this.#calling = new AbortController();
      this.#instead = undefined;
      this.#isAside = false;
      await this.recount();
      this.#consider();
    }
  }

  /** Counts an added pack. */
  notePack(): void {
    this.#packs += 1;
    this.#consider();
  }

  /** Resolves when a pack may be added; at once, unless there are too many and some are being joined. */
  async roomForPack(): Promise<void> {
    for (let busy = this.#busy; this.#packs >= tooMany && !this.#isClosed && busy !== undefined; busy = this.#busy) {
      await Promise.race([busy, this.#closed]);
    }
  }

  /** Joins packs now. @returns undefined after a failure, which was reported, or after a call-off */
  async run(): Promise<MaintenanceReport | undefined> {
    this.#running ??= this.#maintain().finally(() => {
      this.#running = undefined;
      this.#consider();
    });
    return this.#running;
  }

  /** Starts no other joining, and ends the waits for one; a joining under way ends with the repository. */
  close(): void {
    this.#isClosed = true;
    this.#resolveClosed();
  }

  get #busy(): Promise<unknown> | undefined {
    return this.#running ?? this.#instead;
  }

  #consider(): void {
    if (this.#isAside) return;
    const startAt = this.#isHeldOff ? Math.max(manyMeanwhile, this.#startAt) : this.#startAt;
    const isDue = this.#packs >= startAt && this.#options.clock.elapsed() - this.#failedAt >= retryAfter;
    if (isDue && !this.#isClosed) void this.run();
  }

  async #maintain(): Promise<MaintenanceReport | undefined> {
    try {
      const report = await this.#options.repository.maintain(this.#options.isKept, this.#calling.signal);
      this.#packs = report.after.packs;
      this.#failure = undefined;
      for (const path of report.damaged) if (!this.#damaged.includes(path)) this.#options.onDamage(path);
      this.#damaged = report.damaged;
      if (report.isCalledOff === true) return undefined;
      // Packs that cannot be joined (kept ones, or large ones without git) must not make it run again and again.
      this.#startAt = Math.max(many, report.after.packs + many / 2);
      return report;
    } catch (error) {
      this.#failedAt = this.#options.clock.elapsed();
      this.#failure = error;
      if (!this.#isClosed) this.#options.onFault(error);
      return undefined;
    }
  }
}
