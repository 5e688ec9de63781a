import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';

/**
 * Reads a file piece by piece, so memory stays flat and others get their turn in between.
 * @returns its SHA-256, in hexadecimal digits
 * @throws the system's error when it cannot be read
 */
export function hashFile(path: string): Promise<string> {
  return hashPieces(createReadStream(path) as AsyncIterable<Buffer>);
}

/** The same for an open file, from its present position. It stays open. */
export function hashOpened(file: FileHandle): Promise<string> {
  return hashPieces(file.createReadStream({ autoClose: false }) as AsyncIterable<Buffer>);
}

async function hashPieces(pieces: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
}

/**
 * Compares a file with its expected SHA-256.
 * @param changed the message for another hash
 * @returns the fault, the end of a sentence that begins with the file; undefined when there is none
 */
export async function findFaultOfFile(path: string, sha256: string, changed: string): Promise<string | undefined> {
  try {
    return (await hashFile(path)) === sha256 ? undefined : changed;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? 'is missing' : `cannot be read: ${message}`;
  }
}
