import type { KnownHead } from '../audit/verify.js';
import { openClone } from '../git/clone.js';
import { readCommits } from './read-commits.js';
import { findAuditHead, findVersion } from './trailers.js';

/**
 * What the commits of a clone say of the audit chain. A clone was made before whatever happened to the chain since, so
 * it is evidence that nobody on this side can have changed.
 * @param folder the clone's
 * @throws RepositoryUnreadable, ObjectNotFound
 */
export async function readCloneWitnesses(folder: string): Promise<KnownHead[]> {
  const { repository, head } = await openClone(folder);
  const witnesses: KnownHead[] = [];
  try {
    for await (const commits of readCommits(repository, head)) {
      for (const { oid, commit } of commits) {
        const found = findAuditHead(commit.message);
        if (found === undefined) continue;
        witnesses.push({ ...found, commit: findVersion(commit.message) ?? oid, witness: `commit ${oid}` });
      }
    }
  } finally {
    await repository.close();
  }
  return witnesses;
}
