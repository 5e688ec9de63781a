import type { Version } from '../domain/document.js';
import type { VersionOperation } from '../domain/history-entry.js';
import type { Location } from '../domain/location.js';
import type { Oid } from '../git/objects/objects.js';
import type { NewDeletion, PlacedDocument } from '../sidecar/tables/deletion-table.js';
import type { Tables } from '../sidecar/tables.js';
import { findDocumentById, type Descent, type FoundFolder } from '../view/locate.js';
import type { Judged } from '../text/charset.js';
import { InvalidEvent, type Event, type RecordedEvent } from './event.js';
import { ensureFolder } from './folder-rows.js';

/** A version's content, for its row. */
export interface FoundContent extends Judged {
  readonly blobOid: Oid;
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
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
  /** Of a mirror or a push: where documents were deleted. */
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
  /** The existing folders above the only new file. */
  readonly descent?: Descent;
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
export interface Work {
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

export function advance(work: Work, id: string, { number, sequence }: LiveRow, file: EventFile): void {
  work.written.push(addVersion(work, { number, id, sequence: sequence + 1 }, file));
  work.tables.documents.advance(number, sequence + 1);
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
  push: 'push',
  'undelete-folder': 'undelete',
};

export function addVersion(
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

export function deletionOf({ recorded: { commit, author, at }, moment }: Work): NewDeletion {
  return { commit, author: author.id, at, moment };
}

/** The folder at the location, created where it is missing. */
export function folderOf({ tables, folders, known }: Work, location: Location): FoundFolder {
  const folder = folders.get(location) ?? ensureFolder(tables, location, known.descent);
  folders.set(location, folder);
  return folder;
}

/** @throws InvalidEvent when the document does not live there */
export function findLive({ tables, known }: Pick<Work, 'tables' | 'known'>, id: string, location: Location): LiveRow {
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
