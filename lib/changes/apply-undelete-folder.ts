import type { Folder } from '../domain/document.js';
import type { Location } from '../domain/location.js';
import { conflict, notFound } from '../domain/refusal.js';
import { findFolderDeletion } from '../history/find-folder-deletion.js';
import type { Steps } from '../scheduling/in-steps.js';
import { descend, toFolder } from '../view/locate.js';
import { noteSearch, noteWritten } from './index-changes.js';
import { requireWritable } from './location-guards.js';
import { recordEvent, type Decision } from './record-event.js';
import { fileOf, restoredBy, ReturnPlan, type Obstacle, type Returning } from './undelete-plan.js';
import type { WriteContext } from './write-context.js';

/** The result of a folder's undeletion. */
export interface FolderUndeletion {
  readonly folder: Folder;
  /** Number of restored documents. */
  readonly documents: number;
  /** Documents, and folders that stay without any, that were not restored, because something else lives there now. */
  readonly leftAlone: readonly LeftDeleted[];
  readonly versionId: string;
}

interface LeftDeleted {
  readonly location: Location;
  readonly reason: Obstacle;
}

/**
 * @throws Refusal NOT_FOUND when there is none; CONFLICT `location_occupied` when a document lives there or nothing can
 * come back; INVALID_REQUEST `read_only_source`
 */
function* decideUndeleteFolder(
  context: WriteContext,
  location: Location,
): Steps<{ readonly decision: Decision; readonly leftAlone: readonly LeftDeleted[] }> {
  const { tables } = context.transaction;
  const found = yield* findFolderDeletion(tables, location);
  if (found === undefined) throw notFound();
  const { documents } = found;
  requireWritable(tables, descend(tables, location).folder.mirror);
  const plan = new ReturnPlan(context.view, context.caller.principalId);
  const returning: Returning[] = [];
  const leftAlone: LeftDeleted[] = [];
  for (const deleted of documents) {
    const obstacle = plan.take(deleted);
    if (obstacle === undefined) returning.push(deleted);
    else leftAlone.push({ location: deleted.location, reason: obstacle });
    yield;
  }
  const kept: Location[] = [];
  for (const folder of found.kept) {
    if (plan.hasTwin(folder)) leftAlone.push({ location: folder, reason: 'location_occupied' });
    else kept.push(folder);
    yield;
  }
  if (returning.length === 0 && kept.length === 0) {
    throw conflict('location_occupied', `Nothing of "${location}" can come back where it was.`, { location });
  }
  leftAlone.sort((one, other) => (one.location < other.location ? -1 : 1));
  const decision: Decision = {
    event: { type: 'undelete-folder', location, kept, restored: returning.map(restoredBy) },
    files: returning.map(fileOf),
    message: null,
    known: { deleted: new Map(returning.map((each) => [each.id, each])) },
  };
  return { decision, leftAlone };
}

/**
 * Undeletes the last folder deleted at the location, by one commit. Every document still deleted by that deletion
 * returns as a new version of itself. Folders in it that were made to stay return too. Documents since restored singly,
 * or erased, do not take part.
 * @throws Refusal as `decideUndeleteFolder`, and INVALID_REQUEST `storage_quota`
 */
export function* applyUndeleteFolder(context: WriteContext, location: Location): Steps<FolderUndeletion> {
  const { decision, leftAlone } = yield* decideUndeleteFolder(context, location);
  const { versionId, written } = yield* recordEvent(context, decision);
  noteSearch(context, versionId, ...(yield* noteWritten(context, written)));
  return { folder: toFolder(location, null), documents: written.length, leftAlone, versionId };
}
