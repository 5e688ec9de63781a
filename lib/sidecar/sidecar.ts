import { statSync } from 'node:fs';
import { firstPolicy } from '../domain/policy.js';
import { MetaTable } from './tables/meta-table.js';
import { checkIntegrity, checkReferences } from './check-file.js';
import { ContentComparison, type ComparedBatch, type CompareOptions } from './compare-content.js';
import { copyDatabase, openForReading, openForWriting } from './database.js';
import type { Connection } from './driver.js';
import { FollowedFile } from './followed-file.js';
import { openForLooking } from './look.js';
import { migrate, type OnUpgrade } from './migrate.js';
import { makeTables, requireSchema, type Tables } from './tables.js';
import { ReadTransaction } from './read-transaction.js';
import { nameless, openScratch, scratchOf, type Scratch } from './scratch.js';
import { PageScrubber } from './scrub-pages.js';
import { measureBeside, readTotals, sumBytes, type BesideSizes, type Totals } from './totals.js';
import { makeSqlTransaction, type SqlTransaction } from './sql-transaction.js';
import { connectionOf } from './scratch-connection.js';
import { Stamps } from './stamps.js';
import { startThread } from '../scheduling/start-thread.js';

/** Bytes of a log that is checkpointed in less time than a thread starts. */
const shortLog = 1024 * 1024;

/**
 * A workspace's SQLite file: one connection that writes and belongs to the journal, one that can only read. In memory
 * both are the same connection, which is safe because a transaction is synchronous.
 */
export interface Sidecar {
  readonly writer: Tables;
  /**
   * Shows the committed state. Callers get it again after every wait: the reads until the next wait then share a
   * transaction.
   */
  readonly reader: Tables;
  readonly sqlTransaction: SqlTransaction;
  /** Whether it is gone when it is closed. */
  readonly isInMemory: boolean;
  /**
   * Changes whenever principals, groups or grants may have changed, also when a change of them was rolled back. It
   * never repeats while the process lives. Values derived from them are valid exactly while it stays the same.
   */
  readonly reachStamp: number;
  /** The same for keys and the principals that have them. */
  readonly keyStamp: number;
  /**
   * Opens a connection of its own that shows the state committed now, until it is closed. In memory, with its one
   * connection, it shows the state committed at each read.
   */
  openSnapshot(): Snapshot;
  /** Opens an empty sidecar of the same schema, for computing rows; it is gone when it is closed. */
  openScratch(): Scratch;
  /**
   * Gives unused pages of the file back to the system. Within a transaction.
   * @param keep unused pages that stay for the next writes
   * @param most pages to give back in one go
   * @returns how many unused pages are left
   */
  reclaim(keep: number, most: number): number;
  /**
   * Numbers of the pages in which bytes of deleted rows may be left; none in memory. To be called again until it is
   * done: the answer is about the file itself, without the log.
   */
  findStalePages(): Promise<readonly number[]>;
  /** Checkpoints the write-ahead log into the file while others go on: emptying it is quick then. */
  checkpointWal(): Promise<void>;
  /**
   * Empties the write-ahead log, and overwrites such bytes in these pages. Outside of a transaction.
   * @returns false when an open snapshot or a cut for a copy prevented it, and nothing was overwritten
   */
  overwriteStale(pages: readonly number[]): boolean;
  /** Problems that SQLite finds in its own file; empty when sound. */
  checkIntegrity(): string[];
  /** What keeps track of changed pages for a copy elsewhere; only where it was opened so. */
  readonly followed?: FollowedFile;
  close(): void;
}

export type { OnUpgrade } from './migrate.js';

export interface Snapshot {
  readonly tables: Tables;
  /**
   * Writes its state into a new file, page by page, while others go on writing to the original. The copy needs no other
   * file beside it. Not for one in memory.
   */
  copyTo(file: string): Promise<void>;
  /** May be called twice. */
  close(): void;
}

/**
 * @param file a path, or `:memory:`
 * @param migrations the folder with the schema's steps
 * @param mustExist whether an absent file is an error rather than made: an empty file in place of a lost one would hide
 * the loss of all its rows
 * @param onUpgrade is called for a file of an earlier release
 * @param isFollowed whether changed pages are kept track of; not in memory
 * @throws Error when the file cannot be opened, is corrupt, or is newer than this release
 */
export function openSidecar(
  file: string,
  migrations: string,
  mustExist = false,
  onUpgrade?: OnUpgrade,
  isFollowed = false,
): Sidecar {
  const writing = openForWriting(file, mustExist);
  let opened: Connection | undefined;
  try {
    const isNew = writing.pragma('user_version', { simple: true }) === 0;
    migrate(writing, migrations, onUpgrade);
    if (isNew) new MetaTable(writing).set('policy', JSON.stringify(firstPolicy));
    const reading = file === ':memory:' ? writing : openForReading(file);
    opened = reading;
    // New ones: the sidecar before this one may have been closed in the middle of a transaction, and so undone a state
    // that it showed.
    const stamps = new Stamps();
    let scrubber: PageScrubber | undefined;
    const reads = reading === writing ? undefined : new ReadTransaction(reading);
    const endReads = (): void => reads?.end();
    const readerTables = makeTables(reading, stamps.touch);
    const followed = isFollowed && reading !== writing ? new FollowedFile(file) : undefined;
    const alsoFollow = (): void => {
      stamps.committed();
      followed?.read();
    };
    const committed = followed === undefined ? stamps.committed : alsoFollow;
    return {
      writer: makeTables(writing, stamps.touch),
      get reader() {
        reads?.begin();
        return readerTables;
      },
      sqlTransaction: makeSqlTransaction(writing, stamps.rolledBack, endReads, committed),
      isInMemory: reading === writing,
      get reachStamp() {
        return stamps.reach;
      },
      get keyStamp() {
        return stamps.keys;
      },
      openScratch: () =>
        openScratch(reading, reading === writing ? file : scratchOf(file), (connection) =>
          makeTables(connection, () => undefined),
        ),
      openSnapshot: () => (reading === writing ? showMemory(readerTables) : openSnapshot(file)),
      reclaim: (keep, most) => reclaimPages(writing, keep, most),
      findStalePages: () =>
        file === ':memory:' ? Promise.resolve([]) : (scrubber ??= new PageScrubber(file)).findStale(),
      checkpointWal: () => (file === ':memory:' ? Promise.resolve() : checkpointWal(file)),
      overwriteStale(pages) {
        if (file === ':memory:') return true;
        // A long transaction is under way.
        if (writing.inTransaction) return false;
        // Emptying the log would wait for it, and a page may be read while it is overwritten.
        if (followed?.isPinned === true) return false;
        endReads();
        followed?.read();
        if (!truncateWal(writing)) return false;
        (scrubber ??= new PageScrubber(file)).scrub(pages);
        followed?.noteOverwritten(pages);
        // The connection's cache of these pages would be written back with them.
        writing.pragma('shrink_memory');
        reading.pragma('shrink_memory');
        return true;
      },
      checkIntegrity: () => checkIntegrity(reading),
      ...(followed && { followed }),
      close() {
        followed?.end();
        if (reading !== writing) reading.close();
        writing.close();
        scrubber?.close();
        followed?.close();
      },
    };
  } catch (error) {
    opened?.close();
    writing.close();
    throw error;
  }
}

/** A snapshot in memory. */
function showMemory(tables: Tables): Snapshot {
  return {
    tables,
    copyTo: () => Promise.reject(new Error('What lies in memory is not copied.')),
    close: () => undefined,
  };
}

function openSnapshot(file: string): Snapshot {
  const connection = openForReading(file);
  try {
    connection.exec('BEGIN');
    // The snapshot is taken by the first read, not by BEGIN.
    connection.prepare('SELECT count(*) FROM meta').get();
    return {
      tables: makeTables(connection, () => undefined),
      copyTo: (copy) => copyDatabase(connection, copy),
      close: () => connection.close(),
    };
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** A workspace's file as it was at one moment, for reading only. */
export interface SidecarSnapshot {
  readonly reader: Tables;
  /** Numbers of rows. */
  totals(): Totals;
  /** Problems that SQLite finds in its own file; empty when sound. */
  checkIntegrity(): string[];
  /** References to missing rows, a sentence for each pair of tables. */
  checkReferences(): string[];
  /** Bytes of all versions, added up. */
  sumBytes(): number;
  /** Bytes of the rows beside documents. */
  measureBeside(): BesideSizes;
  /** Opens an empty sidecar of the same schema, without a file name. It is gone with the process. */
  openScratch(): Scratch;
  /** Compares the rows of content with those of a scratch. */
  compareContent(scratch: Scratch, options: CompareOptions): Generator<ComparedBatch>;
  close(): void;
}

/**
 * Opens the file for reading only, beside a server that may be running. All reads come from the same moment.
 * @throws Error when the file cannot be opened, is corrupt, or was never brought to this release's schema
 */
export function openSidecarReadOnly(file: string): SidecarSnapshot {
  const reading = openForLooking(file);
  try {
    reading.exec('BEGIN');
    const reader = makeTables(reading, () => undefined);
    requireSchema(reader);
    return {
      reader,
      totals: () => readTotals(reading),
      checkIntegrity: () => checkIntegrity(reading),
      checkReferences: () => checkReferences(reading),
      sumBytes: () => sumBytes(reading),
      measureBeside: () => measureBeside(reading),
      openScratch: () => openScratch(reading, nameless, (connection) => makeTables(connection, () => undefined)),
      compareContent: (scratch, options) => new ContentComparison(reading, connectionOf(scratch), options).batches(),
      close: () => reading.close(),
    };
  } catch (error) {
    reading.close();
    throw error;
  }
}

/**
 * Checkpoints a long write-ahead log into the database's file, in a thread of its own. A short one stays as it is:
 * emptying it takes a moment.
 * @param file of a database that is open in this process
 * @throws the error of SQLite there
 */
async function checkpointWal(file: string): Promise<void> {
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false });
  if (log === undefined || log.size <= shortLog) return;
  await new Promise<void>((resolve, reject) => {
    const worker = startThread(new URL('./log-worker.js', import.meta.url), { workerData: file });
    worker.on('error', reject);
    worker.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`The worker ended with code ${code}.`))));
  });
}

/**
 * Gives unused pages back to the system.
 * @param keep pages that stay @param most pages to give back at once
 * @returns how many unused pages are left
 */
function reclaimPages(connection: Connection, keep: number, most: number): number {
  const unused = connection.pragma('freelist_count', { simple: true }) as number;
  if (unused <= keep) return unused;
  const pages = Math.min(unused - keep, most);
  connection.pragma(`incremental_vacuum(${pages})`);
  return unused - pages;
}

/** Checkpoints the write-ahead log into the file and empties it. @returns false when an open snapshot prevented it */
function truncateWal(connection: Connection): boolean {
  const [outcome] = connection.pragma('wal_checkpoint(TRUNCATE)') as { busy: number; log: number }[];
  return outcome?.busy === 0 && outcome.log === 0;
}
