import type { Document, Version } from '../domain/document.js';
import type { Location } from '../domain/location.js';
import type { OriginalAuthor } from '../domain/original-author.js';
import type { KnownRows } from '../history/projection.js';
import { runAtOnce } from '../scheduling/in-steps.js';
import { preconditionHolds, type Precondition } from '../domain/etag.js';
import { conflict, notFound, type Refusal } from '../domain/refusal.js';
import type { RefusalDetails } from '../domain/refusal-details.js';
import { claimsOn, type ClaimedDocument } from '../view/find-claims.js';
import { findDocument, toDocument, type FoundDocument } from '../view/locate.js';
import { declareUtf8, fitMediaType } from '../text/charset.js';
import { noteDocument, noteSearch } from './index-changes.js';
import { requireWritable } from './location-guards.js';
import { findByHeadings, type FindAgain } from './find-section-again.js';
import { followSections } from './follow-section.js';
import { requireHeld, requireUnclaimed } from './require-unclaimed.js';
import { readPrepared, type PreparedVersion, type ReadSections } from './read-sections.js';
import { recordEvent, type Decision } from './record-event.js';
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

export interface Update {
  readonly location: Location;
  readonly precondition: Precondition;
  readonly content: PreparedVersion;
  /** Left out: keeps the document's media type. */
  readonly mediaType?: string | undefined;
  /** Whether the content was written as characters, and so is UTF-8: a media type that is kept declares no other. */
  readonly isUtf8?: boolean | undefined;
  readonly message: string | null;
  /** Who wrote it, according to the source of an import. */
  readonly originalAuthor?: OriginalAuthor | undefined;
  /** A claim on which the writer relies. */
  readonly claimId?: string | undefined;
  /** The document there in this state. Left out: it is looked up. */
  readonly found?: FoundDocument | undefined;
}

/** The decision on a new version of a live document, after all checks. */
export interface DecidedVersion {
  readonly decision: Decision;
  readonly found: FoundDocument & Pick<ClaimedDocument, 'claims'>;
  /** The sections of the new text. */
  readonly readNext: ReadSections;
  /** Finds the sections of the text that it replaces. */
  readonly findAgain: FindAgain;
}

/** @throws Refusal NOT_FOUND; CONFLICT `stale_if_match`, `claimed`, `claim_lost`; INVALID_REQUEST `read_only_source` */
function decideUpdate(context: WriteContext, change: Update): DecidedVersion {
  const { location, content, message, originalAuthor } = change;
  const { tables, now } = context.transaction;
  const current = requireCurrent(context, location, change.precondition, change.found);
  const found = { ...current, claims: claimsOn(tables, current, now) };
  const readNext = readPrepared(content);
  requireHeld(context, found, change.claimId);
  const replaced = { version: found.row.current, read: content.before };
  const findAgain = findByHeadings(context.transaction, replaced, readNext);
  requireChangeable(context, found, readNext, findAgain);
  const kept = found.row.current.mediaType;
  // Another writer may have changed what the document declares since the content was read.
  const mediaType = fitMediaType(change.mediaType ?? (change.isUtf8 === true ? declareUtf8(kept) : kept), content);
  const decision = {
    event: { type: 'update', documentId: found.row.id, location, mediaType } as const,
    files: [{ location, mediaType, content, prepared: content }],
    message,
    originalAuthor,
    known: knownRow(found),
  };
  return { decision, found, readNext, findAgain };
}

/** Gives a document a version. @throws Refusal as `decideUpdate`, and INVALID_REQUEST `storage_quota` */
export function applyUpdate(context: WriteContext, change: Update): Document {
  return recordVersion(context, decideUpdate(context, change));
}

/** Writes a version of a live document, and updates claims and the search index. */
export function recordVersion(
  context: WriteContext,
  { decision, found, readNext, findAgain }: DecidedVersion,
): Document {
  const { tables, now } = context.transaction;
  const { versionId, written } = runAtOnce(recordEvent(context, decision));
  const [made] = written;
  if (made === undefined) throw new Error(`A ${decision.event.type} wrote no version.`);
  followSections(context, found, readNext, findAgain);
  const row = { ...found.row, current: made.version };
  const { location, mirror } = found;
  const document = toDocument(tables, { row, location, mirror }, now);
  noteSearch(context, versionId, noteDocument(document));
  return document;
}

/** The row of a found document, for the projection. */
export function knownRow({ row, location }: FoundDocument): KnownRows {
  return { live: new Map([[row.id, { number: row.number, sequence: row.current.sequence, location }]]) };
}
