import type { Folder } from '../domain/document.js';
import { joinLocation, keepName, type Location } from '../domain/location.js';
import { conflict, notFound } from '../domain/refusal.js';
import { keepFile } from './apply-create-folder.js';
import { bringBack, editFor, noteReturns, trailerFor } from './undelete-documents.js';
import type { Steps } from '../scheduling/in-steps.js';
import { findFolderDeletion } from '../history/find-folder-deletion.js';
import { descend, toFolder } from '../view/locate.js';
import { noteSearch } from './index-changes.js';
import { requireWritable } from './location-guards.js';
import { writeLongCommit, type PathEdit, type WriteContext } from './write-context.js';
import { ReturnPlan, type Obstacle, type Returning } from './undelete-plan.js';
import { takeRoom } from './quota.js';
import { ensureFolder } from '../history/folder-rows.js';

/** What the return of a folder leaves to say. */
export interface FolderUndeletion {
  readonly folder: Folder;
  /** How many documents are back. */
  readonly documents: number;
  /** Those that could not come back, because something else lives there now. */
  readonly leftAlone: readonly { readonly location: Location; readonly reason: Obstacle }[];
  readonly versionId: string;
}

/**
 * Brings back the last folder that was deleted at the location, by one commit: every document that is still deleted by
 * that, as a new version of itself, and the folders in it that had been made to stay. Documents that were brought back
 * singly, or erased, are not its business any more.
 * @throws Refusal NOT_FOUND when there is none; CONFLICT `location_occupied` when a document lives there or nothing can
 * come back; INVALID_REQUEST `storage_quota`, `read_only_source`
 */
export function* applyUndeleteFolder(context: WriteContext, location: Location): Steps<FolderUndeletion> {
  const { tables, now } = context.transaction;
  const found = yield* findFolderDeletion(tables, location);
  if (found === undefined) throw notFound();
  const { deletion, documents, kept } = found;
  requireWritable(descend(tables, location).folder.mirror);
  const plan = new ReturnPlan(tables, { now, callerId: context.caller.principalId });
  const returning: Returning[] = [];
  const leftAlone: { location: Location; reason: Obstacle }[] = [];
  for (const deleted of documents) {
    const obstacle = plan.take(deleted);
    if (obstacle === undefined) returning.push(deleted);
    else leftAlone.push({ location: deleted.location, reason: obstacle });
    yield;
  }
  if (returning.length === 0 && kept.length === 0) {
    throw conflict('location_occupied', `Nothing of "${location}" can come back where it was.`, { location });
  }
  takeRoom(
    context,
    returning.reduce((sum, { content }) => sum + content.size, 0),
  );
  if (kept.length > 0) context.transaction.addObject(keepFile);
  const versionId = yield* writeLongCommit(context, [...returning.map(editFor), ...kept.map(keepEdit)], {
    operation: 'undelete-folder',
    subject: `Undelete folder ${location}`,
    message: null,
    trailers: [['Folder', location], ...kept.map((folder) => ['Kept', folder] as const), ...returning.map(trailerFor)],
  });
  for (const folder of kept) tables.folders.setKept(ensureFolder(tables, folder).row.number, true);
  yield* bringBack(context, returning, versionId, 'undelete');
  noteSearch(context, versionId, ...(yield* noteReturns(context, returning)));
  if (leftAlone.length === 0) tables.deletions.forgetFolder(deletion.moment);
  leftAlone.sort((one, other) => (one.location < other.location ? -1 : 1));
  return { folder: toFolder(location, null), documents: returning.length, leftAlone, versionId };
}

function keepEdit(folder: Location): PathEdit {
  return { location: joinLocation(folder, keepName), entry: { mode: '100644', oid: keepFile.oid } };
}
