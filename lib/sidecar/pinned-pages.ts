import { read } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Connection } from './driver.js';
import type { PageSetHead } from './page-set.js';
import type { LogReader, LogSalts } from './read-log.js';

const readAsync = promisify(read);

/** Bytes of pages that are read before other work gets its turn at the event loop. */
const bytesAtOnce = 256 * 1024;

/** Pages with ascending numbers, one after the other in one piece of memory. */
export interface PageBatch {
  readonly numbers: Uint32Array;
  readonly bytes: Buffer;
}

/** A page cannot be read as it was at the moment of the cut. The copy has to begin again with the whole file. */
export class PinLost extends Error {
  override readonly name = 'PinLost';
}

/** What a pin belongs to: the groups of commits whose pages it has. */
export interface PinnedGroups {
  readonly first: number;
  readonly last: number;
}

/**
 * The state of a database at one moment, of which pages are read from its files while others go on writing.
 *
 * A read transaction holds the state, in one of two ways (SQLite's wal.c, walTryBeginRead):
 * - The log has frames that are not in the file yet. The reader has a mark in the log then: no checkpoint copies a frame
 *   behind the mark into the file, and nobody begins the log again. So a page is in its frame, or in the file where
 *   the log had no frame of it.
 * - Every frame is in the file. The reader has the mark 0 then: no checkpoint writes into the file, but a writer may
 *   begin the log again, over the frames. The whole state is in the file, so pages are read from there once the log has
 *   other salts.
 * The log is read synchronously on the thread that writes, so a frame never changes between the look at the salts and
 * the look at the frame.
 */
export class PinnedPages {
  readonly groups: PinnedGroups;
  readonly pageSize: number;
  /** The file's length in pages. */
  readonly pages: number;
  /** Of the pages that are asked for, ascending. */
  readonly numbers: Uint32Array;
  /** Milliseconds since 1970 of the moment. As long as it is pinned the log can only grow. */
  readonly at: number;
  readonly #reader: LogReader;
  readonly #descriptor: number;
  readonly #offsets: Float64Array;
  readonly #salts: LogSalts;
  readonly #release: () => void;
  #isReleased = false;
  #isLogGone = false;

  /**
   * @param connection outside of a transaction; it is in one until the release
   * @param reader that has just read to the end
   * @param descriptor of the database's own file
   * @param numbers of the wanted pages, in any order; those beyond the file's end are left out
   * @throws PinLost when the connection shows another state than the reader
   */
  constructor(
    connection: Connection,
    reader: LogReader,
    descriptor: number,
    numbers: ReadonlySet<number> | 'all',
    groups: PinnedGroups,
    at: number,
    released: () => void,
  ) {
    connection.exec('BEGIN');
    try {
      // The transaction begins with its first read.
      connection.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get();
      this.pages = connection.pragma('page_count', { simple: true }) as number;
      this.pageSize = connection.pragma('page_size', { simple: true }) as number;
      if (reader.pages > 0 && (reader.pages !== this.pages || reader.pageSize !== this.pageSize)) {
        throw new PinLost('The log does not tell the state that the database shows.');
      }
    } catch (error) {
      if (connection.inTransaction) connection.exec('ROLLBACK');
      throw error;
    }
    this.groups = groups;
    this.at = at;
    this.#reader = reader;
    this.#descriptor = descriptor;
    this.numbers = numbers === 'all' ? allPages(this.pages) : somePages(numbers, this.pages);
    this.#salts = reader.salts;
    this.#offsets = findOffsets(this.numbers, reader);
    this.#release = () => {
      if (connection.open && connection.inTransaction) connection.exec('ROLLBACK');
      released();
    };
  }

  /** Whether the log was begun again since, as far as it was looked at: the pages come from the file then. */
  get isLogGone(): boolean {
    return this.#isLogGone;
  }

  /** Of the page set with these pages. */
  get head(): PageSetHead {
    const { pageSize, pages, at, numbers } = this;
    return { ...this.groups, pageSize, pages, at, numbers };
  }

  /**
   * The pages, in the order of their numbers.
   * @throws PinLost when one cannot be read as it was: the reader is lost then
   */
  async *batches(): AsyncGenerator<PageBatch> {
    this.#requirePinned();
    try {
      yield* this.#readBatches();
    } catch (error) {
      if (!this.#isReleased) this.#reader.lose();
      throw error instanceof PinLost ? error : new PinLost('A page cannot be read.', { cause: error });
    }
  }

  async *#readBatches(): AsyncGenerator<PageBatch> {
    const atOnce = Math.max(1, Math.floor(bytesAtOnce / this.pageSize));
    for (let first = 0; first < this.numbers.length; first += atOnce) {
      if (first > 0) await setImmediate();
      const last = Math.min(first + atOnce, this.numbers.length);
      const bytes = Buffer.allocUnsafe((last - first) * this.pageSize);
      const missing = this.#readFrames(first, last, bytes);
      await this.#readFile(first, missing, bytes);
      this.#requirePinned();
      yield { numbers: this.numbers.subarray(first, last), bytes };
    }
  }

  /** Lets the state go. May be called twice. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#release();
  }

  #requirePinned(): void {
    if (this.#isReleased) throw new PinLost('The state was let go.');
  }

  /** Reads the pages that the log has. @returns the places of the others */
  #readFrames(first: number, last: number, bytes: Buffer): number[] {
    this.#requirePinned();
    const missing: number[] = [];
    let isLooked = false;
    for (let place = first; place < last; place++) {
      const offset = this.#offsets[place] ?? 0;
      if (offset > 0 && !isLooked) {
        isLooked = true;
        this.#isLogGone ||= !this.#reader.hasLog(this.#salts);
      }
      if (offset === 0 || this.#isLogGone) {
        missing.push(place);
        continue;
      }
      const start = (place - first) * this.pageSize;
      const page = bytes.subarray(start, start + this.pageSize);
      if (!this.#reader.readFrame(page, this.numbers[place] as number, offset, this.#salts)) {
        throw new PinLost('A frame of the log is not where it was.');
      }
    }
    return missing;
  }

  /** Reads pages from the file, those with neighbouring numbers at once. @param places ascending */
  async #readFile(first: number, places: readonly number[], bytes: Buffer): Promise<void> {
    for (let index = 0; index < places.length;) {
      const place = places[index] as number;
      const number = this.numbers[place] as number;
      let count = 1;
      while (places[index + count] === place + count && this.numbers[place + count] === number + count) count += 1;
      index += count;
      const length = count * this.pageSize;
      const start = (place - first) * this.pageSize;
      const { bytesRead } = await readAsync(this.#descriptor, bytes, start, length, (number - 1) * this.pageSize);
      if (bytesRead !== length) throw new PinLost('The file is shorter than it was.');
    }
  }
}

function allPages(pages: number): Uint32Array {
  const numbers = new Uint32Array(pages);
  for (let index = 0; index < pages; index++) numbers[index] = index + 1;
  return numbers;
}

/** Of the frames in the log; 0 for a page that has none. A large file has a million pages: `from` takes four times as long. */
function findOffsets(numbers: Uint32Array, reader: LogReader): Float64Array {
  const offsets = new Float64Array(numbers.length);
  for (let index = 0; index < numbers.length; index++) {
    offsets[index] = reader.offsetOf(numbers[index] as number) ?? 0;
  }
  return offsets;
}

function somePages(numbers: ReadonlySet<number>, pages: number): Uint32Array {
  const wanted = new Uint32Array(numbers.size);
  let count = 0;
  for (const number of numbers) if (number <= pages) wanted[count++] = number;
  return wanted.subarray(0, count).sort();
}
