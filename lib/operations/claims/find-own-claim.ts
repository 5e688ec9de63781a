import { claimsKeptFor, type Claim } from '../../domain/claim.js';
import { notFound } from '../../domain/refusal.js';
import { roleContains } from '../../domain/role.js';
import type { ClaimRow } from '../../sidecar/tables/claim-table.js';
import { findDocumentById } from '../../view/locate.js';
import type { WriteContext } from '../../changes/write-context.js';

/** A claim ended or extended by this operation. */
export interface ChangedClaim {
  readonly claim: Claim;
  readonly documentId: string | null;
  readonly documentNumber: number;
}

/**
 * The caller's own claim. `perform` checks no needs here, since the request names no location: the claim's row names
 * its holder. To release a claim, a caller must only be able to read the document. Other callers influence when the row
 * is swept, and when the document is erased. So to this caller the claim is gone as soon as it may be.
 * @throws Refusal NOT_FOUND for an unknown claim, another principal's claim, one that ended too long ago, and one on a
 * document that the caller cannot read
 */
export function findOwnClaim(context: WriteContext, claimId: string): ClaimRow {
  const { tables, now } = context.transaction;
  const claim = tables.claims.find(claimId);
  if (claim?.holder.id !== context.caller.principalId || claim.expiresAt + claimsKeptFor <= now) throw notFound();
  const document = tables.documents.byNumber(claim.document) ?? tables.documents.deleted(claim.document);
  if (document === undefined) throw notFound();
  const location = 'location' in document ? document.location : findDocumentById(tables, document.id)?.location;
  if (location === undefined || !roleContains(context.reach.roleOn(document.id, location), 'reader')) throw notFound();
  return claim;
}

/** The claim's document, while it exists. */
export function documentIdOf(context: WriteContext, claim: ClaimRow): string | null {
  return context.transaction.tables.documents.byNumber(claim.document)?.id ?? null;
}
