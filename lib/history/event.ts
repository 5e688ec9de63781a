import type { Location } from '../domain/location.js';
import type { OriginalAuthor } from '../domain/original-author.js';
import type { Author } from '../domain/principal.js';

/** A commit from outside the service, or one that contradicts the commits before it. */
export class InvalidEvent extends Error {
  override readonly name = 'InvalidEvent';
}

/**
 * The effect of one commit on the documents and folders of a workspace. The commit's trailers hold it
 * (`event-codec.ts`). The rows of documents, versions, folders, moves and deletions are made from it (`project.ts`).
 */
export type Event =
  | { readonly type: 'create'; readonly location: Location; readonly mediaType: string }
  | VersionEvent<'update'>
  | VersionEvent<'undelete'>
  | (VersionEvent<'restore'> & {
      /** Id of the restored version. */
      readonly restoredVersion: string | null;
    })
  | { readonly type: 'delete'; readonly documentId: string; readonly location: Location }
  | RelocationEvent<'rename'>
  | RelocationEvent<'move'>
  | FolderEvent<'create-folder'>
  | FolderEvent<'delete-folder'>
  | {
      readonly type: 'undelete-folder';
      readonly location: Location;
      /** Empty folders in it that had been created to be kept. */
      readonly kept: readonly Location[];
      readonly restored: readonly RestoredDocument[];
    }
  | {
      readonly type: 'revert';
      /** The folder of the reverted changes; the root is ''. */
      readonly location: Location;
      /** The principal of the reverted changes. */
      readonly principalId: string;
      readonly restored: readonly RestoredDocument[];
      readonly deleted: readonly DeletedDocument[];
    }
  | { readonly type: 'import'; readonly mediaTypes: MediaTypes }
  /** A connector mirrored its source. The tree says which documents came, changed and went. */
  | {
      readonly type: 'mirror';
      readonly connectorId: string;
      /** The folder of the mirror. */
      readonly location: Location;
      /** The source's own word for its state, such as a commit. */
      readonly sourceVersion: string | null;
      /** Of the documents with a version from the event. */
      readonly mediaTypes: MediaTypes;
      readonly moved: readonly MovedDocument[];
    }
  /** One commit of a push. The tree says which documents came, changed and went. */
  | {
      readonly type: 'push';
      /** Of the documents with a version from the event. */
      readonly mediaTypes: MediaTypes;
      readonly moved: readonly MovedDocument[];
    }
  /** The first commit of a history from which an erase removed everything. */
  | { readonly type: 'erase' }
  /** The audit chain was restarted after the commit `from`. It touches no document. */
  | { readonly type: 'recover'; readonly from: string };

export type EventOf<Type extends Event['type']> = Extract<Event, { readonly type: Type }>;

/** A document gets a version. */
export interface VersionEvent<Type extends string> {
  readonly type: Type;
  readonly documentId: string;
  readonly location: Location;
  readonly mediaType: string;
}

/** A document or folder goes to another place. */
export interface RelocationEvent<Type extends string> {
  readonly type: Type;
  /** null for a folder. */
  readonly documentId: string | null;
  readonly from: Location;
  readonly to: Location;
}

/** A folder comes or goes, with everything in it. */
export interface FolderEvent<Type extends string> {
  readonly type: Type;
  readonly location: Location;
}

/** A document with a version from an event about several documents. */
export interface RestoredDocument {
  readonly documentId: string;
  readonly mediaType: string;
  readonly location: Location;
}

export interface DeletedDocument {
  readonly documentId: string;
  readonly location: Location;
}

export interface MovedDocument {
  readonly documentId: string;
  readonly from: Location;
  readonly to: Location;
}

/** The media types of an import, a mirror or a push: the most frequent one, and the others by location. */
export interface MediaTypes {
  readonly usual: string | undefined;
  readonly others: ReadonlyMap<string, string>;
}

/** An event with its commit's author and time. */
export interface RecordedEvent<Of extends Event = Event> {
  readonly event: Of;
  /** SHA of the commit. */
  readonly commit: string;
  /** The commit's id from the service: its SHA, or the earlier SHA when an erase rewrote the history. */
  readonly versionId: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly author: Author;
  /** The writer's own message. */
  readonly message: string | null;
  /** The author and time of what was imported, according to its source. */
  readonly originalAuthor: OriginalAuthor | null;
}
