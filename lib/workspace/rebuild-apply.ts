import { nameOf, parentOf, type Location } from '../domain/location.js';
import type { Tables } from '../sidecar/sidecar.js';
import { findDocumentById, findFolder, type FoundDocument } from './locate.js';
import { dropEmptyFolders, ensureFolder, placeOf } from './occupy.js';
import { makeDocumentId } from './pen.js';
import type { FoundContent } from './rebuild-content.js';
import { NotUnderstood, type HistoryEvent } from './rebuild-event.js';

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
 * @throws NotUnderstood when it does not go on from what was before it
 */
export function applyEvent(tables: Tables, { event, files }: ReplayedEvent): void {
  ensureAuthor(tables, event);
  switch (event.type) {
    case 'create':
    case 'import':
      for (const file of files) create(tables, event, file);
      return;
    case 'update':
    case 'restore': {
      const found = requireLive(tables, event.documentId, event.location);
      const sequence = found.row.current.sequence + 1;
      addVersion(tables, event, found.row.number, sequence, onlyOf(files));
      tables.documents.advance(found.row.number, sequence);
      return;
    }
    case 'undelete':
      undelete(tables, event, onlyOf(files));
      return;
    case 'delete': {
      const { row } = requireLive(tables, event.documentId, event.location);
      tables.documents.markDeleted(row.number, event.at, event.author.id, event.commit, event.location);
      dropEmptyFolders(tables, parentOf(event.location));
      return;
    }
    case 'rename':
    case 'move':
      relocate(tables, event);
      return;
    case 'create-folder':
      tables.folders.setKept(ensureFolder(tables, event.location).row.number, true);
  }
}

function create(tables: Tables, event: HistoryEvent, file: BroughtFile): void {
  const { folder, name } = placeOf(tables, file.location);
  const id = makeDocumentId(event.versionId, file.location);
  const number = tables.documents.insert(id, folder.row.number, name, event.at);
  addVersion(tables, event, number, 1, file);
}

function undelete(
  tables: Tables,
  event: Extract<HistoryEvent, { readonly documentId: string; readonly location: Location }>,
  file: BroughtFile,
): void {
  const deleted = tables.documents.deletedAt(event.location).find(({ id }) => id === event.documentId);
  if (deleted === undefined) {
    throw new NotUnderstood(`the document ${event.documentId} that it brings back was not deleted there`);
  }
  const { folder, name } = placeOf(tables, event.location);
  const sequence = deleted.sequence + 1;
  addVersion(tables, event, deleted.number, sequence, file);
  tables.documents.markLive(deleted.number, folder.row.number, name, sequence);
}

function relocate(tables: Tables, event: Extract<HistoryEvent, { readonly from: Location }>): void {
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
  });
}

function addVersion(tables: Tables, event: HistoryEvent, document: number, sequence: number, file: BroughtFile): void {
  if (event.type === 'delete' || event.type === 'rename' || event.type === 'move' || event.type === 'create-folder') {
    throw new Error(`A ${event.type} makes no version.`);
  }
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
    operation: event.type,
    message: event.message,
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
