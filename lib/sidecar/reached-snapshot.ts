import { openForCollecting } from './database.js';
import { makeTables, type Tables } from './tables.js';
import { ReachedTable } from './tables/reached-table.js';

/** A workspace's rows as they were at one moment, with a table for the documents of one reach. */
export interface ReachedSnapshot {
  readonly tables: Tables;
  readonly reached: ReachedTable;
  close(): void;
}

/**
 * Opens a connection of its own, for a thread that reads a whole reach. The file itself is only read.
 * @throws Error when the file cannot be opened or is corrupt
 */
export function openReachedSnapshot(file: string): ReachedSnapshot {
  const connection = openForCollecting(file);
  try {
    connection.exec('BEGIN');
    // The snapshot is taken by the first read, not by BEGIN.
    connection.prepare('SELECT count(*) FROM meta').get();
    return {
      tables: makeTables(connection, () => undefined),
      reached: new ReachedTable(connection),
      close: () => connection.close(),
    };
  } catch (error) {
    connection.close();
    throw error;
  }
}
