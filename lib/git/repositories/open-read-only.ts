import { resolve } from 'node:path';
import { repositoryExists } from './create-repository-files.js';
import { DiskRepositoryWithGit } from './disk-with-git.js';
import { RepositoryUnreadable } from '../errors.js';
import { nodeFileSystem } from '../file-system.js';
import { findDamagedIndexes as findDamaged } from '../maintenance/find-damage.js';
import { findGit, isUsableGit, type ForeignGit } from '../program/git-program.js';
import { DeltaPacker, PlainPacker, type HistoryPacker } from '../packs/history-packer.js';
import { sealPack } from '../packs/pack-layout.js';
import { writeLayout, writePack } from '../packs/pack.js';
import type { Repository } from './repository.js';
import { RepositoryFolder } from './repository-folder.js';
import { RepositoryWriter } from './repository-writer.js';
import { sealInWorker } from '../packs/seal-in-worker.js';

/** The methods of a repository that change nothing. */
export type ReadableRepository = Pick<
  Repository,
  'read' | 'has' | 'size' | 'readStream' | 'head' | 'history' | 'stats' | 'fsck' | 'close'
>;

/**
 * Opens a repository while another process may write to it: unlike `openRepository` it removes nothing. A foreign one is
 * read by the git that has bounds for it.
 * @throws RepositoryUnreadable when there is none.
 */
export async function openRepositoryReadOnly(options: {
  readonly path: string;
  readonly git: 'auto' | 'never' | ForeignGit;
}): Promise<ReadableRepository> {
  const folder = new RepositoryFolder(nodeFileSystem, resolve(options.path));
  if (!(await repositoryExists(folder))) throw new RepositoryUnreadable(`There is no repository: ${folder.path}`);
  const writer = new RepositoryWriter(folder, sealInWorker);
  const { git } = options;
  const program = typeof git === 'object' ? git : git === 'auto' ? await findGit() : null;
  if (program !== null && isUsableGit(program)) return new DiskRepositoryWithGit(program, writer);
  const { diskRepositoryWithoutGit } = await import('./disk-without-git.js');
  return diskRepositoryWithoutGit(writer);
}

/**
 * The damaged ones among the files of a repository that hold nothing of their own: a service makes them anew when it
 * starts. @returns their paths in the repository
 */
export function findDamagedIndexes(path: string): Promise<string[]> {
  return findDamaged(new RepositoryFolder(nodeFileSystem, resolve(path)));
}

/**
 * Adds packs of a history to a repository that another thread of this process has open. It only adds packs, so it
 * disturbs no reader.
 * @param path the repository's folder
 * @param makesDeltas whether there is a git program to read them
 */
export function openHistoryPacker(path: string, makesDeltas: boolean): HistoryPacker {
  const folder = new RepositoryFolder(nodeFileSystem, resolve(path));
  return makesDeltas
    ? new DeltaPacker(async (layout) => void (await writeLayout(layout, folder, sealPack)))
    : new PlainPacker(async (objects) => void (await writePack(objects, folder, sealPack)));
}
