import type { Clock } from '../domain/clock.js';
import type { Oid } from '../git/objects/objects.js';
import type { MaintenanceReport, Repository } from '../git/repositories/repository.js';

export interface MaintainOptions {
  readonly repository: Pick<Repository, 'maintain' | 'stats'>;
  /** Blobs that are to keep a file of their own. */
  readonly staged: () => readonly Oid[];
  readonly clock: Clock;
  /** Called with the cause when maintenance failed; it is tried again after a while. */
  readonly onFault: (cause: unknown) => void;
}

/** Packs at which they are joined. */
const many = 20;
/** The same while an erase is under way, which is going to write what stays into new packs anyway. */
const manyMeanwhile = 40;
/** Packs at which no other is added until some are joined; joining itself adds two before it takes any away. */
const tooMany = 46;
/** Milliseconds to leave a failed maintenance alone. */
const retryAfter = 60_000;

/**
 * Joins packs in the background when they pile up, so that there are at most 50 at any time. Where joining cannot keep
 * up, checkpoints wait for it; where it fails, they go on, since being durable comes first.
 */
export class Maintainer {
  readonly #options: MaintainOptions;
  #packs = 0;
  #startAt = many;
  #failedAt = Number.NEGATIVE_INFINITY;
  #running: Promise<MaintenanceReport | undefined> | undefined;
  #isHeldOff = false;
  #isAside = false;
  #isClosed = false;
  #calling = new AbortController();
  /** What packs are written anew by, in place of joining them. */
  #instead: Promise<unknown> | undefined;
  readonly #closed: Promise<void>;
  #tellClosed!: () => void;

  constructor(options: MaintainOptions) {
    this.#options = options;
    this.#closed = new Promise((resolve) => (this.#tellClosed = resolve));
  }

  /** Counts the packs that are there, and joins them when they are many. @throws what the file system threw */
  async open(): Promise<void> {
    this.#packs = (await this.#options.repository.stats()).packs;
    this.#consider();
  }

  /** Counts them anew, after others took some away or added some. @throws what the file system threw */
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
   * Has packs written anew by somebody else, who is not to wait for a joining that is under way: it is called off.
   * @param work given a function that it calls once no pack has to be added any more for it to go on: from then on who
   * would add more than there may be waits for it
   */
  async stoodAside<Result>(work: (goOn: () => void) => Promise<Result>): Promise<Result> {
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

  /** Tells that a pack was added. */
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

  /** Joins packs now. @returns undefined when it failed, which was reported, or was called off */
  async run(): Promise<MaintenanceReport | undefined> {
    this.#running ??= this.#maintain().finally(() => {
      this.#running = undefined;
      this.#consider();
    });
    return this.#running;
  }

  /** Starts no other, and lets go on who waits; one that is under way ends with the repository. */
  close(): void {
    this.#isClosed = true;
    this.#tellClosed();
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
      const report = await this.#options.repository.maintain(this.#options.staged(), this.#calling.signal);
      this.#packs = report.after.packs;
      if (report.isCalledOff === true) return undefined;
      // Packs that cannot be joined (kept ones, or large ones without git) must not make it run again and again.
      this.#startAt = Math.max(many, report.after.packs + many / 2);
      return report;
    } catch (error) {
      this.#failedAt = this.#options.clock.elapsed();
      if (!this.#isClosed) this.#options.onFault(error);
      return undefined;
    }
  }
}
