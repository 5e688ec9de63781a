import type { Clock, Randomness } from '../domain/clock.js';
import { internal, Refusal, unavailable } from '../domain/refusal.js';
import { MissingObject, type Oid } from '../git/objects.js';
import type { Tree } from '../git/tree.js';
import type { Sidecar, Tables } from '../sidecar/sidecar.js';
import { isFaultOfTheFile, isLocked } from '../sidecar/fault.js';
import { HeldSidecar } from './hold-sidecar.js';
import { readState, writeState } from './keep-state.js';
import type { TreeCache } from './object-cache.js';
import { MissingTrees, Turn, type WorkspaceState } from './turn.js';

export interface JournalOptions {
  /** Opens the workspace's file; called at the start and again after a fault. */
  readonly openSidecar: () => Sidecar;
  readonly trees: TreeCache;
  /** Fetches a tree that a turn found missing from memory. */
  readonly loadTree: (oid: Oid) => Promise<Tree>;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Called after each group that added git objects, with their bytes. */
  readonly onObjectsAdded: (bytes: number) => void;
  /** Called in the group's transaction after each turn, with the state that the turn began with. */
  readonly afterTurn?: (turn: Turn, before: WorkspaceState) => void;
  /** Called with the cause when a group could not be committed. */
  readonly onFault: (cause: unknown) => void;
}

/** Work for one turn. */
export interface TurnWork<Result> {
  /** It adds audit records and nothing else: what was remembered of the workspace's content stays true. */
  readonly isRecordOnly?: true;
  run(turn: Turn): Result;
  /** After `run` was undone: what stays of it, such as the record that it was refused. */
  refused?(turn: Turn, refusal: Refusal): void;
}

interface Entry {
  readonly work: TurnWork<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** Trees that were fetched for it; held in memory until it is done, so that each attempt gets further. */
  readonly fetched: Set<Oid>;
  outcome: { readonly result: unknown } | { readonly error: unknown } | undefined;
}

const largestGroup = 256;
/** Milliseconds after which a group takes no further turn, so that nobody else waits long for the event loop. */
const longestGroup = 20;

/**
 * The one way to change a workspace. Takes everything that is waiting, runs each in its own savepoint, in order, and
 * commits them together: one fsync a group. Callers get their answers only then.
 *
 * Invariant: no await stands between BEGIN and COMMIT, so nobody else ever sees a half-done group.
 */
export class Journal {
  readonly #options: JournalOptions;
  readonly #held: HeldSidecar;
  #state!: WorkspaceState;
  #contentStamp = 0;
  readonly #queue: Entry[] = [];
  #scheduled = false;
  #closing = false;
  readonly #idle: (() => void)[] = [];
  #loading = 0;

  /** @throws Error when the file cannot be opened */
  constructor(options: JournalOptions) {
    this.#options = options;
    const { openSidecar, clock, onFault } = options;
    const onOpened = ({ writer }: Sidecar): void => {
      this.#state = readState(writer);
    };
    this.#held = new HeldSidecar({ openSidecar, clock, onOpened, onFault });
  }

  /** The committed state. */
  get state(): WorkspaceState {
    return this.#state;
  }

  /** Changes with every group that may have changed more than the audit log; never repeats. */
  get contentStamp(): number {
    return this.#contentStamp;
  }

  /** The open file. @throws Refusal UNAVAILABLE while it cannot be opened */
  get sidecar(): Sidecar {
    return this.#held.get();
  }

  /** Tables that show the last committed group. @throws Refusal UNAVAILABLE */
  get reader(): Tables {
    return this.sidecar.reader;
  }

  /**
   * Runs the work in a turn; resolves when it is durable.
   * @throws what `run` threw, or Refusal INTERNAL when the group could not be committed
   */
  turn<Result>(work: TurnWork<Result>): Promise<Result> {
    if (this.#closing) return Promise.reject(unavailable(new Error('The workspace is closed.')));
    return new Promise<Result>((resolve, reject) => {
      this.#queue.push({
        work,
        resolve: resolve as (result: unknown) => void,
        reject,
        fetched: new Set(),
        outcome: undefined,
      });
      this.#schedule();
    });
  }

  /** Resolves when nothing is waiting any more. */
  async drained(): Promise<void> {
    if (this.#queue.length === 0 && this.#loading === 0) return;
    await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** Takes nothing more, finishes what is waiting, and closes the file. */
  async close(): Promise<void> {
    this.#closing = true;
    await this.drained();
    this.#held.close();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      if (this.#queue.length > 0) this.#runGroup();
      if (this.#queue.length > 0) this.#schedule();
      else if (this.#loading === 0) for (const resolve of this.#idle.splice(0)) resolve();
    });
  }

  #runGroup(): void {
    const group: Entry[] = [];
    try {
      this.#commitGroup(group);
    } catch (error) {
      this.#recover(group, error);
      return;
    }
    for (const entry of group) {
      this.#options.trees.release(entry.fetched);
      if (entry.outcome === undefined) continue;
      if ('error' in entry.outcome) entry.reject(entry.outcome.error);
      else entry.resolve(entry.outcome.result);
    }
  }

  #commitGroup(group: Entry[]): void {
    const started = this.#options.clock.now();
    const sidecar = this.sidecar;
    const { transaction } = sidecar;
    const turn = new Turn(
      sidecar.writer,
      this.#state,
      this.#options.trees,
      this.#options.clock.now(),
      this.#options.randomness,
    );
    transaction.begin();
    while (group.length < largestGroup && this.#options.clock.now() - started < longestGroup) {
      const entry = this.#queue.shift();
      if (entry === undefined) break;
      group.push(entry);
      // What waits for a tree is no part of this group any more: it must not be rejected with it and run later.
      const before = turn.state;
      if (this.#runTurn(entry, turn, sidecar)) this.#options.afterTurn?.(turn, before);
      else group.pop();
    }
    writeState(sidecar.writer, this.#state, turn.state);
    transaction.commit();
    if (group.some(({ work }) => work.isRecordOnly !== true)) this.#contentStamp += 1;
    this.#state = turn.state;
    for (const action of turn.takeActions()) action();
    if (turn.addedBytes > 0) this.#options.onObjectsAdded(turn.addedBytes);
  }

  /** @returns false when it left the turn to wait for a tree */
  #runTurn(entry: Entry, turn: Turn, { transaction }: Sidecar): boolean {
    const before = turn.state;
    const actions = turn.pendingActions;
    transaction.savepoint();
    try {
      entry.outcome = { result: entry.work.run(turn) };
      transaction.release();
      return true;
    } catch (error) {
      if (isFaultOfTheFile(error)) throw error;
      transaction.rollbackToSavepoint();
      turn.state = before;
      turn.dropActionsFrom(actions);
      const missing = missingFor(entry, error);
      if (missing.length > 0) {
        entry.outcome = undefined;
        this.#runLater(entry, missing);
        return false;
      }
      this.#refuse(entry, error instanceof Refusal ? error : internal(error), turn, transaction);
      return true;
    }
  }

  /** Lets what stays of a refused turn be written. Should even that fail, it fails for this caller alone. */
  #refuse(entry: Entry, refusal: Refusal, turn: Turn, transaction: Sidecar['transaction']): void {
    const before = turn.state;
    transaction.savepoint();
    try {
      entry.work.refused?.(turn, refusal);
      transaction.release();
      entry.outcome = { error: refusal };
    } catch (error) {
      if (isFaultOfTheFile(error)) throw error;
      transaction.rollbackToSavepoint();
      turn.state = before;
      entry.outcome = { error: internal(error) };
    }
  }

  /** Leaves the turn, fetches what was missing, and queues again. */
  #runLater(entry: Entry, missing: readonly Oid[]): void {
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

  #rejectUnrun(entry: Entry, cause: unknown): void {
    this.#options.trees.release(entry.fetched);
    entry.reject(cause instanceof Refusal ? cause : internal(cause));
  }

  /** A group that could not be committed: all its callers are told to retry, and the truth is read from disk again. */
  #recover(group: readonly Entry[], cause: unknown): void {
    this.#contentStamp += 1;
    const { isOpen } = this.#held;
    if (isOpen) this.#options.onFault(cause);
    for (const entry of group) this.#rejectUnrun(entry, isLocked(cause) ? unavailable(cause) : cause);
    if (group.length === 0) {
      for (const entry of this.#queue.splice(0)) this.#rejectUnrun(entry, unavailable(cause));
      // Nothing was begun: there is nothing to undo, and whoever holds the lock will let go of it.
      if (!isOpen || isLocked(cause)) return;
    }
    this.#held.startOver();
  }
}

/** The trees that the work stopped for. One that was fetched already and is missing still will never be there. */
function missingFor(entry: Entry, error: unknown): readonly Oid[] {
  const oids = error instanceof MissingTrees ? error.oids : error instanceof MissingObject ? [error.oid] : [];
  return oids.some((oid) => entry.fetched.has(oid)) ? [] : oids;
}
