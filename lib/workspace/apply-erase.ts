import { formatTime } from '../domain/clock.js';
import type { Change } from '../domain/change.js';
import type { Erasure } from '../domain/erasure.js';
import { makeIdentifier } from '../domain/identifier.js';
import { parentOf, type Location } from '../domain/location.js';
import { conflict, notFound, type Refusal } from '../domain/refusal.js';
import { roleContains } from '../domain/role.js';
import type { DeletedRow } from '../sidecar/document-table.js';
import { findDocument } from './locate.js';
import { noteSearch } from './note-search.js';
import { dropEmptyFolders } from './occupy.js';
import { momentOf, writeCommit, type Pen } from './pen.js';

type Erase = Extract<Change, { type: 'erase' }>;

/**
 * Accepts an erase: the document is deleted, as any other may be, and then taken out of everything that can be asked
 * for, with its grants, its claims, the messages about it and the answers that are kept for retries. From here on no
 * commit has it, so that what is to be rewritten is behind us. Neither a claim nor a mirror stands in the way.
 * @throws Refusal NOT_FOUND where there is nothing, or nothing of which the caller is approver; CONFLICT
 * `several_deleted`
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

/**
 * The one document that the request means: what lives there, or what was deleted there, never the one in place of the
 * other, since an erase cannot be undone and may be sent twice.
 */
function findMeant(pen: Pen, { location, isDeleted, documentId }: Erase): Found {
  const { tables } = pen.turn;
  const mayErase = ({ id }: { readonly id: string }): boolean =>
    (documentId ?? id) === id && roleContains(pen.reach.roleOn(id, location), 'approver');
  const live = isDeleted ? undefined : findDocument(tables, location);
  if (live !== undefined && mayErase(live.row)) return deleteLive(pen, live.row, location);
  if (!isDeleted && documentId === undefined) throw notFound();
  const deleted = tables.documents.deletedAt(location).filter(mayErase);
  if (deleted.length > 1) throw severalDeleted(deleted);
  const [only] = deleted;
  if (only === undefined) throw notFound();
  return only;
}

/** How many documents a refusal names. */
const mostNamed = 20;

function severalDeleted(deleted: readonly DeletedRow[]): Refusal {
  const documents = deleted.slice(0, mostNamed).map(({ id, deletedAt }) => ({ id, deleted_at: formatTime(deletedAt) }));
  const named = documents.map(({ id, deleted_at: at }) => `${id} (${at})`).join(', ');
  return conflict(
    'several_deleted',
    `${deleted.length} documents were deleted there, the last first: ${named}. Name the one that is meant by its id.`,
    { documents },
  );
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
