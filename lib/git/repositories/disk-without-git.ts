import nodeFs from 'node:fs';
import { IsomorphicRepository } from './isomorphic-repository.js';
import type { Repository } from './repository.js';
import type { RepositoryWriter } from './repository-writer.js';

/** A repository on disk for a machine without the git program. */
export function diskRepositoryWithoutGit(writer: RepositoryWriter): Repository {
  return new IsomorphicRepository(
    nodeFs,
    writer,
    'Without the git program packs are joined but not made smaller, large blobs ' +
      'keep files of their own, and there is no multi-pack index or commit graph.',
  );
}
