import { formatTime, formatTimeOrNull } from '../domain/clock.js';
import type { PreviewedErase } from '../operations/documents/erase-document.js';
import type { FollowedErasure } from '../operations/documents/list-erasures.js';
import { toAuthorRecord } from './author-record.js';

/** The description's `ErasePreview`: what an erase would destroy. */
export function toErasePreviewRecord(found: PreviewedErase) {
  const { documentId, location, deletedAt, created, changed, versions, comments, bytes } = found;
  return {
    document: documentId,
    location,
    deleted_at: formatTimeOrNull(deletedAt),
    created_at: formatTime(created.at),
    created_by: toAuthorRecord(created.by),
    changed_at: formatTime(changed.at),
    changed_by: toAuthorRecord(changed.by),
    versions,
    comments,
    bytes,
    signed_in_until: formatTimeOrNull(found.recentUntil),
  };
}

/** The description's `Erasure`: the receipt of an erase, with how far it is. */
export function toErasureRecord({ by, step, ...erasure }: FollowedErasure) {
  return {
    id: erasure.id,
    requested_at: formatTime(erasure.requestedAt),
    requested_by: toAuthorRecord(by),
    versions: erasure.versions,
    comments: erasure.comments,
    bytes: erasure.bytes,
    final_at: formatTimeOrNull(erasure.finalAt),
    hindrance: erasure.hindrance,
    phase: erasure.phase,
    step: erasure.phase === 'final' ? 'final' : (step ?? null),
    waits_for: erasure.waitsFor,
  };
}
