import type { Document } from '../domain/document.js';
import type { Precondition } from '../domain/etag.js';
import type { Location } from '../domain/location.js';
import { notFound } from '../domain/refusal.js';
import { knownRow, recordVersion, requireCurrent, type DecidedVersion } from './apply-update.js';

import { findByHeadings } from './find-section-again.js';
import { requireWritable } from './location-guards.js';
import { readOnce, type ReadText } from './read-sections.js';
import { requireHeld, requireUnclaimed } from './require-unclaimed.js';
import type { WriteContext } from './write-context.js';

export interface Restore {
  readonly location: Location;
  readonly precondition: Precondition;
  readonly versionId: string;
  /** The content as text, for claims on sections. Undefined for binary content, and for content not read. */
  readonly text: string | undefined;
  /** The text that it replaces, where sections of it are claimed. */
  readonly before?: ReadText | undefined;
  readonly message: string | null;
  readonly claimId?: string | undefined;
}

/**
 * @throws Refusal NOT_FOUND, also when the document has no such version; CONFLICT `stale_if_match`, `claimed`,
 * `claim_lost`; INVALID_REQUEST `read_only_source`
 */
function decideRestore(context: WriteContext, change: Restore): DecidedVersion {
  const { location, message } = change;
  const found = requireCurrent(context, location, change.precondition);
  const old = context.transaction.tables.versions.byId(found.row.number, change.versionId);
  if (old === undefined) throw notFound();
  const readNext = readOnce(() => change.text);
  requireHeld(context, found, change.claimId);
  const replaced = { version: found.row.current, read: change.before };
  const findAgain = findByHeadings(context.transaction, replaced, readNext);
  requireUnclaimed(context, found, readNext, findAgain);
  requireWritable(context.transaction.tables, found.mirror);
  const { mediaType } = old;
  const decision = {
    event: { type: 'restore', documentId: found.row.id, location, mediaType, restoredVersion: old.id } as const,
    files: [{ location, mediaType, content: old }],
    message,
    known: knownRow(found),
  };
  return { decision, found, readNext, findAgain };
}

/**
 * Adds an older version's content as the newest version. The versions between stay.
 * @throws Refusal as `decideRestore`, and INVALID_REQUEST `storage_quota`
 */
export function applyRestore(context: WriteContext, change: Restore): Document {
  return recordVersion(context, decideRestore(context, change));
}
