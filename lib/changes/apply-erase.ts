import type { Change } from '../domain/change.js';
import type { Erasure } from '../domain/erasure.js';
import { makeIdentifier } from '../domain/identifier.js';
import { parentOf, type Location } from '../domain/location.js';
import { notFound } from '../domain/refusal.js';
import { roleContains } from '../domain/role.js';
import { findDocument } from '../view/locate.js';
import { noteSearch } from './index-changes.js';
import { dropEmptyFolders } from './location-guards.js';
import { momentOf, writeCommit, type Pen } from './write-context.js';

type Erase = Extract<Change, { type: 'erase' }>;

/**
 * Accepts an erase: the document is deleted, as any other may be, and then taken out of everything that can be asked
 * for, with its grants, its claims, the messages about it and the answers that are kept for retries. From here on no
 * commit has it, so that what is to be rewritten is behind us. Neither a claim nor a mirror stands in the way.
 * @throws Refusal NOT_FOUND where it is not, or the caller is not its approver
 */
export function applyErase(pen: Pen, change: Erase): Erasure {
  const { turn, author } = pen;
  const { tables, now } = turn;
  const { id, number } = findMeant(pen, change);
  const erasure: Erasure = {
    id: makeIdentifier('era', turn.randomness),
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
  turn.whenDurable(() => pen.eraser.wake());
  return erasure;
}

interface Found {
  readonly id: string;
  readonly number: number;
}

/** The document of that id, where it lives or was deleted; nothing else is ever taken for it. */
function findMeant(pen: Pen, { location, documentId }: Erase): Found {
  const { tables } = pen.turn;
  if (!roleContains(pen.reach.roleOn(documentId, location), 'approver')) throw notFound();
  const live = findDocument(tables, location);
  if (live?.row.id === documentId) return deleteLive(pen, live.row, location);
  const deleted = tables.documents.deletedAt(location).find(({ id }) => id === documentId);
  if (deleted === undefined) throw notFound();
  return deleted;
}

function deleteLive(pen: Pen, { id, number }: Found, location: Location): Found {
  const { tables, now } = pen.turn;
  const commit = writeCommit(pen, [{ location, entry: null }], {
    operation: 'delete',
    subject: `Delete ${location}`,
    message: null,
    trailers: [
      ['Document', id],
      ['Location', location],
    ],
  });
  tables.documents.markDeleted(number, now, pen.author.id, commit, location);
  tables.deletions.insert(number, location, { commit, author: pen.author.id, at: now, moment: momentOf(pen) });
  dropEmptyFolders(tables, parentOf(location));
  noteSearch(pen, commit, { type: 'remove', location });
  return { id, number };
}
