import type { BigIntStats, Dirent, Stats } from 'node:fs';
import { lstat, opendir, readlink, realpath, stat, type FileHandle } from 'node:fs/promises';
import { sep } from 'node:path';
import { openFolder, openWithStats, UnfitFile } from './open-regular.js';

/** Distinguishes a file from every other one of the machine. */
export type Identity = Pick<Stats, 'dev' | 'ino'>;

/** An entry of a folder, looked at while the folder was open. */
export interface LookedAt {
  readonly name: Buffer;
  /** The entry's own, also where it is a link; or why the system did not tell. */
  readonly stats: BigIntStats | Error;
}

/** Entries looked at together. */
const together = 64;

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
   * @param seen its identity at the earlier look; left out where the caller compares more than that
   * @returns the file, which the caller closes
   * @throws UnfitFile; the system's error where it cannot be opened
   */
  async openFile(path: string, seen?: Identity): Promise<FileHandle> {
    const { handle, stats: opened } = await openWithStats(path, 'refused');
    try {
      if (this.#descriptors !== undefined) this.#requireInside(await readlink(`${this.#descriptors}/${handle.fd}`));
      else await this.#requireUnmoved(path, opened);
      if (seen !== undefined && !isSame(opened, seen)) throw new UnfitFile(swapped);
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
  list(path: string): AsyncGenerator<Dirent<Buffer>> {
    return this.#within(path, entriesOf);
  }

  /**
   * The contents of a folder in it, each looked at by way of the open folder: what was put in the folder's place
   * meanwhile is not seen. In parts of some dozen, in the order of the system.
   * @param path absolute, this folder's or below it
   * @throws UnfitFile; the system's error where it cannot be listed
   */
  look(path: string): AsyncGenerator<readonly LookedAt[]> {
    return this.#within(path, lookAt);
  }

  /** Reads an open folder that certainly lies in this one. */
  async *#within<Found>(path: string, read: (open: string) => AsyncGenerator<Found>): AsyncGenerator<Found> {
    if (this.#descriptors === undefined) {
      const before = await lstat(path);
      yield* read(path);
      await this.#requireUnmoved(path, before);
      return;
    }
    const handle = await openFolder(path);
    try {
      const descriptor = `${this.#descriptors}/${handle.fd}`;
      this.#requireInside(await readlink(descriptor));
      yield* read(descriptor);
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

async function* lookAt(path: string): AsyncGenerator<readonly LookedAt[]> {
  const above = Buffer.from(`${path}/`);
  let names: Buffer[] = [];
  for await (const { name } of entriesOf(path)) {
    if (names.push(name) < together) continue;
    yield await Promise.all(names.map((each) => lookAtEntry(above, each)));
    names = [];
  }
  yield await Promise.all(names.map((each) => lookAtEntry(above, each)));
}

async function lookAtEntry(above: Buffer, name: Buffer): Promise<LookedAt> {
  try {
    return { name, stats: await lstat(Buffer.concat([above, name]), { bigint: true }) };
  } catch (error) {
    return { name, stats: error as Error };
  }
}

function isSame(a: Identity, b: Identity): boolean {
  return a.dev === b.dev && a.ino === b.ino;
}
