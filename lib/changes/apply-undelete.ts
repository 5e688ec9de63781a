import type { Document } from '../domain/document.js';
import { nameOf, parentOf, type Location } from '../domain/location.js';
import { conflict, notFound, Refusal } from '../domain/refusal.js';
import { roleContains } from '../domain/role.js';
import { descend, toDocument } from '../view/locate.js';
import { noteDocument, noteSearch } from './index-changes.js';
import { requireFree, requireNoFolderGrant, requireWritable } from './location-guards.js';
import { requireUnclaimed } from './require-unclaimed.js';
import { writeCommit, type WriteContext } from './write-context.js';
import { recordVersion } from './record-version.js';
import { takeRoom } from './quota.js';
import { placeOf } from '../history/folder-rows.js';

/**
 * Brings back the last document deleted at the location that the caller may edit, as a new version of itself; folders
 * are made again where they are gone.
 * @throws Refusal NOT_FOUND when there is none; CONFLICT `location_occupied`, `claimed`; INVALID_REQUEST `storage_quota`,
 * `read_only_source`
 */
export function applyUndelete(context: WriteContext, location: Location): Document {
  const { tables } = context.transaction;
  // The door has asked whether the caller may bring back anything here; which of several deleted documents it is, is a
  // choice among rows, made by the same reach.
  const deleted = tables.documents
    .deletedAt(location)
    .find((row) => roleContains(context.reach.roleOn(row.id, location), 'editor'));
  if (deleted === undefined) throw notFound();
  requireUnoccupied(context, location);
  requireUnclaimed(context, { row: deleted, location });
  requireWritable(descend(tables, parentOf(location)).folder.mirror);
  const last = tables.versions.bySequence(deleted.number, deleted.sequence);
  if (last === undefined) throw new Error('A deleted document lost its last version.');
  takeRoom(context, last.size);
  const versionId = writeCommit(context, [{ location, entry: { mode: '100644', oid: last.blobOid } }], {
    operation: 'undelete',
    subject: `Undelete ${location}`,
    message: null,
    trailers: [
      ['Document', deleted.id],
      ['Location', location],
      ['Media-Type', last.mediaType],
    ],
  });
  const { folder, name } = placeOf(tables, location);
  const sequence = deleted.sequence + 1;
  recordVersion(context, {
    document: deleted.number,
    sequence,
    id: versionId,
    content: last,
    mediaType: last.mediaType,
    location,
    operation: 'undelete',
    message: null,
  });
  tables.documents.markLive(deleted.number, folder.row.number, name, sequence);
  const row = tables.documents.at(folder.row.number, nameOf(location));
  if (row === undefined) throw new Error('The document that was just brought back is not there.');
  const document = toDocument(tables, { row, location, mirror: folder.mirror }, context.transaction.now);
  noteSearch(context, versionId, noteDocument(document));
  return document;
}

function requireUnoccupied(context: WriteContext, location: Location): void {
  try {
    requireFree(context, location);
    requireNoFolderGrant(context, location);
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'CONFLICT') throw error;
    throw conflict('location_occupied', `Something else lives at "${location}" now. Rename or move that first.`, {
      location,
    });
  }
}
