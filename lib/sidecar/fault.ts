import Sqlite from 'better-sqlite3';

const faults = [
  'SQLITE_FULL',
  'SQLITE_IOERR',
  'SQLITE_CORRUPT',
  'SQLITE_NOTADB',
  'SQLITE_READONLY',
  'SQLITE_NOMEM',
  'SQLITE_CANTOPEN',
  'SQLITE_BUSY',
  'SQLITE_LOCKED',
  'SQLITE_PROTOCOL',
];

/** SQLite's code of the error, or undefined when the error is not SQLite's. */
export function sqliteCode(error: unknown): string | undefined {
  return error instanceof Sqlite.SqliteError ? error.code : undefined;
}

/** Whether the error says that the file, and not one operation, failed: the whole transaction is lost then. */
export function isFaultOfTheFile(error: unknown): boolean {
  const code = sqliteCode(error);
  return code !== undefined && faults.some((fault) => code.startsWith(fault));
}

/** Whether another process holds the file just now. */
export function isLocked(error: unknown): boolean {
  const code = sqliteCode(error);
  return code !== undefined && (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED'));
}

/** Whether a row broke a rule of the schema: a name taken, or a reference to a missing row. */
export function isAgainstSchema(error: unknown): boolean {
  return sqliteCode(error)?.startsWith('SQLITE_CONSTRAINT') === true;
}
