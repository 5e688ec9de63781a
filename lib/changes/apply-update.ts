import type { Change } from '../domain/change.js';
import type { Document, Version } from '../domain/document.js';
import { preconditionHolds, type Precondition } from '../domain/etag.js';
import { conflict, notFound, type Refusal } from '../domain/refusal.js';
import type { RefusalDetails } from '../domain/refusal-details.js';
import { findDocument, toDocument, type FoundDocument } from '../view/locate.js';
import { noteDocument, noteSearch } from './index-changes.js';
import { requireWritable } from './location-guards.js';
import { followSections, readPrepared } from './follow-section.js';
import { requireHeld, requireUnclaimed } from './require-unclaimed.js';
import { writeCommit, type WriteContext } from './write-context.js';
import { addContent, recordVersion } from './record-version.js';

/**
 * The live document, if it is still the one the writer knew.
 * @throws Refusal NOT_FOUND; CONFLICT `stale_if_match` with the present ETag, so that the writer can catch up
 */
export function requireCurrent(
  context: WriteContext,
  location: Parameters<typeof findDocument>[1],
  precondition: Precondition,
): FoundDocument {
  const found = findDocument(context.transaction.tables, location);
  if (found === undefined) throw notFound();
  if (!preconditionHolds(precondition, found.row.current.id)) throw stale(found.row.current);
  return found;
}

/**
 * Tells a writer that the document is not the version it knew, and which one it is now.
 * @param more what else is known about what happened
 */
export function stale(
  current: Version,
  more: Omit<RefusalDetails<'stale_if_match'>, 'reason' | 'current'> = {},
): Refusal {
  return conflict(
    'stale_if_match',
    'The document has changed since the version that the request names. Read it again, then repeat the change.',
    { current: { id: current.id, at: current.at, author: current.author }, ...more },
  );
}

/** @throws Refusal NOT_FOUND; CONFLICT `stale_if_match`, `claimed`, `claim_lost`; INVALID_REQUEST `storage_quota`, `read_only_source` */
export function applyUpdate(context: WriteContext, change: Extract<Change, { type: 'update' }>): Document {
  const { tables } = context.transaction;
  const { location, content } = change;
  const found = requireCurrent(context, location, change.precondition);
  const readNext = readPrepared(content);
  requireHeld(context, found, change.claimId);
  requireUnclaimed(context, found, readNext);
  requireWritable(found.mirror);
  addContent(context, content);
  const mediaType = change.mediaType ?? found.row.current.mediaType;
  const versionId = writeCommit(context, [{ location, entry: { mode: '100644', oid: content.blobOid } }], {
    operation: 'update',
    subject: `Update ${location}`,
    message: change.message,
    trailers: [
      ['Document', found.row.id],
      ['Location', location],
      ['Media-Type', mediaType],
    ],
  });
  const sequence = found.row.current.sequence + 1;
  recordVersion(context, {
    document: found.row.number,
    sequence,
    id: versionId,
    content,
    mediaType,
    location,
    operation: 'update',
    message: change.message,
  });
  tables.documents.advance(found.row.number, sequence);
  followSections(context, found.row.number, readNext);
  const row = tables.documents.at(found.row.folder, found.row.name);
  if (row === undefined) throw new Error('The document that was just updated is not there.');
  const document = toDocument(tables, { ...found, row }, context.transaction.now);
  noteSearch(context, versionId, noteDocument(document));
  return document;
}
