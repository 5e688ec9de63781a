import { closeSync, openSync } from 'node:fs';
import { openForReading } from './database.js';
import type { Connection } from './driver.js';
import { PinLost, PinnedPages } from './pinned-pages.js';
import { LogReader } from './read-log.js';

/**
 * A database of which a copy is kept elsewhere: knows which pages changed since the last cut, and hands out their bytes
 * as of one moment. All on the thread that writes.
 *
 * Groups are commits, numbered from 1 since the beginning, which is a copy of the whole file.
 */
export class FollowedFile {
  readonly #file: string;
  readonly #reader: LogReader;
  /** Of the database's own file; open as long as the database is, since closing any would drop SQLite's locks. */
  readonly #descriptor: number;
  #connection: Connection | undefined;
  #changed = new Set<number>();
  #groups = 0;
  #cut = 0;
  #pinned: PinnedPages | undefined;
  #listener: (() => void) | undefined;
  #isClosed = false;
  #isDescriptorClosed = false;

  /** @param file a database that is open in this process, in WAL mode */
  constructor(file: string) {
    this.#file = file;
    this.#reader = new LogReader(file);
    this.#descriptor = openSync(file, 'r');
  }

  /** Whether only a copy of the whole file can be the next one: at first, and when changes were missed. */
  get isLost(): boolean {
    return this.#reader.isLost;
  }

  /** Whether the database was closed, after a fault for example; another one is opened in its place then. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The number of the last group. */
  get groups(): number {
    return this.#groups;
  }

  /** Frames in the present log, as of the last read. */
  get logged(): number {
    return this.#reader.frames;
  }

  /** How many pages changed since the last cut. */
  get changed(): number {
    return this.#changed.size;
  }

  /** Whether a cut would have something: a commit, or a beginning. Takes in what was committed. */
  get hasChanged(): boolean {
    this.read();
    return this.isLost || this.#groups !== this.#cut;
  }

  get isPinned(): boolean {
    return this.#pinned !== undefined;
  }

  /** When the present pin was made; undefined without one. The log can only grow since then. */
  get pinnedAt(): number | undefined {
    return this.#pinned?.at;
  }

  /** @param listener is told after each commit that was read, synchronously; it must not throw */
  onCommit(listener: (() => void) | undefined): void {
    this.#listener = listener;
  }

  /** Takes in what was committed. To be called after each commit, before a later one can begin the log again. */
  read(): void {
    if (this.#isClosed) return;
    const groups = this.#reader.read(this.#changed);
    this.#groups += groups;
    if (groups > 0) this.#listener?.();
  }

  /** Pages that were written past the log, straight into the file. They count as a group. */
  noteOverwritten(pages: Iterable<number>): void {
    this.read();
    for (const page of pages) this.#changed.add(page);
    if (this.isLost) return;
    this.#groups += 1;
    this.#listener?.();
  }

  /**
   * Pins the present state for the pages that changed since the last cut.
   * @param at milliseconds since 1970
   * @param more pages that are wanted too: then there is a pin even where nothing changed
   * @returns undefined where nothing changed, or it is lost
   * @throws Error when there is a pin already, or SqliteError; nothing is lost by it
   */
  cut(at: number, more?: ReadonlySet<number>): PinnedPages | undefined {
    this.#requireUnpinned();
    this.read();
    if (this.#isClosed || this.isLost || (more === undefined && this.#groups === this.#cut)) return undefined;
    const wanted = more === undefined ? this.#changed : new Set([...more, ...this.#changed]);
    return this.#pin(wanted, this.#cut + 1, at);
  }

  /**
   * Pins the present state for all pages. When it was lost, this is a new beginning: groups are counted from 0 again.
   * @param at milliseconds since 1970
   * @returns undefined as long as it has to be called again: the log is read in steps, with other work between them
   * @throws Error when there is a pin already, or SqliteError
   */
  cutWhole(at: number): PinnedPages | undefined {
    this.#requireUnpinned();
    if (this.#isClosed) return undefined;
    this.read();
    if (this.isLost) {
      if (!this.#reader.catchUp()) return undefined;
      this.#groups = 0;
    }
    return this.#pin('all', 0, at);
  }

  /**
   * Takes back what could not be sent: the next cut has its groups and pages too. It becomes lost where that was a whole
   * file, or another cut came after it.
   */
  giveBack(pinned: PinnedPages): void {
    pinned.release();
    if (pinned.groups.first === 0 || pinned.groups.last !== this.#cut) {
      this.#reader.lose();
      return;
    }
    for (const number of pinned.numbers) this.#changed.add(number);
    this.#cut = pinned.groups.first - 1;
  }

  /** Lets go of what reads the file, before the database is closed. */
  end(): void {
    this.#isClosed = true;
    this.#pinned?.release();
    this.#connection?.close();
    this.#connection = undefined;
  }

  /** To be called after the database was closed. May be called twice: by then another file can have the number. */
  close(): void {
    this.#reader.close();
    if (!this.#isDescriptorClosed) closeSync(this.#descriptor);
    this.#isDescriptorClosed = true;
  }

  #requireUnpinned(): void {
    if (this.#pinned !== undefined) throw new Error('The state of another moment is pinned.');
  }

  #pin(numbers: ReadonlySet<number> | 'all', first: number, at: number): PinnedPages | undefined {
    try {
      this.#connection ??= openForReading(this.#file);
      const groups = { first, last: this.#groups };
      const pinned = new PinnedPages(this.#connection, this.#reader, this.#descriptor, numbers, groups, at, () => {
        if (this.#pinned === pinned) this.#pinned = undefined;
      });
      this.#pinned = pinned;
      this.#changed = new Set();
      this.#cut = this.#groups;
      return pinned;
    } catch (error) {
      const isLost = error instanceof PinLost;
      // A beginning that did not come about is none.
      if (isLost || first === 0) this.#reader.lose();
      if (!isLost) throw error;
      return undefined;
    }
  }
}
