import type { Document } from '../../domain/document.js';
import type { Location } from '../../domain/location.js';
import { notFound } from '../../domain/refusal.js';
import { roleContains } from '../../domain/role.js';
import type { WriteContext } from '../../changes/write-context.js';
import { findDocument, toDocument, type FoundDocument } from '../../view/locate.js';
import type { WriteOperation } from '../operation.js';
import { isOwnRepeat } from '../own-repeat.js';
import { applyUndelete, undeleteDocument } from './undelete-document.js';

export interface UndoRemovalInput {
  readonly location: Location;
  /** The deleted version, or the commit of the deletion. */
  readonly expected: string;
}

export interface UndoneRemoval {
  readonly document: Document;
  /** Nothing was written: this very undo was already done. */
  readonly isRepeat: boolean;
}

/** Whether the live document is what this undo made, and no write followed. */
function isUndone({ transaction, author }: WriteContext, { row }: FoundDocument, expected: string): boolean {
  const { tables } = transaction;
  const [newest] = tables.history.versionsBefore(row.number, Number.MAX_SAFE_INTEGER, 1);
  const deleted = tables.versions.bySequence(row.number, row.current.sequence - 1);
  if (newest?.operation !== 'undelete' || deleted === undefined) return false;
  const deletion = tables.history.deletionBefore(row.number, newest.moment);
  if (expected !== deleted.id && expected !== deletion?.commit) return false;
  return isOwnRepeat(tables, row, author.id, { parent: deleted.id, sha256: deleted.sha256 });
}

/**
 * Brings back the document that the caller deleted at the location, if that was the last deletion there. The same again
 * finds it done. Editor there, or of the deleted document itself.
 * @throws Refusal as an undelete does; NOT_FOUND for a deletion by another principal
 */
export const undoRemoval: WriteOperation<UndoRemovalInput, UndoneRemoval> = {
  kind: 'write',
  name: undeleteDocument.name,
  needs: (input) => undeleteDocument.needs(input),
  note: (input) => undeleteDocument.note(input),
  run(context, { location, expected }) {
    const { tables, now } = context.transaction;
    const found = findDocument(tables, location);
    // The needs count deleted documents here too. They must give no right to a live one.
    const isEditor = roleContains(context.view.roleAt(location), 'editor');
    if (found !== undefined && isEditor && isUndone(context, found, expected)) {
      return { document: toDocument(tables, found, now), isRepeat: true };
    }
    const deleted = tables.documents
      .deletedAt(location)
      .find(({ id }) => roleContains(context.reach.roleOn(id, location), 'editor'));
    if (deleted?.deletedBy !== context.author.id) throw notFound();
    const last = tables.versions.bySequence(deleted.number, deleted.sequence);
    if (expected !== last?.id && expected !== deleted.commit) throw notFound();
    return { document: applyUndelete(context, { location }), isRepeat: false };
  },
  noteResult({ document, isRepeat }) {
    const note = { version: document.current.id, documentId: document.id };
    return isRepeat ? { ...note, detail: { replayed: true } } : note;
  },
};
