import type { MirrorSource } from './connector.js';
import type { Claim } from './claim.js';
import type { Location } from './checked-location.js';
import type { OriginalAuthor } from './original-author.js';
import type { Author } from './principal.js';

/** `text` holds no NUL and is valid in one of the charsets of `text/charset.ts`; everything else is `binary`. */
export type DocumentKind = 'text' | 'binary';

/** One state of a document's content; never changed once made. */
export interface Version {
  /** The SHA of the version's commit, and the ETag; it stays the same when history is rewritten elsewhere. */
  readonly id: string;
  /** 1 for the first. */
  readonly sequence: number;
  readonly blobOid: string;
  /** Hex SHA-256 of the bytes. */
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
  readonly kind: DocumentKind;
  readonly mediaType: string;
  /** Where the document lived when this version was made. */
  readonly location: Location;
  readonly author: Author;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly message: string | null;
  /** Author and time of an imported version, according to its source; null for any other. */
  readonly originalAuthor: OriginalAuthor | null;
}

/** Whether two contents have the same bytes. */
export function isSameContent(one: Pick<Version, 'blobOid'>, other: Pick<Version, 'blobOid'>): boolean {
  return one.blobOid === other.blobOid;
}

/** Whether its text is Markdown by its media type. */
export function isMarkdown({ mediaType }: Pick<Version, 'mediaType'>): boolean {
  return mediaType.startsWith('text/markdown');
}

/** A live document with its current version. */
export interface Document {
  readonly id: string;
  /** Internal key of its rows; never leaves the service. */
  readonly number: number;
  readonly location: Location;
  readonly name: string;
  readonly createdAt: number;
  readonly current: Version;
  readonly labels: readonly string[];
  /** The claims that bind others now, the oldest first. */
  readonly claims: readonly Claim[];
  readonly readOnly: boolean;
  /** Where it comes from, in a mirror. */
  readonly source?: MirrorSource;
}

/** A folder: a path prefix with something in it, or created to be kept. */
export interface Folder {
  readonly location: Location;
  readonly name: string;
  readonly readOnly: boolean;
  /** Where it comes from, in a mirror. */
  readonly source?: MirrorSource;
}
