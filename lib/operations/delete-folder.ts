import type { Location } from '../domain/location.js';
import type { FolderDeletionResult } from '../workspace/apply-delete-folder.js';
import type { FolderUndeletion } from '../workspace/apply-undelete-folder.js';
import { applyChange } from '../workspace/commit.js';
import type { WriteOperation } from './operation.js';

/** Hides a folder with everything in it, by one commit. It can be brought back as one. Editor of the folder. */
export const deleteFolder: WriteOperation<{ readonly location: Location }, FolderDeletionResult> = {
  kind: 'write',
  name: 'folder.delete',
  needs: ({ location }) => [{ role: 'editor', location }],
  note: ({ location }) => ({ target: location }),
  run: (pen, { location }) => applyChange(pen, { type: 'delete-folder', location }),
  noteResult: ({ versionId, documents }) => ({ version: versionId, detail: { documents } }),
};

/** Brings back the last folder that was deleted at a location, by one commit. Editor there. */
export const undeleteFolder: WriteOperation<{ readonly location: Location }, FolderUndeletion> = {
  kind: 'write',
  name: 'folder.undelete',
  needs: ({ location }) => [{ role: 'editor', location }],
  note: ({ location }) => ({ target: location }),
  run: (pen, { location }) => applyChange(pen, { type: 'undelete-folder', location }),
  noteResult: ({ versionId, documents, leftAlone }) => ({
    version: versionId,
    detail: { documents, left_alone: leftAlone.length },
  }),
};
