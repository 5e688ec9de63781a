import { decodeCommit, type Commit, type Oid } from '../git/objects/objects.js';
import type { ReadableRepository } from '../git/repositories/open-read-only.js';

/** A commit of a history, and its content. */
export interface HistoryCommit {
  readonly oid: Oid;
  readonly commit: Commit;
}

/** Commits requested at once: this avoids a wait for git at each commit. */
const together = 256;
/** Bytes of commits held at once, unless one alone has more. */
const bytesTogether = 64 * 1024 * 1024;

/**
 * The commits of a history, the oldest first, a group at a time; memory stays flat.
 * @throws ObjectNotFound, RepositoryUnreadable
 */
export async function* decodeHistory(
  repository: Pick<ReadableRepository, 'read' | 'size' | 'history'>,
  head: Oid,
): AsyncGenerator<readonly HistoryCommit[], void, undefined> {
  const read = async (oid: Oid): Promise<HistoryCommit> => ({
    oid,
    commit: decodeCommit((await repository.read(oid)).bytes),
  });
  let group: Oid[] = [];
  const take = async function* (): AsyncGenerator<readonly HistoryCommit[]> {
    for (const part of await split(repository, group)) yield await Promise.all(part.map(read));
    group = [];
  };
  for await (const oid of repository.history(head)) {
    if (group.push(oid) === together) yield* take();
  }
  yield* take();
}

/** Cuts a group where it would have too many bytes. */
async function split(repository: Pick<ReadableRepository, 'size'>, group: readonly Oid[]): Promise<Oid[][]> {
  const sizes = await Promise.all(group.map((oid) => repository.size(oid)));
  const parts: Oid[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const [index, oid] of group.entries()) {
    bytes += sizes[index] ?? 0;
    if (bytes > bytesTogether) {
      parts.push([]);
      bytes = sizes[index] ?? 0;
    }
    parts.at(-1)?.push(oid);
  }
  return parts;
}
