import type { Document, Folder } from '../../domain/document.js';
import { ancestorsOf, compareText, parentOf, rootLocation, type Location } from '../../domain/location.js';
import { makePage, type Page } from '../../domain/page.js';
import type { Role } from '../../domain/role.js';
import { findDocumentById, findFolder, toFolder } from '../../view/locate.js';
import type { View } from '../../view/view.js';
import { findNearFolders } from './find-near-names.js';
import { walkAfter } from './walk-after.js';
import type { ReadOperation } from '../operation.js';

export interface ReachedFolder {
  readonly folder: Folder;
  /** Undefined if the caller only reaches something inside. */
  readonly role: Role | undefined;
}

export interface ReachedDocument {
  readonly document: Document;
  readonly role: Role;
}

/** Documents; where a folder has none of its own, what there is in place of them. */
export interface ReachedDocuments extends Page<ReachedDocument> {
  /** The first folders to go on with, if there are no documents; with names like it, if there is no such folder. */
  readonly folders: readonly Folder[];
  /** Whether a document lies at the location itself. */
  readonly isDocument: boolean;
}

export interface ListReachedFoldersInput {
  /** Null for the topmost ones, at any location. */
  readonly location: Location | null;
  readonly after: string;
  readonly limit: number;
}

const withRole = (view: View, folder: Folder): ReachedFolder => ({ folder, role: view.reach.roleIn(folder.location) });

/** Folders with the caller's role, by location: directly in one folder, or the topmost in its reach. */
export const listReachedFolders: ReadOperation<ListReachedFoldersInput, Page<ReachedFolder>> = {
  kind: 'read',
  name: 'folder.list',
  needs: () => [],
  note: ({ location }) => (location === null ? {} : { target: location }),
  run({ view }, { location, after, limit }) {
    if (location !== null || view.reach.holds('reader', rootLocation)) {
      const page = view.folders(location ?? rootLocation, after, limit);
      return { items: page.items.map((folder) => withRole(view, folder)), next: page.next };
    }
    const top = topFolders(view).filter((folder) => compareText(folder.location, after) > 0);
    return makePage(
      top.map((folder) => withRole(view, folder)),
      limit,
      ({ folder }) => folder.location,
    );
  },
};

/** Folders with a grant, and those around granted documents. Of each kind, none lies in another one. */
function topFolders({ tables, reach }: View): Folder[] {
  const granted = onlyTopmost(reach.foldersBelow(rootLocation), []);
  const around = reach.documentIds.flatMap((id) => {
    const found = findDocumentById(tables, id);
    const parent = found === undefined ? rootLocation : parentOf(found.location);
    return parent === rootLocation ? [] : [parent];
  });
  return [...granted, ...onlyTopmost(around, granted)]
    .flatMap((location) => {
      const found = findFolder(tables, location);
      // A grant may come before its folder: it says where the caller can begin.
      if (found === undefined) return granted.includes(location) ? [toFolder(location, null)] : [];
      return [toFolder(location, found.mirror, tables)];
    })
    .toSorted((a, b) => compareText(a.location, b.location));
}

/** Locations that lie neither in another one of them nor at or in one of `outer`. */
function onlyTopmost(locations: readonly Location[], outer: readonly Location[]): Location[] {
  const all = new Set([...locations, ...outer]);
  const excluded = new Set(outer);
  return [...new Set(locations)].filter(
    (location) => !excluded.has(location) && !ancestorsOf(location).some((above) => all.has(above)),
  );
}

export interface ListReachedDocumentsInput {
  readonly location: Location;
  /** Whether documents of the folders below are listed too. */
  readonly isRecursive: boolean;
  /** Only documents with a newer current version. Milliseconds since 1970. */
  readonly changedSince: number | null;
  /** Location of the last document read; '' for the first page. */
  readonly after: string;
  readonly limit: number;
}

/** Maximum of documents that one page reads to find changed ones. */
const maxLookedAt = 2000;
/** Maximum of folders named in place of documents. */
const maxNamed = 20;

/**
 * Documents with the caller's role, a folder's own before those of the folders in it. A page may hold fewer than
 * requested, or none, and still not be the last, because one page reads a limited number of documents.
 */
export const listReachedDocuments: ReadOperation<ListReachedDocumentsInput, ReachedDocuments> = {
  kind: 'read',
  name: 'document.list',
  needs: () => [],
  note: ({ location, isRecursive }) => ({ target: location, ...(isRecursive ? { detail: { recursive: true } } : {}) }),
  run({ view }, { location, isRecursive, changedSince, after, limit }) {
    const items: ReachedDocument[] = [];
    const only = { folders: [], isDocument: false };
    let lookedAt = 0;
    let last = after;
    for (const document of walkAfter(view, location, after, isRecursive)) {
      if (items.length === limit || lookedAt === maxLookedAt) return { ...only, items, next: last };
      lookedAt += 1;
      last = document.location;
      if (changedSince !== null && document.current.at <= changedSince) continue;
      const role = view.reach.roleOn(document.id, document.location);
      if (role !== undefined) items.push({ document, role });
    }
    if (items.length > 0 || after !== '' || changedSince !== null) return { ...only, items, next: null };
    const isAboveReach = location === rootLocation && !view.reach.holds('reader', rootLocation);
    const below = isAboveReach ? topFolders(view).slice(0, maxNamed) : view.folders(location, '', maxNamed).items;
    const isDocument = view.document(location) !== undefined;
    const isThere = isDocument || below.length > 0 || view.folder(location) !== undefined;
    const folders = isThere ? below : findNearFolders(view, location).flatMap((near) => view.folder(near) ?? []);
    return { items, next: null, folders, isDocument };
  },
};
