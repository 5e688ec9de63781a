import { join } from 'node:path';
import { orAbsent } from '../file-system.js';
import type { GitProgram } from '../program/git-program.js';
import { runGit } from '../program/git-program.js';
import type { RepositoryFolder } from '../repositories/repository-folder.js';
import { findDamagedIndexes, isWhole, packIndex } from './find-damage.js';
import { indexInMemory } from './index-lost-packs.js';

/**
 * Makes damaged indexes anew, so that nothing is lost with them: those of packs from the packs, which are checked as
 * a whole. An index over several packs and a commit graph are removed: git reads without them, and the next maintenance
 * writes them. The caller makes sure that no other process writes there.
 * @returns the mended files; an index of a pack that is damaged itself stays as it is
 */
export async function mendIndexes(folder: RepositoryFolder, program: GitProgram | null): Promise<string[]> {
  const mended: string[] = [];
  for (const path of await findDamagedIndexes(folder)) {
    const name = /(pack-[0-9a-f]{40})\.idx$/.exec(path)?.[1];
    if (name === undefined) {
      await orAbsent(folder.fs.unlink(folder.at(path)));
      mended.push(path);
    } else if (await indexAnew(folder, name, program)) mended.push(path);
  }
  return mended;
}

/**
 * Whether a pack's index is sound, perhaps because it was made anew. A joining copies objects under the names that the
 * index gives, so a damaged one would lose them.
 */
export async function hasSoundIndex(
  folder: RepositoryFolder,
  name: string,
  program: GitProgram | null,
): Promise<boolean> {
  return (await isWhole(folder, packIndex(name))) !== false || indexAnew(folder, name, program);
}

async function indexAnew(folder: RepositoryFolder, name: string, program: GitProgram | null): Promise<boolean> {
  if (program === null) return indexInMemory(folder, name);
  const made = folder.at(`${name}.idx.tmp`);
  await folder.discard(made);
  const parameters = ['-c', 'pack.writeReverseIndex=false', 'index-pack', '-o', made];
  const packs = folder.at('objects', 'pack');
  // As if there were no repository. Otherwise git compares the pack with the objects that the damaged index shows, and
  // refuses it as a forgery of them.
  const { code } = await runGit(program, packs, [...parameters, join(packs, `${name}.pack`)]);
  if (code === 0) await folder.publish(made, folder.at('objects', 'pack', `${name}.idx`));
  else await folder.discard(made);
  return code === 0;
}
