import { joinLocation, type Location } from '../domain/location.js';
import type { Steps } from '../scheduling/in-steps.js';
import type { DeletedWithFolder } from '../sidecar/tables/deletion-table.js';
import { descend, findDocument, findFolder } from '../view/locate.js';
import type { Tables } from '../sidecar/tables.js';

/** What an undelete of a folder can bring back. */
interface FoundDeletion {
  /** The documents still deleted by its deletion. */
  readonly documents: readonly DeletedWithFolder[];
  readonly kept: readonly Location[];
}

/** Documents read in one step. */
const documentsInStep = 100;
/** Deletions in one step. Most locations have one. */
const deletionsInStep = 20;
/** Maximum of deletions that are passed over: each left only folders behind whose places are taken by now. */
const maxDeletions = 1000;

function* readDeleted({ deletions }: Tables, moment: number): Steps<DeletedWithFolder[]> {
  const found: DeletedWithFolder[] = [];
  for (let after = 0; ; yield) {
    const some = deletions.deletedBy(moment, after, documentsInStep);
    found.push(...some);
    const last = some.at(-1);
    if (last === undefined) return found;
    after = last.number;
  }
}

/** Of the last deletions of folders there, the first with something that can come back; no more than a few are seen. */
export function findLastDeletion(
  tables: Tables,
  location: Location,
  before: number = Number.MAX_SAFE_INTEGER,
): { readonly found: number | undefined; readonly seen: readonly number[] } {
  const { deletions } = tables;
  const seen = deletions.foldersAt(location, before, deletionsInStep);
  const found = seen.find(
    (moment) =>
      deletions.deletedBy(moment, 0, 1).length > 0 ||
      deletions.keptOf(moment).some((folder) => !isBlocked(tables, folder)),
  );
  return { found, seen };
}

/** The last deletion of a folder there with something left to restore. */
export function* findFolderDeletion(tables: Tables, location: Location): Steps<FoundDeletion | undefined> {
  let before: number | undefined = Number.MAX_SAFE_INTEGER;
  for (let passed = 0; before !== undefined && passed < maxDeletions; passed += deletionsInStep) {
    const { found, seen } = findLastDeletion(tables, location, before);
    if (found !== undefined) {
      const kept = tables.deletions.keptOf(found).filter((folder) => !isBlocked(tables, folder));
      return { documents: yield* readDeleted(tables, found), kept };
    }
    before = seen.at(-1);
    yield;
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
