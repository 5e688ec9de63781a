import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { yieldToLoop } from '../scheduling/yield-to-loop.js';
import { goesOn } from '../domain/refusal.js';
import { repointedRows } from '../sidecar/tables/rewritten-commit-table.js';
import type { OpenErasure } from '../sidecar/tables/erasure-table.js';
import type { EraseStep } from './erase-step.js';
import { gatherPlaces } from './gather-places.js';
import { makeRecogniser, RedactionMatcher, type Traces } from './redaction-matcher.js';
import type { WriteTransaction } from '../journal/write-transaction.js';
import type { ErasedWorkspace } from './erased-workspace.js';

/** How the work is told of, and stopped. */
export interface Progress {
  /** Told after each step. What it throws stops the work. */
  readonly reach: (step: EraseStep) => void | Promise<void>;
  readonly signal: AbortSignal;
}

/** Rows that are changed in one turn: nobody waits long behind them. */
const rowsAtOnce = 1000;
/** Rows with the names of some hundred rewritten commits each that are read, or taken away, in one turn. */
const notesAtOnce = 4;
const textsAtOnce = 2000;
/** Texts times words that are compared in one turn, and texts at least. */
const comparisonsAtOnce = 50_000;
const minTexts = 20;
/** Rows that are looked through for names before everyone else gets their turn. */
const namesAtOnce = 1000;
/** Pages that are overwritten in one go. */
const pagesAtOnce = 500;
/** How often deleted bytes are looked for: writes that go on meanwhile can carry some of them elsewhere. */
const scrubs = 2;
/** Milliseconds between two looks whether another process's snapshot is gone. */
const timeout = 250;

/**
 * Destroys what is left of documents that the history has no more: rows, texts of the audit log, postings, objects,
 * packs, and the bytes that all these leave behind in files. Everything here can be done again from its beginning.
 */
export class Purger {
  readonly #workspace: ErasedWorkspace;
  readonly #progress: Progress;

  constructor(workspace: ErasedWorkspace, progress: Progress) {
    this.#workspace = workspace;
    this.#progress = progress;
  }

  /** @throws what stands in the way; nothing is final then */
  async destroy(): Promise<void> {
    const { checkpointer, uploads } = this.#workspace;
    const { reach } = this.#progress;
    // Before texts are looked through: that it was broken off is recorded, with the name.
    await uploads.breakOff(this.#open().flatMap(({ documentId }) => documentId ?? []));
    await checkpointer.run();
    await reach('checkpointed');
    await this.#repoint();
    await reach('repointed');
    for (const erasure of this.#open()) if (erasure.locations === null) await this.#gather(erasure);
    const traces = await this.#traces();
    this.#workspace.snapshots.breakOff(this.#open().flatMap(({ locations }) => locations ?? []));
    let looked = await this.#clearTexts(traces, 0);
    for (const { document } of this.#open()) if (document !== null) await this.#dropRows(document);
    await reach('cleared');
    await this.#forgetWords();
    await reach('forgotten');
    looked = await this.#clearTexts(traces, looked);
    await this.#dropNames(traces, looked);
    await reach('dropped');
    await this.#sweep();
    await reach('swept');
    await this.#workspace.snapshots.keepOut(() => this.#overwrite());
    await reach('overwritten');
    await this.#finish();
    await reach('final');
  }

  #open(): OpenErasure[] {
    return this.#workspace.journal.reader.erasures.open().filter(({ phase }) => phase === 'moved');
  }

  /** A turn, unless the work was stopped. */
  #transaction<Result>(run: Parameters<ErasedWorkspace['journal']['write']>[0]['run']): Promise<Result> {
    this.#progress.signal.throwIfAborted();
    return this.#workspace.journal.write({ run }) as Promise<Result>;
  }

  async #repoint(): Promise<void> {
    for (let taken: number | null = null, isBegun = false; taken !== null || !isBegun; isBegun = true) {
      const after: number | null = taken;
      taken = await this.#transaction<number | null>(({ tables }) =>
        tables.rewrittenCommits.takeUpRewritten(after, notesAtOnce),
      );
    }
    for (const rows of repointedRows) {
      for (let after: readonly unknown[] | null = rows.start; after !== null;) {
        const from: readonly unknown[] = after;
        after = await this.#transaction<readonly unknown[] | null>(({ tables }) =>
          tables.rewrittenCommits.repoint(rows, from, rowsAtOnce),
        );
      }
    }
    await this.#transaction(({ tables }) => tables.rewrittenCommits.dropTakenUp());
    await forgetRewritten(this.#workspace, this.#progress.signal);
  }

  /** Of an erase whose history was moved before places were gathered with that. */
  async #gather({ number, document }: OpenErasure): Promise<void> {
    await this.#transaction(({ tables }) => {
      tables.erasures.setLocations(number, document === null ? [] : gatherPlaces(tables, document));
    });
  }

  /** What tells of the documents in texts: their ids, and places and names that nothing else has or had. */
  async #traces(): Promise<Traces> {
    const { eraseRows } = this.#workspace.journal.reader;
    const open = this.#open();
    const finder = new RedactionMatcher(
      open.flatMap(({ document }) => document ?? []),
      [...new Set(open.flatMap((erasure) => erasure.locations ?? []))],
    );
    for (const places of eraseRows.namedPlaces(namesAtOnce)) {
      finder.leaveOut(places);
      await yieldToLoop();
      this.#progress.signal.throwIfAborted();
    }
    return finder.found(open.flatMap(({ documentId }) => documentId ?? []));
  }

  /** @returns the last record that was looked at */
  async #clearTexts(traces: Traces, from: number): Promise<number> {
    for (let looked = from; ;) {
      const after = looked;
      looked = await this.#transaction(({ tables }) => clearSome(tables, traces, after));
      if (looked === after) return looked;
    }
  }

  async #dropRows(document: number): Promise<void> {
    for (let rows = 1; rows > 0;) {
      rows = await this.#transaction((transaction) => {
        const dropped = transaction.tables.eraseRows.dropSome(document, rowsAtOnce);
        transaction.state = {
          ...transaction.state,
          storedBytes: Math.max(0, transaction.state.storedBytes - dropped.bytes),
        };
        return dropped.rows;
      });
    }
  }

  /** The document's row goes last: until then nobody else gets its number, by which the index knows it. */
  async #forgetWords(): Promise<void> {
    const { search } = this.#workspace;
    const open = this.#open().filter(({ document }) => document !== null);
    if (open.length > 0) {
      await this.#workspace.searchCaughtUp();
      await search.settled();
    }
    for (const { document } of open) if (document !== null) await search.forget(document);
    if (open.length === 0) return;
    await this.#transaction(({ tables }) => {
      for (const { number, document } of open) {
        if (document === null) continue;
        tables.eraseRows.dropDocument(document);
        tables.erasures.dropDocument(number);
      }
    });
  }

  async #dropNames(traces: Traces, looked: number): Promise<void> {
    await this.#transaction(({ tables }) => {
      // What was recorded since the last look, to its end.
      for (let last = clearSome(tables, traces, looked), after = looked; last !== after;) {
        after = last;
        last = clearSome(tables, traces, after);
      }
      for (const { number } of this.#open()) tables.erasures.forget(number);
    });
    this.#workspace.forgetContent();
  }

  async #sweep(): Promise<void> {
    const { repository, checkpointer, journal, staging, maintainer, readersGrace } = this.#workspace;
    await checkpointer.run();
    const loose = await maintainer.stoodAside((goOn) =>
      repository.sweep({
        // Between two checkpoints, every pack that is there belongs to where main is.
        roots: () =>
          checkpointer.exclusively(async () => {
            const packs = await repository.packs();
            const head = await repository.head();
            if (head === null) throw new Error('Main stands nowhere.');
            goOn();
            return { packs, head, also: journal.reader.versions.largeBlobs() };
          }),
        onCopied: () => this.#progress.reach('copied'),
        signal: this.#progress.signal,
      }),
    );
    await unlessStopped(staging.discard(loose), this.#progress.signal);
    this.#workspace.forgetContent();
    const reason = goesOn(
      'The download was broken off, since an erase removes the file that it read from. Ask for the rest.',
    );
    await unlessStopped(repository.letGo({ within: readersGrace, reason }), this.#progress.signal);
  }

  async #overwrite(): Promise<void> {
    const { journal } = this.#workspace;
    for (let scrub = 0; scrub < scrubs; scrub++) {
      await journal.sidecar.carryLog();
      await this.#overwritePages([]);
      const stale = [...(await journal.sidecar.findStalePages())];
      while (stale.length > 0) await this.#overwritePages(stale.splice(0, pagesAtOnce));
    }
  }

  async #overwritePages(pages: readonly number[]): Promise<void> {
    while (!this.#workspace.journal.sidecar.overwriteStale(pages)) {
      await delay(timeout, undefined, { signal: this.#progress.signal });
    }
    await yieldToLoop();
  }

  async #finish(): Promise<void> {
    await this.#transaction((transaction) => {
      for (const { number, id, requestedBy, versions, comments, bytes } of this.#open()) {
        transaction.tables.erasures.finish(number, transaction.now);
        transaction.audit({
          principal: requestedBy,
          credential: null,
          interface: 'command',
          action: 'document.erased',
          outcome: 'done',
          requestId: null,
          target: id,
          detail: { versions, comments, bytes },
        });
      }
    });
  }
}

/**
 * Takes away what tells of the documents among some texts of the audit log.
 * @returns the last record that was looked at; `after` when there are no more
 */
function clearSome({ eraseRows }: WriteTransaction['tables'], traces: Traces, after: number): number {
  const compared = Math.max(1, traces.locations.size + traces.names.size);
  const most = Math.min(textsAtOnce, Math.max(minTexts, Math.floor(comparisonsAtOnce / compared)));
  const texts = eraseRows.textsAfter(after, most);
  eraseRows.dropTexts(texts.filter(makeRecogniser(traces)).map(({ seq }) => seq));
  return texts.at(-1)?.seq ?? after;
}

/** Waits for something that can take as long as somebody's download. @throws what the signal was aborted with */
export async function unlessStopped<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const stopped = new AbortController();
  const stop = once(signal, 'abort', { signal: stopped.signal }).then(() => signal.throwIfAborted() as never);
  stop.catch(() => undefined);
  try {
    signal.throwIfAborted();
    return await Promise.race([work, stop]);
  } finally {
    stopped.abort();
  }
}

/** Forgets where commits went, once nobody asks for it any more. */
export async function forgetRewritten({ journal }: ErasedWorkspace, signal: AbortSignal): Promise<void> {
  for (let forgotten = notesAtOnce; forgotten === notesAtOnce;) {
    signal.throwIfAborted();
    forgotten = await journal.write({ run: ({ tables }) => tables.rewrittenCommits.forgetRewritten(notesAtOnce) });
  }
}
