import { parentOf, type Location } from '../domain/location.js';
import { invalidRequest, notFound } from '../domain/refusal.js';
import { findFolder } from './locate.js';
import { noteSearch } from './note-search.js';
import { dropEmptyFolders, requireNoMirrorBelow, requireWritable } from './occupy.js';
import { momentOf, writeCommit, type Pen } from './pen.js';
import { requireNoneClaimed } from './require-unclaimed.js';

/** What the delete of a folder leaves to say. */
export interface FolderDeletionResult {
  readonly location: Location;
  /** Milliseconds since 1970. */
  readonly deletedAt: number;
  /** How many documents went with it. */
  readonly documents: number;
  /** The commit that took it away. */
  readonly versionId: string;
}

/**
 * Hides a folder with everything in it: one commit, one tree edit. Everything stays and can be brought back, as one or
 * document by document. Grants on the path stay too, as they do when a folder empties.
 * @throws Refusal NOT_FOUND; CONFLICT `claimed` when somebody else has a claim in it; INVALID_REQUEST
 * `workspace_root`, `read_only_source`
 */
export function applyDeleteFolder(pen: Pen, location: Location): FolderDeletionResult {
  const { tables, now } = pen.turn;
  if (location === '') {
    throw invalidRequest('workspace_root', 'The workspace itself is no folder to delete. Delete what is in it.', {
      field: 'location',
    });
  }
  const folder = findFolder(tables, location);
  if (folder === undefined) throw notFound();
  requireNoneClaimed(pen, location);
  requireWritable(folder.mirror);
  requireNoMirrorBelow(pen, location);
  const versionId = writeCommit(pen, [{ location, entry: null }], {
    operation: 'delete-folder',
    subject: `Delete folder ${location}`,
    message: null,
    trailers: [['Folder', location]],
  });
  const documents = tables.deletions.deleteFolder(folder.row.number, location, {
    commit: versionId,
    author: pen.author.id,
    at: now,
    moment: momentOf(pen),
  });
  dropEmptyFolders(tables, parentOf(location));
  const gone = tables.deletions.placesDeletedBy(versionId);
  noteSearch(pen, versionId, ...gone.map((place) => ({ type: 'remove', location: place }) as const));
  return { location, deletedAt: now, documents, versionId };
}
