import { constants, copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { isOnReadOnlyDisk } from '../disk/obstacle.js';
import { lookerTimeout, openForReading } from './database.js';
import type { Connection } from './driver.js';
import { sqliteCode } from './fault.js';

/**
 * Opens a file for reading beside a server that may be running. A file on a read-only disk, such as a snapshot, is read
 * from a copy in the system's temporary folder: SQLite has to write beside a file with a write-ahead log. The copy has
 * no name any more when this returns.
 * @throws Error when the file cannot be opened or is corrupt; ENOSPC when the copy finds no room
 */
export function openForLooking(file: string): Connection {
  try {
    return touch(openForReading(file, lookerTimeout));
  } catch (error) {
    const code = sqliteCode(error) ?? '';
    const cannotOpen = code.startsWith('SQLITE_CANTOPEN') || code.startsWith('SQLITE_READONLY');
    if (!cannotOpen || !existsSync(file) || !isOnReadOnlyDisk(dirname(file))) throw error;
    return openCopy(file);
  }
}

/** Lets SQLite open the files beside it now, so that a file which cannot be read fails here. */
function touch(connection: Connection): Connection {
  try {
    connection.prepare('SELECT count(*) FROM sqlite_master').get();
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

function openCopy(file: string): Connection {
  // mkdtemp makes the folder with mode 0700.
  const folder = mkdtempSync(join(tmpdir(), 'cartulary-look-'));
  try {
    const copy = join(folder, basename(file));
    copyFileSync(file, copy, constants.COPYFILE_FICLONE);
    if (existsSync(`${file}-wal`)) copyFileSync(`${file}-wal`, `${copy}-wal`, constants.COPYFILE_FICLONE);
    return touch(openForReading(copy, lookerTimeout));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
