import { unavailable } from '../domain/refusal.js';
import type { Oid } from '../git/objects/objects.js';
import { runAtOnce } from '../scheduling/in-steps.js';
import { runCooperatively } from '../scheduling/run-cooperatively.js';
import type { Sidecar } from '../sidecar/sidecar.js';
import { isFaultOfTheFile, isLocked, refuseFault, toRefusal } from '../sidecar/fault.js';
import { HeldSidecar } from './hold-sidecar.js';
import { readState, writeState } from './stored-state.js';
import type { JournalOptions } from './journal-options.js';
import {
  measureWaiting,
  missingFor,
  type Waiting,
  type WaitingWrite,
  type Write,
  type WriteInSteps,
  type WriteStart,
} from './waiting-writes.js';
import { WriteTransaction, type WorkspaceState } from './write-transaction.js';
import type { Tables } from '../sidecar/tables.js';

const maxGroupSize = 256;
/** Milliseconds after which a group takes no further write, so no other request waits long for the event loop. */
const maxGroupTime = 20;
/** Milliseconds for which a failed group counts, where no other follows. */
const failureLasts = 60_000;
/** The name of the value that is written to try the file. */
const triedAt = 'tried_at';

/**
 * The one way to change a workspace. Takes all waiting writes, runs each in its own savepoint, in order, and commits
 * them together: one fsync a group. Callers get their answers only then.
 *
 * Invariant: between BEGIN and COMMIT nothing else uses the writer's connection, so a half-done group is never seen. A
 * long write has a group of its own, without a savepoint; others read the last committed state between its steps.
 */
export class Journal {
  readonly #options: JournalOptions;
  readonly #held: HeldSidecar;
  #state!: WorkspaceState;
  #contentStamp = 0;
  readonly #queue: WaitingWrite[] = [];
  #scheduled = false;
  /** Whether a long write is under way. */
  #isBusy = false;
  #closing = false;
  readonly #idle: (() => void)[] = [];
  #loading = 0;
  /** When a group last failed; undefined once one was committed after it. */
  #failedAt: number | undefined;
  #isTrying = false;

  /** @throws Error when the file cannot be opened */
  constructor(options: JournalOptions) {
    this.#options = options;
    const { openSidecar, clock, onFault } = options;
    const onOpened = ({ writer }: Sidecar): void => {
      this.#state = readState(writer);
    };
    this.#held = new HeldSidecar({ openSidecar, disk: options.disk ?? null, clock, onOpened, onFault });
  }

  /** The committed state. */
  get state(): WorkspaceState {
    return this.#state;
  }

  /** Changes with every group that may have changed more than the audit log; never repeats. */
  get contentStamp(): number {
    return this.#contentStamp;
  }

  /** The writes that wait, without those of the group that is being committed. */
  get waiting(): Waiting {
    return measureWaiting(this.#queue, this.#options.clock.elapsed());
  }

  /** Whether the file can be opened, and took the last group. A failure long ago says nothing about now. */
  get isWell(): boolean {
    if (this.#failedAt !== undefined && this.#options.clock.elapsed() - this.#failedAt < failureLasts) return false;
    try {
      return this.#held.get() !== undefined;
    } catch {
      return false;
    }
  }

  /**
   * After a failed group, writes a single value, to learn whether the file takes writes again: where nobody is sent here
   * while the service is not ready, no other write would show it.
   */
  tryAgain(): void {
    if (this.#failedAt === undefined || this.#isTrying || this.#closing) return;
    this.#isTrying = true;
    const run = ({ tables, now }: WriteTransaction): void => tables.meta.set(triedAt, String(now));
    this.write({ run, isRecordOnly: true })
      // The failure was reported by the journal itself.
      .catch(() => undefined)
      .finally(() => {
        this.#isTrying = false;
      });
  }

  /** The open file. @throws Refusal UNAVAILABLE while it cannot be opened */
  get sidecar(): Sidecar {
    return this.#held.get();
  }

  /** Tables of the last committed group. @throws Refusal UNAVAILABLE */
  get reader(): Tables {
    return this.sidecar.reader;
  }

  /**
   * Runs the work in a transaction; resolves when it is durable.
   * @throws errors of `run`, or Refusal INTERNAL when the group could not be committed
   */
  write<Result>(work: Write<Result>): Promise<Result> {
    return this.#enqueue(work);
  }

  /**
   * Runs work in a transaction, with reads by others between its steps; resolves when it is durable.
   * @throws as `write` does
   */
  writeInSteps<Result>(work: WriteInSteps<Result>): Promise<Result> {
    return this.#enqueue(work);
  }

  #enqueue<Result>(work: WaitingWrite['work'] & (Write<Result> | WriteInSteps<Result>)): Promise<Result> {
    const closed = this.#closing ? unavailable(new Error('The workspace is closed.')) : this.#options.refusal?.();
    if (closed !== undefined) return Promise.reject(closed);
    return new Promise<Result>((resolve, reject) => {
      this.#queue.push({
        work,
        resolve: resolve as (result: unknown) => void,
        reject,
        since: this.#options.clock.elapsed(),
        fetched: new Set(),
        outcome: undefined,
      });
      this.#schedule();
    });
  }

  /** Resolves when nothing is waiting any more. */
  async drained(): Promise<void> {
    if (this.#queue.length === 0 && this.#loading === 0 && !this.#isBusy) return;
    await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** Takes no more writes, finishes the waiting ones, and closes the file. @param atEnd is called in between */
  async close(atEnd?: () => void): Promise<void> {
    this.#closing = true;
    await this.drained();
    atEnd?.();
    this.#held.close();
  }

  #schedule(): void {
    if (this.#scheduled || this.#isBusy) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      const [next] = this.#queue;
      if (next?.work.steps !== undefined) {
        this.#queue.shift();
        void this.#runLong(next);
        return;
      }
      if (next !== undefined) this.#runGroup();
      this.#goOn();
    });
  }

  #goOn(): void {
    if (this.#queue.length > 0) this.#schedule();
    else if (this.#loading === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  #runGroup(): void {
    const group: WaitingWrite[] = [];
    try {
      this.#commitGroup(group);
    } catch (error) {
      this.#recover(group, error);
      return;
    }
    this.#answer(group);
  }

  /** Never throws. */
  async #runLong(entry: WaitingWrite): Promise<void> {
    this.#isBusy = true;
    const group = [entry];
    try {
      const { sidecar, transaction } = this.#begin();
      const before = transaction.state;
      const failure = await this.#runSteps(entry, transaction, sidecar);
      if (failure === undefined) {
        this.#options.afterWrite?.(transaction, before);
        this.#commit(group, transaction, sidecar);
      } else if (!this.#undoLong(entry, failure.error, sidecar)) return;
      this.#answer(group);
    } catch (error) {
      this.#recover(group, error);
    } finally {
      this.#isBusy = false;
      this.#goOn();
    }
  }

  #answer(group: readonly WaitingWrite[]): void {
    for (const entry of group) {
      this.#options.trees.release(entry.fetched);
      if (entry.outcome === undefined) continue;
      if ('error' in entry.outcome) entry.reject(entry.outcome.error);
      else entry.resolve(entry.outcome.result);
    }
  }

  #begin(basesAfter?: number): { readonly sidecar: Sidecar; readonly transaction: WriteTransaction } {
    const sidecar = this.sidecar;
    const { trees, clock, randomness } = this.#options;
    const transaction = new WriteTransaction(sidecar.writer, this.#state, trees, clock.now(), randomness, basesAfter);
    sidecar.sqlTransaction.begin();
    return { sidecar, transaction };
  }

  #commitGroup(group: WaitingWrite[]): void {
    const started = this.#options.clock.now();
    const { sidecar, transaction } = this.#begin(this.#options.movingUpTo?.());
    while (group.length < maxGroupSize && this.#options.clock.now() - started < maxGroupTime) {
      const [entry] = this.#queue;
      if (entry === undefined || entry.work.steps !== undefined) break;
      this.#queue.shift();
      group.push(entry);
      // A write that waits for a tree leaves this group: it must not be rejected with it and run later.
      const before = transaction.state;
      if (this.#runWrite(entry, entry.work, transaction, sidecar)) this.#options.afterWrite?.(transaction, before);
      else group.pop();
    }
    this.#commit(group, transaction, sidecar);
  }

  #commit(group: readonly WaitingWrite[], transaction: WriteTransaction, { writer, sqlTransaction }: Sidecar): void {
    const { observer, clock } = this.#options;
    writeState(writer, this.#state, transaction.state);
    writer.activities.date(transaction.now);
    const began = clock.elapsed();
    sqlTransaction.commit();
    observer?.committed(group.length, clock.elapsed() - began);
    this.#failedAt = undefined;
    const isRecordOnly = ({ work }: WaitingWrite): boolean => work.steps === undefined && work.isRecordOnly === true;
    if (!group.every(isRecordOnly)) this.#contentStamp += 1;
    this.#state = transaction.state;
    for (const action of transaction.takeActions()) action();
    if (transaction.addedBytes > 0) this.#options.onObjectsAdded(transaction.addedBytes);
  }

  /** @returns false when it left the transaction to wait for a tree */
  #runWrite(entry: WaitingWrite, work: Write<unknown>, transaction: WriteTransaction, sidecar: Sidecar): boolean {
    const start = this.#markStart(transaction, sidecar);
    try {
      entry.outcome = { result: work.run(transaction) };
      sidecar.sqlTransaction.release();
      return true;
    } catch (error) {
      return this.#undo(entry, error, transaction, sidecar, start);
    }
  }

  /**
   * The same in steps, for a write that has the transaction for itself, and so needs no savepoint: within one, each
   * statement costs what all those before it have changed (decision 0002). In memory, readers share the writer's
   * connection, and must not see half-done work.
   * @returns what it threw
   */
  async #runSteps(
    entry: WaitingWrite,
    transaction: WriteTransaction,
    { isInMemory }: Sidecar,
  ): Promise<{ readonly error: unknown } | undefined> {
    if (entry.work.steps === undefined) throw new Error('It is no work in steps.');
    try {
      const steps = entry.work.steps(transaction);
      entry.outcome = { result: isInMemory ? runAtOnce(steps) : await runCooperatively(steps) };
      return undefined;
    } catch (error) {
      return { error };
    }
  }

  /** @returns false when it waits for a tree now */
  #undoLong(entry: WaitingWrite, error: unknown, { sqlTransaction }: Sidecar): boolean {
    if (isFaultOfTheFile(error)) throw error;
    sqlTransaction.rollback();
    if (this.#putOff(entry, error)) return false;
    const { sidecar, transaction } = this.#begin();
    this.#refuse(entry, error, transaction, sidecar.sqlTransaction);
    this.#commit([entry], transaction, sidecar);
    return true;
  }

  #markStart(transaction: WriteTransaction, { sqlTransaction }: Sidecar): WriteStart {
    sqlTransaction.savepoint();
    return { state: transaction.state, actions: transaction.pendingActions };
  }

  /** @returns false when it left the transaction to wait for a tree */
  #undo(
    entry: WaitingWrite,
    error: unknown,
    transaction: WriteTransaction,
    { sqlTransaction }: Sidecar,
    { state, actions }: WriteStart,
  ): boolean {
    if (isFaultOfTheFile(error)) throw error;
    sqlTransaction.rollbackToSavepoint();
    transaction.state = state;
    transaction.dropActionsFrom(actions);
    if (this.#putOff(entry, error)) return false;
    this.#refuse(entry, error, transaction, sqlTransaction);
    return true;
  }

  /** @returns whether a missing tree stopped it: it runs again once the tree is there */
  #putOff(entry: WaitingWrite, error: unknown): boolean {
    const missing = missingFor(entry, error);
    if (missing.length > 0) this.#runLater(entry, missing);
    return missing.length > 0;
  }

  /** Writes the remaining part of a refused write. Should even that fail, it fails for this caller alone. */
  #refuse(
    entry: WaitingWrite,
    cause: unknown,
    transaction: WriteTransaction,
    sqlTransaction: Sidecar['sqlTransaction'],
  ): void {
    const refusal = toRefusal(cause);
    const before = transaction.state;
    sqlTransaction.savepoint();
    try {
      entry.work.refused?.(transaction, refusal);
      sqlTransaction.release();
      entry.outcome = { error: refusal };
    } catch (error) {
      if (isFaultOfTheFile(error)) throw error;
      sqlTransaction.rollbackToSavepoint();
      transaction.state = before;
      entry.outcome = { error: refuseFault(error) };
    }
  }

  /** Leaves the transaction, fetches the missing trees, and queues again. */
  #runLater(entry: WaitingWrite, missing: readonly Oid[]): void {
    entry.outcome = undefined;
    this.#loading += 1;
    const fetch = async (oid: Oid): Promise<void> => {
      const tree = await this.#options.loadTree(oid);
      entry.fetched.add(oid);
      this.#options.trees.hold(oid, tree);
    };
    Promise.allSettled(missing.map(fetch))
      .then((outcomes) => {
        const failed = outcomes.find((outcome) => outcome.status === 'rejected');
        if (failed === undefined) this.#queue.unshift(entry);
        else this.#rejectUnrun(entry, failed.reason);
      })
      .catch((error: unknown) => this.#rejectUnrun(entry, error))
      .finally(() => {
        this.#loading -= 1;
        this.#schedule();
      });
  }

  #rejectUnrun(entry: WaitingWrite, cause: unknown): void {
    this.#options.trees.release(entry.fetched);
    entry.reject(toRefusal(cause));
  }

  /**
   * A group that could not be committed: all its callers get a refusal to retry, and the state is read from disk again.
   */
  #recover(group: readonly WaitingWrite[], cause: unknown): void {
    this.#contentStamp += 1;
    const { isOpen } = this.#held;
    if (isOpen) this.#options.onFault(cause);
    if (!isLocked(cause)) this.#failedAt = this.#options.clock.elapsed();
    this.#options.observer?.failed();
    for (const entry of group) this.#rejectUnrun(entry, isLocked(cause) ? unavailable(cause) : cause);
    if (group.length === 0) {
      for (const entry of this.#queue.splice(0)) this.#rejectUnrun(entry, unavailable(cause));
      // No transaction was begun: there is nothing to undo, and the holder of the lock will release it.
      if (!isOpen || isLocked(cause)) return;
    }
    this.#held.startOver();
  }
}
