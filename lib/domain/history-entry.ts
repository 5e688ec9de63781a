import type { Version } from './document.js';
import type { Author } from './principal.js';
import type { Location } from './location.js';

/** The longest message of a version, in UTF-16 units. */
export const maxVersionMessage = 1000;

/** The operation that made a version. */
export type VersionOperation = 'create' | 'update' | 'undelete' | 'restore' | 'revert' | 'import' | 'mirror' | 'push';

/**
 * One event of a document. A location is shown only if the caller reaches it now, and is null otherwise: a former
 * location gives no right to learn of that place.
 */
export type HistoryEntry =
  | {
      readonly type: 'version';
      readonly version: Omit<Version, 'location'>;
      readonly operation: VersionOperation;
      /** Where the document lived when the version was made. */
      readonly location: Location | null;
      readonly author: Author;
      /** Milliseconds since 1970. */
      readonly at: number;
    }
  | {
      readonly type: 'relocation';
      readonly operation: 'rename' | 'move';
      /** The object renamed or moved: the document, or a folder that carried it along. */
      readonly of: 'document' | 'folder';
      /** The document's location before and after. */
      readonly from: Location | null;
      readonly to: Location | null;
      readonly author: Author;
      readonly at: number;
    }
  | {
      readonly type: 'deletion';
      /** The object deleted: the document, or a folder with everything in it. */
      readonly of: 'document' | 'folder';
      readonly location: Location | null;
      readonly author: Author;
      readonly at: number;
    };
