import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** Longest path that every system lets a Unix socket have. Bytes; the strictest allows 103. */
const maxPathLength = 100;
const socketName = 'cartulary.sock';
/** Beside the data when the socket cannot be: holds the path of where it is. */
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
 * Clears away what an earlier server left and says where to listen: in the data folder, or, where that path is too
 * long for a socket, in a private folder of the system's temporary one. For the owner of the data folder alone.
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

/** Takes the socket's file away, and the private folder where it had one. */
export function removeSocket(dataFolder: string): void {
  const path = findSocketPath(dataFolder);
  rmSync(path, { force: true });
  if (dirname(path) === dataFolder) return;
  rmSync(join(dataFolder, pointerName), { force: true });
  // Only ever a folder that was made above: the pointer could have been written by somebody else.
  if (basename(dirname(path)).startsWith(folderPrefix) && dirname(dirname(path)) === tmpdir()) {
    rmSync(dirname(path), { recursive: true, force: true });
  }
}
