import type { Oid } from '../git/objects/objects.js';
import type { Repository, StagedBlob } from '../git/repositories/repository.js';
import type { Journal } from './journal.js';

/** Large blobs that one request has stored and may still refer to; the request releases them at its end. */
export type StagedBlobs = Oid[];

export interface StagingOptions {
  readonly journal: Journal;
  readonly repository: Repository;
  /** Called with the cause when an unused blob could not be dropped; the next start tries again. */
  readonly onFault: (cause: unknown) => void;
}

/**
 * Large blobs between their upload and the end of the request that brought them. A row is durable before the blob shows
 * in the repository. It goes with the last request that holds the blob: the blob was dropped by then, or a version
 * refers to it. So every blob left by an ended process has its row.
 *
 * Blobs go by their content: two requests can bring the same one, and an old version can have it. What is held stays,
 * whatever becomes of the others: a document with the same content may be erased meanwhile. A blob is dropped only if no
 * request holds it and no version has it; uploads of it wait meanwhile.
 */
export class Staging {
  readonly #options: StagingOptions;
  readonly #holders = new Map<Oid, number>();
  /** Called when no request holds a blob any more, and its unused leftovers are gone. */
  readonly #waiting = new Map<Oid, (() => void)[]>();
  /** Drops under way. */
  readonly #drops = new Map<Oid, Promise<void>>();

  constructor(options: StagingOptions) {
    this.#options = options;
  }

  /**
   * Stores a blob durably; memory does not grow with its size. It stays until it is released.
   * @param held takes the blob's name as soon as it has to be released, even where this then throws
   * @throws errors of the source, the repository or the journal
   */
  stage(source: AsyncIterable<Uint8Array>, held: StagedBlobs): Promise<StagedBlob> {
    const { journal, repository } = this.#options;
    return repository.stageBlob(source, async ({ oid, size }) => {
      held.push(oid);
      this.#holders.set(oid, (this.#holders.get(oid) ?? 0) + 1);
      await this.#drops.get(oid);
      await journal.write({ run: ({ tables, now }) => tables.objects.stage(oid, size, now) });
    });
  }

  /** Releases the blobs of a request; resolves when the unused ones are gone. Never throws. */
  async release(held: StagedBlobs): Promise<void> {
    for (const oid of held.splice(0)) {
      const holders = (this.#holders.get(oid) ?? 1) - 1;
      if (holders > 0) this.#holders.set(oid, holders);
      else {
        this.#holders.delete(oid);
        await this.#drop(oid);
        for (const resume of this.#waiting.get(oid) ?? []) resume();
        this.#waiting.delete(oid);
      }
    }
  }

  /**
   * Blobs that a request may still refer to, although no version does: maintenance and sweeps leave them. The rows name
   * them all but for one that is just being announced.
   */
  held(): Oid[] {
    const rows = this.#options.journal.reader.objects.staged().map(({ oid }) => oid);
    return [...new Set([...rows, ...this.#holders.keys()])];
  }

  /** Whether it is one of those now. */
  isKept(oid: Oid): boolean {
    return this.#holders.has(oid) || this.#options.journal.reader.objects.isStaged(oid);
  }

  /** Whether a request holds the blob. */
  isHeld(oid: Oid): boolean {
    return this.#holders.has(oid);
  }

  /** Resolves when none of the requests that hold one of these blobs does so any more. Never throws. */
  async released(oids: readonly Oid[]): Promise<void> {
    await Promise.all(oids.filter((oid) => this.#holders.has(oid)).map((oid) => this.#released(oid)));
  }

  /**
   * Drops blobs with files of their own outside the history. Blobs of a version stay. So do those that a request holds:
   * they go when it ends.
   * @throws errors of the repository or the journal
   */
  async discard(oids: readonly Oid[]): Promise<void> {
    const { journal } = this.#options;
    for (const oid of oids) {
      await this.#drops.get(oid)?.catch(() => undefined);
      if (this.#holders.has(oid) || journal.reader.objects.isStaged(oid)) continue;
      await journal.write({ run: ({ tables, now }) => tables.objects.stage(oid, 0, now) });
      // A new upload of the same content drops the blob itself, or keeps it.
      if (this.#holders.has(oid)) continue;
      const drop = this.#settle(oid).finally(() => this.#drops.delete(oid));
      this.#drops.set(oid, drop);
      await drop;
    }
  }

  /** Drops blobs that an earlier process stored without a reference. @throws errors of the repository or the journal */
  async recover(): Promise<void> {
    for (const { oid } of this.#options.journal.reader.objects.staged()) await this.#settle(oid);
  }

  #released(oid: Oid): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(oid) ?? [];
      this.#waiting.set(oid, waiting);
      waiting.push(resolve);
    });
  }

  async #drop(oid: Oid): Promise<void> {
    const drop = this.#settle(oid)
      .catch((error: unknown) => this.#options.onFault(error))
      .finally(() => this.#drops.delete(oid));
    this.#drops.set(oid, drop);
    await drop;
  }

  /** The row goes last: a crash before then leaves it for the next start. */
  async #settle(oid: Oid): Promise<void> {
    const { journal, repository } = this.#options;
    const { objects, versions } = journal.reader;
    if (!objects.isStaged(oid)) return;
    if (!versions.holdLargeBlob(oid)) await repository.dropStaged(oid);
    await journal.write({ run: ({ tables }) => tables.objects.unstage(oid) });
  }
}
