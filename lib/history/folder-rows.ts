import { joinLocation, parentOf, type Location } from '../domain/location.js';
import { workInParts, type Steps } from '../scheduling/in-steps.js';
import type { NewDeletion, PlacedDocument } from '../sidecar/tables/deletion-table.js';
import { descend, findFolder, type FoundFolder } from '../view/locate.js';
import type { Tables } from '../sidecar/tables.js';

/**
 * The folder at the location, made with all above it where it is missing.
 * @param descent the existing folders on the way to it. Left out: they are looked up
 */
export function ensureFolder(tables: Tables, location: Location, descent = descend(tables, location)): FoundFolder {
  const { folder, rest } = descent;
  let found = folder;
  for (const name of rest) {
    const number = tables.folders.insert(found.row.number, name);
    found = {
      row: { number, parent: found.row.number, name, kept: false, mirror: null },
      location: joinLocation(found.location, name),
      mirror: found.mirror,
    };
  }
  return found;
}

/** Makes the folder at the location one that stays when it is empty. */
export function keepFolder(tables: Tables, location: Location): void {
  tables.folders.setKept(ensureFolder(tables, location).row.number, true);
  tables.deletions.noteReturned(location);
}

/** Removes the folder, and then those above it, as long as nothing holds them: git keeps no empty folders either. */
export function dropEmptyFolders(tables: Tables, location: Location): void {
  for (let at = location; at !== ''; at = parentOf(at)) {
    const found = findFolder(tables, at);
    if (found === undefined || found.row.kept || !tables.folders.isEmpty(found.row.number)) return;
    tables.folders.delete(found.row.number);
  }
}

/** Writes the rows of a folder's deletion. */
export function* deleteRows(
  tables: Tables,
  folder: { readonly number: number; readonly location: Location },
  documents: readonly PlacedDocument[],
  deletion: NewDeletion,
): Steps<void> {
  const { number, location } = folder;
  yield* workInParts(documents, (some) => tables.deletions.deleteAll(some, location, deletion));
  tables.deletions.dropFolder(number, location, deletion);
  dropEmptyFolders(tables, parentOf(location));
}
