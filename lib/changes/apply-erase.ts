import type { Change } from '../domain/change.js';
import type { Erasure } from '../domain/erasure.js';
import { makeIdentifier } from '../domain/identifier.js';
import { parentOf, type Location } from '../domain/location.js';
import { notFound } from '../domain/refusal.js';
import { roleContains } from '../domain/role.js';
import { findDocument } from '../view/locate.js';
import { noteSearch } from './index-changes.js';
import { momentOf, writeCommit, type WriteContext } from './write-context.js';
import { dropEmptyFolders } from '../history/folder-rows.js';

type Erase = Extract<Change, { type: 'erase' }>;

/**
 * Accepts an erase: the document is deleted, as any other may be, and then taken out of everything that can be asked
 * for, with its grants, its claims, the messages about it and the answers that are kept for retries. From here on no
 * commit has it, so that what is to be rewritten is behind us. Neither a claim nor a mirror stands in the way.
 * @throws Refusal NOT_FOUND where it is not, or the caller is not its approver
 */
export function applyErase(context: WriteContext, change: Erase): Erasure {
  const { transaction, author } = context;
  const { tables, now } = transaction;
  const { id, number } = findMeant(context, change);
  const erasure: Erasure = {
    id: makeIdentifier('era', transaction.randomness),
    phase: 'accepted',
    requestedBy: author.id,
    requestedAt: now,
    finalAt: null,
    hindrance: null,
    ...tables.erasures.measure(number),
  };
  tables.grants.deleteOn({ type: 'document', documentId: id });
  tables.eraseRows.dropAtOnce(number);
  tables.idempotency.eraseAnswers(number);
  tables.erasures.accept(erasure, number, id);
  transaction.whenDurable(() => context.eraser.wake());
  return erasure;
}

interface Found {
  readonly id: string;
  readonly number: number;
}

/** The document of that id, where it lives or was deleted; nothing else is ever taken for it. */
function findMeant(context: WriteContext, { location, documentId }: Erase): Found {
  const { tables } = context.transaction;
  if (!roleContains(context.reach.roleOn(documentId, location), 'approver')) throw notFound();
  const live = findDocument(tables, location);
  if (live?.row.id === documentId) return deleteLive(context, live.row, location);
  const deleted = tables.documents.deletedAt(location).find(({ id }) => id === documentId);
  if (deleted === undefined) throw notFound();
  return deleted;
}

function deleteLive(context: WriteContext, { id, number }: Found, location: Location): Found {
  const { tables, now } = context.transaction;
  const commit = writeCommit(context, [{ location, entry: null }], {
    operation: 'delete',
    subject: `Delete ${location}`,
    message: null,
    trailers: [
      ['Document', id],
      ['Location', location],
    ],
  });
  tables.documents.markDeleted(number, now, context.author.id, commit, location);
  tables.deletions.insert(number, location, { commit, author: context.author.id, at: now, moment: momentOf(context) });
  dropEmptyFolders(tables, parentOf(location));
  noteSearch(context, commit, { type: 'remove', location });
  return { id, number };
}
