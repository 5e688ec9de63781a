import { chmodSync, closeSync, existsSync, openSync, statSync } from 'node:fs';
import { connect, type Connection } from './driver.js';

/**
 * Milliseconds that the service waits for another process's lock before it gives up. SQLite waits on the event loop's
 * thread, so no request is answered meanwhile; and only the service has business with its files.
 */
const serviceTimeout = 250;
/** The same for readers beside a server, which may be catching up. */
export const lookerTimeout = 2000;

/**
 * Makes a missing file, closed to other accounts from its first moment; closes an existing file to them now. SQLite
 * gives the files beside it, its logs, the same mode.
 */
export function closeFile(file: string): void {
  if (!existsSync(file)) closeSync(openSync(file, 'a', privateMode));
  // It may belong to another account. Only that account can close it.
  if ((statSync(file).mode & 0o077) === 0) return;
  try {
    chmodSync(file, privateMode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
  }
}

const privateMode = 0o600;

/**
 * Opens the one connection that writes. WAL with synchronous=FULL: a commit that returned is on the disk. secure_delete
 * overwrites deleted bytes, since an erase must leave none behind.
 * @param file a path, or `:memory:`
 * @param mustExist whether an absent file is an error rather than made
 */
export function openForWriting(file: string, mustExist = false): Connection {
  if (file !== ':memory:' && !(mustExist && !existsSync(file))) closeFile(file);
  const connection = connect(file, { timeout: serviceTimeout, fileMustExist: mustExist });
  try {
    prepareForWriting(connection);
    refuseIllFormed(connection);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** Text that the file would return changed. A fault of ours: every face refuses such text. */
export class IllFormedText extends Error {
  override readonly name = 'IllFormedText';
}

/**
 * Makes every writing statement of the connection refuse text with half of a surrogate pair. SQLite takes it as three
 * bytes that are no UTF-8, and returns three other characters.
 */
function refuseIllFormed(connection: Connection): void {
  const prepare = connection.prepare.bind(connection);
  connection.prepare = ((source: string) => {
    const statement = prepare(source);
    if (statement.readonly) return statement;
    const run = statement.run.bind(statement);
    statement.run = (...parameters) => {
      requireWellFormed(parameters);
      return run(...parameters);
    };
    return statement;
  }) as Connection['prepare'];
}

/** @param parameters values, or objects of named ones */
function requireWellFormed(parameters: readonly unknown[]): void {
  for (const value of parameters) {
    if (typeof value === 'string') {
      if (!value.isWellFormed()) throw new IllFormedText('A text is not valid Unicode.');
    } else if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) {
      requireWellFormed(Object.values(value));
    }
  }
}

function prepareForWriting(connection: Connection): void {
  connection.pragma('auto_vacuum = INCREMENTAL');
  connection.pragma('secure_delete = ON');
  connection.pragma('journal_mode = WAL');
  connection.pragma('synchronous = FULL');
  connection.pragma('foreign_keys = ON');
  connection.pragma('cache_size = -32768');
  inMemoryOnly(connection);
  // Checkpointing the WAL is part of a commit's time; a larger interval makes fewer, longer pauses.
  connection.pragma('wal_autocheckpoint = 8000');
  connection.pragma('journal_size_limit = 67108864');
}

/**
 * What a statement needs for itself, such as a large sort, stays in memory. SQLite would put it into the system's folder
 * for temporary files: on another disk, which can be full or read-only, and which no erase reaches.
 */
function inMemoryOnly(connection: Connection): void {
  connection.pragma('temp_store = MEMORY');
}

/** Opens a second connection only to checkpoint the write-ahead log into the file. */
export function openForCarrying(file: string): Connection {
  const connection = connect(file, { fileMustExist: true, timeout: serviceTimeout });
  connection.pragma('synchronous = FULL');
  return connection;
}

/**
 * Opens a connection that can only read; all code outside the journal's transaction uses one. The file is not mapped
 * into memory: where a mapped page cannot be read, the system ends the process, and no error can be answered.
 * @param timeout milliseconds to wait for a lock
 */
export function openForReading(file: string, timeout = serviceTimeout): Connection {
  const connection = connect(file, { readonly: true, fileMustExist: true, timeout: timeout });
  connection.pragma('query_only = ON');
  inMemoryOnly(connection);
  // SQLite empties the cache whenever another connection has committed, so it is never useful for long.
  connection.pragma('cache_size = -8192');
  return connection;
}

/** Opens a connection that only reads the file, and that may have temporary tables of its own. */
export function openForCollecting(file: string): Connection {
  const connection = connect(file, { readonly: true, fileMustExist: true, timeout: lookerTimeout });
  connection.pragma('cache_size = -16384');
  return connection;
}

/** Pages that are copied before other work gets its turn at the event loop. */
const pagesAtOnce = 256;

/**
 * Copies the state that the connection sees into a new file. Within a read transaction that is one state, however long
 * it takes: SQLite's online backup reads through the open transaction.
 */
export async function copyDatabase(connection: Connection, file: string): Promise<void> {
  // Closed to other accounts from the first moment.
  closeSync(openSync(file, 'wx', privateMode));
  await connection.backup(file, { progress: () => pagesAtOnce });
  const copy = connect(file);
  try {
    // Without a write-ahead log the file stands alone, and can be read on a read-only disk.
    copy.pragma('journal_mode = DELETE');
  } finally {
    copy.close();
  }
}
