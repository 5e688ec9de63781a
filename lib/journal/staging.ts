import type { Oid } from '../git/objects/objects.js';
import type { Repository, StagedBlob } from '../git/repositories/repository.js';
import type { Journal } from './journal.js';

/** Large blobs that one request has stored and may still refer to; the request gives them free when it is over. */
export type StagedBlobs = Oid[];

export interface StagingOptions {
  readonly journal: Journal;
  readonly repository: Repository;
  /** Called with the cause when a blob that nobody wants could not be dropped; the next start tries again. */
  readonly onFault: (cause: unknown) => void;
}

/**
 * Large blobs between their upload and the turn that refers to them. A row is durable before the blob shows in the
 * repository, and goes only after the blob has been dropped or a version refers to it: so nothing is left behind that
 * nobody knows of, whenever the process ends.
 *
 * Blobs go by their content: two requests can bring the same one, and an old version can have it. It is dropped only
 * when no request holds it and no version has it; uploads of it wait meanwhile.
 */
export class Staging {
  readonly #options: StagingOptions;
  readonly #holders = new Map<Oid, number>();
  /** Told when no request holds a blob any more, and what it left unused is gone. */
  readonly #waiting = new Map<Oid, (() => void)[]>();
  /** Drops under way. */
  readonly #drops = new Map<Oid, Promise<void>>();

  constructor(options: StagingOptions) {
    this.#options = options;
  }

  /**
   * Stores a blob durably; memory does not grow with its size. It stays until it is released.
   * @param held takes the blob's name as soon as it has to be released, also where this then throws
   * @throws what the source, the repository or the journal threw
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

  /** Gives free what a request held; resolves when what it leaves unused is gone. Never throws. */
  async release(held: StagedBlobs): Promise<void> {
    for (const oid of held.splice(0)) {
      const holders = (this.#holders.get(oid) ?? 1) - 1;
      if (holders > 0) this.#holders.set(oid, holders);
      else {
        this.#holders.delete(oid);
        await this.#drop(oid);
        for (const tell of this.#waiting.get(oid) ?? []) tell();
        this.#waiting.delete(oid);
      }
    }
  }

  /**
   * Drops blobs with files of their own that nothing in the history leads to; those that a request holds are waited for,
   * those that a version has stay. @throws what the repository or the journal threw
   */
  async discard(oids: readonly Oid[]): Promise<void> {
    const { journal } = this.#options;
    for (const oid of oids) {
      while (this.#holders.has(oid)) await this.#released(oid);
      if (journal.reader.objects.isStaged(oid)) continue;
      await journal.write({ run: ({ tables, now }) => tables.objects.stage(oid, 0, now) });
      // An upload of the same that came meanwhile drops it itself, or keeps it.
      if (this.#holders.has(oid)) continue;
      const drop = this.#settle(oid).finally(() => this.#drops.delete(oid));
      this.#drops.set(oid, drop);
      await drop;
    }
  }

  /** Drops what an earlier process stored and never referred to. @throws what the repository or the journal threw */
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

  /** The row goes last: a crash before that leaves it for the next start. */
  async #settle(oid: Oid): Promise<void> {
    const { journal, repository } = this.#options;
    const { objects, versions } = journal.reader;
    if (!objects.isStaged(oid)) return;
    if (!versions.holdLargeBlob(oid)) await repository.dropStaged(oid);
    await journal.write({ run: ({ tables }) => tables.objects.unstage(oid) });
  }
}
