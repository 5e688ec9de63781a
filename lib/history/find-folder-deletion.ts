import { joinLocation, type Location } from '../domain/location.js';
import type { Steps } from '../scheduling/in-steps.js';
import type { DeletedWithFolder, FolderDeletion } from '../sidecar/tables/deletion-table.js';
import { descend, findDocument, findFolder } from '../view/locate.js';
import { rowsInStep } from './folder-rows.js';
import type { Tables } from '../sidecar/tables.js';

interface FoundDeletion {
  readonly deletion: FolderDeletion;
  /** The documents still deleted by it. */
  readonly documents: readonly DeletedWithFolder[];
  readonly kept: readonly Location[];
}

function* readDeleted({ deletions }: Tables, commit: string): Steps<DeletedWithFolder[]> {
  const found: DeletedWithFolder[] = [];
  for (let after = 0; ; yield) {
    const some = deletions.deletedBy(commit, after, rowsInStep);
    found.push(...some);
    const last = some.at(-1);
    if (last === undefined) return found;
    after = last.number;
  }
}

/** The last deletion of a folder there with something left to restore. */
export function* findFolderDeletion(tables: Tables, location: Location): Steps<FoundDeletion | undefined> {
  const { deletions } = tables;
  for (const deletion of deletions.foldersAt(location)) {
    const documents = yield* readDeleted(tables, deletion.commit);
    const kept = deletion.kept.filter((folder) => !isBlocked(tables, folder));
    if (documents.length > 0 || kept.length > 0) return { deletion, documents, kept };
  }
  return undefined;
}

/** Whether a document lives at the folder's path, or somewhere above it. */
function isBlocked(tables: Tables, folder: Location): boolean {
  const found = findFolder(tables, folder);
  if (found !== undefined) return found.row.kept;
  const { folder: deepest, rest } = descend(tables, folder);
  const [name] = rest;
  return name !== undefined && findDocument(tables, joinLocation(deepest.location, name)) !== undefined;
}
