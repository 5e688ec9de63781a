import type { Location } from '../../domain/location.js';
import { applyDeleteFolder, type FolderDeletionResult } from '../../changes/apply-delete-folder.js';
import { applyUndeleteFolder, type FolderUndeletion } from '../../changes/apply-undelete-folder.js';
import type { Obstacle } from '../../changes/undelete-plan.js';
import { folderExtent } from '../note-extent.js';
import type { LongWriteOperation } from '../operation.js';

/** Hides a folder with everything in it, by one commit. It can be restored as one. Editor of the folder. */
export const deleteFolder: LongWriteOperation<{ readonly location: Location }, FolderDeletionResult> = {
  kind: 'write',
  name: 'folder.delete',
  worksWhenLow: true,
  isHeavy: true,
  isLong: true,
  needs: ({ location }) => [{ role: 'editor', location, folder: true }],
  note: ({ location }) => ({ target: location }),
  run: (context, { location }) => applyDeleteFolder(context, location),
  extentOf: (_, { location }) => folderExtent(location),
  noteResult: ({ versionId, documents }) => ({ version: versionId, detail: { documents } }),
};

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
export interface ShortFolderUndeletion {
  readonly location: Location;
  readonly documents: number;
  /** Numbers of documents that stayed deleted, by obstacle. */
  readonly leftAlone: Readonly<Record<Obstacle, number>>;
  readonly versionId: string;
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
