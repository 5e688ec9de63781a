import { applyDelta, inflateObject, type GitObject } from '../git/objects/objects.js';
import { RepositoryUnreadable } from '../git/repositories/repository.js';
import type { ObjectTable, PendingObject } from '../sidecar/tables/object-table.js';

/** Deltas in one chain: what reading the last of them costs at the most. */
export const longestChain = 40;

/**
 * The content of a pending object, out of its deltas where it waits as one.
 * @param objects a state of the table in which the object, or nothing of it, waits
 * @returns undefined when it waits no more: then it is in the repository. That can also be found on the way to its base,
 * since a checkpoint of another process deletes rows meanwhile.
 * @throws RepositoryUnreadable when a row is damaged
 */
export function readPending(objects: Pick<ObjectTable, 'find'>, oid: string): GitObject | undefined {
  const found = objects.find(oid);
  return found === undefined ? undefined : resolvePending(objects, found);
}

/** The same for a row that was read already. */
export function resolvePending(objects: Pick<ObjectTable, 'find'>, row: PendingObject): GitObject | undefined {
  const deltas: Buffer[] = [];
  let at = row;
  while (at.base !== null) {
    deltas.push(inflateObject(at));
    if (deltas.length > longestChain) throw new RepositoryUnreadable(`The bases of ${row.oid} have no end.`);
    const base = objects.find(at.base);
    if (base === undefined) return undefined;
    at = base;
  }
  let bytes = inflateObject(at);
  for (const delta of deltas.toReversed()) bytes = applyDelta(bytes, delta);
  return { type: row.type, bytes };
}
