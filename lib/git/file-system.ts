import { promises as nodePromises } from 'node:fs';
import { systemErrorCode } from './errors.js';

/** An open file, read or written from its start to its end. */
export interface OpenFile {
  /** Writes some bytes, perhaps not all of them; returns how many. */
  write(bytes: Uint8Array, offset: number, length: number): Promise<number>;
  /** Reads up to `into.length` bytes; 0 at the end of the file. */
  read(into: Uint8Array): Promise<number>;
  /** Returns when the written bytes are on stable storage. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * The calls of a file system that this folder needs. Every write to a repository on disk goes through it, so a test can
 * let any single call fail. Errors are node's, with their `code` (`ENOENT`, `EEXIST`, `ENOSPC`, …).
 */
export interface FileSystem {
  /** Opens an existing file to read. */
  openToRead(path: string): Promise<OpenFile>;
  /** Creates a file to write; EEXIST when there is one. */
  openNew(path: string, mode: number): Promise<OpenFile>;
  readFile(path: string): Promise<Buffer>;
  /** The length of a file in bytes. */
  size(path: string): Promise<number>;
  readdir(path: string): Promise<string[]>;
  /** Creates a folder and its parents, closed to other accounts; no error when it exists. */
  mkdir(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  /** Returns when the folder's entries (names) are on stable storage. */
  syncFolder(path: string): Promise<void>;
}

/** The part of `node:fs/promises` from which a file system can be made. */
type Promises = Pick<typeof nodePromises, 'open' | 'readFile' | 'stat' | 'readdir' | 'mkdir' | 'rename' | 'unlink'>;

/**
 * A file system over functions shaped as node's.
 * @param keepsModes false where file modes have no use (memory).
 * @param syncsFolders false where a folder cannot be opened and synced.
 */
export function fileSystemOver(promises: Promises, { keepsModes = true, syncsFolders = true } = {}): FileSystem {
  const open = async (path: string, flags: string, mode?: number): Promise<OpenFile> => {
    const handle = await promises.open(path, flags, mode);
    return {
      write: async (bytes, offset, length) => (await handle.write(bytes, offset, length)).bytesWritten,
      read: async (into) => (await handle.read(into, 0, into.length)).bytesRead,
      sync: () => handle.sync(),
      close: () => handle.close(),
    };
  };
  return {
    openToRead: (path) => open(path, 'r'),
    openNew: (path, mode) => open(path, 'wx', keepsModes ? mode : undefined),
    readFile: async (path) => Buffer.from(await promises.readFile(path)),
    size: async (path) => (await promises.stat(path)).size,
    readdir: (path) => promises.readdir(path),
    mkdir: async (path) => {
      await promises.mkdir(path, keepsModes ? { recursive: true, mode: 0o700 } : { recursive: true });
    },
    rename: (from, to) => promises.rename(from, to),
    unlink: (path) => promises.unlink(path),
    syncFolder: async (path) => {
      if (!syncsFolders) return;
      const handle = await open(path, 'r');
      try {
        await handle.sync();
      } finally {
        await handle.close();
      }
    },
  };
}

/** The machine's own file system. Windows cannot sync a folder. */
export const nodeFileSystem: FileSystem = fileSystemOver(nodePromises, {
  syncsFolders: process.platform !== 'win32',
});

/** The result of a read, or undefined where there is no such file or folder. */
export async function orAbsent<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Writes every byte, however many calls the file system makes of it. */
export async function writeAll(file: OpenFile, bytes: Uint8Array): Promise<void> {
  let offset = 0;
  while (offset < bytes.length) {
    const written = await file.write(bytes, offset, bytes.length - offset);
    if (written === 0) throw new Error('The file system wrote no byte.');
    offset += written;
  }
}

/**
 * Copies a file to a place where there is none. Its bytes are on stable storage when this returns. Its name is durable
 * only after the folder is synced.
 */
export async function copyDurably(fs: FileSystem, from: string, to: string): Promise<void> {
  const file = await fs.openNew(to, 0o600);
  try {
    for await (const piece of readInPieces(fs, from)) await writeAll(file, piece);
    await file.sync();
  } finally {
    await file.close();
  }
}

const readSize = 64 * 1024;

/** A file's bytes in pieces of up to 64 kB; closes the file at the end. */
export async function* readInPieces(fs: FileSystem, path: string): AsyncGenerator<Buffer, void, undefined> {
  const file = await fs.openToRead(path);
  try {
    for (;;) {
      const piece = Buffer.allocUnsafeSlow(readSize);
      const length = await file.read(piece);
      if (length === 0) return;
      yield piece.subarray(0, length);
    }
  } finally {
    await file.close();
  }
}
