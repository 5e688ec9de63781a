import type { Erasure } from '../domain/erasure.js';
import { internal, notFound } from '../domain/refusal.js';
import type { Oid } from '../git/objects/objects.js';
import { ObjectNotFound, RepositoryUnreadable } from '../git/repositories/repository.js';
import { yieldToLoop } from '../scheduling/yield-to-loop.js';
import type { OpenErasure } from '../sidecar/tables/erasure-table.js';
import { PurgeLog } from './purge-log.js';
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
/** The same for a history with a hole. */
const remedyOfLoss =
  'The document stays hidden, and its bytes stay in the files. `cartulary verify` says what else is lost, and what to do; ' +
  'a backup has it. The erase is tried again when the service starts.';

const waitsForHolders =
  'It waits for an upload, a push or a run of a connector that holds the same large content; everything else of it is gone.';
const waitsForGuests = 'It waits for a backup or a rebuild that needs the history as it is.';
const failed = 'Its last attempt failed, and it is tried again every minute.';

/** Errors of the repository name objects and packs, and nothing of a document. Others can name anything. */
function describeFailure(error: unknown): string {
  const isOfRepository = error instanceof ObjectNotFound || error instanceof RepositoryUnreadable;
  if (!isOfRepository) return `${failed} The log of the service says why.`;
  return `${failed} ${error.message.replaceAll(/\s+/g, ' ')}. \`cartulary verify\` says what is damaged or lost, and what to do.`;
}

interface Waiter {
  readonly id: string;
  readonly onStep: (step: EraseStep) => void;
  /** Called with what it waits for. */
  readonly onWait: (what: string) => void;
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
  /** Erases that are final but for large contents that others hold, by id. They hold up nothing. */
  readonly #awaiting = new Set<string>();
  /** How the last attempts of erases failed, by id. */
  readonly #failures = new Map<string, string>();
  /** What erases wait for, by id. */
  readonly #waits = new Map<string, string>();
  readonly #log = new PurgeLog();
  /** The last step of each erase under way, by id. */
  readonly #reached = new Map<string, EraseStep>();
  /** Ids of the erases that one rewrite serves. */
  #concerned: readonly string[] = [];
  #running: Promise<void> | undefined;
  /** It was woken while it ran, perhaps after its last look. */
  #isWoken = false;
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
    if (this.#running !== undefined) {
      this.#isWoken = true;
      return;
    }
    this.#running = this.#runAll().finally(() => {
      this.#running = undefined;
      if (this.#isWoken) this.wake();
    });
    this.#isWoken = false;
  }

  /**
   * Resolves with the receipt when the erase is final.
   * @param onStep called at each step from now on
   * @param onWait called with what it waits for
   * @throws Refusal NOT_FOUND for an unknown one; INTERNAL with the cause when it could not be finished now: it is
   * tried again
   */
  finished(
    id: string,
    onStep: Waiter['onStep'] = () => undefined,
    onWait: Waiter['onWait'] = () => undefined,
  ): Promise<Erasure> {
    const erasure = this.#workspace.journal.reader.erasures.find(id);
    if (erasure === undefined) return Promise.reject(notFound());
    if (erasure.phase === 'final') return Promise.resolve(erasure);
    const hindrance = this.#hindered.get(id);
    if (hindrance !== undefined) return Promise.reject(internal(hindrance));
    return new Promise((resolve, reject) => {
      this.#waiters.add({ id, onStep, onWait, resolve, reject });
      const obstacle = this.#waits.get(id) ?? this.#failures.get(id);
      if (obstacle !== undefined) onWait(obstacle);
      this.wake();
    });
  }

  /** The last step of an erase in this process; undefined for one that waits or is over. */
  stepOf(id: string): EraseStep | undefined {
    return this.#reached.get(id);
  }

  /** Why an erase under way does not go on, in sentences that name nothing of it. Undefined while it does. */
  hindranceOf(id: string): string | undefined {
    return this.#hindered.get(id)?.message ?? this.#failures.get(id);
  }

  /** What an erase under way waits for, which ends by itself. */
  waitOf(id: string): string | undefined {
    return this.#waits.get(id);
  }

  /** Trees and blobs of the history that the last sweep did not find. */
  get missing(): readonly Oid[] {
    return this.#log.missing;
  }

  /**
   * Runs work that needs the present history. No erase removes anything meanwhile.
   * @param onWait called with what it waits for, where it has to
   */
  async holdOff<Result>(
    work: () => Promise<Result>,
    onWait: (what: string) => void = () => undefined,
  ): Promise<Result> {
    while (this.#destroying !== undefined) {
      onWait('It waits for an erase, which is removing the last traces of documents.');
      await this.#destroying.catch(() => undefined);
    }
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
      this.#isWoken = false;
      for (const id of this.#concerned) this.#failures.set(id, describeFailure(error));
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
    const { erasures } = this.#workspace.journal.reader;
    return erasures.open().filter(({ id }) => !this.#hindered.has(id) && !this.#awaiting.has(id));
  }

  /** Waits, and says what for. @throws the signal's reason */
  async #waitFor(what: string, work: Promise<unknown>): Promise<void> {
    const ids = this.#concerned;
    for (const id of ids) this.#noteWait(id, what);
    try {
      await unlessStopped(work, this.#stopping.signal);
    } finally {
      for (const id of ids) this.#waits.delete(id);
    }
  }

  #noteWait(id: string, what: string): void {
    this.#waits.set(id, what);
    for (const waiter of this.#waiters) if (waiter.id === id) waiter.onWait(what);
  }

  get #progress(): Progress {
    const { signal } = this.#stopping;
    return {
      signal,
      reach: async (step) => {
        for (const id of this.#concerned) {
          this.#reached.set(id, step);
          this.#failures.delete(id);
        }
        for (const { id, onStep } of this.#waiters) if (step !== 'final' || this.#isFinal(id)) onStep(step);
        await this.#onStep(step);
        signal.throwIfAborted();
      },
    };
  }

  #isFinal(id: string): boolean {
    return this.#workspace.journal.reader.erasures.find(id)?.phase === 'final';
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
    const hindrance = new Error(`${error.message} ${error.isLoss ? remedyOfLoss : remedy}`);
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

  /** Waits for backups, and lets none begin, until no trace is left but what others hold. */
  async #destroy(): Promise<void> {
    while (this.#guests.size > 0) await this.#waitFor(waitsForGuests, Promise.allSettled(this.#guests));
    let held: ReadonlyMap<string, readonly Oid[]> = new Map();
    this.#destroying = new Purger(this.#workspace, this.#log, this.#progress)
      .destroy()
      .then((found) => void (held = found))
      .finally(() => {
        this.#destroying = undefined;
      });
    await this.#destroying;
    for (const [id, oids] of held) this.#awaitHolders(id, oids);
  }

  /** Goes on with an erase when nothing of it is held any more. Others go on meanwhile. */
  #awaitHolders(id: string, oids: readonly Oid[]): void {
    this.#awaiting.add(id);
    this.#noteWait(id, waitsForHolders);
    void this.#workspace.staging.released(oids).then(() => {
      this.#awaiting.delete(id);
      this.#waits.delete(id);
      this.wake();
    });
  }
}
