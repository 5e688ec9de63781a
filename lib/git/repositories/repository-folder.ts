import { basename, dirname, join } from 'node:path';
import { threadId } from 'node:worker_threads';
import type { FileSystem, OpenFile } from '../file-system.js';
import { orAbsent, writeAll } from '../file-system.js';

/** The folder for packs that take long to make; nothing in it is part of the repository. */
export const packingFolder = 'packing';

/** The folder for packs that nobody refers to yet; nothing in it is part of the repository. */
export const heldFolder = 'held';

/** Part of a temporary file's name: unique within this thread. */
let temporaryFiles = 0;

/**
 * The folder of one bare repository, and the one way for a file to get into it: written under a temporary name, synced,
 * renamed, and the rename synced. A reader finds the whole file or none. Temporary names end in `.tmp` and stand in the
 * repository's own folder, where git looks at none of them. Opening the repository removes them.
 */
export class RepositoryFolder {
  readonly fs: FileSystem;
  readonly path: string;
  /** Useless files that could not be removed. */
  readonly #undiscarded = new Set<string>();

  constructor(fs: FileSystem, path: string) {
    this.fs = fs;
    this.path = path;
  }

  /** A path inside the repository. */
  at(...names: string[]): string {
    return join(this.path, ...names);
  }

  /** Creates a temporary file. An error of `fill` removes it again. */
  async fillTemporary<T>(
    mode: number,
    fill: (file: OpenFile, path: string) => Promise<T>,
  ): Promise<{ path: string; result: T }> {
    temporaryFiles += 1;
    const path = this.at(`${process.pid}-${threadId}-${temporaryFiles}.tmp`);
    const file = await this.fs.openNew(path, mode);
    try {
      let result: T;
      try {
        result = await fill(file, path);
      } finally {
        await file.close();
      }
      return { path, result };
    } catch (error) {
      await this.discard(path);
      throw error;
    }
  }

  /** Moves a filled, synced temporary file to its place, durably. */
  async publish(temporary: string, target: string): Promise<void> {
    try {
      await this.fs.rename(temporary, target);
    } catch (error) {
      await this.discard(temporary);
      throw error;
    }
    await this.fs.syncFolder(dirname(target));
  }

  /** Puts a whole file in its place, durably; replaces an existing one. */
  async writeFile(target: string, bytes: Uint8Array, mode: number = 0o600): Promise<void> {
    const { path } = await this.fillTemporary(mode, async (file) => {
      await writeAll(file, bytes);
      await file.sync();
    });
    await this.publish(path, target);
  }

  /**
   * Removes a useless file. A failure is passed over: the caller has a graver error to report, and the file is
   * remembered.
   */
  async discard(path: string): Promise<void> {
    try {
      await orAbsent(this.fs.unlink(path));
      this.#undiscarded.delete(path);
    } catch {
      this.#undiscarded.add(path);
    }
  }

  /**
   * Removes the files that could not be removed before: a lock of ours that outlived a failing disk would lock us out
   * for good.
   */
  async discardAgain(): Promise<void> {
    for (const path of this.#undiscarded) await this.discard(path);
  }

  /**
   * Removes the remains of an earlier process: temporary files of ours and of git's, locks, and the files of a pack
   * without an index. To be called before use, while no other process works in the folder.
   */
  async sweep(): Promise<void> {
    const packs = this.at('objects', 'pack');
    const inPacks = await this.#names(packs);
    const present = new Set(inPacks);
    const leftovers = [
      ...(await this.#names(this.path)).filter((name) => name.endsWith('.tmp')).map((name) => this.at(name)),
      ...(await this.#names(this.at(packingFolder))).map((name) => this.at(packingFolder, name)),
      ...(await this.#names(this.at(heldFolder))).map((name) => this.at(heldFolder, name)),
      ...inPacks.filter((name) => isLeftover(name) || lacksIndex(name, present)).map((name) => join(packs, name)),
      ...(await this.#names(this.at('objects', 'info')))
        .filter((name) => isLeftover(name))
        .map((name) => this.at('objects', 'info', name)),
      ...(await this.#names(this.at('refs', 'heads')))
        .filter((name) => name === 'main.lock')
        .map((name) => this.at('refs', 'heads', name)),
    ];
    for (const path of leftovers) await orAbsent(this.fs.unlink(path));
  }

  async #names(path: string): Promise<string[]> {
    return (await orAbsent(this.fs.readdir(path))) ?? [];
  }
}

function isLeftover(name: string): boolean {
  return /^(?:tmp_|\.tmp-)|\.(?:tmp|lock)$/.test(name);
}

function lacksIndex(name: string, present: ReadonlySet<string>): boolean {
  const match = /^(pack-[0-9a-f]{40})\.(?:rev|bitmap)$/.exec(basename(name));
  return match !== null && !present.has(`${match[1]}.idx`);
}
