import type { Reach } from '../access/reach.js';
import { findDocumentById } from './locate.js';
import type { Tables } from '../sidecar/tables.js';

/** Whether a folder of the one's, or a live document that it was granted, is in the other's reach. */
function reachesInto(tables: Tables, one: Reach, other: Reach): boolean {
  if (one.folders.some((folder) => other.roleIn(folder) !== undefined)) return true;
  return one.documentIds.some((id) => {
    const found = findDocumentById(tables, id);
    return found !== undefined && other.roleOn(id, found.location) !== undefined;
  });
}

/**
 * Whether there is a place that both reach: a folder of one at, above or below a folder of the other's, or a live
 * document that one was granted and the other reaches. What the other reaches elsewhere makes no difference.
 */
export function sharesLocation(tables: Tables, one: Reach, other: Reach): boolean {
  return reachesInto(tables, one, other) || reachesInto(tables, other, one);
}
