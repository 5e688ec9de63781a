import type { Document, Folder } from '../../domain/document.js';
import { ancestorsOf, compareText, parentOf, rootLocation, segmentsOf, type Location } from '../../domain/location.js';
import { makePage, type Page } from '../../domain/page.js';
import type { Role } from '../../domain/role.js';
import { findDocumentById, findFolder, toFolder } from '../../view/locate.js';
import type { View } from '../../view/view.js';
import type { ReadOperation } from '../operation.js';

export interface ReachedFolder {
  readonly folder: Folder;
  /** undefined where only something inside is the caller's. */
  readonly role: Role | undefined;
}

export interface ReachedDocument {
  readonly document: Document;
  readonly role: Role;
}

export interface ListReachedFoldersInput {
  /** null for the topmost ones, wherever they lie. */
  readonly location: Location | null;
  readonly after: string;
  readonly limit: number;
}

const withRole = (view: View, folder: Folder): ReachedFolder => ({ folder, role: view.reach.roleIn(folder.location) });

/** Folders with the caller's role: directly in one, or the topmost that it reaches, by location. */
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

/** Folders that carry a grant, and those around granted documents; of each kind none that lies in another one. */
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
      return found === undefined ? [] : [toFolder(location, found.mirror)];
    })
    .toSorted((a, b) => compareText(a.location, b.location));
}

/** Those that lie neither in another one of them nor at or in one of `outer`. */
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
  /** Only those whose current version is newer. Milliseconds since 1970. */
  readonly changedSince: number | null;
  /** Location of the last document that was looked at; '' for the first page. */
  readonly after: string;
  readonly limit: number;
}

/** Documents that one page looks at, at most, to find some that changed. */
const maxLookedAt = 2000;

/**
 * Documents with the caller's role, a folder's own before those of the folders in it. A page may hold less than was
 * asked for, or nothing, and still not be the last: so many are looked at and no more.
 */
export const listReachedDocuments: ReadOperation<ListReachedDocumentsInput, Page<ReachedDocument>> = {
  kind: 'read',
  name: 'document.list',
  needs: () => [],
  note: ({ location, isRecursive }) => ({ target: location, ...(isRecursive ? { detail: { recursive: true } } : {}) }),
  run({ view }, { location, isRecursive, changedSince, after, limit }) {
    const items: ReachedDocument[] = [];
    let lookedAt = 0;
    let last = after;
    for (const document of walkAfter(view, location, relative(after, location), isRecursive)) {
      if (items.length === limit || lookedAt === maxLookedAt) return { items, next: last };
      lookedAt += 1;
      last = document.location;
      if (changedSince !== null && document.current.at <= changedSince) continue;
      const role = view.reach.roleOn(document.id, document.location);
      if (role !== undefined) items.push({ document, role });
    }
    return { items, next: null };
  },
};

/** The segments of a location below a folder; none for the start. */
function relative(after: string, folder: Location): string[] {
  return after === '' ? [] : segmentsOf(after as Location).slice(segmentsOf(folder).length);
}

const pageSize = 100;

/** What `View.walk` walks, from after a place on; the place need not be there any more. */
function* walkAfter(
  view: View,
  folder: Location,
  [first = '', ...rest]: readonly string[],
  isRecursive: boolean,
): Generator<Document> {
  const isBelow = rest.length > 0;
  if (!isBelow)
    yield* pages(
      first,
      (after) => view.documents(folder, after, pageSize),
      ({ name }) => name,
    );
  if (!isRecursive) return;
  if (isBelow) {
    const inside = (folder === '' ? first : `${folder}/${first}`) as Location;
    yield* walkAfter(view, inside, rest, true);
  }
  const children = pages(
    isBelow ? first : '',
    (after) => view.folders(folder, after, pageSize),
    ({ name }) => name,
  );
  for (const child of children) yield* walkAfter(view, child.location, [], true);
}

function* pages<Item>(
  from: string,
  read: (after: string) => Page<Item>,
  nameOf: (item: Item) => string,
): Generator<Item> {
  for (let after = from; ;) {
    const page = read(after);
    yield* page.items;
    const last = page.items.at(-1);
    if (page.next === null || last === undefined) return;
    after = nameOf(last);
  }
}
