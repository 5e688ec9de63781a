import { promises } from 'node:fs';
import { orAbsent, readInPieces } from '../file-system.js';
import type { GitProgram } from '../program/git-program.js';
import { runGit } from '../program/git-program.js';
import { packPath } from '../packs/pack-list.js';
import type { RepositoryFolder } from '../repositories/repository-folder.js';

/** Without git a pack is indexed in memory: one above this many bytes waits for a git program. */
const maxInMemory = 64 * 1024 * 1024;

/**
 * Gives packs without an index a new one, so that their objects are found again. A process that ended between a pack
 * and its index leaves an unneeded pack. But a lost index leaves the same state, and then the pack may be the only
 * copy. A pack that cannot be indexed stays as it is; a file that is no pack at all is removed.
 * @param isBegun whether an index is about to follow: where others write meanwhile
 * @returns the names of the packs that stay without one
 */
export async function indexLostPacks(
  folder: RepositoryFolder,
  program: GitProgram | null,
  isBegun: (name: string) => boolean = () => false,
): Promise<string[]> {
  const left: string[] = [];
  const names = (await orAbsent(folder.fs.readdir(folder.at('objects', 'pack')))) ?? [];
  const present = new Set(names);
  for (const file of names) {
    const name = /^(pack-[0-9a-f]{40})\.pack$/.exec(file)?.[1];
    if (name === undefined || present.has(`${name}.idx`) || isBegun(name)) continue;
    // It may have got its index since, or have been removed.
    if ((await orAbsent(folder.fs.size(packPath(folder, name, 'idx')))) !== undefined) continue;
    const begins = await orAbsent(beginsAsPack(folder, name));
    if (begins === undefined) continue;
    if (!begins) await folder.discard(packPath(folder, name, 'pack'));
    else if (!(await indexPack(folder, name, program))) left.push(name);
  }
  return left;
}

async function indexPack(folder: RepositoryFolder, name: string, program: GitProgram | null): Promise<boolean> {
  if (program === null) return indexInMemory(folder, name);
  const { code } = await runGit(program, folder.path, ['index-pack', packPath(folder, name, 'pack')]);
  return code === 0;
}

async function beginsAsPack(folder: RepositoryFolder, name: string): Promise<boolean> {
  for await (const piece of readInPieces(folder.fs, packPath(folder, name, 'pack'))) {
    return piece.toString('latin1', 0, 4) === 'PACK';
  }
  return false;
}

/**
 * isomorphic-git computes the index; this function puts it whole in its place.
 * @returns false for a damaged pack, and for one that is too large
 */
export async function indexInMemory(folder: RepositoryFolder, name: string): Promise<boolean> {
  if ((await folder.fs.size(packPath(folder, name, 'pack'))) > maxInMemory) return false;
  let index: Uint8Array | undefined;
  const fs = {
    promises: {
      ...promises,
      writeFile: (_: string, bytes: Uint8Array): Promise<void> => {
        index = bytes;
        return Promise.resolve();
      },
    },
  };
  const { indexPack: indexByReading } = await import('isomorphic-git');
  try {
    await indexByReading({ fs, dir: folder.path, gitdir: folder.path, filepath: `objects/pack/${name}.pack` });
  } catch {
    return false; // it is damaged
  }
  if (index !== undefined) await folder.writeFile(packPath(folder, name, 'idx'), index, 0o400);
  return index !== undefined;
}
