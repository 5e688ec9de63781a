import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { Randomness } from '../domain/clock.js';
import { derivedPaths, namesIn } from './state.js';

/** What was taken out of its place, and is being deleted. */
const removedName = '.removed';
/** What pushes send. */
const pushesName = '.pushes';

/** A principal's id that can be the name of a folder, also where case does not count. */
const folderName = /^[a-z0-9_-]{1,80}$/;

/** The repository of a principal on disk. */
export interface DerivedFolder {
  readonly principalId: string;
  /** Milliseconds since 1970. */
  readonly usedAt: number;
  readonly bytes: number;
}

/** The folder of a workspace's derived repositories: one in it for each principal. */
export class DerivedFolders {
  readonly #folder: string;
  readonly #randomness: Randomness;

  constructor(folder: string, randomness: Randomness) {
    this.#folder = folder;
    this.#randomness = randomness;
  }

  get pushes(): string {
    return join(this.#folder, pushesName);
  }

  /** @throws Error for an id that cannot be the name of a folder */
  of(principalId: string): string {
    if (!folderName.test(principalId)) throw new Error('This id cannot be the name of a folder.');
    return join(this.#folder, principalId);
  }

  /** The principals with a folder. */
  async list(): Promise<string[]> {
    return (await namesIn(this.#folder)).filter((name) => folderName.test(name));
  }

  /** Makes the folder that holds them all. Closed to other accounts. */
  async make(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
  }

  /** Notes that the repository was used. */
  async noteUse(principalId: string, now: number): Promise<void> {
    await utimes(derivedPaths(this.of(principalId)).state, now / 1000, now / 1000).catch(() => undefined);
  }

  /** @returns undefined where there is no repository, or no whole one */
  async measure(principalId: string): Promise<DerivedFolder | undefined> {
    const folder = this.of(principalId);
    const used = await stat(derivedPaths(folder).state).catch(() => undefined);
    if (used === undefined) return undefined;
    return { principalId, usedAt: used.mtimeMs, bytes: await bytesBelow(folder) };
  }

  /**
   * Destroys a principal's repository. It leaves its place at once, so that no reader sees a part of it.
   * @throws the system's error
   */
  async destroy(principalId: string): Promise<void> {
    const removed = join(this.#folder, removedName);
    const gone = join(removed, makeName(this.#randomness));
    await mkdir(removed, { recursive: true, mode: 0o700 });
    await rename(this.of(principalId), gone).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    });
    await rm(gone, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Deletes what an earlier process took out of its place. @throws the system's error */
  async finishRemovals(): Promise<void> {
    const removed = join(this.#folder, removedName);
    for (const name of await namesIn(removed)) {
      await rm(join(removed, name), { recursive: true, force: true, maxRetries: 5 });
    }
  }
}

/** The size of all derived repositories of a workspace, and of what pushes have sent. */
export async function measureDerived(folder: string): Promise<{ repositories: number; bytes: number }> {
  const names = await namesIn(folder);
  const repositories = names.filter((name) => folderName.test(name)).length;
  return { repositories, bytes: await bytesBelow(folder) };
}

/** A name that nothing has. */
export function makeName(randomness: Randomness): string {
  return Buffer.from(randomness.bytes(12)).toString('hex');
}

/** Bytes of all files below a folder. What goes meanwhile does not count. */
async function bytesBelow(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) bytes += await bytesBelow(path);
    else if (entry.isFile()) bytes += (await stat(path).catch(() => undefined))?.size ?? 0;
  }
  return bytes;
}
