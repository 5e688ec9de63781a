import type { Precondition } from './etag.js';
import type { Location } from './location.js';
import type { DocumentKind } from './document.js';

/**
 * Content made ready for the pen before its turn: hashed and compressed, or already lying in the repository.
 * `deflated` is null for a staged blob.
 */
export interface PreparedContent {
  readonly blobOid: string;
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
  readonly kind: DocumentKind;
  readonly deflated: Uint8Array | null;
}

/** One document of a batch that is brought in. */
export interface ImportedFile {
  readonly location: Location;
  readonly content: PreparedContent;
  readonly mediaType: string;
}

/** What the pen can be asked to do to content in one piece. Each is one commit. */
export type Change =
  | {
      readonly type: 'create';
      readonly location: Location;
      readonly content: PreparedContent;
      readonly mediaType: string;
      readonly labels: readonly string[];
      readonly message: string | null;
    }
  | {
      readonly type: 'update';
      readonly location: Location;
      readonly precondition: Precondition;
      readonly content: PreparedContent;
      /** Left out: keeps what the document has. */
      readonly mediaType?: string | undefined;
      readonly message: string | null;
      /** A claim that the writer relies on. */
      readonly claimId?: string | undefined;
    }
  | {
      /** Adds an older version's content as the newest version. */
      readonly type: 'restore';
      readonly location: Location;
      readonly precondition: Precondition;
      readonly versionId: string;
      /** The content as text, for claims on sections; undefined for what is no text, or was not read. */
      readonly text: string | undefined;
      readonly message: string | null;
      readonly claimId?: string | undefined;
    }
  | {
      readonly type: 'delete';
      readonly location: Location;
      readonly precondition: Precondition;
      readonly claimId?: string | undefined;
    }
  | {
      readonly type: 'import';
      readonly files: readonly ImportedFile[];
      readonly message: string | null;
    }
  | { readonly type: 'create-folder'; readonly location: Location }
  | {
      /** A rename stays in its folder, a move goes to another; of a document or of a folder with all in it. */
      readonly type: 'relocate';
      readonly operation: 'rename' | 'move';
      readonly from: Location;
      readonly to: Location;
      /** For documents only; left out: whatever is current. */
      readonly precondition?: Precondition | undefined;
      readonly claimId?: string | undefined;
      /** Do it although someone gains access. */
      readonly acknowledged: boolean;
      /** Digest of the report that was acknowledged; if it has changed since, it is refused again. */
      readonly report?: string | undefined;
    }
  | { readonly type: 'undelete'; readonly location: Location }
  | {
      /** Hides a document at once and for good; what it left is destroyed afterwards. */
      readonly type: 'erase';
      readonly location: Location;
      /** This document and no other, if it lives or was deleted there. */
      readonly documentId: string;
    }
  | {
      /** Says in the history that the workspace was made from a clone, and its audit chain restarted. */
      readonly type: 'recover';
      /** The newest version id of the clone. */
      readonly from: string;
    };
