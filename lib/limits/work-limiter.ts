import { busy, tooMuchAtOnce } from '../domain/refusal.js';

/** How much work of one kind may be under way at a time. Units are requests, or bytes. */
export interface WorkLimit {
  /** For one source: a credential. */
  readonly perSource: number;
  /** For all sources together. Several times `perSource`, so one source cannot use it up. */
  readonly inAll: number;
  /** Waiting requests of one source; requests beyond are refused at once. */
  readonly waiting: number;
  /** Milliseconds of waiting for room before a request is refused. */
  readonly timeout: number;
}

/** The use of a limiter, in its units; what waits and was refused in requests. */
export interface WorkUse {
  readonly used: number;
  readonly limit: number;
  readonly waiting: number;
  readonly refused: { readonly source: number; readonly all: number };
}

/** Gives back the room. May be called twice. */
export type Release = () => void;

interface Waiting {
  readonly source: string;
  readonly units: number;
  /** Units of later work that went before it. */
  overtaken: number;
  readonly admit: (release: Release) => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * Limits how much work of one kind is under way, for each source and in all. Work without room waits a while, in order.
 * Later work that fits goes before it, up to the limit for all: then room is reserved for the waiting one, since much
 * small work would keep a larger piece out otherwise. A source at its own limit delays no other.
 */
export class WorkLimiter {
  readonly #limit: WorkLimit;
  readonly #used = new Map<string, number>();
  readonly #waitingOf = new Map<string, number>();
  #usedInAll = 0;
  #waiting: Waiting[] = [];
  #refusedForSource = 0;
  #refusedForAll = 0;

  constructor(limit: WorkLimit) {
    this.#limit = limit;
  }

  /** What is under way, what waits, and what was refused so far: for one source's limit, and for that of all. */
  get use(): WorkUse {
    const refused = { source: this.#refusedForSource, all: this.#refusedForAll };
    return { used: this.#usedInAll, limit: this.#limit.inAll, waiting: this.#waiting.length, refused };
  }

  /**
   * Takes room for work, waiting for it if need be.
   * @param units at most the limit for one source; more count as the limit
   * @throws Refusal RATE_LIMITED when the source has too much under way; UNAVAILABLE when all together have
   */
  take(source: string, units = 1): Promise<Release> {
    const taken = this.tryTake(source, units);
    if (taken !== undefined) return Promise.resolve(taken);
    const { waiting, timeout } = this.#limit;
    const count = this.#waitingOf.get(source) ?? 0;
    if (count >= waiting) return Promise.reject(this.#refusal(source, units));
    this.#waitingOf.set(source, count + 1);
    return new Promise((resolve, reject) => {
      const entry: Waiting = {
        source,
        units: Math.min(units, this.#limit.perSource),
        overtaken: 0,
        admit: resolve,
        timer: setTimeout(() => {
          this.#leave(entry);
          reject(this.#refusal(source, units));
          // It may have kept room.
          this.#admitWaiting();
        }, timeout),
      };
      this.#waiting.push(entry);
    });
  }

  /** Takes room if there is some now. @returns undefined where there is none */
  tryTake(source: string, units = 1): Release | undefined {
    return this.#tryTake(source, Math.min(units, this.#limit.perSource), this.#waiting);
  }

  /** @param waitsBefore what was there before it, in order */
  #tryTake(source: string, wanted: number, waitsBefore: readonly Waiting[]): Release | undefined {
    if (!this.#fits(source, wanted)) return undefined;
    const before = waitsBefore.filter((entry) => this.#lacksRoomInAll(entry));
    if (before.some(({ overtaken }) => overtaken >= this.#limit.inAll)) return undefined;
    for (const entry of before) entry.overtaken += wanted;
    this.#used.set(source, (this.#used.get(source) ?? 0) + wanted);
    this.#usedInAll += wanted;
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.#giveBack(source, wanted);
    };
  }

  /** As `tryTake`, for work that must not wait. @throws Refusal as `take` does */
  takeNow(source: string, units = 1): Release {
    const taken = this.tryTake(source, units);
    if (taken === undefined) throw this.#refusal(source, units);
    return taken;
  }

  #lacksRoomInAll({ source, units }: Waiting): boolean {
    return (this.#used.get(source) ?? 0) + units <= this.#limit.perSource;
  }

  #fits(source: string, units: number): boolean {
    const { perSource, inAll } = this.#limit;
    return (this.#used.get(source) ?? 0) + units <= perSource && this.#usedInAll + units <= inAll;
  }

  #giveBack(source: string, units: number): void {
    const left = (this.#used.get(source) ?? 0) - units;
    if (left > 0) this.#used.set(source, left);
    else this.#used.delete(source);
    this.#usedInAll -= units;
    this.#admitWaiting();
  }

  #admitWaiting(): void {
    const passedOver: Waiting[] = [];
    // An admitted entry leaves the list, and its departure makes a new list.
    for (const entry of this.#waiting) {
      if (!this.#fits(entry.source, entry.units)) {
        if (this.#lacksRoomInAll(entry)) passedOver.push(entry);
        continue;
      }
      const release = this.#tryTake(entry.source, entry.units, passedOver);
      // Room is reserved for one before it, and so from all behind it as well.
      if (release === undefined) return;
      clearTimeout(entry.timer);
      this.#leave(entry);
      entry.admit(release);
    }
  }

  #leave(entry: Waiting): void {
    this.#waiting = this.#waiting.filter((each) => each !== entry);
    const left = (this.#waitingOf.get(entry.source) ?? 1) - 1;
    if (left > 0) this.#waitingOf.set(entry.source, left);
    else this.#waitingOf.delete(entry.source);
  }

  #refusal(source: string, units: number): Error {
    const ofSource = (this.#used.get(source) ?? 0) + Math.min(units, this.#limit.perSource);
    const isOfSource = ofSource > this.#limit.perSource;
    if (isOfSource) this.#refusedForSource += 1;
    else this.#refusedForAll += 1;
    return isOfSource ? tooMuchAtOnce() : busy();
  }
}
