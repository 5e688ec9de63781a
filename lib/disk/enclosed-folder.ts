import type { Dirent, Stats } from 'node:fs';
import { lstat, opendir, readlink, realpath, stat, type FileHandle } from 'node:fs/promises';
import { sep } from 'node:path';
import { openFolder, openWithStats, UnfitFile } from './open-regular.js';

/** Distinguishes a file from every other one of the machine. */
export type Identity = Pick<Stats, 'dev' | 'ino'>;

/** Linux names the file of each descriptor here (proc(5)). */
const usualDescriptors = '/proc/self/fd';

const swapped = 'was replaced while the folder was read';
const outside = 'leads out of the folder';

/**
 * A folder that others may change while it is read. They may replace a file, or a folder on the way to it, by anything,
 * even a link. An opened file still lies in this folder, or is refused.
 *
 * Linux reports where the opened file lies, so a swap at any moment is noticed. Elsewhere the path is checked again
 * after the file is open. An attacker who swaps it to and fro at the right moments, several times, can deceive that
 * check.
 */
export class EnclosedFolder {
  /** Its path without any link. */
  readonly path: string;
  readonly #descriptors: string | undefined;

  private constructor(path: string, descriptors: string | undefined) {
    this.path = path;
    this.#descriptors = descriptors;
  }

  /**
   * @param path absolute; its links are followed now and not again
   * @param descriptors where the system reports open files
   * @throws UnfitFile; the system's error where it cannot be opened
   */
  static async open(path: string, descriptors = usualDescriptors): Promise<EnclosedFolder> {
    const real = await realpath(path);
    // Windows opens no folder as a file, and reports no open files.
    if (process.platform === 'win32') return new EnclosedFolder(real, undefined);
    const handle = await openFolder(real);
    try {
      const told = await readlink(`${descriptors}/${handle.fd}`).catch(() => undefined);
      if (told === undefined) return new EnclosedFolder(real, undefined);
      // It can be another path to the same folder, where the system has it mounted twice.
      if (!isSame(await stat(told), await handle.stat())) throw new UnfitFile(swapped);
      return new EnclosedFolder(told, descriptors);
    } finally {
      await handle.close();
    }
  }

  /**
   * Opens a file in it.
   * @param path absolute, within `this.path`
   * @param seen its identity at the earlier look
   * @returns the file, which the caller closes
   * @throws UnfitFile; the system's error where it cannot be opened
   */
  async openFile(path: string, seen: Identity): Promise<FileHandle> {
    const { handle, stats: opened } = await openWithStats(path, 'refused');
    try {
      if (this.#descriptors !== undefined) this.#requireInside(await readlink(`${this.#descriptors}/${handle.fd}`));
      else await this.#requireUnmoved(path, opened);
      if (!isSame(opened, seen)) throw new UnfitFile(swapped);
      return handle;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /**
   * The contents of a folder in it, names as bytes.
   * @param path absolute, this folder's or below it
   * @throws UnfitFile; the system's error where it cannot be listed
   */
  async *list(path: string): AsyncGenerator<Dirent<Buffer>> {
    if (this.#descriptors === undefined) {
      const before = await lstat(path);
      yield* entriesOf(path);
      await this.#requireUnmoved(path, before);
      return;
    }
    const handle = await openFolder(path);
    try {
      const descriptor = `${this.#descriptors}/${handle.fd}`;
      this.#requireInside(await readlink(descriptor));
      yield* entriesOf(descriptor);
    } finally {
      await handle.close();
    }
  }

  /** @throws UnfitFile where the path does not lead to this file any more, or by way of a link */
  async #requireUnmoved(path: string, seen: Identity): Promise<void> {
    const [real, now] = [await realpath(path), await lstat(path)];
    if (real !== path) throw new UnfitFile(outside);
    this.#requireInside(real);
    if (!isSame(seen, now)) throw new UnfitFile(swapped);
  }

  #requireInside(real: string): void {
    const isInside = real === this.path || real.startsWith(this.path.endsWith(sep) ? this.path : this.path + sep);
    if (!isInside) throw new UnfitFile(outside);
  }
}

async function* entriesOf(path: string): AsyncGenerator<Dirent<Buffer>> {
  // Node takes this encoding, and its types do not say so.
  const entries = await opendir(path, { encoding: 'buffer' as BufferEncoding, bufferSize: 256 });
  yield* entries as unknown as AsyncIterable<Dirent<Buffer>>;
}

function isSame(a: Identity, b: Identity): boolean {
  return a.dev === b.dev && a.ino === b.ino;
}
