import type { DocumentKind, Version } from '../domain/document.js';
import type { Location } from '../domain/checked-location.js';
import type { OriginalAuthor } from '../domain/original-author.js';
import type { RefusedFile } from '../domain/refused-file.js';

/** Content of a pushed file, already stored. */
export interface PushedContent {
  /** Git's name of the content. */
  readonly blobOid: string;
  /** Hex SHA-256 of the bytes. */
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
  readonly kind: DocumentKind;
  /** How it is text, where that is not UTF-8, and the charset that was declared when that was found out. */
  readonly charset?: string | undefined;
  readonly declared?: string | undefined;
}

/** What a pushed commit does to one document. `before` is Git's name of the content that the commit's parent has there. */
export type PushedChange =
  | { readonly type: 'create'; readonly location: Location; readonly content: PushedContent }
  | { readonly type: 'update'; readonly location: Location; readonly before: string; readonly content: PushedContent }
  | { readonly type: 'delete'; readonly location: Location; readonly before: string }
  | {
      readonly type: 'move';
      readonly from: Location;
      readonly to: Location;
      readonly before: string;
      /** Null when the content stays. */
      readonly content: PushedContent | null;
    };

/** Whether a version has the content that a pushed change builds on. */
export function isBuiltOn({ blobOid }: Pick<Version, 'blobOid'>, before: string): boolean {
  return blobOid === before;
}

/** One commit of a push. It becomes one commit of the workspace, or none when it changes nothing. */
export interface PushedCommit {
  /** The client's own id of it. */
  readonly oid: string;
  /** As the client wrote it, well-formed and cut to what a version may have. */
  readonly message: string | null;
  readonly author: OriginalAuthor;
  readonly changes: readonly PushedChange[];
}

/** A file of a pushed commit that becomes no document for any principal, such as a symbolic link. */
export interface UnfitChange {
  readonly file: RefusedFile;
  /** Where it was before, if it was moved. */
  readonly from: string | null;
}

/** Where a document stands after a push. */
export interface PushedDocument {
  readonly documentId: string;
  /** Null when it was deleted. */
  readonly location: Location | null;
  /** Number of its last version. */
  readonly sequence: number;
}

export interface PushResult {
  /** The version made from each commit; null where it changed nothing. */
  readonly commits: readonly { readonly oid: string; readonly versionId: string | null }[];
  /** Every document that the push touched, once. */
  readonly documents: readonly PushedDocument[];
}

/** The most refused files that a refusal names. */
export const maxRefusedFiles = 100;
/** The most changes of files in one push, and the most commits. */
export const maxPushed = 1000;
