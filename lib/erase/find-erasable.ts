import { formatTime } from '../domain/clock.js';
import type { Version } from '../domain/document.js';
import type { Author } from '../domain/principal.js';
import type { Location } from '../domain/location.js';
import { conflict, notFound, type Refusal } from '../domain/refusal.js';
import type { DeletedDocument } from '../domain/refusal-details.js';
import { roleContains } from '../domain/role.js';
import type { DeletedRow } from '../sidecar/tables/document-table.js';
import { findDocument } from '../view/locate.js';
import type { View } from '../view/view.js';

/** The document named in a request to erase. */
export interface ErasableSought {
  readonly location: Location;
  /** True for the document deleted there, whether or not another lives there now. False for the live one. */
  readonly isDeleted: boolean;
  /** This document and no other, live or deleted. */
  readonly documentId?: string | undefined;
}

/** Facts that identify a document before its erase. */
export interface Erasable {
  readonly documentId: string;
  readonly location: Location;
  /** Milliseconds since 1970. Null while it lives. */
  readonly deletedAt: number | null;
  readonly created: { readonly at: number; readonly by: Author };
  readonly changed: { readonly at: number; readonly by: Author };
  readonly versions: number;
  readonly comments: number;
  readonly bytes: number;
}

/**
 * The one document to erase: either the live one or the deleted one, never the one in place of the other.
 * @throws Refusal NOT_FOUND where there is nothing, or nothing of which the caller is approver; CONFLICT
 * `several_deleted`
 */
export function findErasable(view: View, { location, isDeleted, documentId }: ErasableSought): Erasable {
  const { tables, reach } = view;
  const mayErase = ({ id }: { readonly id: string }): boolean =>
    (documentId ?? id) === id && roleContains(reach.roleOn(id, location), 'approver');
  const live = isDeleted ? undefined : findDocument(tables, location)?.row;
  if (live !== undefined && mayErase(live)) {
    return describe(view, { ...live, location, sequence: live.current.sequence, deletedAt: null });
  }
  if (!isDeleted && documentId === undefined) throw notFound();
  const deleted = tables.documents.deletedAt(location).filter(mayErase);
  if (deleted.length > 1) throw severalDeleted(view, deleted);
  const [only] = deleted;
  if (only === undefined) throw notFound();
  return describe(view, { ...only, location });
}

function describe(
  { tables }: View,
  found: {
    readonly id: string;
    readonly number: number;
    readonly location: Location;
    readonly sequence: number;
    readonly deletedAt: number | null;
  },
): Erasable {
  const { id, number, location, sequence, deletedAt } = found;
  const versionAt = (place: number): Version => {
    const version = tables.versions.bySequence(number, place);
    if (version === undefined) throw new Error(`Document ${id} has no version ${place}.`);
    return version;
  };
  const [first, last] = [versionAt(1), versionAt(sequence)];
  return {
    documentId: id,
    location,
    deletedAt,
    created: { at: first.at, by: first.author },
    changed: { at: last.at, by: last.author },
    ...tables.erasures.measure(number),
  };
}

/** Maximum of documents that a refusal names. */
const maxNamed = 20;

function severalDeleted({ tables }: View, deleted: readonly DeletedRow[]): Refusal {
  const documents = deleted.slice(0, maxNamed).map(({ id, number, deletedAt }): DeletedDocument => {
    const made = tables.versions.bySequence(number, 1);
    return { id, deletedAt, ...(made === undefined ? {} : { created: { at: made.at, by: made.author.displayName } }) };
  });
  const named = documents
    .map(({ id, deletedAt, created }) => {
      const made = `made ${created && formatTime(created.at)} by ${created?.by}`;
      return `${id} (${made}, deleted ${formatTime(deletedAt)})`;
    })
    .join(', ');
  return conflict(
    'several_deleted',
    `${deleted.length} documents were deleted there, the last first: ${named}. Name the one that is meant by its id.`,
    { documents },
  );
}
