import { noteSearch, noteWritten } from '../../changes/index-changes.js';
import { requireWritable } from '../../changes/location-guards.js';
import { recordEvent, type Decision } from '../../changes/record-event.js';
import { fileOf, restoredBy, ReturnPlan, type Obstacle, type Returning } from '../../changes/undelete-plan.js';
import type { WriteContext } from '../../changes/write-context.js';
import type { Folder } from '../../domain/document.js';
import type { Location } from '../../domain/location.js';
import { conflict, notFound } from '../../domain/refusal.js';
import { findFolderDeletion } from '../../history/find-folder-deletion.js';
import type { Steps } from '../../scheduling/in-steps.js';
import { descend, toFolder } from '../../view/locate.js';
import { folderExtent } from '../note-extent.js';
import type { LongWriteOperation } from '../operation.js';

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
function* applyUndeleteFolder(context: WriteContext, location: Location): Steps<FolderUndeletion> {
  const { decision, leftAlone } = yield* decideUndeleteFolder(context, location);
  const { versionId, written } = yield* recordEvent(context, decision);
  noteSearch(context, versionId, ...(yield* noteWritten(context, written)));
  return { folder: toFolder(location, null), documents: written.length, leftAlone, versionId };
}

/** Undeletes the last folder deleted at a location, by one commit. Editor there. */
export const undeleteFolder: LongWriteOperation<{ readonly location: Location }, FolderUndeletion> = {
  kind: 'write',
  name: 'folder.undelete',
  isHeavy: true,
  isLong: true,
  needs: ({ location }) => [{ role: 'editor', location, folder: true }],
  note: ({ location }) => ({ target: location }),
  run: (context, { location }) => applyUndeleteFolder(context, location),
  extentOf: (_, { location }) => folderExtent(location),
  noteResult: ({ versionId, documents, leftAlone }) => ({
    version: versionId,
    detail: { documents, left_alone: leftAlone.length },
  }),
};

/** The result of a folder's undeletion, without names of documents. */
export interface ShortFolderUndeletion extends Pick<FolderUndeletion, 'documents' | 'versionId'> {
  readonly location: Location;
  /** Numbers of documents that stayed deleted, by obstacle. */
  readonly leftAlone: Readonly<Record<Obstacle, number>>;
}

/** The same with a result that may be kept for a retry: the places of single documents must not outlive their erase. */
export const undeleteFolderInShort: LongWriteOperation<{ readonly location: Location }, ShortFolderUndeletion> = {
  kind: 'write',
  name: undeleteFolder.name,
  isHeavy: true,
  isLong: true,
  needs: (input) => undeleteFolder.needs(input),
  note: (input) => undeleteFolder.note(input),
  *run(context, input) {
    const { folder, documents, leftAlone, versionId } = yield* undeleteFolder.run(context, input, undefined);
    const counts = { location_occupied: 0, read_only_source: 0, claimed: 0 };
    for (const { reason } of leftAlone) counts[reason] += 1;
    return { location: folder.location, documents, leftAlone: counts, versionId };
  },
  extentOf: (_, { location }) => folderExtent(location),
  noteResult: ({ versionId, documents, leftAlone }) => ({
    version: versionId,
    detail: { documents, left_alone: Object.values(leftAlone).reduce((sum, count) => sum + count, 0) },
  }),
};
