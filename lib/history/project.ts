import type { DocumentKind } from '../domain/document.js';
import { nameOf, parentOf, type Location } from '../domain/location.js';
import type { VersionOperation } from '../domain/history.js';
import type { Oid } from '../git/objects/objects.js';
import { runAtOnce } from '../scheduling/in-steps.js';
import { makeDocumentId } from './document-id.js';
import { findFolderDeletion } from './find-folder-deletion.js';
import { deleteRows, dropEmptyFolders, ensureFolder, placeOf } from './folder-rows.js';
import { findDocumentById, findFolder, type FoundDocument } from '../view/locate.js';
import { NotUnderstood, type HistoryEvent } from './event.js';
import type { Tables } from '../sidecar/tables.js';

/** What a version's row says of its content, read from the content itself. */
export interface FoundContent {
  readonly blobOid: Oid;
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
  readonly kind: DocumentKind;
}

/** A file that a commit brought, with what its row says. */
export interface BroughtFile {
  readonly location: Location;
  readonly content: FoundContent;
  readonly mediaType: string;
}

/** An event with the content that it needs, ready to be written into rows. */
export interface ReplayedEvent {
  readonly event: HistoryEvent;
  /** One for what writes a version, all of them for an import, none otherwise. */
  readonly files: readonly BroughtFile[];
}

/**
 * Writes what a commit did into rows, as the pen did when it was made: the same folders come and go.
 * @param moment number of the commit, counted from the first
 * @throws NotUnderstood when it does not go on from what was before it
 */
export function applyEvent(tables: Tables, { event, files }: ReplayedEvent, moment: number): void {
  ensureAuthor(tables, event);
  switch (event.type) {
    case 'create':
    case 'import':
      for (const file of files) create(tables, event, file, moment);
      return;
    case 'update':
    case 'restore':
      advance(tables, event, event.documentId, onlyOf(files), moment);
      return;
    case 'undelete':
      undelete(tables, event, event.documentId, onlyOf(files), moment);
      return;
    case 'delete':
      remove(tables, event, event, moment);
      dropEmptyFolders(tables, parentOf(event.location));
      return;
    case 'delete-folder':
      deleteFolder(tables, event, moment);
      return;
    case 'undelete-folder':
      undeleteFolder(tables, event, files, moment);
      return;
    case 'revert':
      revert(tables, event, files, moment);
      return;
    case 'rename':
    case 'move':
      relocate(tables, event, moment);
      return;
    case 'create-folder':
      tables.folders.setKept(ensureFolder(tables, event.location).row.number, true);
      return;
    case 'erase':
    case 'recover':
  }
}

function create(tables: Tables, event: HistoryEvent, file: BroughtFile, moment: number): void {
  const { folder, name } = placeOf(tables, file.location);
  const id = makeDocumentId(event.versionId, file.location);
  const number = tables.documents.insert(id, folder.row.number, name, event.at);
  addVersion(tables, event, number, { sequence: 1, file, moment });
}

function advance(tables: Tables, event: HistoryEvent, documentId: string, file: BroughtFile, moment: number): void {
  const { row } = requireLive(tables, documentId, file.location);
  const sequence = row.current.sequence + 1;
  addVersion(tables, event, row.number, { sequence, file, moment });
  tables.documents.advance(row.number, sequence);
}

function remove(
  tables: Tables,
  event: HistoryEvent,
  { documentId, location }: { readonly documentId: string; readonly location: Location },
  moment: number,
): void {
  const { commit, author, at } = event;
  const { row } = requireLive(tables, documentId, location);
  tables.documents.markDeleted(row.number, at, author.id, commit, location);
  tables.deletions.insert(row.number, location, { commit, author: author.id, at, moment });
}

function deleteFolder(
  tables: Tables,
  { commit, author, at, location }: Extract<HistoryEvent, { readonly type: 'create-folder' | 'delete-folder' }>,
  moment: number,
): void {
  const folder = findFolder(tables, location);
  if (folder === undefined) throw new NotUnderstood(`there is no folder "${location}" before it`);
  const { number } = folder.row;
  const documents = tables.deletions.documentsBelow(number, location, Number.MAX_SAFE_INTEGER);
  const deletion = { commit, author: author.id, at, moment };
  runAtOnce(deleteRows(tables, { number, location }, documents, deletion));
}

/**
 * The commit says itself what came back. Which deletion that undid is worked out anew, and may be none: an erase takes
 * documents from among those that were left behind, because of which the deletion could be undone once more.
 */
function undeleteFolder(
  tables: Tables,
  event: Extract<HistoryEvent, { readonly type: 'undelete-folder' }>,
  files: readonly BroughtFile[],
  moment: number,
): void {
  const found = runAtOnce(findFolderDeletion(tables, event.location));
  for (const folder of event.kept) tables.folders.setKept(ensureFolder(tables, folder).row.number, true);
  for (const [index, { documentId }] of event.restored.entries()) {
    undelete(tables, event, documentId, onlyOf(files.slice(index)), moment);
  }
  if (found !== undefined && tables.deletions.deletedBy(found.deletion.commit, 0, 1).length === 0) {
    tables.deletions.forgetFolder(found.deletion.moment);
  }
}

function revert(
  tables: Tables,
  event: Extract<HistoryEvent, { readonly type: 'revert' }>,
  files: readonly BroughtFile[],
  moment: number,
): void {
  for (const deleted of event.deleted) remove(tables, event, deleted, moment);
  for (const [index, { documentId }] of event.restored.entries()) {
    const isLive = tables.documents.byId(documentId) !== undefined;
    (isLive ? advance : undelete)(tables, event, documentId, onlyOf(files.slice(index)), moment);
  }
  for (const { location } of event.deleted) dropEmptyFolders(tables, parentOf(location));
}

function undelete(tables: Tables, event: HistoryEvent, documentId: string, file: BroughtFile, moment: number): void {
  const deleted = tables.documents.deletedAt(file.location).find(({ id }) => id === documentId);
  if (deleted === undefined) {
    throw new NotUnderstood(`the document ${documentId} that it brings back was not deleted there`);
  }
  const { folder, name } = placeOf(tables, file.location);
  const sequence = deleted.sequence + 1;
  addVersion(tables, event, deleted.number, { sequence, file, moment });
  tables.documents.markLive(deleted.number, folder.row.number, name, sequence);
}

function relocate(tables: Tables, event: Extract<HistoryEvent, { readonly from: Location }>, moment: number): void {
  const { commit, type, from, to, documentId, author, at } = event;
  const document = documentId === null ? undefined : requireLive(tables, documentId, from);
  const folder = documentId === null ? findFolder(tables, from) : undefined;
  if (document === undefined && folder === undefined) throw new NotUnderstood(`there is no folder "${from}" before it`);
  const target = ensureFolder(tables, parentOf(to)).row.number;
  if (document !== undefined) tables.documents.place(document.row.number, target, nameOf(to));
  else if (folder !== undefined) tables.folders.place(folder.row.number, target, nameOf(to));
  dropEmptyFolders(tables, parentOf(from));
  tables.relocations.insert({
    commit,
    operation: type,
    document: document?.row.number ?? null,
    from,
    to,
    author: author.id,
    at,
    moment,
  });
}

/** What each kind of commit calls the versions that it makes; undefined where it makes none. */
const versionOperations: Readonly<Record<HistoryEvent['type'], VersionOperation | undefined>> = {
  create: 'create',
  update: 'update',
  restore: 'restore',
  undelete: 'undelete',
  import: 'import',
  revert: 'revert',
  'undelete-folder': 'undelete',
  delete: undefined,
  rename: undefined,
  move: undefined,
  'create-folder': undefined,
  'delete-folder': undefined,
  erase: undefined,
  recover: undefined,
};

function addVersion(
  tables: Tables,
  event: HistoryEvent,
  document: number,
  { sequence, file, moment }: { readonly sequence: number; readonly file: BroughtFile; readonly moment: number },
): void {
  const operation = versionOperations[event.type];
  if (operation === undefined) throw new Error(`A ${event.type} makes no version.`);
  const { location, content, mediaType } = file;
  tables.versions.insert({
    document,
    sequence,
    id: event.versionId,
    commit: event.commit,
    ...content,
    mediaType,
    location,
    author: event.author.id,
    at: event.at,
    operation,
    message: event.message,
    moment,
  });
}

/** @throws NotUnderstood when the document does not live there */
function requireLive(tables: Tables, id: string, location: Location): FoundDocument {
  const found = findDocumentById(tables, id);
  if (found === undefined) throw new NotUnderstood(`the document ${id} is not there before it`);
  if (found.location !== location) {
    throw new NotUnderstood(`the document ${id} lives at "${found.location}" before it, and not at "${location}"`);
  }
  return found;
}

/** Who wrote it has a row: versions are shown with their authors. */
function ensureAuthor(tables: Tables, { author, at }: HistoryEvent): void {
  if (tables.principals.find(author.id) !== undefined) return;
  tables.principals.insert({ ...author, createdAt: at, disabledAt: at });
}

function onlyOf(files: readonly BroughtFile[]): BroughtFile {
  const [file] = files;
  if (file === undefined) throw new Error('A version came without its content.');
  return file;
}
