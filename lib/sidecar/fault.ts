import { obstacleOf } from '../disk/obstacle.js';
import { internal, Refusal, storageFull, unavailable } from '../domain/refusal.js';
import { isSqliteError } from './driver.js';

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
  return isSqliteError(error) ? error.code : undefined;
}

/** Whether the error says that the file, and not one operation, failed: the whole transaction is lost then. */
export function isFaultOfTheFile(error: unknown): boolean {
  const code = sqliteCode(error);
  return code !== undefined && faults.some((fault) => code.startsWith(fault));
}

/** Whether the disk had no room: the transaction is undone, and works when there is room again. */
export function isFull(error: unknown): boolean {
  for (let each = error; each instanceof Error; each = each.cause) {
    if (sqliteCode(each)?.startsWith('SQLITE_FULL') === true) return true;
  }
  return obstacleOf(error) === 'no_room';
}

/** The answer to a fault of the service's files: UNAVAILABLE where the disk is full, and INTERNAL otherwise. */
export function refuseFault(cause: unknown): Refusal {
  return isFull(cause) ? storageFull(cause) : internal(cause);
}

/** What a caller is answered after an error: a refusal as it is, anything else as a fault of ours. */
export function toRefusal(error: unknown): Refusal {
  return error instanceof Refusal ? error : refuseFault(error);
}

/**
 * The answer where a caller's access cannot be decided. A full disk makes reads of the files fail too, and not always in
 * its own name: while it is known to be full, that is the reason.
 * @param disk of the files; null where it is not watched
 */
export function refuseUndecided(cause: unknown, disk: { readonly isShort: boolean } | null | undefined): Refusal {
  return isFull(cause) || disk?.isShort === true ? storageFull(cause) : unavailable(cause);
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
