import type { Reach } from './reach.js';
import { findDocumentById } from './locate.js';
import type { Tables } from '../sidecar/tables.js';

/** Whether the other's reach holds a folder of the one's, or a live document granted to the one. */
function reachesInto(tables: Tables, one: Reach, other: Reach): boolean {
  if (one.folders.some((folder) => other.roleIn(folder) !== undefined)) return true;
  return one.documentIds.some((id) => {
    const found = findDocumentById(tables, id);
    return found !== undefined && other.roleOn(id, found.location) !== undefined;
  });
}

/**
 * Whether both reach some place. Either a folder of one is at, above or below a folder of the other's. Or a live
 * document is granted to one and reached by the other. The other's remaining reach makes no difference.
 */
export function sharesLocation(tables: Tables, one: Reach, other: Reach): boolean {
  return reachesInto(tables, one, other) || reachesInto(tables, other, one);
}
