import type { Reach } from '../access/reach.js';
import type { Tables } from '../sidecar/sidecar.js';
import { findDocumentById } from './locate.js';

/**
 * Whether there is a place that both reach: a folder of one at, above or below a folder of the other's, or a live
 * document that one was granted and the other reaches. What the other reaches elsewhere makes no difference. Looks at
 * all of it in any case, so that a yes takes as long as a no.
 */
export function sharesLocation(tables: Tables, one: Reach, other: Reach): boolean {
  let isShared = false;
  for (const folder of other.folders) {
    if (one.roleIn(folder) !== undefined || one.foldersBelow(folder).length > 0) isShared = true;
  }
  for (const [mine, theirs] of [
    [one, other],
    [other, one],
  ] as const) {
    for (const id of mine.documentIds) {
      const found = findDocumentById(tables, id);
      if (found !== undefined && theirs.roleOn(id, found.location) !== undefined) isShared = true;
    }
  }
  return isShared;
}
