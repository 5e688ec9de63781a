import type { Reach } from './reach.js';
import type { Document, Folder } from '../domain/document.js';
import { joinLocation, nameOf, parentOf, segmentsOf, type Location, isWithin } from '../domain/location.js';
import type { DocumentRow } from '../sidecar/tables/document-table.js';
import { rootFolderNumber, type FolderRow } from '../sidecar/tables/folder-table.js';
import { findClaims, toClaim } from './find-claims.js';
import type { Tables } from '../sidecar/tables.js';
import type { MirrorSource } from '../domain/connector.js';

/** An existing folder, with the rules for everything in it. */
export interface FoundFolder {
  readonly row: FolderRow;
  readonly location: Location;
  /** Id of the connector that mirrors into it or into a folder above; null where people may write. */
  readonly mirror: string | null;
}

/** The existing folders along a path. */
export interface Descent {
  /** The deepest existing folder. */
  readonly folder: FoundFolder;
  /** Segments below it without a folder. */
  readonly rest: readonly string[];
}

const root: FolderRow = { number: rootFolderNumber, parent: 0, name: '', kept: true, mirror: null };

/** No folder has this number: looking below it finds nothing, at the cost of looking. */
export const nowhere = -1;

/**
 * Walks down the path's segments as far as there are folders. It checks no rights, so it takes the same steps with them
 * or without: the time it takes must not reveal hidden places.
 */
export function descend(tables: Tables, folder: Location): Descent {
  const segments = segmentsOf(folder);
  let row = root;
  let mirror: string | null = null;
  let depth = 0;
  let parent = root.number;
  for (const segment of segments) {
    const child = tables.folders.child(parent, segment);
    if (child === undefined) {
      parent = nowhere;
    } else {
      row = child;
      mirror = child.mirror ?? mirror;
      parent = child.number;
      depth += 1;
    }
  }
  const location = segments.slice(0, depth).join('/') as Location;
  return { folder: { row, location, mirror }, rest: segments.slice(depth) };
}

/** What one name of a path stands for. */
export interface PathStep {
  /** Id of the live document with the name. */
  readonly documentId: string | undefined;
  /** The folder with the name. */
  readonly child: FolderRow | undefined;
}

/** Looks every name of a path up, with the same steps where nothing is. Checks no rights. */
export function walkPath(tables: Tables, location: Location): PathStep[] {
  let folder = root.number;
  return segmentsOf(location).map((segment) => {
    const documentId = tables.documents.idAt(folder, segment);
    const child = tables.folders.child(folder, segment);
    folder = child?.number ?? nowhere;
    return { documentId, child };
  });
}

/** The existing folders above a path that was walked. */
export function descentAbove(location: Location, steps: readonly PathStep[]): Descent {
  const segments = segmentsOf(parentOf(location));
  const there = steps.slice(0, segments.length).flatMap(({ child }) => child ?? []);
  const mirror = there.findLast((row) => row.mirror !== null)?.mirror ?? null;
  const above = segments.slice(0, there.length).join('/') as Location;
  return { folder: { row: there.at(-1) ?? root, location: above, mirror }, rest: segments.slice(there.length) };
}

/** The live folder at the location; undefined where there is none. Checks no rights. */
export function findFolder(tables: Tables, location: Location): FoundFolder | undefined {
  const { folder, rest } = descend(tables, location);
  return rest.length === 0 ? folder : undefined;
}

/** Number of the folder, or an unused number: for look-ups that take the same steps either way. */
export function numberOfFolder(found: FoundFolder | undefined): number {
  return found?.row.number ?? nowhere;
}

/** A live document's row with its location. */
export interface FoundDocument {
  readonly row: DocumentRow;
  readonly location: Location;
  readonly mirror: string | null;
}

/** The live document at the location; undefined where there is none. Checks no rights. */
export function findDocument(tables: Tables, location: Location): FoundDocument | undefined {
  const folder = findFolder(tables, parentOf(location));
  const row = tables.documents.at(numberOfFolder(folder), nameOf(location));
  return row === undefined || folder === undefined ? undefined : { row, location, mirror: folder.mirror };
}

/**
 * Only the id of the live document there: enough for decisions about rights, at equal cost with a document and without.
 */
export function findDocumentId(tables: Tables, location: Location): string | undefined {
  return tables.documents.idAt(numberOfFolder(findFolder(tables, parentOf(location))), nameOf(location));
}

/** The present location of a folder, by its number. */
export function locationOfFolder(tables: Tables, number: number): Location {
  const segments: string[] = [];
  for (let at = number; at !== rootFolderNumber;) {
    const row = tables.folders.find(at);
    if (row === undefined) throw new Error(`Folder ${number} hangs on the missing folder ${at}.`);
    segments.unshift(row.name);
    at = row.parent;
  }
  return segments.join('/') as Location;
}

/** Finds a live document by id, with its present location. */
export function findDocumentById(tables: Tables, id: string): FoundDocument | undefined {
  const row = tables.documents.byId(id);
  if (row === undefined) return undefined;
  const folder = findFolder(tables, locationOfFolder(tables, row.folder));
  if (folder === undefined) return undefined;
  return { row, location: joinLocation(folder.location, row.name), mirror: folder.mirror };
}

/** Finds the live documents among many ids. Each folder is looked up once, so thousands take milliseconds. */
export function findDocumentsById(tables: Tables, ids: readonly string[]): FoundDocument[] {
  if (ids.length === 0) return [];
  const folders = new Map<number, FoundFolder | undefined>();
  return tables.documents.ofThese(ids).flatMap((row) => {
    if (!folders.has(row.folder)) folders.set(row.folder, findFolder(tables, locationOfFolder(tables, row.folder)));
    const folder = folders.get(row.folder);
    return folder === undefined
      ? []
      : [{ row, location: joinLocation(folder.location, row.name), mirror: folder.mirror }];
  });
}

/** The document as shown to a reader. @param reach of the reader, where the state of a source may be told */
export function toDocument(tables: Tables, found: FoundDocument, now: number, reach?: Reach): Document {
  return {
    id: found.row.id,
    number: found.row.number,
    location: found.location,
    name: found.row.name,
    createdAt: found.row.createdAt,
    current: found.row.current,
    labels: found.row.isLabelled ? tables.labels.of(found.row.number) : [],
    claims: found.row.isClaimed ? findClaims(tables, found, now).map(toClaim) : [],
    readOnly: found.mirror !== null,
    ...(found.mirror === null ? {} : findSource(tables, found.mirror, found.location, reach)),
  };
}

/**
 * A folder as callers know it.
 * @param mirror of the folder or one above, as in `FoundFolder`
 * @param tables left out where there is no mirror
 * @param reach as for `toDocument`
 */
export function toFolder(location: Location, mirror: string | null, tables?: Tables, reach?: Reach): Folder {
  const source = tables === undefined || mirror === null ? {} : findSource(tables, mirror, location, reach);
  return { location, name: nameOf(location), readOnly: mirror !== null, ...source };
}

/**
 * Where something in a mirror comes from.
 * @param mirror id of the connector
 * @param reach of the caller. Left out: the state of the source is not told
 * @returns the member of a document or folder, or none
 */
function findSource(
  { connectors, principals }: Pick<Tables, 'connectors' | 'principals'>,
  mirror: string,
  location: Location,
  reach?: Reach,
): { readonly source?: MirrorSource } {
  const connector = connectors.byId(mirror);
  if (connector === undefined || !isWithin(connector.location, location)) return {};
  const { id, kind, sourceVersion, syncedAt, location: mirrorRoot } = connector;
  const readsAll = reach?.holds('reader', mirrorRoot) === true;
  return {
    source: {
      connectorId: id,
      connectorName: principals.find(id)?.displayName ?? id,
      kind,
      path: location.slice(mirrorRoot.length + 1),
      version: readsAll ? sourceVersion : null,
      syncedAt: readsAll ? syncedAt : null,
    },
  };
}
