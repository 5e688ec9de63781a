import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** The longest path for a Unix socket on every system. Bytes; the strictest allows 103. */
const maxPathLength = 100;
const socketName = 'cartulary.sock';
/** Beside the data when the socket cannot be there: holds its path. */
const pointerName = 'socket-path';
const folderPrefix = 'cartulary-';

/** Where the socket of a data folder is, if a server runs there. */
export function findSocketPath(dataFolder: string): string {
  const path = join(dataFolder, socketName);
  if (Buffer.byteLength(path) <= maxPathLength) return path;
  try {
    return readFileSync(join(dataFolder, pointerName), 'utf8').trim() || path;
  } catch {
    return path;
  }
}

/**
 * Removes the traces of an earlier server and returns the path for listening. It lies in the data folder. Where that
 * path is too long for a socket, it lies in a private folder of the system's temporary one. For the owner of the data
 * folder alone.
 */
export function prepareSocketPath(dataFolder: string): string {
  removeSocket(dataFolder);
  const path = join(dataFolder, socketName);
  if (Buffer.byteLength(path) <= maxPathLength) return path;
  // mkdtemp makes the folder with mode 0700.
  const elsewhere = join(mkdtempSync(join(tmpdir(), folderPrefix)), socketName);
  writeFileSync(join(dataFolder, pointerName), `${elsewhere}\n`, { mode: 0o600 });
  return elsewhere;
}

/** Removes the socket's file, and the private folder where it had one. */
export function removeSocket(dataFolder: string): void {
  const path = findSocketPath(dataFolder);
  rmSync(path, { force: true });
  if (dirname(path) === dataFolder) return;
  rmSync(join(dataFolder, pointerName), { force: true });
  // Only a folder made above: another account could have written the pointer.
  if (basename(dirname(path)).startsWith(folderPrefix) && dirname(dirname(path)) === tmpdir()) {
    rmSync(dirname(path), { recursive: true, force: true });
  }
}
