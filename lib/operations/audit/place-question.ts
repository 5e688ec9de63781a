import { leftBehind, pastOfDocument, pastOfFolder, pastOfMoved } from '../../audit/past-places.js';
import type { ExtentQuestion } from '../../audit/seek-extents.js';
import type { PlaceQuestion } from '../../audit/seek-records.js';
import { rootLocation, type Location } from '../../domain/location.js';
import { roleContains } from '../../domain/role.js';
import type { Steps } from '../../scheduling/in-steps.js';
import type { DeletedPlace } from '../../sidecar/tables/audit-query-table.js';
import { findDocumentId, findFolder, locationOfFolder } from '../../view/locate.js';
import type { View } from '../../view/view.js';
import type { Tables } from '../../sidecar/tables.js';

/** Rows read at once. */
const batch = 500;

/** Whether the caller is an approver at the place, on the folder or on the document there. */
export function isApproverAt(view: View, location: Location): boolean {
  return roleContains(view.roleAt(location), 'approver');
}

/**
 * What an approver of a place asks about: the documents that lie at or below it now, the deleted ones by their last
 * place, and the place itself. An approver of a document alone asks about this document.
 */
export function* askAboutPlace(view: View, location: Location): Steps<PlaceQuestion> {
  const { tables, reach } = view;
  const isAdmin = reach.holds('approver', rootLocation);
  const live = findDocumentId(tables, location);
  if (!reach.holds('approver', location)) {
    const documentIds = new Set(live === undefined ? [] : [live]);
    return {
      documentIds,
      within: null,
      withMessages: isAdmin,
      extent: yield* askAboutExtents(tables, documentIds, null, []),
    };
  }
  const here = [...(live === undefined ? [] : [live]), ...tables.auditQueries.deletedAt(location)];
  const ids = new Set(here);
  yield* addLive(tables, location, ids);
  const deleted = yield* addDeleted(tables, location, ids);
  const isDocument = here.length > 0 && here.length === ids.size && findFolder(tables, location) === undefined;
  const extent = yield* askAboutExtents(tables, ids, isDocument ? null : location, deleted);
  return { documentIds: ids, within: location, withMessages: isAdmin, extent };
}

/**
 * @param folder null where only the documents are asked about
 * @param deleted those of the documents that were deleted below the folder
 */
function* askAboutExtents(
  tables: Tables,
  ids: ReadonlySet<string>,
  folder: Location | null,
  deleted: readonly DeletedPlace[],
): Steps<ExtentQuestion> {
  const places = new Map<number, string>();
  for (const id of ids) {
    const number = tables.auditQueries.numberOf(id);
    if (number !== undefined) places.set(number, id);
    yield;
  }
  const folders = new Map<number, Location>();
  const placeOf = (number: number): Location | undefined => findPlace(tables, places.get(number) ?? '', folders);
  const documents = new Set(places.keys());
  const asked = { documents, folder, isThere };
  if (folder !== null) {
    const { carried, moves } = yield* pastOfFolder(tables, folder);
    const others = moves === null ? [] : yield* leftBehind(tables, moves, deleted);
    const past = yield* pastOfMoved(tables, [...documents], new Set(others), placeOf);
    return { ...asked, carried: carried.filter(({ present }) => isThere(tables, present)), moves, past };
  }
  const past = [...documents].flatMap((number) => {
    const place = placeOf(number);
    return place === undefined ? [] : [...pastOfDocument(tables, number, place)];
  });
  return { ...asked, carried: [], moves: null, past };
}

function isThere(tables: Tables, folder: Location): boolean {
  return findFolder(tables, folder) !== undefined || tables.auditQueries.deletedBelow(folder, null, 1).length > 0;
}

function* addLive(tables: Tables, location: Location, ids: Set<string>): Steps<void> {
  const start = findFolder(tables, location)?.row.number;
  for (const folders = start === undefined ? [] : [start]; folders.length > 0;) {
    const folder = folders.pop() ?? 0;
    for (let after: string | undefined = ''; after !== undefined;) {
      const found = tables.auditQueries.documentsIn(folder, after, batch);
      for (const { id } of found) ids.add(id);
      after = found.length < batch ? undefined : found.at(-1)?.name;
      yield;
    }
    for (let after: string | undefined = ''; after !== undefined;) {
      const found = tables.folders.children(folder, after, batch);
      for (const { number } of found) folders.push(number);
      after = found.length < batch ? undefined : found.at(-1)?.name;
    }
  }
}

function* addDeleted(tables: Tables, location: Location, ids: Set<string>): Steps<DeletedPlace[]> {
  const all: DeletedPlace[] = [];
  let found: DeletedPlace[];
  let after: DeletedPlace | null = null;
  do {
    found = tables.auditQueries.deletedBelow(location, after, batch);
    for (const { id } of found) ids.add(id);
    all.push(...found);
    after = found.at(-1) ?? null;
    yield;
  } while (found.length === batch);
  return all;
}

/** The present place of a document, or the last one of a deleted document; undefined where there is none any more. */
export function findPlace(tables: Tables, id: string, folders: Map<number, Location>): Location | undefined {
  const row = tables.documents.byId(id);
  if (row === undefined) return tables.auditQueries.deletedPlaceOf(id);
  let folder = folders.get(row.folder);
  if (folder === undefined) {
    folder = locationOfFolder(tables, row.folder);
    folders.set(row.folder, folder);
  }
  return (folder === '' ? row.name : `${folder}/${row.name}`) as Location;
}
