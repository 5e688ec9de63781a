import { RepositoryUnreadable } from '../errors.js';
import { orAbsent } from '../file-system.js';
import type { GitProgram } from '../program/git-program.js';
import type { RepositoryFolder } from '../repositories/repository-folder.js';
import { indexLostPacks } from './index-lost-packs.js';

/**
 * Before a sweep: what failed writes and ended processes left among the packs. A pack without an index is seen by
 * nobody, and would come back with the next start. It gets an index, so that the sweep looks into it.
 * @param isBegun whether a pack is just being added
 * @throws RepositoryUnreadable when what is in a pack cannot be told
 */
export async function takeUpLeftovers(
  folder: RepositoryFolder,
  program: GitProgram | null,
  isBegun: (name: string) => boolean,
): Promise<void> {
  await removeTemporaryPacks(folder);
  const [left] = await indexLostPacks(folder, program, isBegun);
  if (left === undefined) return;
  const without = program === null ? ' without the git program' : '';
  throw new RepositoryUnreadable(
    `objects/pack/${left}.pack has no index, and none can be made${without}: what is in it cannot be told, and nothing was removed`,
  );
}

/**
 * Removes what an ended git left beside the packs, under names that no other program gives. No program of ours packs
 * meanwhile.
 */
export async function removeTemporaryPacks(folder: RepositoryFolder): Promise<void> {
  const { fs } = folder;
  for (const name of await fs.readdir(folder.at('objects', 'pack'))) {
    if (name.startsWith('tmp_')) await orAbsent(fs.unlink(folder.at('objects', 'pack', name)));
  }
}
