import { knownRow, requireChangeable, requireCurrent } from '../../changes/document-guards.js';
import { findByHeadings, type FindAgain } from '../../changes/find-section-again.js';
import { followSections } from '../../changes/follow-section.js';
import { noteDocument, noteSearch } from '../../changes/index-changes.js';
import { readPrepared, type PreparedVersion, type ReadSections } from '../../changes/read-sections.js';
import { recordEvent, type Decision } from '../../changes/record-event.js';
import { requireHeld } from '../../changes/require-unclaimed.js';
import type { WriteContext } from '../../changes/write-context.js';
import type { Document } from '../../domain/document.js';
import type { Precondition } from '../../domain/etag.js';
import type { Location } from '../../domain/location.js';
import type { OriginalAuthor } from '../../domain/original-author.js';
import { runAtOnce } from '../../scheduling/in-steps.js';
import { declareUtf8, fitMediaType } from '../../text/charset.js';
import { claimsOn, type ClaimedDocument } from '../../view/find-claims.js';
import { toDocument, type FoundDocument } from '../../view/locate.js';
import type { WriteOperation } from '../operation.js';
import { prepareVersion, type ContentSource } from './content.js';

export interface UpdateDocumentInput {
  readonly location: Location;
  readonly precondition: Precondition;
  readonly content: ContentSource;
  /** Left out: keeps the document's media type. */
  readonly mediaType?: string | undefined;
  /** Whether the content was written as characters, and so is UTF-8: a media type that is kept declares no other. */
  readonly isUtf8?: boolean | undefined;
  readonly message: string | null;
  /** Who wrote it, according to the source of an import. No face but the operator's command sets it. */
  readonly originalAuthor?: OriginalAuthor | undefined;
  /** A claim on which the writer relies. Refused when the claim is no longer in force. */
  readonly claimId?: string | undefined;
}

/** The same with its content prepared. */
type Update = Omit<UpdateDocumentInput, 'content'>;

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
function decideUpdate(
  context: WriteContext,
  change: Update,
  content: PreparedVersion,
  known?: FoundDocument,
): DecidedVersion {
  const { location, message, originalAuthor } = change;
  const { tables, now } = context.transaction;
  const current = requireCurrent(context, location, change.precondition, known);
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

/**
 * Gives a document a version.
 * @param found the document there in this state. Left out: it is looked up
 * @throws Refusal as `decideUpdate`, and INVALID_REQUEST `storage_quota`
 */
export function applyUpdate(
  context: WriteContext,
  change: Update,
  content: PreparedVersion,
  found?: FoundDocument,
): Document {
  return recordVersion(context, decideUpdate(context, change, content, found));
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

/** Adds a version, if the document is still the one known to the writer. Editor. */
export const updateDocument: WriteOperation<UpdateDocumentInput, Document, PreparedVersion> = {
  kind: 'write',
  name: 'document.update',
  needs: ({ location }) => [{ role: 'editor', location }],
  note: ({ location }) => ({ target: location }),
  prepare: (context, { location, content, mediaType }) => prepareVersion(context, location, content, mediaType),
  run: (context, input, content) => applyUpdate(context, input, content),
  noteResult: (document) => ({ version: document.current.id, documentId: document.id }),
  documentNumber: (document) => document.number,
};
