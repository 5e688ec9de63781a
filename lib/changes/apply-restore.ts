import type { Change } from '../domain/change.js';
import type { Document } from '../domain/document.js';
import { notFound } from '../domain/refusal.js';
import { requireCurrent } from './apply-update.js';
import { followSections, readOnce } from './follow-section.js';
import { toDocument } from '../view/locate.js';
import { noteDocument, noteSearch } from './index-changes.js';
import { requireWritable } from './location-guards.js';
import { writeCommit, type WriteContext } from './write-context.js';
import { recordVersion } from './record-version.js';
import { takeRoom } from './quota.js';
import { requireHeld, requireUnclaimed } from './require-unclaimed.js';

/**
 * Adds an older version's content as the newest version; the ones between stay.
 * @throws Refusal NOT_FOUND, also when the document has no such version; CONFLICT `stale_if_match`, `claimed`,
 * `claim_lost`; INVALID_REQUEST `storage_quota`, `read_only_source`
 */
export function applyRestore(context: WriteContext, change: Extract<Change, { type: 'restore' }>): Document {
  const { tables, now } = context.transaction;
  const { location, message } = change;
  const found = requireCurrent(context, location, change.precondition);
  const old = tables.versions.byId(found.row.number, change.versionId);
  if (old === undefined) throw notFound();
  const readNext = readOnce(() => change.text);
  requireHeld(context, found, change.claimId);
  requireUnclaimed(context, found, readNext);
  requireWritable(found.mirror);
  takeRoom(context, old.size);
  const versionId = writeCommit(context, [{ location, entry: { mode: '100644', oid: old.blobOid } }], {
    operation: 'restore',
    subject: `Restore ${location}`,
    message,
    trailers: [
      ['Document', found.row.id],
      ['Location', location],
      ['Media-Type', old.mediaType],
      ['Restored-Version', old.id],
    ],
  });
  const sequence = found.row.current.sequence + 1;
  recordVersion(context, {
    document: found.row.number,
    sequence,
    id: versionId,
    content: old,
    mediaType: old.mediaType,
    location,
    operation: 'restore',
    message,
  });
  tables.documents.advance(found.row.number, sequence);
  followSections(context, found.row.number, readNext);
  const row = tables.documents.at(found.row.folder, found.row.name);
  if (row === undefined) throw new Error('The document that was just restored is not there.');
  const document = toDocument(tables, { ...found, row }, now);
  noteSearch(context, versionId, noteDocument(document));
  return document;
}
