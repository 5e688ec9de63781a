import { isWithin, type Location } from '../domain/location.js';
import { busy } from '../domain/refusal.js';

/** A reader that holds a snapshot of the workspace's file for longer than one answer. */
export interface SnapshotHolder {
  /** Its folder. */
  readonly location: Location;
  /** Takes the rest of its data out of the snapshot, and closes that. Resolves when it is closed. Never throws. */
  letGo(): Promise<void>;
  /** Ends it: later calls are refused. */
  breakOff(): void;
}

/** Milliseconds that a new snapshot waits for an erase. */
const maxWait = 20_000;

/**
 * The readers' snapshots of a workspace. None is held for long, for any reader, and an erase gets its time without any.
 */
export class Snapshots {
  readonly #holders = new Map<SnapshotHolder, NodeJS.Timeout>();
  readonly #maxHeldTime: number;
  #keptOut: Promise<void> | undefined;

  /**
   * @param maxHeldTime milliseconds for which a snapshot is held: meanwhile the write-ahead log cannot be emptied, and
   * grows
   */
  constructor(maxHeldTime: number) {
    this.#maxHeldTime = maxHeldTime;
  }

  /**
   * Makes a holder, which takes its snapshot in `make`. Waits while an erase keeps snapshots out.
   * @throws Refusal UNAVAILABLE when that takes too long
   */
  async hold<Holder extends SnapshotHolder>(make: () => Holder): Promise<Holder> {
    while (this.#keptOut !== undefined) await within(this.#keptOut, maxWait);
    const holder = make();
    const timer = setTimeout(() => void holder.letGo(), this.#maxHeldTime);
    timer.unref();
    this.#holders.set(holder, timer);
    return holder;
  }

  /** To be called when the holder is through, however it ended. */
  forget(holder: SnapshotHolder): void {
    clearTimeout(this.#holders.get(holder));
    this.#holders.delete(holder);
  }

  /** Ends the readings of folders that hold one of these places. */
  breakOff(places: readonly string[]): void {
    for (const holder of this.#holders.keys()) {
      if (places.some((place) => isWithin(holder.location, place as Location))) holder.breakOff();
    }
  }

  /** Runs work without any snapshot held; new ones wait until it is done. */
  async keepOut<Result>(work: () => Promise<Result>): Promise<Result> {
    let end = (): void => undefined;
    this.#keptOut = new Promise((resolve) => (end = resolve));
    try {
      await Promise.all([...this.#holders.keys()].map((holder) => holder.letGo()));
      return await work();
    } finally {
      this.#keptOut = undefined;
      end();
    }
  }
}

/** @throws Refusal UNAVAILABLE */
async function within(wait: Promise<void>, milliseconds: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => (timer = setTimeout(() => reject(busy()), milliseconds)));
  try {
    await Promise.race([wait, tooLong]);
  } finally {
    clearTimeout(timer);
  }
}
