import { decodeCommit, type Commit, type Oid } from '../git/objects.js';
import type { ReadableRepository } from '../git/open-read-only.js';

/** A commit of a history, and what it says. */
export interface HistoryCommit {
  readonly oid: Oid;
  readonly commit: Commit;
}

/** Commits that are asked for at once: git is then never waited for one by one. */
const together = 256;

/**
 * The commits of a history, the oldest first, a group at a time; memory stays flat.
 * @throws ObjectNotFound, RepositoryUnreadable
 */
export async function* decodeHistory(
  repository: Pick<ReadableRepository, 'read' | 'history'>,
  head: Oid,
): AsyncGenerator<readonly HistoryCommit[], void, undefined> {
  const read = async (oid: Oid): Promise<HistoryCommit> => ({
    oid,
    commit: decodeCommit((await repository.read(oid)).bytes),
  });
  let group: Oid[] = [];
  for await (const oid of repository.history(head)) {
    group.push(oid);
    if (group.length < together) continue;
    yield await Promise.all(group.map(read));
    group = [];
  }
  if (group.length > 0) yield await Promise.all(group.map(read));
}
