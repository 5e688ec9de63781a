import nodeFs from 'node:fs';
import { IsomorphicRepository } from './isomorphic-repository.js';
import { PackReader } from './pack-reader.js';
import type { Repository } from './repository.js';
import type { RepositoryWriter } from './repository-writer.js';

/** Bytes of the largest object that is read at once: as much as a pack may have to be joined in memory. */
const largestAtOnce = 64 * 1024 * 1024;

/** A repository on disk for a machine without the git program. */
export function diskRepositoryWithoutGit(writer: RepositoryWriter): Repository {
  return new IsomorphicRepository(nodeFs, writer, {
    packs: new PackReader(writer.folder, largestAtOnce),
    missing:
      'Without the git program packs are joined but not made smaller, large blobs ' +
      'keep files of their own, and there is no multi-pack index or commit graph.',
  });
}
