import type { Location } from '../domain/location.js';
import { invalidRequest, notFound, type Refusal } from '../domain/refusal.js';
import type { Steps } from '../scheduling/in-steps.js';
import { deleteRows } from '../history/folder-rows.js';
import { findFolder } from '../view/locate.js';
import { noteSearch } from './index-changes.js';
import { requireNoMirrorBelow, requireWritable } from './location-guards.js';
import { momentOf, writeCommit, type WriteContext } from './write-context.js';
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

/** Documents that are changed at once, at most: writers wait for all of them. */
export const maxDocumentsAtOnce = 10_000;
/**
 * Hides a folder with everything in it: one commit, one tree edit. Everything stays and can be brought back, as one or
 * document by document. Grants on the path stay too, as they do when a folder empties.
 * @throws Refusal NOT_FOUND; CONFLICT `claimed` when another principal has a claim in it; INVALID_REQUEST
 * `workspace_root`, `read_only_source`, `too_many_documents`
 */
export function* applyDeleteFolder(context: WriteContext, location: Location): Steps<FolderDeletionResult> {
  const { tables, now } = context.transaction;
  if (location === '') {
    throw invalidRequest('workspace_root', 'The workspace itself is no folder to delete. Delete what is in it.', {
      field: 'location',
    });
  }
  const folder = findFolder(tables, location);
  if (folder === undefined) throw notFound();
  requireNoneClaimed(context, location);
  requireWritable(folder.mirror);
  requireNoMirrorBelow(context, location);
  const found = tables.deletions.documentsBelow(folder.row.number, location, maxDocumentsAtOnce + 1);
  if (found.length > maxDocumentsAtOnce) throw tooManyDocuments();
  yield;
  const versionId = writeCommit(context, [{ location, entry: null }], {
    operation: 'delete-folder',
    subject: `Delete folder ${location}`,
    message: null,
    trailers: [['Folder', location]],
  });
  const deletion = { commit: versionId, author: context.author.id, at: now, moment: momentOf(context) };
  yield* deleteRows(tables, { number: folder.row.number, location }, found, deletion);
  noteSearch(context, versionId, ...found.map((each) => ({ type: 'remove', location: each.location }) as const));
  return { location, deletedAt: now, documents: found.length, versionId };
}

function tooManyDocuments(): Refusal {
  const message = `The folder holds more than ${maxDocumentsAtOnce} documents. Delete the folders in it one by one.`;
  return invalidRequest('too_many_documents', message, { field: 'location', limit: maxDocumentsAtOnce });
}
