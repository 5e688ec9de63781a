import { isWithin, type Location } from '../domain/location.js';
import { conflict, type Refusal } from '../domain/refusal.js';
import type { ClaimRow } from '../sidecar/tables/claim-table.js';
import { findClaims, mayHolderEdit, type ClaimedDocument } from '../view/find-claims.js';
import { ClaimedLines, findSectionAgain, nobodyKnows, type FindAgain } from './find-section-again.js';
import type { PlacedSection, ReadSections } from './read-sections.js';
import { findDocumentById, locationOfFolder } from '../view/locate.js';
import type { WriteContext } from './write-context.js';
import type { Tables } from '../sidecar/tables.js';

/** CONFLICT `claimed`, with the claim's holder and end, so that the writer can wait or ask. */
export function claimed(claim: ClaimRow): Refusal {
  const isWidened = claim.section !== null && claim.sectionDigest === null;
  return conflict(
    'claimed',
    isWidened
      ? 'Someone else has claimed a section whose heading is gone, or of a very long text, so that the claim holds the whole document. Wait for release or expiry, or ask them.'
      : 'Someone else has claimed this and is working on it. Wait for release or expiry, or ask them.',
    { claim: { holder: claim.holder, expiresAt: claim.expiresAt, section: claim.section, purpose: claim.purpose } },
  );
}

/** The caller and the state to check: a write context, or the part of one that a read has. */
export interface ClaimContext {
  readonly transaction: { readonly tables: Tables; readonly now: number };
  readonly caller: { readonly principalId: string };
}

/**
 * Requires that no other principal's claim binds the lines to change, regardless of If-Match. A claim on a section
 * allows a write that leaves the section's lines as they are, and puts them into nobody else's section. A claim whose
 * heading is gone binds the whole document.
 * @param readNext the sections of the new text; left out, the write changes everything
 * @param findAgain finds the sections of the replaced text in the new one
 * @throws Refusal CONFLICT `claimed`
 */
export function requireUnclaimed(
  context: ClaimContext,
  document: ClaimedDocument,
  readNext: ReadSections = () => undefined,
  findAgain: FindAgain = nobodyKnows,
): void {
  const { caller } = context;
  const { principalId } = caller;
  const present = findClaims(context.transaction.tables, document, context.transaction.now);
  const others = present.filter(({ holder }) => holder.id !== principalId);
  if (others.length === 0) return;
  const lines = new ClaimedLines();
  const find = (claim: ClaimRow): PlacedSection | undefined => {
    const section = findSectionAgain(claim, caller, readNext, findAgain);
    return section === null ? undefined : (readNext()?.find(section) ?? undefined);
  };
  for (const claim of present) {
    const place = claim.holder.id === principalId ? find(claim) : undefined;
    if (place !== undefined) lines.take(principalId, place);
  }
  for (const claim of others) {
    if (claim.section === null || claim.sectionDigest === null) throw claimed(claim);
    const place = find(claim);
    if (place?.digest !== claim.sectionDigest || !lines.take(claim.holder.id, place)) throw claimed(claim);
  }
}

/** The same for everything in a folder. It starts from the claims, because they are fewer than the documents. */
export function requireNoneClaimed(context: WriteContext, folder: Location): void {
  const { tables, now } = context.transaction;
  for (const claim of tables.claims.active(now)) {
    if (claim.holder.id === context.caller.principalId) continue;
    const row = tables.documents.byNumber(claim.document);
    if (row === undefined || !isWithin(folder, locationOfFolder(tables, row.folder))) continue;
    const found = findDocumentById(tables, row.id);
    if (found !== undefined && mayHolderEdit(tables, claim.holder.id, found)) throw claimed(claim);
  }
}

/**
 * Requires that the writer's claim is still in force: its own, on this document.
 * @param claimId left out: the writer relies on no claim
 * @throws Refusal CONFLICT `claim_lost`
 */
export function requireHeld(context: ClaimContext, document: ClaimedDocument, claimId: string | undefined): void {
  if (claimId === undefined) return;
  const claim = findClaims(context.transaction.tables, document, context.transaction.now).find(
    ({ id }) => id === claimId,
  );
  if (claim?.holder.id === context.caller.principalId) return;
  throw conflict(
    'claim_lost',
    'This claim is not in force any more: it ran out, was given up or was broken. Read again, then claim again.',
    { claimId },
  );
}
