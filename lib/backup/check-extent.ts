import { EntryCount } from '../git/sources/count-tree-entries.js';
import { RepositoryUnreadable } from '../git/errors.js';
import type { Oid } from '../git/objects/objects.js';
import type { ReadableRepository } from '../git/repositories/open-read-only.js';
import { decodeHistory } from '../history/read-history.js';

/** Files and folders that one commit of a clone may have, unless the operator allows more. */
export const usualExtent = 1_000_000;

/**
 * Requires that no commit of a history has more files and folders than a person would read. They are counted without
 * reading them all, because few objects can stand for any number.
 * @throws RepositoryUnreadable with a sentence that names the commit and the bound; ObjectNotFound
 */
export async function checkExtent(repository: ReadableRepository, head: Oid, most: number): Promise<void> {
  const count = new EntryCount(async (tree) => (await repository.read(tree)).bytes, most);
  for await (const group of decodeHistory(repository, head)) {
    for (const { oid, commit } of group) {
      if ((await count.below(commit.tree)) <= most) continue;
      throw new RepositoryUnreadable(
        `Commit ${oid} has more than ${most} files and folders. If that is meant, allow more with --max-files.`,
      );
    }
  }
}
