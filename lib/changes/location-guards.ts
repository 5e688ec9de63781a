import type { Location } from '../domain/location.js';
import { isWithin, segmentsOf } from '../domain/location.js';
import { conflict, invalidRequest, notFound, type Refusal } from '../domain/refusal.js';
import { rootFolderNumber } from '../sidecar/tables/folder-table.js';
import { locationOfFolder, nowhere } from '../view/locate.js';
import type { WriteContext } from './write-context.js';

/** @param what lives there, as the subject of a sentence */
export function nameTaken(location: Location, what: string): Refusal {
  return conflict('name_taken', `${what} lives at "${location}" already. Choose another name, or change that one.`, {
    location,
  });
}

/** A name taken is a CONFLICT only for those who can see what has it; for others it is as if they may not write here. */
function taken(isVisible: boolean, location: Location, what: string): Refusal {
  return isVisible ? nameTaken(location, what) : notFound();
}

/**
 * Makes sure that something new may live at the location: nothing has the name, and no document stands where one of
 * its folders would have to be.
 * @throws Refusal CONFLICT `name_taken`, or NOT_FOUND where the caller cannot see what is in the way
 */
export function requireFree(context: WriteContext, location: Location): void {
  const { tables } = context.transaction;
  const segments = segmentsOf(location);
  // One walk, the same steps whether there are folders or not, and no more of them than the path has segments.
  let folder = rootFolderNumber;
  for (const [depth, segment] of segments.entries()) {
    const document = tables.documents.idAt(folder, segment);
    const child = tables.folders.child(folder, segment);
    if (document !== undefined) {
      const there = segments.slice(0, depth + 1).join('/') as Location;
      throw taken(context.view.document(there) !== undefined, there, 'A document');
    }
    folder = child?.number ?? nowhere;
  }
  if (folder !== nowhere) throw taken(context.view.folder(location) !== undefined, location, 'A folder');
}

/**
 * Makes sure that the location can be a document's: no folder grant waits for a folder there or below.
 * @throws Refusal CONFLICT `name_taken`, or NOT_FOUND where the caller could not write there if it were a folder
 */
export function requireNoFolderGrant({ transaction, reach }: WriteContext, location: Location): void {
  if (transaction.tables.grants.atOrBelow(location).length === 0) return;
  throw taken(reach.holds('editor', location), location, 'A folder with grants');
}

/** @throws Refusal INVALID_REQUEST `read_only_source` where a connector mirrors: repeating the write cannot help */
export function requireWritable(mirror: string | null): void {
  if (mirror !== null) {
    throw invalidRequest(
      'read_only_source',
      'This folder mirrors an outside source and is read-only here. Change it there.',
      { connectorId: mirror },
    );
  }
}

/** A mirror belongs where its connector put it: no folder above it is moved or taken away under it. */
export function requireNoMirrorBelow({ transaction }: WriteContext, folder: Location): void {
  for (const row of transaction.tables.folders.mirrored()) {
    if (isWithin(folder, locationOfFolder(transaction.tables, row.number))) requireWritable(row.mirror);
  }
}
