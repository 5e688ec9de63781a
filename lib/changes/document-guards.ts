import type { Version } from '../domain/document.js';
import { preconditionHolds, type Precondition } from '../domain/etag.js';
import type { Location } from '../domain/location.js';
import { conflict, notFound, type Refusal } from '../domain/refusal.js';
import type { RefusalDetails } from '../domain/refusal-details.js';
import type { KnownRows } from '../history/projection.js';
import { findDocument, type FoundDocument } from '../view/locate.js';
import type { FindAgain } from './find-section-again.js';
import { requireWritable } from './location-guards.js';
import type { ReadSections } from './read-sections.js';
import { requireUnclaimed } from './require-unclaimed.js';
import type { WriteContext } from './write-context.js';

/**
 * The live document, if it is still the version known to the writer.
 * @param found the document there in this state. Left out: it is looked up
 * @throws Refusal NOT_FOUND; CONFLICT `stale_if_match` with the present ETag, so the writer can catch up
 */
export function requireCurrent(
  context: WriteContext,
  location: Location,
  precondition: Precondition,
  found = findDocument(context.transaction.tables, location),
): FoundDocument {
  if (found === undefined) throw notFound();
  const { number, current } = found.row;
  if (preconditionHolds(precondition, current.id)) return found;
  const named = precondition.any ? [] : precondition.versionIds;
  const { versions } = context.transaction.tables;
  const isKnown = named.some((id) => versions.byId(number, id) !== undefined);
  throw stale(current, isKnown ? {} : { isUnknown: true });
}

/**
 * Requires that the document may be changed or leave its place.
 * @param readNext as for `requireUnclaimed`, like `findAgain`
 * @throws Refusal CONFLICT `claimed`; INVALID_REQUEST `read_only_source`
 */
export function requireChangeable(
  context: WriteContext,
  found: FoundDocument,
  readNext?: ReadSections,
  findAgain?: FindAgain,
): void {
  requireUnclaimed(context, found, readNext, findAgain);
  requireWritable(context.transaction.tables, found.mirror);
}

/**
 * Refuses a write based on an older version, and names the present version.
 * @param more further details of the conflict
 */
export function stale(
  current: Version,
  more: Omit<RefusalDetails<'stale_if_match'>, 'reason' | 'current'> = {},
): Refusal {
  // Reading again alone would not help who names no version at all.
  const message =
    more.isUnknown === true
      ? 'The request names no version of the document. Read it, and name the version that you read.'
      : 'The document has changed since the version that the request names. Read it again, then repeat the change.';
  return conflict('stale_if_match', message, {
    current: { id: current.id, at: current.at, author: current.author },
    ...more,
  });
}

/** The row of a found document, for the projection. */
export function knownRow({ row, location }: FoundDocument): KnownRows {
  return { live: new Map([[row.id, { number: row.number, sequence: row.current.sequence, location }]]) };
}
