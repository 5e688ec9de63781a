import { formatTime } from '../../domain/clock.js';
import type { Folder } from '../../domain/document.js';
import { createFolder } from '../../operations/folders/create-folder.js';
import { deleteFolder, type FolderDeletionResult } from '../../operations/folders/delete-folder.js';
import { exportFolder } from '../../operations/folders/export-folder.js';
import { listFolders } from '../../operations/folders/list-folders.js';
import { undeleteFolderInShort, type ShortFolderUndeletion } from '../../operations/folders/undelete-folder.js';
import { answerJson, type Answer } from '../answers/api-answer.js';
import { presentExport } from '../answers/zip-export.js';
import { jsonPost, route, type Route } from '../route.js';
import { toFolderRecord } from '../../records/folder-record.js';
import { presentPage, readPage } from './page-query.js';
import { readFolder, readSentLocation } from './read-location.js';

/** Location leads to the folder's content. */
function presentCreatedFolder(folder: Folder): Answer {
  const query = new URLSearchParams({ location: folder.location });
  return answerJson(201, toFolderRecord(folder), { Location: `/documents?${query.toString()}` });
}

function presentFolderDeletion({ location, deletedAt, documents }: FolderDeletionResult): Answer {
  return answerJson(200, { location, deleted: true, deleted_at: formatTime(deletedAt), documents });
}

function presentFolderUndeletion({ location, documents, leftAlone, versionId }: ShortFolderUndeletion): Answer {
  return answerJson(200, { location, documents, left_alone: leftAlone, version_id: versionId });
}

/** Folders, and their content as an archive. */
export const folderRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/folders',
    operation: listFolders,
    read: (request) => ({ location: readFolder(request), ...readPage(request) }),
    present: presentPage(toFolderRecord),
  }),
  route({
    ...jsonPost,
    path: '/folders',
    operation: createFolder,
    read: readSentLocation,
    present: presentCreatedFolder,
  }),
  route({
    method: 'GET',
    path: '/folders/export',
    operation: exportFolder,
    read: (request) => ({ location: readFolder(request) }),
    present: presentExport,
  }),
];

/** Deletions and undeletes of folders with everything in them. */
export const folderDeletionRoutes: readonly Route[] = [
  route({
    ...jsonPost,
    path: '/folder-deletions',
    operation: deleteFolder,
    read: readSentLocation,
    present: presentFolderDeletion,
  }),
  route({
    ...jsonPost,
    path: '/folder-undeletes',
    operation: undeleteFolderInShort,
    read: readSentLocation,
    present: presentFolderUndeletion,
  }),
];
