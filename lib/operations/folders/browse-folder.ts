import type { Document, Folder } from '../../domain/document.js';
import {
  ancestorsOf,
  compareText,
  joinLocation,
  parentOf,
  rootLocation,
  type Location,
} from '../../domain/location.js';
import type { Page } from '../../domain/page.js';
import { notFound } from '../../domain/refusal.js';
import { roleContains, type Role } from '../../domain/role.js';
import type { DocumentRow } from '../../sidecar/tables/document-table.js';
import { findFolder, numberOfFolder, toDocument, toFolder, type FoundDocument } from '../../view/locate.js';
import type { View } from '../../view/view.js';
import type { ReadOperation } from '../operation.js';

/** `name-down` is by name from the last to the first; `newest` and `oldest` go by the time of the last version. */
export const entryOrders = ['name', 'name-down', 'newest', 'oldest'] as const;
export type EntryOrder = (typeof entryOrders)[number];

/** A line of a listing, with the caller's role there. */
export type Entry =
  | { readonly type: 'folder'; readonly folder: Folder; readonly role: Role | undefined }
  | { readonly type: 'document'; readonly document: Document; readonly role: Role | undefined };

export interface BrowsedFolder extends Page<Entry> {
  /** The folder itself; null for the places where the caller can begin. */
  readonly folder: Folder | null;
  readonly role: Role | undefined;
  /** From the highest folder that the caller reaches down to this one. */
  readonly trail: readonly Location[];
}

export interface BrowseFolderInput {
  /** Null for the places where the caller can begin. */
  readonly location: Location | null;
  readonly order: EntryOrder;
  /** The position after the last entry read; '' for the first page. */
  readonly after: string;
  readonly limit: number;
  /** Whether it is shown on a page that follows the folder from then on. */
  readonly isOfPage?: boolean;
}

/**
 * One level of a folder: its folders, then its documents. Without a location, the topmost places in the caller's reach;
 * that is the root itself for a reader of everything.
 * @throws Refusal NOT_FOUND where the caller reaches no folder
 */
export const browseFolder: ReadOperation<BrowseFolderInput, BrowsedFolder> = {
  kind: 'read',
  name: 'folder.browse',
  needs: () => [],
  note: ({ location, isOfPage }) => ({
    ...(location !== null && { target: location }),
    ...(isOfPage === true && { detail: { with: ['changes'] } }),
  }),
  run({ view }, input) {
    const location = input.location ?? (view.reach.holds('reader', rootLocation) ? rootLocation : null);
    if (location === null) {
      return { ...pickPage(startOf(view), input, placeOf), folder: null, role: undefined, trail: [] };
    }
    const folder = view.folder(location) ?? expected(view, location);
    if (folder === undefined) throw notFound();
    const page = view.reach.holds('reader', location)
      ? readPage(view, folder, input)
      : pickPage(grantedIn(view, location), input, nameOfEntry);
    return { ...page, folder, role: view.reach.roleIn(location), trail: trailTo(view, location) };
  },
};

/** The root, which is always there, and a folder with a grant that may come before it. */
function expected({ reach }: View, location: Location): Folder | undefined {
  const isExpected = location === rootLocation || roleContains(reach.roleIn(location), 'reader');
  return isExpected && (location === rootLocation || reach.folders.includes(location))
    ? toFolder(location, null)
    : undefined;
}

function trailTo({ reach }: View, location: Location): readonly Location[] {
  const chain = [...ancestorsOf(location), location];
  const first = chain.findIndex((place) => reach.roleIn(place) !== undefined);
  return first < 0 ? chain.filter((place) => place !== rootLocation) : chain.slice(first);
}

const nameOfEntry = (entry: Entry): string => (entry.type === 'folder' ? entry.folder.name : entry.document.name);
const placeOf = (entry: Entry): Location => (entry.type === 'folder' ? entry.folder.location : entry.document.location);

/** An entry that may come on the page. Only those on it are read whole. */
interface Candidate {
  readonly position: Position;
  readonly show: () => Entry;
}

/** The topmost folders with a grant, and the documents with one that lie in none of them. */
function startOf(view: View): Candidate[] {
  const { reach, tables } = view;
  const granted = new Set(reach.folders);
  const isTop = (location: Location): boolean => !ancestorsOf(location).some((above) => granted.has(above));
  const folders = reach.folders.filter(isTop).map((location) => ({
    position: { isDocument: false, at: 0, name: location },
    show: () => asFolder(view, toFolder(location, findFolder(tables, location)?.mirror ?? null, tables)),
  }));
  const documents = view.grantedDocuments
    .filter(({ location }) => reach.roleIn(location) === undefined)
    .map((found) => toCandidate(view, found, found.location));
  return [...folders, ...documents];
}

/** What grants below it show of a folder that the caller may not read as a whole. */
function grantedIn(view: View, location: Location): Candidate[] {
  const folders = view.folders(location, '', Number.MAX_SAFE_INTEGER).items.map((folder) => ({
    position: { isDocument: false, at: 0, name: folder.name },
    show: () => asFolder(view, folder),
  }));
  const documents = view.grantedDocuments
    .filter((found) => parentOf(found.location) === location)
    .map((found) => toCandidate(view, found, found.row.name));
  return [...folders, ...documents];
}

function toCandidate(view: View, found: FoundDocument, name: string): Candidate {
  return {
    position: { isDocument: true, at: found.row.current.at, name },
    show: () => asDocument(view, toDocument(view.tables, found, view.now)),
  };
}

function asFolder({ reach }: View, folder: Folder): Entry {
  return { type: 'folder', folder, role: reach.roleIn(folder.location) };
}

function asDocument({ reach }: View, document: Document): Entry {
  return { type: 'document', document, role: reach.roleOn(document.id, document.location) };
}

/**
 * A position: `f` and the name of a folder, or `d`, the time and the name of a document. Folders come first. By time
 * they come by name.
 */
function positionOf(entry: Entry, name: string): string {
  return entry.type === 'folder' ? `f${name}` : `d${entry.document.current.at}/${name}`;
}

interface Position {
  readonly isDocument: boolean;
  readonly at: number;
  readonly name: string;
}

function parsePosition(position: string): Position | undefined {
  if (position === '') return undefined;
  if (position.startsWith('f')) return { isDocument: false, at: 0, name: position.slice(1) };
  const slash = position.indexOf('/');
  return { isDocument: true, at: Number(position.slice(1, slash)), name: position.slice(slash + 1) };
}

/** A page of what grants show: as many candidates as the caller has grants. */
function pickPage(
  candidates: readonly Candidate[],
  { order, after, limit }: BrowseFolderInput,
  keyOf: (entry: Entry) => string,
): Page<Entry> {
  const start = parsePosition(after);
  const found = candidates
    .filter(({ position }) => start === undefined || comparePositions(position, start, order) > 0)
    .toSorted((a, b) => comparePositions(a.position, b.position, order))
    .slice(0, limit + 1)
    .map(({ show }) => show());
  return pageOf(found, limit, keyOf);
}

function comparePositions(a: Position, b: Position, order: EntryOrder): number {
  if (a.isDocument !== b.isDocument) return a.isDocument ? 1 : -1;
  const byName = compareText(a.name, b.name);
  if (!a.isDocument) return order === 'name-down' ? -byName : byName;
  if (order === 'name' || order === 'name-down') return order === 'name' ? byName : -byName;
  const byTime = b.at - a.at || byName;
  return order === 'newest' ? byTime : -byTime;
}

function pageOf(found: readonly Entry[], limit: number, keyOf: (entry: Entry) => string): Page<Entry> {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, next: found.length > limit && last !== undefined ? positionOf(last, keyOf(last)) : null };
}

/** A page of a folder that the caller may read as a whole: sought by the index of its order. */
function readPage(view: View, folder: Folder, { order, after, limit }: BrowseFolderInput): Page<Entry> {
  const start = parsePosition(after);
  const entries: Entry[] = [];
  if (start?.isDocument !== true) {
    for (const child of readFolders(view, folder, order, start?.name ?? '', limit + 1))
      entries.push(asFolder(view, child));
  }
  const room = limit + 1 - entries.length;
  if (room > 0) {
    const documents = readDocuments(view, folder, order, start?.isDocument === true ? start : undefined, room);
    for (const document of documents) entries.push(asDocument(view, document));
  }
  return pageOf(entries, limit, nameOfEntry);
}

function readFolders({ tables }: View, folder: Folder, order: EntryOrder, after: string, limit: number): Folder[] {
  const found = findFolder(tables, folder.location);
  const number = numberOfFolder(found);
  const rows =
    order === 'name-down'
      ? tables.folders.childrenBack(number, after, limit)
      : tables.folders.children(number, after, limit);
  return rows.map(({ name, mirror }) =>
    toFolder(joinLocation(folder.location, name), mirror ?? found?.mirror ?? null, tables),
  );
}

function readDocuments(
  view: View,
  folder: Folder,
  order: EntryOrder,
  after: Position | undefined,
  limit: number,
): Document[] {
  const { tables } = view;
  const found = findFolder(tables, folder.location);
  const number = numberOfFolder(found);
  const read: Record<EntryOrder, () => DocumentRow[]> = {
    name: () => tables.documents.inFolder(number, after?.name ?? '', limit),
    'name-down': () => tables.documents.inFolderBack(number, after?.name ?? '', limit),
    newest: () => tables.documents.newestInFolder(number, after ?? null, limit),
    oldest: () => tables.documents.oldestInFolder(number, after ?? null, limit),
  };
  return read[order]().map((row) => {
    const location = joinLocation(folder.location, row.name);
    return toDocument(tables, { row, location, mirror: found?.mirror ?? null }, view.now);
  });
}
