import type { DocumentKind, Version } from '../../domain/document.js';
import type { Location } from '../../domain/location.js';
import { parseOriginalAuthor } from '../../domain/original-author.js';
import type { PrincipalKind } from '../../domain/principal.js';

/**
 * Columns of a version with its author, in their order in every query for a version. Rows of documents and versions are
 * read as arrays: an object with so many names takes longer to make than its row to find.
 */
export type VersionRow = readonly [
  versionId: string,
  sequence: number,
  blobOid: string,
  sha256: string,
  size: number,
  kind: DocumentKind,
  mediaType: string,
  location: string,
  author: string,
  authorKind: PrincipalKind,
  authorName: string,
  at: number,
  message: string | null,
  originalAuthor: string | null,
];

export const versionColumns = `
  v.id, v.sequence, v.blob_oid, v.sha256, v.size, v.kind, v.media_type, v.location,
  v.author, p.kind, p.display_name, v.at, v.message, v.original_author`;

/** @param row begins with the columns of a version */
export const toVersion = (row: readonly [...VersionRow, ...unknown[]]): Version => ({
  id: row[0],
  sequence: row[1],
  blobOid: row[2],
  sha256: row[3],
  size: row[4],
  kind: row[5],
  mediaType: row[6],
  location: row[7] as Location,
  author: { id: row[8], kind: row[9], displayName: row[10] },
  at: row[11],
  message: row[12],
  originalAuthor: row[13] === null ? null : parseOriginalAuthor(row[13]),
});
