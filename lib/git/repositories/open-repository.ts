import { resolve } from 'node:path';
import { createRepositoryFiles, repositoryExists } from './create-repository-files.js';
import { DiskRepositoryWithGit } from './disk-with-git.js';
import { RepositoryUnreadable, asUnreadable } from '../errors.js';
import { nodeFileSystem } from '../file-system.js';
import type { FileSystem } from '../file-system.js';
import { findGit, isUsableGit } from '../program/git-program.js';
import type { GitProgram } from '../program/git-program.js';
import { indexLostPacks } from '../maintenance/index-lost-packs.js';
import { mendIndexes } from '../maintenance/mend-indexes.js';
import type { Repository } from './repository.js';
import { RepositoryFolder } from './repository-folder.js';
import { RepositoryWriter } from './repository-writer.js';
import { sealInWorker } from '../packs/seal-in-worker.js';

/** The path of a repository in memory. */
export const inMemory = ':memory:';

export interface RepositoryOptions {
  /** The bare repository's folder (`…/content.git`), or `:memory:`. */
  path: string;
  /** `auto`: use the git program where there is a usable one (2.34 or newer). */
  git: 'auto' | 'never';
  /** The file system for writes; the machine's own by default. */
  fs?: FileSystem;
}

/**
 * Creates an empty bare repository and opens it. The git program is not needed for that. An interrupted creation is
 * done again.
 * @throws Error when a repository stands there already.
 */
export async function createRepository(options: RepositoryOptions): Promise<Repository> {
  if (options.path === inMemory) {
    const { createMemoryRepository } = await import('./memory.js');
    return createMemoryRepository();
  }
  const folder = folderOf(options);
  if (await repositoryExists(folder)) throw new Error(`There is a repository already: ${folder.path}`);
  await createRepositoryFiles(folder);
  return openFolder(folder, options.git);
}

/**
 * Opens a repository, after removing the remains of an interrupted process and making damaged indexes anew. The caller
 * makes sure that no other process writes there.
 * @throws RepositoryUnreadable when there is none, or it cannot be reached.
 */
export async function openRepository(options: RepositoryOptions): Promise<Repository> {
  if (options.path === inMemory) throw new RepositoryUnreadable('A repository in memory is always new.');
  const folder = folderOf(options);
  let exists: boolean;
  try {
    exists = await repositoryExists(folder);
    if (exists) {
      await folder.sweep();
      const program = await findUsableGit(options.git);
      await indexLostPacks(folder, program);
      await mendIndexes(folder, program);
    }
  } catch (error) {
    throw asUnreadable(error, `${folder.path} cannot be opened`);
  }
  if (!exists) throw new RepositoryUnreadable(`There is no repository: ${folder.path}`);
  return openFolder(folder, options.git);
}

function folderOf({ path, fs }: RepositoryOptions): RepositoryFolder {
  return new RepositoryFolder(fs ?? nodeFileSystem, resolve(path));
}

async function openFolder(folder: RepositoryFolder, git: 'auto' | 'never'): Promise<Repository> {
  const writer = new RepositoryWriter(folder, sealInWorker);
  const program = await findUsableGit(git);
  if (program !== null) return new DiskRepositoryWithGit(program, writer);
  // It loads a large library, which most commands do without.
  const { diskRepositoryWithoutGit } = await import('./disk-without-git.js');
  return diskRepositoryWithoutGit(writer);
}

async function findUsableGit(git: 'auto' | 'never'): Promise<GitProgram | null> {
  const program = git === 'auto' ? await findGit() : null;
  return program !== null && isUsableGit(program) ? program : null;
}
