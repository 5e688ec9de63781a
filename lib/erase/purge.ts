import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { yieldToLoop } from '../scheduling/yield-to-loop.js';
import { goesOn } from '../domain/refusal.js';
import type { Oid } from '../git/objects/objects.js';
import { repointedRows } from '../sidecar/tables/rewritten-commit-table.js';
import type { AnswerName } from '../sidecar/tables/idempotency-table.js';
import type { OpenErasure } from '../sidecar/tables/erasure-table.js';
import type { EraseStep } from './erase-step.js';
import { gatherPlaces } from './gather-places.js';
import type { PurgeLog } from './purge-log.js';
import { sweepObjects } from './sweep-objects.js';
import { makeRecogniser, RedactionMatcher, type Traces } from './redaction-matcher.js';
import type { WriteTransaction } from '../journal/write-transaction.js';
import type { ErasedWorkspace } from './erased-workspace.js';

/** Reports the progress of the work, and stops it. */
export interface Progress {
  /** Called after each step. An error from it stops the work. */
  readonly reach: (step: EraseStep) => void | Promise<void>;
  readonly signal: AbortSignal;
}

/** Rows changed in one transaction, so that other writers do not wait long. */
const rowsAtOnce = 1000;
/** Rows read or deleted in one transaction, each with the names of some hundred rewritten commits. */
const notesAtOnce = 4;
const textsAtOnce = 2000;
/** Texts times words compared in one transaction, and the minimum of texts. */
const comparisonsAtOnce = 50_000;
const minTexts = 20;
/** Rows searched for names before other requests get their turn. */
const namesAtOnce = 1000;
/** Stored answers looked at in one transaction. One of a push has some ten kilobytes. */
const answersAtOnce = 200;
/** Pages overwritten in one go. */
const pagesAtOnce = 500;
/** Number of searches for deleted bytes: concurrent writes can carry some of them elsewhere. */
const scrubs = 2;
/** Milliseconds between two attempts, while another process's snapshot remains. */
const timeout = 250;

/**
 * Deletes the last traces of documents that the history no longer has: rows, texts of the audit log, postings, objects
 * and packs. It also overwrites the bytes that all these leave in files. Everything here can be repeated from its
 * beginning.
 */
export class Purger {
  readonly #workspace: ErasedWorkspace;
  readonly #log: PurgeLog;
  readonly #progress: Progress;

  constructor(workspace: ErasedWorkspace, log: PurgeLog, progress: Progress) {
    this.#workspace = workspace;
    this.#log = log;
    this.#progress = progress;
  }

  /**
   * An erase stays open where a request still holds one of the large contents that its document had: it is repeated
   * when they are released.
   * @returns those contents, by the erase's id
   * @throws the obstacle; then nothing is final
   */
  async destroy(): Promise<ReadonlyMap<string, readonly Oid[]>> {
    const { connectors, derived, uploads, webhooks } = this.#workspace;
    for (const { number, document } of this.#open()) {
      if (document === null) continue;
      this.#log.noteContents(number, this.#workspace.journal.reader.versions.largeBlobsOf(document));
    }
    const documentIds = this.#open().flatMap(({ documentId }) => documentId ?? []);
    // This comes before the search of texts, because the end of an upload is recorded with its name.
    await uploads.breakOff(documentIds);
    // So does the record of a message under way, with its id.
    await webhooks.breakOff(documentIds);
    await unlessStopped(derived.forget(documentIds), this.#progress.signal);
    const mirrors = this.#mirrors();
    // A run could bring the bytes back from its source before the receipt says that they are gone.
    return connectors.withoutRuns(mirrors, () => this.#destroyAll(mirrors));
  }

  async #destroyAll(mirrors: readonly string[]): Promise<ReadonlyMap<string, readonly Oid[]>> {
    const { checkpointer, connectors, stages } = this.#workspace;
    const { reach } = this.#progress;
    await stages.breakOff(mirrors);
    for (const mirror of mirrors) await connectors.forgetCopy(mirror);
    await checkpointer.run();
    await reach('checkpointed');
    await this.#repoint();
    await reach('repointed');
    for (const erasure of this.#open()) if (erasure.locations === null) await this.#gather(erasure);
    const traces = await this.#traces();
    this.#workspace.snapshots.breakOff(this.#open().flatMap(({ locations }) => locations ?? []));
    let looked = await this.#clearTexts(traces, 0);
    for (const { document, documentId } of this.#open()) {
      if (documentId !== null) await this.#dropAnswers(documentId);
      if (document !== null) await this.#dropRows(document);
    }
    await this.#forgetReceivers();
    await reach('cleared');
    await this.#forgetWords();
    await reach('forgotten');
    looked = await this.#clearTexts(traces, looked);
    await this.#dropNames(traces, looked);
    await reach('dropped');
    await this.#sweep();
    await reach('swept');
    const { copies, derived, name, snapshots } = this.#workspace;
    await copies?.forgetKeys(name, this.#progress.signal);
    await derived.keepOut(() => snapshots.keepOut(() => this.#overwrite()));
    await reach('overwritten');
    if (copies !== undefined) {
      await copies.forgetPast(name, this.#progress.signal);
      await reach('uncopied');
    }
    const held = await this.#finish();
    await reach('final');
    return held;
  }

  #open(): OpenErasure[] {
    return this.#workspace.journal.reader.erasures.open().filter(({ phase }) => phase === 'moved');
  }

  /**
   * The connectors that mirrored one of the documents: what they read just now can be such a document. Where an earlier
   * process has deleted a document's rows, they can be any. What this process has purged they read no more.
   */
  #mirrors(): string[] {
    const { eraseRows, folders } = this.#workspace.journal.reader;
    const every = folders.mirrored().flatMap(({ mirror }) => mirror ?? []);
    const found = this.#open().flatMap(({ number, document }) => {
      if (this.#log.isPurged(number)) return [];
      return document === null ? every : eraseRows.mirrorsOf(document);
    });
    return [...new Set(found)];
  }

  /** Runs a transaction, unless the work was stopped. */
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

  /** For an erase whose history was moved when the move did not gather places yet. */
  async #gather({ number, document }: OpenErasure): Promise<void> {
    await this.#transaction(({ tables }) => {
      tables.erasures.setLocations(number, document === null ? [] : gatherPlaces(tables, document));
    });
  }

  /** The texts that identify the documents: their ids, and places and names that nothing else has or had. */
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

  /** @returns the last record read */
  async #clearTexts(traces: Traces, from: number): Promise<number> {
    for (let looked = from; ;) {
      const after = looked;
      looked = await this.#transaction(({ tables }) => clearSome(tables, traces, after));
      if (looked === after) return looked;
    }
  }

  /** Answers of writes of several documents, such as pushes. They name documents by their ids. */
  async #dropAnswers(documentId: string): Promise<void> {
    for (let looked: AnswerName | undefined, isBegun = false; !isBegun || looked !== undefined; isBegun = true) {
      const after: AnswerName | undefined = looked;
      looked = await this.#transaction(({ tables }) =>
        tables.idempotency.eraseNaming(documentId, after, answersAtOnce),
      );
    }
  }

  /** What receivers of webhooks answered can repeat what they were sent. */
  async #forgetReceivers(): Promise<void> {
    for (let rows = rowsAtOnce; rows === rowsAtOnce;) {
      rows = await this.#transaction(({ tables }) => tables.webhooks.forgetAnswers(rowsAtOnce));
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

  /** The document's row goes last. Until then no other document gets its number, which the index uses. */
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
      // Everything recorded since the last look, to its end.
      for (let last = clearSome(tables, traces, looked), after = looked; last !== after;) {
        after = last;
        last = clearSome(tables, traces, after);
      }
      clearPlaces(tables, traces);
      for (const { number } of this.#open()) tables.erasures.forget(number);
    });
    this.#workspace.forgetContent();
  }

  async #sweep(): Promise<void> {
    const { repository, derived, readersGrace } = this.#workspace;
    const { reach, signal } = this.#progress;
    const { heldInPacks, missing } = await sweepObjects(this.#workspace, {
      onCopied: async () => reach('copied'),
      signal,
    });
    const lost = this.#log.noteMissing(missing);
    if (lost.length > 0)
      this.#workspace.onFault('Objects of the history are missing; erases go on', missingObjects(lost));
    // An earlier process may have dropped the rows that tell whose contents these were.
    for (const { number } of this.#open()) this.#log.noteContents(number, heldInPacks);
    this.#workspace.forgetContent();
    derived.noteSwept(this.#open().map(({ number }) => number));
    const reason = goesOn(
      'The download was broken off, since an erase removes the file that it read from. Ask for the rest.',
    );
    const options = { within: readersGrace, reason };
    await unlessStopped(Promise.all([repository.letGo(options), derived.letGo(options)]), signal);
  }

  async #overwrite(): Promise<void> {
    const { journal } = this.#workspace;
    for (let scrub = 0; scrub < scrubs; scrub++) {
      await journal.sidecar.checkpointWal();
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

  /** @returns what is held of the erases that stay open */
  async #finish(): Promise<ReadonlyMap<string, readonly Oid[]>> {
    const held = new Map<string, readonly Oid[]>();
    for (const { id, number } of this.#open()) {
      const contents = this.#log.contentsOf(number);
      const left: Oid[] = [];
      for (const oid of contents) if (await this.#isLeft(oid, this.#log.isPurged(number))) left.push(oid);
      if (left.length === 0) continue;
      held.set(id, left);
      this.#log.notePurged(number);
    }
    await this.#transaction((transaction) => {
      for (const { number, id, requestedBy, versions, comments, bytes } of this.#open()) {
        if (held.has(id)) continue;
        transaction.tables.erasures.finish(number, transaction.now);
        transaction.whenDurable(() => this.#log.forget(number));
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
    return held;
  }

  /**
   * Whether a large content is still there that no version needs: a request holds it, or has held it during the sweep.
   * @param isRepeated nothing but such contents was left before
   * @throws Error when nobody holds it and it has not gone this time either
   */
  async #isLeft(oid: Oid, isRepeated: boolean): Promise<boolean> {
    const { journal, repository, staging } = this.#workspace;
    const isNeeded = (): boolean => journal.reader.versions.holdLargeBlob(oid);
    if (isNeeded()) return false;
    if (staging.isHeld(oid)) return true;
    if (!(await repository.has(oid)) || isNeeded()) return false;
    if (isRepeated && !staging.isHeld(oid)) {
      throw new Error(`The repository still has the content ${oid}, which is to go.`);
    }
    return true;
  }
}

const mostNamed = 10;

/** They cannot be swept, and they hurt nothing but what names them. */
function missingObjects(oids: readonly Oid[]): Error {
  const more = oids.length > mostNamed ? ` and ${oids.length - mostNamed} more` : '';
  return new Error(
    `The repository has not ${oids.slice(0, mostNamed).join(', ')}${more}. ` +
      '`cartulary verify` says which documents need them, and what to do.',
  );
}

/**
 * Deletes traces of the documents from some texts of the audit log.
 * @returns the last record read; `after` when there are no more
 */
function clearSome({ eraseRows }: WriteTransaction['tables'], traces: Traces, after: number): number {
  const compared = Math.max(1, traces.locations.size + traces.names.size);
  const most = Math.min(textsAtOnce, Math.max(minTexts, Math.floor(comparisonsAtOnce / compared)));
  const texts = eraseRows.textsAfter(after, most);
  eraseRows.dropTexts(texts.filter(makeRecogniser(traces)).map(({ seq }) => seq));
  return texts.at(-1)?.seq ?? after;
}

/** Deletes their traces from the places that records gave out. */
function clearPlaces({ auditExtents }: WriteTransaction['tables'], traces: Traces): void {
  const isTrace = makeRecogniser(traces);
  for (let after: string | undefined = ''; after !== undefined;) {
    const places = auditExtents.placesAfter(after, textsAtOnce);
    const named = { seq: 0, detail: null, documentId: null, action: 'folder.export' };
    auditExtents.dropPlaces(places.filter((target) => isTrace({ ...named, target })));
    after = places.at(-1);
  }
}

/** Waits for work that can take as long as a download. @throws the signal's reason */
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

/** Drops the new names of rewritten commits, once they are no longer needed. */
export async function forgetRewritten({ journal }: ErasedWorkspace, signal: AbortSignal): Promise<void> {
  for (let forgotten = notesAtOnce; forgotten === notesAtOnce;) {
    signal.throwIfAborted();
    forgotten = await journal.write({ run: ({ tables }) => tables.rewrittenCommits.forgetRewritten(notesAtOnce) });
  }
}
