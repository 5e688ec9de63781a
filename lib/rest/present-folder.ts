import type { Folder } from '../domain/document.js';
import { formatTime } from '../domain/clock.js';
import type { ShortFolderUndeletion } from '../operations/folders/delete-folder.js';
import type { FolderDeletionResult } from '../changes/apply-delete-folder.js';
import { answerJson, type Answer } from './answer.js';

/** The description's `Folder`. */
export function presentFolder({ location, name, readOnly }: Folder): object {
  return { location, name, read_only: readOnly, source: null };
}

/** Location leads to what the folder holds. */
export function presentCreatedFolder(folder: Folder): Answer {
  const query = new URLSearchParams({ location: folder.location });
  return answerJson(201, presentFolder(folder), { Location: `/v1/documents?${query.toString()}` });
}

export function presentFolderDeletion({ location, deletedAt, documents }: FolderDeletionResult): Answer {
  return answerJson(200, { location, deleted: true, deleted_at: formatTime(deletedAt), documents });
}

export function presentFolderUndeletion({ location, documents, leftAlone, versionId }: ShortFolderUndeletion): Answer {
  return answerJson(200, { location, documents, left_alone: leftAlone, version_id: versionId });
}
