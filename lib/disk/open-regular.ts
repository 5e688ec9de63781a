import { constants, type Stats } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';

/** The file is not of the required kind. The message is the end of a sentence that begins with the path. */
export class UnfitFile extends Error {
  override readonly name = 'UnfitFile';
}

/** A flag that Windows lacks counts as nothing. */
const flag = (name: 'O_NOFOLLOW' | 'O_NONBLOCK' | 'O_DIRECTORY'): number => constants[name] ?? 0;

/**
 * To read, and never to wait: opening a FIFO without O_NONBLOCK waits until another process writes to it (open(2)). The
 * last name of the path is not followed where it is a link.
 */
const withoutLinks = constants.O_RDONLY | flag('O_NOFOLLOW') | flag('O_NONBLOCK');

/**
 * Opens a file to read, if it is a regular one. A device, a FIFO or a socket is refused at once.
 * @param links whether the path may end in a link
 * @returns the file; the caller closes it
 * @throws UnfitFile; the system's error where it cannot be opened
 */
export async function openRegular(path: string, links: 'followed' | 'refused'): Promise<FileHandle> {
  return (await openWithStats(path, links)).handle;
}

/** The same, with the system's data on the open file. */
export async function openWithStats(
  path: string,
  links: 'followed' | 'refused',
): Promise<{ readonly handle: FileHandle; readonly stats: Stats }> {
  const handle = await openAtOnce(path, links === 'followed' ? withoutLinks & ~flag('O_NOFOLLOW') : withoutLinks);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new UnfitFile(stats.isDirectory() ? 'is a folder' : 'is neither a file nor a folder');
    return { handle, stats };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Opens a folder to list it. @throws UnfitFile where it is a link; the system's error where it cannot be opened */
export function openFolder(path: string): Promise<FileHandle> {
  return openAtOnce(path, withoutLinks | flag('O_DIRECTORY'));
}

async function openAtOnce(path: string, flags: number): Promise<FileHandle> {
  try {
    return await open(path, flags);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Linux and macOS report ELOOP for a link, and FreeBSD EMLINK. All report ENXIO for a socket.
    if (code === 'ELOOP' || code === 'EMLINK') throw new UnfitFile('is a symbolic link, and links are not followed');
    if (code === 'ENXIO') throw new UnfitFile('is neither a file nor a folder');
    throw error;
  }
}

/**
 * A regular file's bytes from its present position, as long as they are few.
 * @param most bytes
 * @param expected bytes that it is likely to have
 * @returns undefined where there are more than `most`
 */
export async function readUpTo(handle: FileHandle, most: number, expected = pieceSize): Promise<Buffer | undefined> {
  const pieces: Buffer[] = [];
  for (let length = 0; ;) {
    const asked = Math.min(most - length, length === 0 ? expected : pieceSize) + 1;
    const piece = Buffer.allocUnsafe(asked);
    const { bytesRead } = await handle.read(piece, 0, asked);
    length += bytesRead;
    if (length > most) return undefined;
    pieces.push(piece.subarray(0, bytesRead));
    // Some file systems give less than is asked for before the end, too.
    if (bytesRead === 0 || (bytesRead < asked && length >= expected))
      return pieces.length === 1 ? pieces[0] : Buffer.concat(pieces);
  }
}

const pieceSize = 64 * 1024;
