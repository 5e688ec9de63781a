import type { Change } from '../domain/change.js';
import { parentOf, type Location } from '../domain/location.js';
import { noteSearch } from './index-changes.js';
import { requireWritable } from './location-guards.js';
import { requireHeld, requireUnclaimed } from './require-unclaimed.js';
import { requireCurrent } from './apply-update.js';
import { momentOf, writeCommit, type WriteContext } from './write-context.js';
import { dropEmptyFolders } from '../history/folder-rows.js';

/** What a delete leaves to say. */
export interface Deletion {
  readonly documentId: string;
  readonly location: Location;
  /** Milliseconds since 1970. */
  readonly deletedAt: number;
  /** The commit that took it away. */
  readonly versionId: string;
}

/** Hides the document; everything about it stays and can be brought back. @throws as an update does */
export function applyDelete(context: WriteContext, change: Extract<Change, { type: 'delete' }>): Deletion {
  const { tables, now } = context.transaction;
  const { location } = change;
  const found = requireCurrent(context, location, change.precondition);
  requireHeld(context, found, change.claimId);
  requireUnclaimed(context, found);
  requireWritable(found.mirror);
  const versionId = writeCommit(context, [{ location, entry: null }], {
    operation: 'delete',
    subject: `Delete ${location}`,
    message: null,
    trailers: [
      ['Document', found.row.id],
      ['Location', location],
    ],
  });
  tables.documents.markDeleted(found.row.number, now, context.author.id, versionId, location);
  tables.deletions.insert(found.row.number, location, {
    commit: versionId,
    author: context.author.id,
    at: now,
    moment: momentOf(context),
  });
  dropEmptyFolders(tables, parentOf(location));
  noteSearch(context, versionId, { type: 'remove', location });
  return { documentId: found.row.id, location, deletedAt: now, versionId };
}
