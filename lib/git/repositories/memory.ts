import { Volume, createFsFromVolume } from 'memfs';
import { createRepositoryFiles } from './create-repository-files.js';
import type { FileSystem } from '../file-system.js';
import { fileSystemOver } from '../file-system.js';
import { IsomorphicRepository } from './isomorphic-repository.js';
import { sealPack } from '../packs/pack-layout.js';
import { RepositoryFolder } from './repository-folder.js';
import { RepositoryWriter } from './repository-writer.js';
import type { Repository } from './repository.js';

const path = '/content.git';

/**
 * A new, empty repository in memory. It is gone when it is dropped.
 * @param wrap puts a file system around the memory's (for tests).
 */
export async function createMemoryRepository(wrap: (fs: FileSystem) => FileSystem = (fs) => fs): Promise<Repository> {
  const volume = createFsFromVolume(new Volume());
  // memfs types its functions more loosely than node; the common tests of all repositories show that they suffice.
  const promises = volume.promises as unknown as Parameters<typeof fileSystemOver>[0];
  const fs = fileSystemOver(promises, { keepsModes: false, syncsFolders: false });
  const folder = new RepositoryFolder(wrap(fs), path);
  await createRepositoryFiles(folder);
  const writer = new RepositoryWriter(folder, sealPack);
  return new IsomorphicRepository(volume, writer);
}
