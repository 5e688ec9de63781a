import type { Clock } from '../domain/clock.js';
import { describeError } from '../domain/describe-error.js';
import type { Oid, PackableObject } from '../git/objects/objects.js';
import { packTree, Tree } from '../git/objects/tree.js';
import { RepositoryUnreadable, type Repository } from '../git/repositories/repository.js';
import { Rests } from '../scheduling/rests.js';
import { yieldToLoop } from '../scheduling/yield-to-loop.js';
import type { Journal } from './journal.js';
import type { Maintainer } from './maintain.js';
import { refuseFault } from '../sidecar/fault.js';
import type { PendingObject } from '../sidecar/tables/object-table.js';
import { resolvePending } from './pending-object.js';
import { noteCheckpoint } from './recover.js';

export interface CheckpointOptions {
  readonly journal: Journal;
  readonly repository: Repository;
  readonly clock: Clock;
  /** Gets a note of each pack, and a request for room before each. */
  readonly maintainer: Pick<Maintainer, 'notePack' | 'roomForPack'>;
  /** Called with the cause when a checkpoint failed; it is tried again. */
  readonly onFault: (cause: unknown) => void;
  /** Called when main was found moved from outside. */
  readonly onMoved: (main: Oid | null) => void;
}

/** Milliseconds that objects wait at the most without pressure. */
const interval = 1000;
/** Pending bytes that start a checkpoint at once. */
const pressing = 4 * 1024 * 1024;
/** Pending bytes at which writers wait for the checkpoint. */
const overfull = 64 * 1024 * 1024;
/** Pending bytes at which writes are refused while checkpoints fail. */
const maxPending = 4 * overfull;
/** Bytes read from the sidecar for one pack. */
const packBytes = 16 * 1024 * 1024;
/** Rows and bytes read, and rows deleted, in one batch, so no other request waits long. */
const readRows = 1024;
const readBytes = 4 * 1024 * 1024;
const deleteRows = 1024;
/** Milliseconds to leave a failed checkpoint alone. */
const retryAfter = 5000;

/** The system's code, where there is one: the message names another temporary file each time. */
function kindOf(cause: unknown): string {
  return (cause as NodeJS.ErrnoException | undefined)?.code ?? describeError(cause);
}

/**
 * Moves pending objects into the repository: a durable pack first, then the ref, and only then are the rows deleted.
 * A crash between any two of these leaves objects in both places, never in none.
 */
export class Checkpointer {
  readonly #options: CheckpointOptions;
  #pendingBytes = 0;
  /** Since when bytes are pending, by the steady clock. */
  #pendingSince = 0;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  /** The last failure, and when it was; none once a checkpoint has come about. */
  #failure: { readonly cause: unknown; readonly at: number; readonly since: number } | undefined;
  /** Where main was last seen or moved to. */
  #main: Oid | null | undefined;
  #closed = false;
  #movingUpTo = 0;
  /** While it is pending, no write begins. */
  #hold: Promise<unknown> | undefined;

  constructor(options: CheckpointOptions) {
    this.#options = options;
  }

  /** Why objects wait, and since when in milliseconds since 1970; undefined while checkpoints succeed. */
  get failing(): { readonly cause: unknown; readonly since: number } | undefined {
    return this.#failure;
  }

  /** Bytes that wait for the repository, and the milliseconds for which the first of them may have waited. */
  get pending(): { readonly bytes: number; readonly milliseconds: number } {
    const since = this.#options.clock.elapsed() - this.#pendingSince;
    return { bytes: this.#pendingBytes, milliseconds: this.#pendingBytes === 0 ? 0 : Math.max(0, since) };
  }

  /** The number up to which pending objects are being moved; 0 while none are. */
  get movingUpTo(): number {
    return this.#movingUpTo;
  }

  /** Notes that a group added objects of `bytes` bytes. */
  noteAdded(bytes: number): void {
    if (this.#pendingBytes === 0) this.#pendingSince = this.#options.clock.elapsed();
    this.#pendingBytes += bytes;
    if (this.#pendingBytes >= pressing) void this.#start();
    else this.#schedule(interval);
  }

  /**
   * Resolves when writers may go on; at once, unless the checkpoint has fallen far behind. While it fails, writes are
   * durable in the sidecar alone and go on, up to a bound.
   * @throws Refusal INTERNAL at that bound
   */
  async roomForWrites(): Promise<void> {
    while (this.#hold !== undefined) await this.#hold;
    if (this.#pendingBytes < overfull) return;
    await this.#start();
    if (this.#pendingBytes >= maxPending && this.#failure !== undefined) throw refuseFault(this.#failure.cause);
  }

  /** Moves all objects pending now. @throws errors of the repository or the journal */
  async run(): Promise<void> {
    while (this.#running !== undefined) await this.#running.catch(() => undefined);
    this.#running = this.#moveAll()
      .then(() => {
        this.#failure = undefined;
      })
      .finally(() => {
        this.#movingUpTo = 0;
        this.#running = undefined;
      });
    await this.#running;
  }

  /** Runs work while no checkpoint runs: every pack present then belongs to main's position. */
  async exclusively<Result>(work: () => Promise<Result>): Promise<Result> {
    while (this.#running !== undefined) await this.#running.catch(() => undefined);
    const working = work();
    this.#running = working
      .then(
        () => undefined,
        () => undefined,
      )
      .finally(() => {
        this.#running = undefined;
        if (this.#pendingBytes > 0) this.#schedule(interval);
      });
    return working;
  }

  /** Lets no write begin while work runs; writes begun before go on. */
  async withoutNewWrites<Result>(work: () => Promise<Result>): Promise<Result> {
    while (this.#hold !== undefined) await this.#hold;
    const working = work();
    this.#hold = working
      .then(
        () => undefined,
        () => undefined,
      )
      .finally(() => {
        this.#hold = undefined;
      });
    return working;
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

  /** Never throws. */
  async #start(): Promise<void> {
    if (this.#closed) return;
    const rest = this.#failure === undefined ? 0 : this.#failure.at + retryAfter - this.#options.clock.elapsed();
    if (rest > 0) {
      this.#schedule(rest);
      return;
    }
    try {
      await (this.#running ?? this.run());
    } catch (cause) {
      if (this.#failure === undefined || this.#options.clock.elapsed() - this.#failure.at >= retryAfter) {
        const { clock } = this.#options;
        const before = this.#failure;
        this.#failure = { cause, at: clock.elapsed(), since: before?.since ?? clock.now() };
        // The log says once why it fails, and again when the reason is another.
        if (before === undefined || kindOf(before.cause) !== kindOf(cause)) this.#options.onFault(cause);
      }
      this.#schedule(retryAfter);
    }
  }

  async #moveAll(): Promise<void> {
    const { journal } = this.#options;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // Read in one synchronous step: this head is reachable from the objects up to that number, and no delta that comes
    // later has one of them as its base.
    const upTo = journal.reader.objects.newest();
    this.#movingUpTo = upTo;
    const { head } = journal.state;
    const bytesAtStart = this.#pendingBytes;
    const startedAt = this.#options.clock.elapsed();
    await this.#packUpTo(upTo);
    if (head !== null) await this.#moveMain(head);
    // From the newest to the oldest: a delta goes before its base, so that what a row needs is always there.
    for (let left = upTo; left > 0;) {
      left = await journal.write({
        run({ tables }) {
          // With the first rows already: once one of main's commits is no longer pending, this note proves that main is
          // ours.
          if (head !== null && left === upTo) noteCheckpoint(tables, head);
          return tables.objects.deleteNewest(left, deleteRows);
        },
      });
    }
    this.#pendingBytes = Math.max(0, this.#pendingBytes - bytesAtStart);
    this.#pendingSince = startedAt;
    if (this.#pendingBytes > 0) this.#schedule(interval);
  }

  async #packUpTo(upTo: number): Promise<void> {
    const { repository, maintainer } = this.#options;
    for (let after = 0; after < upTo;) {
      const batch = await this.#readBatch(after, upTo);
      if (batch === undefined) break;
      after = batch.last;
      await maintainer.roomForPack();
      await repository.addPack(batch.objects);
      maintainer.notePack();
    }
  }

  async #moveMain(head: Oid): Promise<void> {
    const { repository, onFault, onMoved } = this.#options;
    let main: Oid | null | undefined;
    try {
      main = await repository.head();
    } catch (error) {
      onFault(error);
    }
    if (main === head) {
      this.#main = head;
      return;
    }
    if (this.#main !== undefined && main !== undefined && main !== this.#main) onMoved(main);
    await repository.moveHead(head);
    this.#main = head;
  }

  async #readBatch(after: number, upTo: number): Promise<{ objects: PackableObject[]; last: number } | undefined> {
    const objects: PackableObject[] = [];
    const inPack = new Set<Oid>();
    const rests = new Rests();
    let last = after;
    let bytes = 0;
    while (bytes < packBytes) {
      const rows = this.#options.journal.reader.objects.between(last, upTo, readRows, readBytes);
      if (rows.length === 0) break;
      for (const row of rows) {
        const object = this.#packable(row, inPack);
        objects.push(object);
        inPack.add(row.oid);
        bytes += object.deflated.length;
        last = row.number;
        // What comes next may have its base in this pack, and is made whole for the next one.
        if (bytes >= packBytes) break;
        if (rests.isDue) await rests.take();
      }
      await yieldToLoop();
    }
    return objects.length === 0 ? undefined : { objects, last };
  }

  /** A delta stays one where its base is in the same pack. */
  #packable(row: PendingObject, inPack: ReadonlySet<Oid>): PackableObject {
    const { oid, type, size, deflated, base } = row;
    if (base === null) return { oid, type, size, deflated };
    if (inPack.has(base) && this.#options.repository.takesDeltas) return { oid, type, size, deflated, base };
    const whole = resolvePending(this.#options.journal.reader.objects, row);
    if (whole === undefined)
      throw new RepositoryUnreadable(`The base ${base} of the pending object ${oid} is missing.`);
    const tree = Tree.parse(whole.bytes);
    if (tree.oid !== oid) throw new RepositoryUnreadable(`The pending object ${oid} is damaged.`);
    return packTree(tree);
  }
}
