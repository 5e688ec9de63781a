import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Clock, Randomness } from '../domain/clock.js';
import { pathsOf } from '../journal/workspace-paths.js';
import type { Journal } from '../journal/journal.js';
import { yieldToLoop } from '../scheduling/yield-to-loop.js';
import type { FollowedFile } from '../sidecar/followed-file.js';
import type { StoredObject } from '../sidecar/tables/stored-object-table.js';
import type { Bucket } from './bucket.js';
import { followFolder, nameSealedFile } from './follow-folder.js';
import { KeptFiles } from './kept-files.js';
import { formatObjectName, underShard } from './object-names.js';
import { sealObject } from './seal-object.js';
import type { ShardSource } from './shard-stream.js';

/** A workspace, as far as a copy of it needs. */
export interface FollowedWorkspace {
  readonly name: string;
  readonly journal: Journal;
}

export interface WorkspaceSourceOptions {
  readonly workspace: FollowedWorkspace;
  readonly bucket: Bucket;
  readonly dataFolder: string;
  readonly life: string;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** The key for a new object of a file, by its name below the life: 32 bytes. */
  readonly keyOf: (name: string) => Uint8Array;
}

/** Rows made or removed in one transaction. */
const rowsAtOnce = 500;

/** A workspace's sidecar and the files beside it. */
export class WorkspaceSource implements ShardSource {
  readonly #options: WorkspaceSourceOptions;
  readonly #files: KeptFiles;
  #isPrepared = false;

  constructor(options: WorkspaceSourceOptions) {
    this.#options = options;
    const { workspace, dataFolder, life, clock, keyOf } = options;
    const { repository, archives } = pathsOf(dataFolder, workspace.name);
    this.#files = new KeptFiles({ repository, archives, life, clock, keyOf });
  }

  /** Finds out which objects the bucket has, the first time. @throws BucketFault; Refusal UNAVAILABLE */
  async prepare(signal: AbortSignal): Promise<void> {
    if (this.#isPrepared) return;
    const { bucket, workspace } = this.#options;
    const stored = new Set<string>();
    for await (const { name } of bucket.list(underShard(workspace.name), { signal })) stored.add(name);
    await this.#files.load(
      () => workspace.journal.reader,
      (row) => stored.has(this.#nameOf(row)),
    );
    this.#isPrepared = true;
  }

  log(): FollowedFile {
    const { followed } = this.#options.workspace.journal.sidecar;
    if (followed === undefined) throw new Error('The sidecar was not opened to be followed.');
    return followed;
  }

  async atMoment(cut: () => void): Promise<void> {
    const { journal } = this.#options.workspace;
    while (!this.#files.isSettled(journal.reader)) {
      const made: { isCut: boolean; fault?: { readonly error: unknown } } = { isCut: false };
      await journal.write({
        isRecordOnly: true,
        run: (transaction) => {
          const settled = this.#files.settle(transaction.tables, transaction.now, rowsAtOnce);
          transaction.whenDurable(() => {
            settled.note();
            if (!settled.isWhole) return;
            made.isCut = true;
            try {
              cut();
            } catch (error) {
              // Thrown here, it would pass for a fault of the group, whose other writes are durable.
              made.fault = { error };
            }
          });
        },
      });
      if (made.fault !== undefined) throw made.fault.error;
      if (made.isCut) return;
      await yieldToLoop();
    }
    cut();
  }

  async storeFiles(signal: AbortSignal): Promise<void> {
    for (const row of this.#files.missing()) {
      signal.throwIfAborted();
      await this.#store(row, signal);
      this.#files.noteStored(row.name);
    }
  }

  /** Removes the rows of all files that are gone, with what opens their objects. @throws errors of the journal */
  async forgetGone(): Promise<void> {
    await this.atMoment(() => undefined);
    await this.removeGone(Number.MAX_SAFE_INTEGER, () => Promise.resolve());
  }

  /**
   * Removes the rows of files that went before a moment.
   * @param removed is called with the names of their objects before the rows go
   * @throws its errors; errors of the journal
   */
  async removeGone(before: number, removed: (names: readonly string[]) => Promise<void>): Promise<void> {
    const { journal } = this.#options.workspace;
    for (;;) {
      const rows = journal.reader.storedObjects.goneBefore(before, rowsAtOnce);
      if (rows.length === 0) return;
      await removed(rows.map((row) => this.#nameOf(row)));
      await journal.write({
        isRecordOnly: true,
        run: (transaction) => {
          for (const { name } of rows) transaction.tables.storedObjects.remove(name);
          transaction.whenDurable(() => {
            for (const { name } of rows) this.#files.forget(name);
          });
        },
      });
    }
  }

  /** Whether a row names the object. @param name below the life */
  isNamed(life: string, name: string): boolean {
    return this.#options.workspace.journal.reader.storedObjects.find(name)?.life === life;
  }

  #nameOf({ life, name }: StoredObject): string {
    return formatObjectName({ kind: 'file', shard: this.#options.workspace.name, life, file: name });
  }

  async #store(row: StoredObject, signal: AbortSignal): Promise<void> {
    const { bucket, dataFolder, randomness } = this.#options;
    const name = this.#nameOf(row);
    const sealed = nameSealedFile(followFolder(dataFolder), randomness);
    try {
      // A file that was joined with others meanwhile is missing: the cut that needs it is given up, and the next does not.
      const bytes = createReadStream(this.#files.pathOf(row.name), { highWaterMark: 256 * 1024, signal });
      await pipeline(
        sealObject(bytes, { name, generation: 0, key: row.key, randomness }),
        createWriteStream(sealed, { mode: 0o600, flags: 'wx' }),
      );
      await bucket.putFile(name, sealed, { signal });
    } finally {
      await rm(sealed, { force: true });
    }
  }
}
