import { nameOf, parentOf, type Location } from '../domain/location.js';
import { workInParts, type Steps } from '../scheduling/in-steps.js';
import { rootFolderNumber } from '../sidecar/tables/folder-table.js';
import type { Tables } from '../sidecar/tables.js';
import { findFolder } from '../view/locate.js';
import { makeDocumentId } from './document-id.js';
import { InvalidEvent, type EventOf, type RecordedEvent } from './event.js';
import { deleteRows, dropEmptyFolders, ensureFolder, keepFolder } from './folder-rows.js';
import { projectTreeChange } from './project-tree-change.js';
import {
  addVersion,
  advance,
  deletionOf,
  findLive,
  folderOf,
  type DeletedRow,
  type EventFile,
  type KnownRows,
  type Projection,
  type TreeChange,
  type Work,
} from './projection.js';

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
      yield* projectTreeChange(work, event.moved, ensureFolder(tables, event.location).row.number, files, gone);
      break;
    case 'push':
      yield* projectTreeChange(work, event.moved, rootFolderNumber, files, gone);
      break;
    case 'rename':
    case 'move':
      relocate(work, event);
      break;
    case 'create-folder':
      keepFolder(tables, event.location);
      break;
    case 'erase':
    case 'recover':
      break;
  }
  return work;
}

function* createDocuments(work: Work, files: readonly EventFile[]): Steps<void> {
  const { tables, recorded } = work;
  for (const file of files) {
    const folder = folderOf(work, parentOf(file.location));
    const id = makeDocumentId(recorded.versionId, file.location);
    const number = tables.documents.insert(id, folder.row.number, nameOf(file.location), recorded.at);
    work.written.push(addVersion(work, { number, id, sequence: 1 }, file, folder));
    yield;
  }
}

function remove(
  work: Work,
  { documentId, location }: { readonly documentId: string; readonly location: Location },
): void {
  const { tables } = work;
  const { number } = findLive(work, documentId, location);
  const deletion = deletionOf(work);
  tables.documents.markDeleted(number, location, deletion);
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
 * The commit names all that came back. Which deletion they went with is not asked: an erase may have removed the others
 * that did.
 */
function* undeleteFolder(work: Work, event: EventOf<'undelete-folder'>, files: readonly EventFile[]): Steps<void> {
  for (const folder of event.kept) keepFolder(work.tables, folder);
  const ids = event.restored.map(({ documentId }) => documentId);
  yield* restoreDocuments(work, ids, files);
}

function* revert(work: Work, event: EventOf<'revert'>, files: readonly EventFile[]): Steps<void> {
  for (const deleted of event.deleted) {
    remove(work, deleted);
    yield;
  }
  const ids = event.restored.map(({ documentId }) => documentId);
  yield* restoreDocuments(work, ids, files);
  for (const { location } of event.deleted) {
    dropEmptyFolders(work.tables, parentOf(location));
    yield;
  }
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
    yield;
  }
  const inOrder = found.toSorted((one, other) => one.row.number - other.row.number);
  yield* workInParts(inOrder, (some) => {
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
    if (live.length > 0) {
      const moments = tables.deletions.momentsOf(live.map(({ number }) => number));
      tables.documents.markAllLive(live);
      for (const each of moments) tables.deletions.dropSettled(each);
    }
  });
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

function onlyOf(files: readonly EventFile[]): EventFile {
  const [file] = files;
  if (file === undefined) throw new Error('A version came without its content.');
  return file;
}
