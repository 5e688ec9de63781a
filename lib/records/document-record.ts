import { formatTime, formatTimeOrNull } from '../domain/clock.js';
import type { MirrorSource } from '../domain/connector.js';
import type { Document, Version } from '../domain/document.js';
import { formatEtag } from '../domain/etag.js';
import type { TextState } from '../domain/extraction.js';
import { toAuthorRecord } from './author-record.js';
import { toStandingClaim } from './claim-record.js';

/** The description's `Version`. */
export function toVersionRecord({ id, at, author, message, originalAuthor: original }: Omit<Version, 'location'>) {
  return {
    id,
    created_at: formatTime(at),
    author: toAuthorRecord(author),
    message,
    ...(original !== null && {
      original_author: { name: original.name, email: original.email, at: formatTimeOrNull(original.at) },
    }),
  };
}

/** The description's `Source`; null outside of mirrors. */
export function toSourceRecord(source: MirrorSource | undefined): object | null {
  if (source === undefined) return null;
  const { connectorId, connectorName, kind, path, version, syncedAt } = source;
  const connector = { id: connectorId, display_name: connectorName };
  return { connector, kind, path, version, synced_at: formatTimeOrNull(syncedAt) };
}

export type DocumentRecord = ReturnType<typeof toDocumentRecord>;

/** The description's `TextState`. */
export function toTextRecord(text: TextState) {
  if (text.state !== 'done') return text;
  const { state, pages, characters, isCut } = text;
  return { state, ...(pages > 0 && { pages }), characters, is_cut: isCut };
}

/**
 * The description's `Document`: the record without its content, as of one version.
 * @param text how far the text of a file is. Left out: nothing is said of it
 */
export function toDocumentRecord(document: Document, version: Version = document.current, text?: TextState) {
  return {
    id: document.id,
    location: document.location,
    name: document.name,
    kind: version.kind,
    media_type: version.mediaType,
    size: version.size,
    sha256: version.sha256,
    etag: formatEtag(version.id),
    version: toVersionRecord(version),
    created_at: formatTime(document.createdAt),
    updated_at: formatTime(version.at),
    labels: document.labels,
    read_only: document.readOnly,
    source: toSourceRecord(document.source),
    claim: toStandingClaim(document.claims),
    ...(text !== undefined && { text: toTextRecord(text) }),
  };
}
