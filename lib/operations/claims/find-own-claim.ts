import { claimsKeptFor, type Claim } from '../../domain/claim.js';
import { notFound } from '../../domain/refusal.js';
import { roleContains } from '../../domain/role.js';
import type { ClaimRow } from '../../sidecar/tables/claim-table.js';
import { findDocumentById } from '../../view/locate.js';
import type { WriteContext } from '../../changes/write-context.js';

/** A claim that has ended by this operation, or lasts longer by it. */
export interface ChangedClaim {
  readonly claim: Claim;
  readonly documentId: string | null;
  readonly documentNumber: number;
}

/**
 * The caller's own claim. The door asks for nothing here, since the request names no location: whose claim it is stands
 * in its row, and giving it up needs no more than to read the document. When the row is swept, and when the document is
 * erased, depends on others: to the caller it is gone as soon as it may be.
 * @throws Refusal NOT_FOUND for an unknown one and for somebody else's, for one that ended too long ago, and for one on
 * what the caller cannot read
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

/** The document that it is on, while that is there. */
export function documentIdOf(context: WriteContext, claim: ClaimRow): string | null {
  return context.transaction.tables.documents.byNumber(claim.document)?.id ?? null;
}
