import { closeSync, openSync, readSync } from 'node:fs';

/** Bytes before the first frame of a write-ahead log, and before the page of each frame. */
const logHead = 32;
const frameHead = 24;
/** Of each of the two copies of the index's head. */
const indexHead = 48;
/** The log's number of its form, of a log whose checksums are of this machine's words; the last bit says "big-endian". */
const logMagic = 0x377f_0682;
const isBigEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 0;

/** A commit of more bytes is not followed page by page: reading it would hold the event loop. */
const mostAtOnce = 32 * 1024 * 1024;
/** Bytes of one step of catching up. */
const mostOfStep = 8 * 1024 * 1024;

/** Shared by all readers: reading is synchronous. */
const chunk = Buffer.allocUnsafeSlow(1024 * 1024);
const words = new Int32Array(chunk.buffer);

/** Two numbers of a log, as they lie in memory. */
export interface LogSalts {
  readonly salt1: number;
  readonly salt2: number;
}

/** What SQLite has written about the log's committed part into the index beside it. */
interface LogIndex extends LogSalts {
  /** Counts commits. */
  readonly changes: number;
  readonly pageSize: number;
  /** How many frames are committed. */
  readonly frames: number;
  /** The file's length in pages; 0 where the file itself tells it. */
  readonly pages: number;
  /** The checksum of the last frame. */
  readonly sum1: number;
  readonly sum2: number;
}

/** The log is not as it has to be. It never leaves this file. */
class Unfit extends Error {}

/**
 * Reads which pages of a database each commit changed, out of its write-ahead log (sqlite.org/fileformat2.html, "The
 * Write-Ahead Log"; the index: sqlite.org/walformat.html, "The WAL-Index File Format").
 *
 * The index says how many frames are committed and counts the commits. So a commit is never missed unseen: not when the
 * log was begun again between two reads, and not when a frame is damaged. Checksums tie the frames to one another and
 * to the index.
 *
 * To be used on the thread that writes: then nothing is written while it reads. Its descriptor of the index stays open
 * as long as the database does, since closing any would drop SQLite's locks on that file.
 */
export class LogReader {
  readonly #file: string;
  #log: number | undefined;
  #index: number | undefined;
  #isLost = true;
  #pageSize = 0;
  #pages = 0;
  #changes = 0;
  #frames = 0;
  #sum1 = 0;
  #sum2 = 0;
  #salt1 = 0;
  #salt2 = 0;
  /** By page: where its newest committed frame lies in the present log. */
  readonly #offsets = new Map<number, number>();

  /** @param file a database that is open in this process, in WAL mode */
  constructor(file: string) {
    this.#file = file;
  }

  /**
   * Whether changes were missed, so that only a copy of the whole file is a beginning: at first, after a fault, and
   * after a commit too large to be read at once.
   */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Bytes of a page; 0 where nothing was ever committed. */
  get pageSize(): number {
    return this.#pageSize;
  }

  /** The file's length in pages as of the last read; 0 where the file itself tells it. */
  get pages(): number {
    return this.#pages;
  }

  /** Frames read of the present log. */
  get frames(): number {
    return this.#frames;
  }

  /** What tells this log from one begun after it. */
  get salts(): LogSalts {
    return { salt1: this.#salt1, salt2: this.#salt2 };
  }

  /**
   * Whether this is still the log that is being written.
   * @throws Error when its index cannot be read
   */
  hasLog(salts: LogSalts): boolean {
    const { salt1, salt2 } = this.#readIndex();
    return salts.salt1 === salt1 && salts.salt2 === salt2;
  }

  /**
   * Reads a page out of its frame.
   * @returns whether the frame is there, and is this page's
   */
  readFrame(into: Buffer, page: number, offset: number, salts: LogSalts): boolean {
    const frame = chunk.subarray(0, frameHead + into.length);
    if (!this.#readLog(frame, offset) || frame.readUInt32BE(0) !== page) return false;
    if (words[2] !== salts.salt1 || words[3] !== salts.salt2) return false;
    frame.copy(into, 0, frameHead);
    return true;
  }

  /** Where the page's newest committed frame begins in the log; undefined where only the file has it. */
  offsetOf(page: number): number | undefined {
    return this.#offsets.get(page);
  }

  /**
   * Takes in what was committed since the last call. Never throws: what does not fit makes it lost.
   * @param numbers receives the numbers of the changed pages
   * @returns the number of commits; 0 as long as it is lost
   */
  read(numbers: Set<number>): number {
    if (this.#isLost) return 0;
    try {
      const index = this.#readIndex();
      const commits = (index.changes - this.#changes) >>> 0;
      if (commits === 0 && index.frames === this.#frames && this.#isOf(index)) return 0;
      if (!this.#isOf(index) || this.#frames === 0) this.#begin(index);
      if ((index.frames - this.#frames) * (frameHead + index.pageSize) > mostAtOnce) throw new Unfit();
      if (this.#take(index, index.frames, numbers) !== commits) throw new Unfit();
      this.#changes = index.changes;
      return commits;
    } catch {
      this.lose();
      return 0;
    }
  }

  /**
   * Goes a step towards the end of the log when it is lost; many commits may lie between two steps. Never throws.
   * @returns whether it is there. What was committed before is not told: the caller takes the whole file, before it
   * waits for anything
   */
  catchUp(): boolean {
    if (!this.#isLost) return true;
    try {
      const index = this.#readIndex();
      if (!this.#isOf(index) || this.#frames === 0 || index.frames < this.#frames) this.#begin(index);
      const step = Math.ceil(mostOfStep / (frameHead + index.pageSize));
      const target = Math.min(index.frames, this.#frames + step);
      this.#take(index, target);
      if (target < index.frames) return false;
      this.#changes = index.changes;
      this.#isLost = false;
      return true;
    } catch {
      this.lose();
      return false;
    }
  }

  /** Begins from nothing at the next step of catching up. */
  lose(): void {
    this.#isLost = true;
    this.#offsets.clear();
    this.#frames = 0;
    this.#salt1 = 0;
    this.#salt2 = 0;
  }

  /** To be called after the database was closed. */
  close(): void {
    this.#isLost = true;
    for (const descriptor of [this.#log, this.#index]) if (descriptor !== undefined) closeSync(descriptor);
    this.#log = undefined;
    this.#index = undefined;
  }

  /** @returns whether all bytes are there */
  #readLog(into: Buffer, offset: number): boolean {
    this.#log ??= openSync(`${this.#file}-wal`, 'r');
    return readSync(this.#log, into, 0, into.length, offset) === into.length;
  }

  #isOf(index: LogIndex): boolean {
    return index.salt1 === this.#salt1 && index.salt2 === this.#salt2;
  }

  #readIndex(): LogIndex {
    this.#index ??= openSync(`${this.#file}-shm`, 'r');
    const bytes = chunk.subarray(0, 2 * indexHead);
    if (readSync(this.#index, bytes, 0, bytes.length, 0) !== bytes.length) throw new Unfit();
    // SQLite writes both copies, and never while this thread is here; byte 12 says that they hold something.
    if (bytes[12] !== 1 || bytes.compare(bytes, indexHead, 2 * indexHead, 0, indexHead) !== 0) throw new Unfit();
    const word = (at: number): number => words[at] ?? 0;
    const size = new Uint16Array(chunk.buffer, 14, 1)[0] ?? 0;
    return {
      changes: word(2) >>> 0,
      pageSize: size === 1 ? 65536 : size,
      frames: word(4) >>> 0,
      pages: word(5) >>> 0,
      sum1: word(6),
      sum2: word(7),
      salt1: word(8),
      salt2: word(9),
    };
  }

  /** The log was begun again, or nothing of it was read. SQLite writes its head no sooner than its first frame. */
  #begin(index: LogIndex): void {
    this.#offsets.clear();
    this.#frames = 0;
    this.#salt1 = index.salt1;
    this.#salt2 = index.salt2;
    if (index.frames === 0) return;
    const head = chunk.subarray(0, logHead);
    if (!this.#readLog(head, 0)) throw new Unfit();
    const magic = head.readUInt32BE(0);
    const size = head.readUInt32BE(8);
    if (magic !== logMagic + Number(isBigEndian) || size !== index.pageSize) throw new Unfit();
    if (words[4] !== index.salt1 || words[5] !== index.salt2) throw new Unfit();
    this.#sum1 = 0;
    this.#sum2 = 0;
    this.#add(0, 6);
    if (this.#sum1 !== head.readInt32BE(24) || this.#sum2 !== head.readInt32BE(28)) throw new Unfit();
  }

  /**
   * Takes in the frames up to a number of them.
   * @returns the commits among them
   */
  #take(index: LogIndex, target: number, numbers?: Set<number>): number {
    if (target < this.#frames) throw new Unfit();
    this.#pageSize = index.pageSize;
    this.#pages = index.pages;
    const frameSize = frameHead + index.pageSize;
    const atOnce = Math.floor(chunk.length / frameSize);
    let commits = 0;
    let size = index.pages;
    while (this.#frames < target) {
      const count = Math.min(target - this.#frames, atOnce);
      const first = logHead + this.#frames * frameSize;
      if (!this.#readLog(chunk.subarray(0, count * frameSize), first)) throw new Unfit();
      for (let at = 0; at < count * frameSize; at += frameSize) {
        size = this.#takeFrame(at, frameSize, numbers, first + at);
        if (size > 0) commits += 1;
      }
      this.#frames += count;
    }
    // All that is committed was read: the last frame ends a commit, and SQLite says the same of it.
    if (target === index.frames && target > 0) {
      if (size !== index.pages || this.#sum1 !== index.sum1 || this.#sum2 !== index.sum2) throw new Unfit();
    }
    return commits;
  }

  /** @returns the file's length in pages where the frame ends a commit, else 0 */
  #takeFrame(at: number, frameSize: number, numbers: Set<number> | undefined, offset: number): number {
    const word = at / 4;
    const page = chunk.readUInt32BE(at);
    if (page === 0 || words[word + 2] !== this.#salt1 || words[word + 3] !== this.#salt2) throw new Unfit();
    this.#add(word, word + 2);
    this.#add(word + frameHead / 4, (at + frameSize) / 4);
    if (this.#sum1 !== chunk.readInt32BE(at + 16) || this.#sum2 !== chunk.readInt32BE(at + 20)) throw new Unfit();
    this.#offsets.set(page, offset);
    numbers?.add(page);
    return chunk.readUInt32BE(at + 4);
  }

  /** Goes on with the checksum over words of the chunk. */
  #add(from: number, to: number): void {
    let sum1 = this.#sum1;
    let sum2 = this.#sum2;
    for (let at = from; at < to; at += 2) {
      sum1 = (sum1 + (words[at] as number) + sum2) | 0;
      sum2 = (sum2 + (words[at + 1] as number) + sum1) | 0;
    }
    this.#sum1 = sum1;
    this.#sum2 = sum2;
  }
}
