import type { Change } from '../domain/change.js';
import type { Erasure } from '../domain/erasure.js';
import { makeIdentifier } from '../domain/identifier.js';
import { parentOf, type Location } from '../domain/location.js';
import { notFound } from '../domain/refusal.js';
import { roleContains } from '../domain/role.js';
import { findDocument } from './locate.js';
import { noteSearch } from './note-search.js';
import { dropEmptyFolders } from './occupy.js';
import { momentOf, writeCommit, type Pen } from './pen.js';

/**
 * Accepts an erase: the document is deleted, as any other may be, and then taken out of everything that can be asked
 * for, with its grants, its claims, the messages about it and the answers that are kept for retries. From here on no commit has it, so that
 * what is to be rewritten is behind us. Neither a claim nor a mirror stands in the way.
 * @throws Refusal NOT_FOUND where there is nothing, or nothing of which the caller is approver
 */
export function applyErase(pen: Pen, change: Extract<Change, { type: 'erase' }>): Erasure {
  const { turn, author } = pen;
  const { tables, now } = turn;
  const { id, number } = findLive(pen, change) ?? findDeleted(pen, change.location);
  const erasure: Erasure = {
    id: makeIdentifier('era', turn.randomness),
    phase: 'accepted',
    requestedBy: author.id,
    requestedAt: now,
    finalAt: null,
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

/** Deletes the live document there, if the caller may erase it. */
function findLive(pen: Pen, { location, isDeleted }: Extract<Change, { type: 'erase' }>): Found | undefined {
  const { tables, now } = pen.turn;
  const found = isDeleted ? undefined : findDocument(tables, location);
  if (found === undefined || !roleContains(pen.reach.roleOn(found.row.id, location), 'approver')) return undefined;
  const { id, number } = found.row;
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

/** The last document deleted there of which the caller is approver. */
function findDeleted({ turn, reach }: Pen, location: Location): Found {
  const deleted = turn.tables.documents
    .deletedAt(location)
    .find((row) => roleContains(reach.roleOn(row.id, location), 'approver'));
  if (deleted === undefined) throw notFound();
  return deleted;
}
