import { noteDocument, noteSearch } from '../../changes/index-changes.js';
import { requireFree, requireNoFolderGrant, requireWritable } from '../../changes/location-guards.js';
import { requireNoTwin } from '../../changes/portable-names.js';
import { recordEvent, type Decision } from '../../changes/record-event.js';
import { requireUnclaimed } from '../../changes/require-unclaimed.js';
import type { WriteContext } from '../../changes/write-context.js';
import type { Document } from '../../domain/document.js';
import { nameOf, parentOf, type Location } from '../../domain/location.js';
import { conflict, notFound, Refusal } from '../../domain/refusal.js';
import { roleContains } from '../../domain/role.js';
import { runAtOnce } from '../../scheduling/in-steps.js';
import type { DeletedRow } from '../../sidecar/tables/document-table.js';
import { descend, toDocument } from '../../view/locate.js';
import type { WriteOperation } from '../operation.js';

export interface UndeleteDocumentInput {
  readonly location: Location;
  /** Which of the documents deleted there; the last one when left out. */
  readonly documentId?: string | undefined;
}

/**
 * @throws Refusal NOT_FOUND when nothing that the caller may edit was deleted there; CONFLICT `location_occupied`,
 * `claimed`; INVALID_REQUEST `read_only_source`
 */
function decideUndelete(
  context: WriteContext,
  { location, documentId }: UndeleteDocumentInput,
): { readonly decision: Decision; readonly deleted: DeletedRow } {
  const { tables } = context.transaction;
  // `perform` has checked that the caller may undelete here. The choice among several deleted documents is a choice
  // among rows, by the same reach.
  const deleted = tables.documents
    .deletedAt(location)
    .filter(({ id }) => documentId === undefined || id === documentId)
    .find((row) => roleContains(context.reach.roleOn(row.id, location), 'editor'));
  if (deleted === undefined) throw notFound();
  requireUnoccupied(context, location);
  requireUnclaimed(context, { row: deleted, location });
  requireWritable(tables, descend(tables, parentOf(location)).folder.mirror);
  const last = tables.versions.bySequence(deleted.number, deleted.sequence);
  if (last === undefined) throw new Error('A deleted document lost its last version.');
  const { mediaType } = last;
  const decision = {
    event: { type: 'undelete', documentId: deleted.id, location, mediaType } as const,
    files: [{ location, mediaType, content: last }],
    message: null,
    known: { deleted: new Map([[deleted.id, deleted]]) },
  };
  return { decision, deleted };
}

function requireUnoccupied(context: WriteContext, location: Location): void {
  try {
    const steps = requireFree(context, location);
    requireNoFolderGrant(context, location);
    requireNoTwin(context, location, steps);
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'CONFLICT') throw error;
    const { location: there = location } = error.details as { readonly location?: Location };
    throw conflict('location_occupied', `Something else lives at "${there}" now. Rename or move that first.`, {
      location: there,
    });
  }
}

/**
 * Undeletes the last document deleted at the location that the caller may edit, or the named one, as a new version of
 * itself. Missing folders are created again.
 * @throws Refusal as `decideUndelete`, and INVALID_REQUEST `storage_quota`
 */
export function applyUndelete(context: WriteContext, input: UndeleteDocumentInput): Document {
  const { tables, now } = context.transaction;
  const { location } = input;
  const { decision, deleted } = decideUndelete(context, input);
  const { versionId, written } = runAtOnce(recordEvent(context, decision));
  const [made] = written;
  if (made?.folder === undefined) throw new Error('An undelete wrote no version.');
  const { folder, version } = made;
  const row = {
    number: deleted.number,
    id: deleted.id,
    folder: folder.row.number,
    name: nameOf(location),
    createdAt: deleted.createdAt,
    current: version,
    isLabelled: true,
    isClaimed: true,
  };
  const document = toDocument(tables, { row, location, mirror: folder.mirror }, now);
  noteSearch(context, versionId, noteDocument(document));
  return document;
}

/** Undoes a deletion at a location in the caller's reach. Editor there, or of the deleted document itself. */
export const undeleteDocument: WriteOperation<UndeleteDocumentInput, Document> = {
  kind: 'write',
  name: 'document.undelete',
  needs: ({ location }) => [{ role: 'editor', location, deleted: true }],
  note: ({ location }) => ({ target: location }),
  run: (context, input) => applyUndelete(context, input),
  noteResult: (document) => ({ version: document.current.id, documentId: document.id }),
  documentNumber: (document) => document.number,
};
