import type { Location } from '../../domain/location.js';
import { applyDeleteFolder, type FolderDeletionResult } from '../../changes/apply-delete-folder.js';
import { applyUndeleteFolder, type FolderUndeletion } from '../../changes/apply-undelete-folder.js';
import type { Obstacle } from '../../changes/undelete-plan.js';
import type { LongWriteOperation } from '../operation.js';

/** Hides a folder with everything in it, by one commit. It can be brought back as one. Editor of the folder. */
export const deleteFolder: LongWriteOperation<{ readonly location: Location }, FolderDeletionResult> = {
  kind: 'write',
  name: 'folder.delete',
  isHeavy: true,
  isLong: true,
  needs: ({ location }) => [{ role: 'editor', location, folder: true }],
  note: ({ location }) => ({ target: location }),
  run: (context, { location }) => applyDeleteFolder(context, location),
  noteResult: ({ versionId, documents }) => ({ version: versionId, detail: { documents } }),
};

/** Brings back the last folder that was deleted at a location, by one commit. Editor there. */
export const undeleteFolder: LongWriteOperation<{ readonly location: Location }, FolderUndeletion> = {
  kind: 'write',
  name: 'folder.undelete',
  isHeavy: true,
  isLong: true,
  needs: ({ location }) => [{ role: 'editor', location, folder: true }],
  note: ({ location }) => ({ target: location }),
  run: (context, { location }) => applyUndeleteFolder(context, location),
  noteResult: ({ versionId, documents, leftAlone }) => ({
    version: versionId,
    detail: { documents, left_alone: leftAlone.length },
  }),
};

/** What the return of a folder leaves to say without naming a document. */
export interface ShortFolderUndeletion {
  readonly location: Location;
  readonly documents: number;
  /** How many stayed deleted, by what stands against them. */
  readonly leftAlone: Readonly<Record<Obstacle, number>>;
  readonly versionId: string;
}

/** The same with a result that may be kept for a retry: where single documents lay must not outlive their erase. */
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
  noteResult: ({ versionId, documents, leftAlone }) => ({
    version: versionId,
    detail: { documents, left_alone: Object.values(leftAlone).reduce((sum, count) => sum + count, 0) },
  }),
};
