import { closeFile } from './database.js';
import { connect } from './driver.js';
import { sqliteCode } from './fault.js';

export interface OwnerLock {
  release(): void;
}

/**
 * Makes this process the only one that owns a data folder. The lock is the operating system's, held through SQLite. So
 * it ends with the process in every case, and no stale file has to be removed by hand.
 * @returns undefined when another process has it
 */
export function takeOwnerLock(file: string): OwnerLock | undefined {
  // An account that can read the file can hold a lock that keeps every other process out (fcntl(2)).
  closeFile(file);
  const connection = connect(file, { timeout: 0 });
  try {
    connection.pragma('locking_mode = EXCLUSIVE');
    connection.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    connection.close();
    if (sqliteCode(error)?.startsWith('SQLITE_BUSY') === true) return undefined;
    throw error;
  }
  return { release: () => connection.close() };
}
