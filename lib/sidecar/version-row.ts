import type { DocumentKind, Version } from '../domain/document.js';
import type { Location } from '../domain/location.js';
import type { PrincipalKind } from '../domain/principal.js';

/** Columns of a version with its author; selected under these names wherever a version is read. */
export interface VersionRow {
  version_id: string;
  sequence: number;
  commit_oid: string;
  blob_oid: string;
  sha256: string;
  size: number;
  kind: DocumentKind;
  media_type: string;
  location: string;
  author: string;
  author_kind: PrincipalKind;
  author_name: string;
  at: number;
  message: string | null;
}

export const versionColumns = `
  v.id AS version_id, v.sequence, v.commit_oid, v.blob_oid, v.sha256, v.size, v.kind, v.media_type, v.location,
  v.author, p.kind AS author_kind, p.display_name AS author_name, v.at, v.message`;

export const toVersion = (row: VersionRow): Version => ({
  id: row.version_id,
  sequence: row.sequence,
  blobOid: row.blob_oid,
  sha256: row.sha256,
  size: row.size,
  kind: row.kind,
  mediaType: row.media_type,
  location: row.location as Location,
  author: { id: row.author, kind: row.author_kind, displayName: row.author_name },
  at: row.at,
  message: row.message,
});
