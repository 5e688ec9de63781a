import { rmSync } from 'node:fs';
import { closeFile } from './database.js';
import { connect, type Connection } from './driver.js';
import { rememberConnection } from './scratch-connection.js';
import type { Tables } from './tables.js';
import { readTotals, type Totals } from './totals.js';
import { makeSqlTransaction, type SqlTransaction } from './sql-transaction.js';

/** A sidecar without content or durability, for computing rows before they replace the served ones. */
export interface Scratch {
  readonly tables: Tables;
  readonly sqlTransaction: SqlTransaction;
  totals(): Totals;
  /** Notes a content that is text, though not in UTF-8. */
  noteDecoded(blobOid: string): void;
  /** Removes its file. May be called twice. */
  close(): void;
}

/**
 * SQLite makes a file without a name: no other process can open it, and it ends with this one. SQLite makes it only
 * once the data does not fit into memory.
 */
export const nameless = '';

/**
 * @param like the connection whose schema it gets
 * @param file a path where nothing is kept, `:memory:`, or nameless
 */
export function openScratch(like: Connection, file: string, makeTables: (connection: Connection) => Tables): Scratch {
  removeFile(file);
  if (file !== ':memory:' && file !== nameless) closeFile(file);
  const connection = connect(file);
  connection.pragma('journal_mode = MEMORY');
  connection.pragma('synchronous = OFF');
  connection.pragma('foreign_keys = ON');
  connection.pragma('cache_size = -65536');
  const schema = like.prepare<[], { sql: string }>(
    "SELECT sql FROM sqlite_master WHERE type IN ('table', 'index') AND sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY type DESC, rowid",
  );
  for (const { sql } of schema.all()) connection.exec(sql);
  connection.exec("INSERT INTO folder (number, parent, name) VALUES (1, 0, '')");
  connection.exec('CREATE TEMP TABLE decoded_text (blob_oid TEXT PRIMARY KEY) WITHOUT ROWID');
  const decoded = connection.prepare<[string]>('INSERT OR IGNORE INTO decoded_text (blob_oid) VALUES (?)');
  const scratch: Scratch = {
    tables: makeTables(connection),
    sqlTransaction: makeSqlTransaction(connection, () => undefined),
    totals: () => readTotals(connection),
    noteDecoded: (blobOid) => void decoded.run(blobOid),
    close() {
      if (!connection.open) return;
      connection.close();
      removeFile(file);
    },
  };
  rememberConnection(scratch, connection);
  return scratch;
}

/** The path of a sidecar's scratch. */
export function scratchOf(sidecar: string): string {
  return `${sidecar}.scratch`;
}

/** Removes the scratch of an ended process: it holds rows of documents that may be erased by now. */
export function removeScratch(sidecar: string): void {
  removeFile(scratchOf(sidecar));
}

function removeFile(file: string): void {
  if (file === ':memory:' || file === nameless) return;
  for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true });
}
