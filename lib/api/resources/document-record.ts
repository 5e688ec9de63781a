import type { Claim } from '../../domain/claim.js';
import { formatTime, formatTimeOrNull } from '../../domain/clock.js';
import type { MirrorSource } from '../../domain/connector.js';
import type { Document, Version } from '../../domain/document.js';
import type { Author } from '../../domain/principal.js';
import { formatEtag } from '../../domain/etag.js';
import { answerJson, type Answer } from '../answers/answer.js';

/** A principal, as shown to every reader of its writing. */
export function presentAuthor({ id, kind, displayName }: Author): object {
  return { id, kind, display_name: displayName };
}

/** The description's `Version`. */
export function presentVersion({ id, at, author, message, originalAuthor }: Omit<Version, 'location'>): object {
  const version = { id, created_at: formatTime(at), author: presentAuthor(author), message };
  if (originalAuthor === null) return version;
  const { name, email } = originalAuthor;
  return {
    ...version,
    original_author: { name, email, at: formatTimeOrNull(originalAuthor.at) },
  };
}

/** One claim stands for all: the one on the whole document, or else the oldest. */
function presentClaim(claims: readonly Claim[]): object | null {
  const claim = claims.find(({ section }) => section === null) ?? claims[0];
  if (claim === undefined) return null;
  return { holder: presentAuthor(claim.holder), section: claim.section, expires_at: formatTime(claim.expiresAt) };
}

/** The description's `Source`; null outside of mirrors. */
export function presentSource(source: MirrorSource | undefined): object | null {
  if (source === undefined) return null;
  const { connectorId, connectorName, kind, path, version, syncedAt } = source;
  const connector = { id: connectorId, display_name: connectorName };
  return { connector, kind, path, version, synced_at: formatTimeOrNull(syncedAt) };
}

/** The description's `Document`: the record without its content, as of one version. */
export function presentDocument(document: Document, version: Version = document.current): object {
  return {
    id: document.id,
    location: document.location,
    name: document.name,
    kind: version.kind,
    media_type: version.mediaType,
    size: version.size,
    sha256: version.sha256,
    etag: formatEtag(version.id),
    version: presentVersion(version),
    created_at: formatTime(document.createdAt),
    updated_at: formatTime(version.at),
    labels: document.labels,
    read_only: document.readOnly,
    source: presentSource(document.source),
    claim: presentClaim(document.claims),
  };
}

/** 200 with the document as it is now, and its ETag. */
export function presentWrittenDocument(document: Document): Answer {
  return answerJson(200, presentDocument(document), { ETag: formatEtag(document.current.id) });
}
