import { statfs } from 'node:fs/promises';
import type { Clock } from '../domain/clock.js';

/** Bytes of a disk: those that this account may still use, and all of them. */
export interface DiskSpace {
  readonly free: number;
  readonly total: number;
}

/** `low`: less is free than is kept in reserve. `full`: a write, or a read's record, has just found no room. */
export type DiskState = 'ok' | 'low' | 'full';

export interface DiskRoomOptions {
  readonly folder: string;
  /** Bytes that are to stay free. 0 lets everything be used. */
  readonly reserve: number;
  readonly clock: Pick<Clock, 'elapsed'>;
  /** Measures the folder's disk. Left out: the system's own measure; a test gives another. */
  readonly measure?: ((folder: string) => Promise<DiskSpace>) | undefined;
  /** Called when the state has changed, with the last measure where there is one. */
  readonly onChange: (state: DiskState, space: DiskSpace | undefined) => void;
}

/** The reserve takes at most an eighth of a disk, so that a small one can be used. */
const eighth = 8;
/** Milliseconds for which a measure holds, so that a flood of requests costs one a second. */
const lastsFor = 1000;
/** Milliseconds for which a disk counts as full after a write found no room: an account may have a limit of its own. */
const fullFor = 10_000;

/** The free space of a disk, as the system reports it. */
export async function measureDisk(folder: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { free: bavail * bsize, total: blocks * bsize };
}

/** Bytes that stay free on this disk: what was asked for, or an eighth of a small one. */
export function reserveOf({ total }: DiskSpace, asked: number): number {
  return Math.min(asked, total / eighth);
}

/** Whether a disk has room. It is measured on request, and at most once a second. */
export class DiskRoom {
  readonly #options: DiskRoomOptions;
  #state: DiskState = 'ok';
  #space: DiskSpace | undefined;
  #measuredAt = Number.NEGATIVE_INFINITY;
  #fullAt = Number.NEGATIVE_INFINITY;
  #measuring: Promise<void> | undefined;

  constructor(options: DiskRoomOptions) {
    this.#options = options;
  }

  /** The last measure; undefined where the disk could not be measured. */
  get space(): DiskSpace | undefined {
    return this.#space;
  }

  /** The state of at most a second ago. Never throws: a disk that cannot be measured counts as one with room. */
  async look(): Promise<DiskState> {
    if (this.#options.clock.elapsed() - this.#measuredAt >= lastsFor) {
      this.#measuring ??= this.#measure().finally(() => {
        this.#measuring = undefined;
      });
    }
    await this.#measuring;
    return this.#state;
  }

  /** Whether less is free than the reserve, by the last measure. What is free is left to reads and their records. */
  get isLow(): boolean {
    if (this.#space === undefined) return false;
    return this.#space.free < reserveOf(this.#space, this.#options.reserve);
  }

  /** Whether it is known to have no room, by the last measure or by the last write. */
  get isShort(): boolean {
    return this.#state !== 'ok' || this.isLow;
  }

  /** A write found no room, whatever the last measure said. */
  noteFull(): void {
    this.#fullAt = this.#options.clock.elapsed();
    this.#measuredAt = Number.NEGATIVE_INFINITY;
    this.#space = undefined;
    this.#enter('full');
  }

  async #measure(): Promise<void> {
    const { folder, clock, measure = measureDisk } = this.#options;
    this.#space = await measure(folder).catch(() => undefined);
    this.#measuredAt = clock.elapsed();
    if (this.#state === 'full' && (this.isLow || this.#measuredAt - this.#fullAt < fullFor)) return;
    this.#enter(this.isLow ? 'low' : 'ok');
  }

  #enter(state: DiskState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#options.onChange(state, this.#space);
  }
}
