import type { PackableObject } from '../git/objects.js';
import type { Repository } from '../git/repository.js';
import type { Journal } from './journal.js';

export interface CheckpointOptions {
  readonly journal: Journal;
  readonly repository: Repository;
  /** Called with the cause when a checkpoint failed; it is tried again. */
  readonly onFault: (cause: unknown) => void;
  /** Called after each pack, e.g. to consider maintenance. */
  readonly onPacked?: () => void;
}

/** Milliseconds that objects wait at the most while nothing presses. */
const interval = 1000;
/** Pending bytes that start a checkpoint at once. */
const pressing = 4 * 1024 * 1024;
/** Pending bytes at which writers wait for the checkpoint. */
const overfull = 64 * 1024 * 1024;
/** Bytes that are read from the sidecar for one pack. */
const packBytes = 16 * 1024 * 1024;
const readBatch = 256;
const retryAfter = 5000;

/**
 * Moves pending objects into the repository: a durable pack first, then the ref, and only then are the rows deleted.
 * A crash between any two of these leaves objects in both places, never in none.
 */
export class Checkpointer {
  readonly #options: CheckpointOptions;
  #pendingBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #closed = false;

  constructor(options: CheckpointOptions) {
    this.#options = options;
  }

  /** Tells that a group added objects of that many bytes. */
  noteAdded(bytes: number): void {
    this.#pendingBytes += bytes;
    if (this.#pendingBytes >= pressing) void this.#start();
    else this.#schedule(interval);
  }

  /** Resolves when writers may go on; at once, unless the checkpoint has fallen far behind. */
  async roomForWrites(): Promise<void> {
    if (this.#pendingBytes >= overfull) await this.#start();
  }

  /** Moves everything that is pending now. @throws what the repository or the journal threw */
  async run(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
    this.#running = this.#moveAll().finally(() => {
      this.#running = undefined;
    });
    await this.#running;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#running?.catch(() => undefined);
  }

  #schedule(delay: number): void {
    if (this.#timer !== undefined || this.#closed) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#start();
    }, delay);
    this.#timer.unref();
  }

  async #start(): Promise<void> {
    if (this.#closed) return;
    try {
      await (this.#running ?? this.run());
    } catch (error) {
      this.#options.onFault(error);
      this.#schedule(retryAfter);
    }
  }

  async #moveAll(): Promise<void> {
    const { journal, repository } = this.#options;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // Read in one synchronous step: this head is reachable from the objects up to that number.
    const upTo = journal.reader.objects.newest();
    const { head } = journal.state;
    const bytesAtStart = this.#pendingBytes;
    for (let after = 0; after < upTo;) {
      const { objects, last } = this.#readBatch(after, upTo);
      if (objects.length === 0) break;
      await repository.addPack(objects);
      after = last;
    }
    if (head !== null && (await repository.head()) !== head) await repository.moveHead(head);
    if (upTo > 0) {
      await journal.turn({ run: (turn) => turn.tables.objects.deleteUpTo(upTo) });
      this.#options.onPacked?.();
    }
    this.#pendingBytes = Math.max(0, this.#pendingBytes - bytesAtStart);
    if (this.#pendingBytes > 0) this.#schedule(interval);
  }

  #readBatch(after: number, upTo: number): { objects: PackableObject[]; last: number } {
    const objects: PackableObject[] = [];
    let last = after;
    let bytes = 0;
    while (bytes < packBytes) {
      const rows = this.#options.journal.reader.objects.between(last, upTo, readBatch);
      if (rows.length === 0) break;
      for (const row of rows) {
        objects.push({ oid: row.oid, type: row.type, size: row.size, deflated: row.deflated });
        bytes += row.deflated.length;
        last = row.number;
      }
    }
    return { objects, last };
  }
}
