import { isWithin, type Location } from '../../domain/location.js';
import { roleContains } from '../../domain/role.js';
import type { Changes, RelocationDone } from '../../sidecar/tables/history-table.js';
import type { Steps } from '../../scheduling/in-steps.js';
import { findDocumentById } from '../../view/locate.js';
import type { View } from '../../view/view.js';
import type { Tables } from '../../sidecar/tables.js';

/** Number of rows read together. */
const batch = 1000;

/**
 * Locations of a principal's renames and moves in the folder, or out of it, in order. Only things readable to the
 * caller at their present place are included. A deleted document counts at its last place, one being erased nowhere. A
 * folder counts at its target, as long as a folder is there.
 * @param changes how many are given at most is their limit
 */
export function* findRelocated(view: View, changes: Changes): Steps<Location[]> {
  const found: Location[] = [];
  for (let after = 0; found.length < changes.limit;) {
    const rows = view.tables.history.relocatedBy({ ...changes, limit: batch }, after);
    for (const row of rows) {
      yield;
      if (found.length < changes.limit && isReadable(view, row)) {
        found.push(isWithin(changes.location, row.to) ? row.to : row.from);
      }
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < batch) break;
    after = last.number;
  }
  return found;
}

function isReadable(view: View, { document, to }: RelocationDone): boolean {
  if (document === null) return view.folder(to) !== undefined;
  const now = findPlace(view.tables, document);
  return now !== undefined && roleContains(view.reach.roleOn(document.id, now), 'reader');
}

/** Where the document lies, or was deleted. Undefined for one being erased. */
function findPlace(tables: Tables, { id, number }: NonNullable<RelocationDone['document']>): Location | undefined {
  return findDocumentById(tables, id)?.location ?? tables.documents.deleted(number)?.location;
}
