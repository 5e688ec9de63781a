import type { Erasure } from '../domain/erasure.js';
import { internal, notFound } from '../domain/refusal.js';
import type { Oid } from '../git/objects/objects.js';
import { yieldToLoop } from '../scheduling/yield-to-loop.js';
import type { OpenErasure } from '../sidecar/tables/erasure-table.js';
import { forgetRewritten, Purger, unlessStopped, type Progress } from './purge.js';
import type { EraseStep } from './erase-step.js';
import { moveHistory } from './move-history.js';
import { planErase, type ErasePlan } from './plan-erase.js';
import { HistoryRewriter } from './rewrite-history.js';
import { HistoryDisagrees, type RewriteState } from './redact-commit.js';
import type { ErasedWorkspace } from './erased-workspace.js';

/** Called at each step. A test can end the process there. */
export type OnEraseStep = (step: EraseStep) => void | Promise<void>;

/** Maximum of commits left to the transaction that moves the history. */
const shortTail = 64;
/** Maximum of commits for which writers may wait, if the rewrite does not catch up with them otherwise. */
const bearableTail = 1000;
/**
 * Rounds in which the rewrite follows the writers. After them the writers wait, regardless of the number of commits.
 */
const maxLaps = 8;
/** Rows written in one transaction, each with the names of some hundred commits. */
const notesAtOnce = 16;
/** Milliseconds before a failed erase is tried again. */
const retryAfter = 60_000;

/** Advice for a history that prevents an erase. */
const remedy =
  'The document stays hidden, and its bytes stay in the files. To be rid of them, clone content.git in the data folder, take what ' +
  'is to go out of its history with git, bring the clone into a new workspace with `cartulary import --history` (or what is there ' +
  'now, without history, with `cartulary import`), and remove this workspace with its backups.';

interface Waiter {
  readonly id: string;
  readonly onStep: (step: EraseStep) => void;
  readonly resolve: (erasure: Erasure) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Finishes accepted erases in the background, while reads and writes go on. One rewrite serves all waiting erases. At
 * the next start, it finishes those that an earlier process left undone. Work that must not see a half-done erase, such
 * as a backup, holds it off.
 */
export class Eraser {
  readonly #workspace: ErasedWorkspace;
  readonly #onStep: OnEraseStep;
  readonly #stopping = new AbortController();
  readonly #guests = new Set<Promise<unknown>>();
  readonly #waiters = new Set<Waiter>();
  /** Erases that the present history prevents, by id. */
  readonly #hindered = new Map<string, Error>();
  /** The last step of each erase under way, by id. */
  readonly #reached = new Map<string, EraseStep>();
  /** Ids of the erases that one rewrite serves. */
  #concerned: readonly string[] = [];
  #running: Promise<void> | undefined;
  #destroying: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(workspace: ErasedWorkspace, onStep: OnEraseStep = () => undefined) {
    this.#workspace = workspace;
    this.#onStep = onStep;
  }

  /** Starts on the waiting erases. Returns at once. */
  wake(): void {
    if (this.#stopping.signal.aborted) return;
    clearTimeout(this.#timer);
    this.#running ??= this.#runAll().finally(() => {
      this.#running = undefined;
    });
  }

  /**
   * Resolves with the receipt when the erase is final.
   * @param onStep called at each step from now on
   * @throws Refusal NOT_FOUND for an unknown one; INTERNAL with the cause when it could not be finished now: it is
   * tried again
   */
  finished(id: string, onStep: Waiter['onStep'] = () => undefined): Promise<Erasure> {
    const erasure = this.#workspace.journal.reader.erasures.find(id);
    if (erasure === undefined) return Promise.reject(notFound());
    if (erasure.phase === 'final') return Promise.resolve(erasure);
    const hindrance = this.#hindered.get(id);
    if (hindrance !== undefined) return Promise.reject(internal(hindrance));
    return new Promise((resolve, reject) => {
      this.#waiters.add({ id, onStep, resolve, reject });
      this.wake();
    });
  }

  /** The last step of an erase in this process; undefined for one that waits or is over. */
  stepOf(id: string): EraseStep | undefined {
    return this.#reached.get(id);
  }

  /** Runs work that needs the present history. No erase removes anything meanwhile. */
  async holdOff<Result>(work: () => Promise<Result>): Promise<Result> {
    while (this.#destroying !== undefined) await this.#destroying.catch(() => undefined);
    const working = work();
    this.#guests.add(working);
    try {
      return await working;
    } finally {
      this.#guests.delete(working);
    }
  }

  /** Stops at the next step. The next start goes on from there. */
  async close(): Promise<void> {
    this.#stopping.abort(new Error('The service stops.'));
    clearTimeout(this.#timer);
    await this.#running;
  }

  /** Never throws. */
  async #runAll(): Promise<void> {
    const { uploads } = this.#workspace;
    try {
      for (let open = this.#open(); open.length > 0; open = this.#open()) {
        await yieldToLoop();
        // The upload's sender learns it at once. The purge waits for the upload to end.
        void uploads.breakOff(open.flatMap(({ documentId }) => documentId ?? []));
        this.#concerned = open.map(({ id }) => id);
        await this.#workspace.maintainer.heldOff(async () => {
          if (open.some(({ phase }) => phase === 'moved') || (await this.#rewriteWhatCan())) await this.#destroy();
        });
        this.#reached.clear();
        this.#answer();
      }
    } catch (error) {
      this.#reached.clear();
      const isStopped = this.#stopping.signal.aborted;
      const reason = isStopped ? new Error('The service stops; the erase goes on at its next start.') : error;
      for (const waiter of this.#waiters) waiter.reject(internal(reason));
      this.#waiters.clear();
      if (isStopped) return;
      this.#workspace.onFault('An erase could not be finished; it will be tried again', error);
      this.#timer = setTimeout(() => this.wake(), retryAfter);
      this.#timer.unref();
    }
  }

  /** Erases that can go on, as far as is known. */
  #open(): OpenErasure[] {
    return this.#workspace.journal.reader.erasures.open().filter(({ id }) => !this.#hindered.has(id));
  }

  get #progress(): Progress {
    const { signal } = this.#stopping;
    return {
      signal,
      reach: async (step) => {
        for (const id of this.#concerned) this.#reached.set(id, step);
        for (const { onStep } of this.#waiters) onStep(step);
        await this.#onStep(step);
        signal.throwIfAborted();
      },
    };
  }

  #answer(): void {
    const { erasures } = this.#workspace.journal.reader;
    for (const waiter of this.#waiters) {
      const erasure = erasures.find(waiter.id);
      const hindrance = this.#hindered.get(waiter.id);
      if (erasure?.phase !== 'final' && hindrance === undefined) continue;
      this.#waiters.delete(waiter);
      if (hindrance === undefined && erasure !== undefined) waiter.resolve(erasure);
      else waiter.reject(internal(hindrance));
    }
  }

  /**
   * Rewrites the history for all erases that allow it. An impossible one does not hold up the others.
   * @returns whether there was one
   */
  async #rewriteWhatCan(): Promise<boolean> {
    for (;;) {
      const erasures = this.#open();
      if (erasures.length === 0) return false;
      try {
        await this.#rewrite(erasures);
        return true;
      } catch (error) {
        if (!(error instanceof HistoryDisagrees)) throw error;
        await this.#setAside(erasures, error);
      }
    }
  }

  /** Sets erases aside until the next start if the present history prevents them. Their receipts say so. */
  async #setAside(erasures: readonly OpenErasure[], error: HistoryDisagrees): Promise<void> {
    const { journal, onFault } = this.#workspace;
    const ids = error.documentIds;
    const concerned = erasures.filter(
      ({ documentId }) => ids === null || (documentId !== null && ids.includes(documentId)),
    );
    if (concerned.length === 0) throw error;
    const hindrance = new Error(`${error.message} ${remedy}`);
    await journal.write({
      run: ({ tables }) => {
        for (const { number } of concerned) tables.erasures.hinder(number, hindrance.message);
      },
    });
    for (const { id } of concerned) this.#hindered.set(id, hindrance);
    onFault('An erase cannot be carried out; the others go on', hindrance);
  }

  /** Writes a new history beside the old one, and exchanges the two. */
  async #rewrite(erasures: readonly OpenErasure[]): Promise<void> {
    const workspace = this.#workspace;
    const { checkpointer, journal, repository } = workspace;
    const { reach, signal } = this.#progress;
    await forgetRewritten(workspace, signal);
    // Then the repository holds everything that the documents ever were.
    await checkpointer.run();
    await reach('flushed');
    const plan = await planErase(workspace, erasures);
    const rewriter = new HistoryRewriter(repository);
    const stop = (): void => void rewriter.close();
    signal.addEventListener('abort', stop);
    try {
      const notes: Uint8Array[] = [];
      let at: { state: RewriteState; after: Oid | null } = { state: plan.state, after: plan.state.parent };
      const lap = async (): Promise<number> => {
        const { head: goal, commits: reached } = journal.state;
        if (goal === null) throw new Error('There is no history to rewrite.');
        await checkpointer.run();
        const range = { documents: plan.documents, ...at, head: goal };
        at = { state: await rewriter.rewrite(range, (made) => void notes.push(...made)), after: goal };
        await workspace.maintainer.recount();
        while (notes.length > 0) {
          const some = notes.splice(0, notesAtOnce);
          await journal.write({ run: ({ tables }) => tables.rewrittenCommits.noteRewritten(some) });
        }
        signal.throwIfAborted();
        return journal.state.commits - reached;
      };
      let tail = await lap();
      for (let laps = 1, isGaining = true; tail > shortTail && laps < maxLaps && isGaining; laps++) {
        const before = tail;
        tail = await lap();
        isGaining = tail < before / 2 || tail > bearableTail;
      }
      await reach('rewritten');
      const move = (): Promise<void> => this.#move(plan, at.state, at.after);
      if (tail <= shortTail) await move();
      else await checkpointer.withoutNewWrites(() => lap().then(move));
    } finally {
      signal.removeEventListener('abort', stop);
      await rewriter.close();
    }
    await reach('moved');
  }

  async #move(plan: ErasePlan, state: RewriteState, after: Oid | null): Promise<void> {
    const { checkpointer, journal, repository, search, name } = this.#workspace;
    if (after === null) throw new Error('Nothing was rewritten.');
    await checkpointer.exclusively(async () => {
      const main = await repository.head();
      const known = new Map<Oid, Buffer>();
      for (;;) {
        const outcome = await journal.write({
          run: (transaction) => {
            const moved = moveHistory(transaction, { plan, state, after, known, main, workspace: name });
            if ('head' in moved) transaction.whenDurable(() => search.follow(moved.head, [{ type: 'rewrite' }]));
            return moved;
          },
        });
        if ('head' in outcome) return;
        known.set(outcome.missing, (await repository.read(outcome.missing)).bytes);
      }
    });
  }

  /** Waits for backups, and lets none begin, until no trace is left. */
  async #destroy(): Promise<void> {
    while (this.#guests.size > 0) await unlessStopped(Promise.allSettled(this.#guests), this.#stopping.signal);
    this.#destroying = new Purger(this.#workspace, this.#progress).destroy().finally(() => {
      this.#destroying = undefined;
    });
    await this.#destroying;
  }
}
