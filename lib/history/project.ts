import type { DocumentKind, Version } from '../domain/document.js';
import type { VersionOperation } from '../domain/history.js';
import { nameOf, parentOf, type Location } from '../domain/location.js';
import type { Oid } from '../git/objects/objects.js';
import { inParts, type Steps } from '../scheduling/in-steps.js';
import type { NewDeletion, PlacedDocument } from '../sidecar/tables/deletion-table.js';
import type { Tables } from '../sidecar/tables.js';
import { findDocument, findDocumentById, findFolder, type FoundFolder } from '../view/locate.js';
import { makeDocumentId } from './document-id.js';
import { InvalidEvent, type Event, type EventOf, type RecordedEvent } from './event.js';
import { findFolderDeletion } from './find-folder-deletion.js';
import { deleteRows, dropEmptyFolders, ensureFolder, rowsInStep } from './folder-rows.js';

/** A version's content, for its row. */
export interface FoundContent {
  readonly blobOid: Oid;
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
  readonly kind: DocumentKind;
}

/** A file with a version from an event. */
export interface EventFile {
  readonly location: Location;
  readonly content: FoundContent;
  readonly mediaType: string;
}

/** What an event's tree says beyond the event. */
export interface TreeChange {
  /** One for each version of the event. */
  readonly files: readonly EventFile[];
  /** Of a mirror: where documents were deleted. */
  readonly gone?: readonly Location[];
}

/** An event's data from a live document's row. */
export interface LiveRow {
  readonly number: number;
  /** Sequence of its current version. */
  readonly sequence: number;
  readonly location: Location;
}

/** A deleted document's row. */
export interface DeletedRow {
  readonly number: number;
  /** Sequence of its last version. */
  readonly sequence: number;
}

/** Rows from earlier look-ups of the caller. Missing ones are looked up. */
export interface KnownRows {
  /** By document id. */
  readonly live?: ReadonlyMap<string, LiveRow>;
  /** By document id. */
  readonly deleted?: ReadonlyMap<string, DeletedRow>;
  /** All documents of a deleted folder. */
  readonly inFolder?: readonly PlacedDocument[];
  /** The deletion undone by an undelete of a folder. */
  readonly folderDeletion?: { readonly commit: string; readonly moment: number };
}

/** A version made by an event. */
export interface WrittenVersion {
  /** Number and id of the document. */
  readonly document: number;
  readonly documentId: string;
  /** Where the document lies now, where the event put it there. */
  readonly folder: FoundFolder | undefined;
  readonly version: Version;
}

/** The effect of an event on the rows. */
export interface Projection {
  readonly written: readonly WrittenVersion[];
  /** Where documents were deleted. */
  readonly removed: readonly Location[];
}

/** The shared state of the steps of one projection. */
interface Work {
  readonly tables: Tables;
  readonly recorded: RecordedEvent;
  /** Number of the commit, counted from the first. */
  readonly moment: number;
  readonly known: KnownRows;
  readonly written: WrittenVersion[];
  readonly removed: Location[];
  /** Folders found or created, by location. */
  readonly folders: Map<Location, FoundFolder>;
}

/**
 * Writes an event into the rows of documents, versions, folders, moves and deletions. Live writes, rebuilds and
 * verification all use it, so the rows always follow from the commits.
 * @param moment number of the commit, counted from the first
 * @param known rows without a need for a second look
 * @throws InvalidEvent when the event contradicts the rows
 */
export function* project(
  tables: Tables,
  recorded: RecordedEvent,
  { files, gone = [] }: TreeChange,
  moment: number,
  known: KnownRows = {},
): Steps<Projection> {
  const work: Work = { tables, recorded, moment, known, written: [], removed: [], folders: new Map() };
  const { event } = recorded;
  switch (event.type) {
    case 'create':
    case 'import':
      yield* createDocuments(work, files);
      break;
    case 'update':
    case 'restore':
      advance(work, event.documentId, findLive(work, event.documentId, event.location), onlyOf(files));
      break;
    case 'undelete':
      yield* restoreDocuments(work, [event.documentId], files);
      break;
    case 'delete':
      remove(work, event);
      dropEmptyFolders(tables, parentOf(event.location));
      break;
    case 'delete-folder':
      yield* deleteFolder(work, event);
      break;
    case 'undelete-folder':
      yield* undeleteFolder(work, event, files);
      break;
    case 'revert':
      yield* revert(work, event, files);
      break;
    case 'mirror':
      yield* mirror(work, event, files, gone);
      break;
    case 'rename':
    case 'move':
      relocate(work, event);
      break;
    case 'create-folder':
      tables.folders.setKept(ensureFolder(tables, event.location).row.number, true);
      break;
    case 'erase':
    case 'recover':
      break;
  }
  return work;
}

function* createDocuments(work: Work, files: readonly EventFile[]): Steps<void> {
  const { tables, recorded } = work;
  for (const some of inParts(files, rowsInStep)) {
    for (const file of some) {
      const folder = folderOf(work, parentOf(file.location));
      const id = makeDocumentId(recorded.versionId, file.location);
      const number = tables.documents.insert(id, folder.row.number, nameOf(file.location), recorded.at);
      work.written.push(addVersion(work, { number, id, sequence: 1 }, file, folder));
    }
    yield;
  }
}

function advance(work: Work, id: string, { number, sequence }: LiveRow, file: EventFile): void {
  work.written.push(addVersion(work, { number, id, sequence: sequence + 1 }, file));
  work.tables.documents.advance(number, sequence + 1);
}

function remove(
  work: Work,
  { documentId, location }: { readonly documentId: string; readonly location: Location },
): void {
  const { tables } = work;
  const { number } = findLive(work, documentId, location);
  const deletion = deletionOf(work);
  tables.documents.markDeleted(number, deletion.at, deletion.author, deletion.commit, location);
  tables.deletions.insert(number, location, deletion);
  work.removed.push(location);
}

function* deleteFolder(work: Work, { location }: EventOf<'delete-folder'>): Steps<void> {
  const { tables, known } = work;
  const folder = findFolder(tables, location);
  if (folder === undefined) throw new InvalidEvent(`there is no folder "${location}" before it`);
  const { number } = folder.row;
  const documents = known.inFolder ?? tables.deletions.documentsBelow(number, location, Number.MAX_SAFE_INTEGER);
  yield* deleteRows(tables, { number, location }, documents, deletionOf(work));
  for (const document of documents) work.removed.push(document.location);
}

/**
 * The commit names the restored documents. The undone deletion is looked up, and may be missing. An erase can remove
 * the last documents of that deletion, and then an older deletion can be undone again.
 */
function* undeleteFolder(work: Work, event: EventOf<'undelete-folder'>, files: readonly EventFile[]): Steps<void> {
  const { tables, known } = work;
  const deletion = known.folderDeletion ?? (yield* findFolderDeletion(tables, event.location))?.deletion;
  for (const folder of event.kept) tables.folders.setKept(ensureFolder(tables, folder).row.number, true);
  const ids = event.restored.map(({ documentId }) => documentId);
  yield* restoreDocuments(work, ids, files);
  if (deletion !== undefined && tables.deletions.deletedBy(deletion.commit, 0, 1).length === 0) {
    tables.deletions.forgetFolder(deletion.moment);
  }
}

function* revert(work: Work, event: EventOf<'revert'>, files: readonly EventFile[]): Steps<void> {
  for (const some of inParts(event.deleted, rowsInStep)) {
    for (const deleted of some) remove(work, deleted);
    yield;
  }
  const ids = event.restored.map(({ documentId }) => documentId);
  yield* restoreDocuments(work, ids, files);
  for (const some of inParts(event.deleted, rowsInStep)) {
    for (const { location } of some) dropEmptyFolders(work.tables, parentOf(location));
    yield;
  }
}

/**
 * The deletions come first, then the moves, then the versions. A document can take the place of one that moved away, and
 * two can change places. So the moving documents first wait in the mirror's folder, under names that no document has.
 */
function* mirror(
  work: Work,
  event: EventOf<'mirror'>,
  files: readonly EventFile[],
  gone: readonly Location[],
): Steps<void> {
  const { tables, recorded, moment } = work;
  const left = new Set<Location>();
  for (const some of inParts(gone, rowsInStep)) {
    for (const location of some) {
      const found = findDocument(tables, location);
      if (found === undefined) throw new InvalidEvent(`there is no document "${location}" before it`);
      remove(work, { documentId: found.row.id, location });
      left.add(parentOf(location));
    }
    yield;
  }
  const root = ensureFolder(tables, event.location).row.number;
  const moving: (LiveRow & { readonly to: Location })[] = [];
  for (const some of inParts(event.moved, rowsInStep)) {
    for (const { documentId, from, to } of some) {
      const row = findLive(work, documentId, from);
      tables.documents.place(row.number, root, `/${row.number}`);
      moving.push({ ...row, to });
      left.add(parentOf(from));
    }
    yield;
  }
  for (const some of inParts([...left], rowsInStep)) {
    for (const folder of some) dropEmptyFolders(tables, folder);
    yield;
  }
  for (const some of inParts(moving, rowsInStep)) {
    for (const { number, location: from, to } of some) {
      tables.documents.place(number, folderOf(work, parentOf(to)).row.number, nameOf(to));
      const operation = parentOf(from) === parentOf(to) ? 'rename' : 'move';
      const { commit, author, at } = recorded;
      tables.relocations.insert({ commit, operation, document: number, from, to, author: author.id, at, moment });
    }
    yield;
  }
  for (const some of inParts(files, rowsInStep)) {
    for (const file of some) writeMirrored(work, file);
    yield;
  }
}

/** A version of the document there, or a new document. */
function writeMirrored(work: Work, file: EventFile): void {
  const { tables, recorded } = work;
  const folder = folderOf(work, parentOf(file.location));
  const name = nameOf(file.location);
  const row = tables.documents.at(folder.row.number, name);
  if (row !== undefined) {
    advance(work, row.id, { number: row.number, sequence: row.current.sequence, location: file.location }, file);
    return;
  }
  const id = makeDocumentId(recorded.versionId, file.location);
  const number = tables.documents.insert(id, folder.row.number, name, recorded.at);
  work.written.push(addVersion(work, { number, id, sequence: 1 }, file, folder));
}

/** A document with a new version: a live one, or a deleted one that the version makes live. */
interface Restored {
  readonly id: string;
  readonly row: DeletedRow;
  readonly isLive: boolean;
  readonly file: EventFile;
}

/**
 * Gives documents a version each and makes the deleted ones among them live. It follows the documents' numbers, the
 * order of their rows in the file: this takes half as long as the order of the locations.
 */
function* restoreDocuments(work: Work, ids: readonly string[], files: readonly EventFile[]): Steps<void> {
  const { tables } = work;
  const found: Restored[] = [];
  for (const [index, id] of ids.entries()) {
    const file = onlyOf(files.slice(index, index + 1));
    found.push(findRestored(work, id, file));
    if (index % rowsInStep === rowsInStep - 1) yield;
  }
  for (const some of inParts(
    found.toSorted((one, other) => one.row.number - other.row.number),
    rowsInStep,
  )) {
    const live: Parameters<typeof tables.documents.markAllLive>[0][number][] = [];
    for (const { id, row, isLive, file } of some) {
      const { location } = file;
      if (isLive) {
        advance(work, id, { ...row, location }, file);
        continue;
      }
      const folder = folderOf(work, parentOf(location));
      const sequence = row.sequence + 1;
      work.written.push(addVersion(work, { number: row.number, id, sequence }, file, folder));
      live.push({ number: row.number, folder: folder.row.number, name: nameOf(location), sequence });
    }
    if (live.length > 0) tables.documents.markAllLive(live);
    yield;
  }
}

/** @throws InvalidEvent when the document neither lives nor was deleted there */
function findRestored(work: Work, id: string, file: EventFile): Restored {
  const { tables, known } = work;
  const deleted = known.deleted?.get(id);
  if (deleted !== undefined) return { id, row: deleted, isLive: false, file };
  const mayLive = work.recorded.event.type === 'revert';
  if (mayLive && (known.live?.has(id) === true || tables.documents.byId(id) !== undefined)) {
    return { id, row: findLive(work, id, file.location), isLive: true, file };
  }
  const row = tables.documents.deletedAt(file.location).find((each) => each.id === id);
  if (row === undefined) throw new InvalidEvent(`the document ${id} that it brings back was not deleted there`);
  return { id, row, isLive: false, file };
}

function relocate(work: Work, event: EventOf<'rename'> | EventOf<'move'>): void {
  const { tables, recorded, moment } = work;
  const { type, from, to, documentId } = event;
  const document = documentId === null ? undefined : findLive(work, documentId, from);
  const folder = documentId === null ? findFolder(tables, from) : undefined;
  if (document === undefined && folder === undefined) throw new InvalidEvent(`there is no folder "${from}" before it`);
  const target = ensureFolder(tables, parentOf(to)).row.number;
  if (document !== undefined) tables.documents.place(document.number, target, nameOf(to));
  else if (folder !== undefined) tables.folders.place(folder.row.number, target, nameOf(to));
  dropEmptyFolders(tables, parentOf(from));
  tables.relocations.insert({
    commit: recorded.commit,
    operation: type,
    document: document?.number ?? null,
    from,
    to,
    author: recorded.author.id,
    at: recorded.at,
    moment,
  });
}

/** The operation of the versions from each type of event. */
const versionOperations: Readonly<Partial<Record<Event['type'], VersionOperation>>> = {
  create: 'create',
  update: 'update',
  restore: 'restore',
  undelete: 'undelete',
  import: 'import',
  revert: 'revert',
  mirror: 'mirror',
  'undelete-folder': 'undelete',
};

function addVersion(
  { tables, recorded, moment }: Work,
  { number, id, sequence }: { readonly number: number; readonly id: string; readonly sequence: number },
  { location, content, mediaType }: EventFile,
  folder?: FoundFolder,
): WrittenVersion {
  const { commit, versionId, at, author, message, originalAuthor, event } = recorded;
  const operation = versionOperations[event.type];
  if (operation === undefined) throw new Error(`A ${event.type} makes no version.`);
  const { blobOid, sha256, size, kind } = content;
  const version: Version = {
    id: versionId,
    sequence,
    blobOid,
    sha256,
    size,
    kind,
    mediaType,
    location,
    author,
    at,
    message,
    originalAuthor,
  };
  tables.versions.insert({ ...version, document: number, author: author.id, commit, operation, moment });
  return { document: number, documentId: id, folder, version };
}

function deletionOf({ recorded: { commit, author, at }, moment }: Work): NewDeletion {
  return { commit, author: author.id, at, moment };
}

/** The folder at the location, created where it is missing. */
function folderOf({ tables, folders }: Work, location: Location): FoundFolder {
  const folder = folders.get(location) ?? ensureFolder(tables, location);
  folders.set(location, folder);
  return folder;
}

/** @throws InvalidEvent when the document does not live there */
function findLive({ tables, known }: Pick<Work, 'tables' | 'known'>, id: string, location: Location): LiveRow {
  const row = known.live?.get(id) ?? lookUpLive(tables, id);
  if (row === undefined) throw new InvalidEvent(`the document ${id} is not there before it`);
  if (row.location !== location) {
    throw new InvalidEvent(`the document ${id} lives at "${row.location}" before it, and not at "${location}"`);
  }
  return row;
}

function lookUpLive(tables: Tables, id: string): LiveRow | undefined {
  const found = findDocumentById(tables, id);
  if (found === undefined) return undefined;
  return { number: found.row.number, sequence: found.row.current.sequence, location: found.location };
}

function onlyOf(files: readonly EventFile[]): EventFile {
  const [file] = files;
  if (file === undefined) throw new Error('A version came without its content.');
  return file;
}
