import { createHash } from 'node:crypto';
import { readReach, type Reach } from '../view/reach.js';
import { rootLocation, type Location } from '../domain/location.js';
import type { Tables } from '../sidecar/tables.js';

/** What may narrow what a principal reads, as it stood when a repository was prepared. */
export interface ReachSnapshot {
  /** Digest of the principal's grants, with those of its groups. */
  readonly reach: string;
  /** Number of commits on main. */
  readonly moment: number;
  /** Number of the last erase. */
  readonly erasure: number;
}

/** Moves and deletions that are looked at one by one. With more, the repository is prepared again. */
const maxEvents = 1000;

/** The snapshot of the present state. Call it before the state is read that the repository is made from. */
export function readReachSnapshot(tables: Tables, principalId: string): ReachSnapshot {
  return {
    reach: digestOf(readReach(tables, principalId)),
    moment: Number(tables.meta.get('commits') ?? '0'),
    erasure: tables.erasures.newest(),
  };
}

/**
 * Whether nothing since then can have taken anything away from what the principal reads. Writes do not count, and
 * neither does what happens outside the reach: it must not delay anybody.
 */
export function hasNotNarrowed(tables: Tables, principalId: string, snapshot: ReachSnapshot): boolean {
  const reach = readReach(tables, principalId);
  if (digestOf(reach) !== snapshot.reach || tables.erasures.newest() !== snapshot.erasure) return false;
  const left = tables.history.placesLeft(snapshot.moment, maxEvents);
  return left.length < maxEvents && !left.some(({ location, documentId }) => concerns(reach, location, documentId));
}

/** Whether the principal reads something at or below a place. */
function concerns(reach: Reach, location: Location, documentId: string | null): boolean {
  if (reach.roleIn(location) !== undefined || reach.foldersBelow(location).length > 0) return true;
  return documentId !== null && reach.roleOn(documentId, rootLocation) !== undefined;
}

function digestOf(reach: Reach): string {
  const hash = createHash('sha256');
  for (const folder of reach.folders.toSorted()) hash.update(`${reach.roleIn(folder)} ${folder}\n`);
  for (const id of reach.documentIds.toSorted()) hash.update(`${reach.roleOn(id, rootLocation)} #${id}\n`);
  return hash.digest('hex');
}
