import { noteSearch } from '../../changes/index-changes.js';
import { requireNoMirrorBelow, requireWritable } from '../../changes/location-guards.js';
import { recordEvent, type Decision } from '../../changes/record-event.js';
import { requireNoneClaimed } from '../../changes/require-unclaimed.js';
import type { WriteContext } from '../../changes/write-context.js';
import type { Location } from '../../domain/location.js';
import { invalidRequest, notFound, type Refusal } from '../../domain/refusal.js';
import type { Steps } from '../../scheduling/in-steps.js';
import { findFolder } from '../../view/locate.js';
import { folderExtent } from '../note-extent.js';
import type { LongWriteOperation } from '../operation.js';

/** The result of a folder's deletion. */
export interface FolderDeletionResult {
  readonly location: Location;
  /** Milliseconds since 1970. */
  readonly deletedAt: number;
  /** Number of documents deleted with the folder. */
  readonly documents: number;
  /** The commit that deleted it. */
  readonly versionId: string;
}

/** Maximum of documents changed at once: writers wait for all of them. */
export const maxDocumentsAtOnce = 10_000;

/**
 * @throws Refusal NOT_FOUND; CONFLICT `claimed` when another principal has a claim in it; INVALID_REQUEST
 * `workspace_root`, `read_only_source`, `too_many_documents`
 */
function decideDeleteFolder(context: WriteContext, location: Location): Decision {
  const { tables } = context.transaction;
  if (location === '') {
    throw invalidRequest('workspace_root', 'The workspace itself is no folder to delete. Delete what is in it.', {
      field: 'location',
    });
  }
  const folder = findFolder(tables, location);
  if (folder === undefined) throw notFound();
  requireNoneClaimed(context, location);
  requireWritable(tables, folder.mirror);
  requireNoMirrorBelow(context, location);
  const inFolder = tables.deletions.documentsBelow(folder.row.number, location, maxDocumentsAtOnce + 1);
  if (inFolder.length > maxDocumentsAtOnce) throw tooManyDocuments();
  return { event: { type: 'delete-folder', location }, files: [], message: null, known: { inFolder } };
}

/**
 * Hides a folder with everything in it: one commit, one tree edit. Everything stays and can be restored, together or
 * document by document. Grants on the path stay too, as they do when a folder empties.
 * @throws Refusal as `decideDeleteFolder`
 */
export function* applyDeleteFolder(context: WriteContext, location: Location): Steps<FolderDeletionResult> {
  const decision = decideDeleteFolder(context, location);
  yield;
  const { versionId, removed } = yield* recordEvent(context, decision);
  noteSearch(context, versionId, ...removed.map((place) => ({ type: 'remove', location: place }) as const));
  return { location, deletedAt: context.transaction.now, documents: removed.length, versionId };
}

function tooManyDocuments(): Refusal {
  const message = `The folder holds more than ${maxDocumentsAtOnce} documents. Delete the folders in it one by one.`;
  return invalidRequest('too_many_documents', message, { field: 'location', limit: maxDocumentsAtOnce });
}

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
