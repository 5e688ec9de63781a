import { carryLog } from './carry-log.js';
import { checkIntegrity, checkReferences } from './check-file.js';
import { ContentComparison, type ComparedBatch, type CompareOptions } from './compare-content.js';
import { copyDatabase, lookerTimeout, openForReading, openForWriting, type Connection } from './database.js';
import { migrate } from './migrate.js';
import { makeTables, requireSchema, type Tables } from './tables.js';
import { ReadTransaction } from './read-transaction.js';
import { nameless, openScratch, scratchOf, type Scratch } from './scratch.js';
import { PageScrubber } from './scrub-pages.js';
import { emptyLog, reclaimPages } from './tend-file.js';
import { measureBeside, readTotals, sumBytes, type BesideSizes, type Totals } from './totals.js';
import { makeSqlTransaction, type SqlTransaction } from './sql-transaction.js';
import { connectionOf } from './scratch-connection.js';

/** Shared by all sidecars of the process, so that one opened anew never repeats a stamp of its predecessor. */
let lastStamp = 0;

/**
 * A workspace's SQLite file: one connection that writes and belongs to the journal, one that can only read.
 * In memory both are the same connection, which is safe because a turn is synchronous.
 */
export interface Sidecar {
  readonly writer: Tables;
  /**
   * Shows what is committed. To be asked for anew after every wait: that is what makes the reads until the next one
   * share a transaction.
   */
  readonly reader: Tables;
  readonly sqlTransaction: SqlTransaction;
  /** Whether it is gone when it is closed. */
  readonly isInMemory: boolean;
  /**
   * Changes whenever principals, groups or grants may have changed, also when a change of them was rolled back;
   * never repeats while the process lives. What was derived from them holds exactly while it stays the same.
   */
  readonly reachStamp: number;
  /**
   * Opens a connection of its own that goes on showing what is committed now, until it is closed. In memory, where
   * there is one connection only, it shows what is committed when it is asked.
   */
  openSnapshot(): Snapshot;
  /** Opens an empty one of the same schema, to work out rows in; it is gone when it is closed. */
  openScratch(): Scratch;
  /**
   * Gives pages of the file that nothing uses back to the system. Within a turn.
   * @param keep how many unused pages stay for what is written next
   * @param most how many are given back in one go
   * @returns how many unused pages are left
   */
  reclaim(keep: number, most: number): number;
  /**
   * Numbers of the pages in which bytes of deleted rows may be left; none in memory. To be called again until it is
   * done: what it says holds for what is in the file itself.
   */
  findStalePages(): Promise<readonly number[]>;
  /** Carries the write-ahead log into the file while others go on: little is left then for whoever empties it. */
  carryLog(): Promise<void>;
  /**
   * Empties the write-ahead log, and overwrites such bytes in these pages. Outside of a turn.
   * @returns false when somebody's snapshot stood in the way, and nothing was overwritten
   */
  overwriteStale(pages: readonly number[]): boolean;
  /** Problems that SQLite finds in its own file; empty when sound. */
  checkIntegrity(): string[];
  close(): void;
}

export interface Snapshot {
  readonly tables: Tables;
  /**
   * Writes what it shows into a new file, page by page, while others go on writing to the original. The copy needs no
   * other file beside it. Not for one in memory.
   */
  copyTo(file: string): Promise<void>;
  /** May be called twice. */
  close(): void;
}

/**
 * @param file a path, or `:memory:`
 * @param migrations the folder with the schema's steps
 * @param mustExist whether an absent file is an error rather than made: where there was one, an empty one in its place
 *   would be all that was known, gone in silence
 * @throws Error when the file cannot be opened, is corrupt, or is newer than this release
 */
export function openSidecar(file: string, migrations: string, mustExist = false): Sidecar {
  const writing = openForWriting(file, mustExist);
  let opened: Connection | undefined;
  try {
    migrate(writing, migrations);
    const reading = file === ':memory:' ? writing : openForReading(file);
    opened = reading;
    const touched = (): void => {
      lastStamp += 1;
    };
    // The sidecar before this one may have been closed in the middle of a transaction, which undid what it showed.
    touched();
    let scrubber: PageScrubber | undefined;
    const reads = reading === writing ? undefined : new ReadTransaction(reading);
    const endReads = (): void => reads?.end();
    const readerTables = makeTables(reading, touched);
    return {
      writer: makeTables(writing, touched),
      get reader() {
        reads?.begin();
        return readerTables;
      },
      sqlTransaction: makeSqlTransaction(writing, touched, endReads),
      isInMemory: reading === writing,
      get reachStamp() {
        return lastStamp;
      },
      openScratch: () =>
        openScratch(reading, reading === writing ? file : scratchOf(file), (connection) =>
          makeTables(connection, () => undefined),
        ),
      openSnapshot: () => (reading === writing ? showMemory(readerTables) : openSnapshot(file)),
      reclaim: (keep, most) => reclaimPages(writing, keep, most),
      findStalePages: () =>
        file === ':memory:' ? Promise.resolve([]) : (scrubber ??= new PageScrubber(file)).findStale(),
      carryLog: () => (file === ':memory:' ? Promise.resolve() : carryLog(file)),
      overwriteStale(pages) {
        if (file === ':memory:') return true;
        // A long turn is under way.
        if (writing.inTransaction) return false;
        endReads();
        if (!emptyLog(writing)) return false;
        (scrubber ??= new PageScrubber(file)).scrub(pages);
        // What the connection remembers of these pages would be written back with them.
        writing.pragma('shrink_memory');
        reading.pragma('shrink_memory');
        return true;
      },
      checkIntegrity: () => checkIntegrity(reading),
      close() {
        if (reading !== writing) reading.close();
        writing.close();
        scrubber?.close();
      },
    };
  } catch (error) {
    opened?.close();
    writing.close();
    throw error;
  }
}

/** What there is of a snapshot in memory. */
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

/** A workspace's file as it was at one moment, for looking only. */
export interface SidecarSnapshot {
  readonly reader: Tables;
  /** Numbers of rows. */
  totals(): Totals;
  /** Problems that SQLite finds in its own file; empty when sound. */
  checkIntegrity(): string[];
  /** Rows that name others which are not there, a sentence for each two tables. */
  checkReferences(): string[];
  /** Bytes of all versions, added up. */
  sumBytes(): number;
  /** Bytes of what is kept beside documents. */
  measureBeside(): BesideSizes;
  /** Opens an empty one of the same schema that has no file of a name and is gone with the process. */
  openScratch(): Scratch;
  /** Compares the rows of content with those of a scratch. */
  compareContent(scratch: Scratch, options: CompareOptions): Generator<ComparedBatch>;
  close(): void;
}

/**
 * Opens the file for looking only, beside a server that may be running. Everything read comes from the same moment.
 * @throws Error when the file cannot be opened, is corrupt, or was never brought to this release's schema
 */
export function openSidecarReadOnly(file: string): SidecarSnapshot {
  const reading = openForReading(file, lookerTimeout);
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
      compareContent: (scratch, options) => new ContentComparison(reading, connectionOf(scratch), options).stretches(),
      close: () => reading.close(),
    };
  } catch (error) {
    reading.close();
    throw error;
  }
}
