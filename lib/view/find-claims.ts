import { readReach } from './reach.js';
import type { Claim } from '../domain/claim.js';
import type { Location } from '../domain/location.js';
import { roleContains } from '../domain/role.js';
import type { ClaimRow } from '../sidecar/tables/claim-table.js';
import type { Tables } from '../sidecar/tables.js';

/** A document as far as claims go: live, or where it would be. */
export interface ClaimedDocument {
  /** `isClaimed` says whether it has any claims, also ended ones; left out: not known. */
  readonly row: { readonly number: number; readonly id: string; readonly isClaimed?: boolean };
  readonly location: Location;
  /** Its claims in force, where they were read already in this state. */
  readonly claims?: readonly ClaimRow[];
}

/** The document's claims in force, also those that bind nobody at present. The oldest first. */
export function claimsOn(tables: Tables, { row, claims }: ClaimedDocument, now: number): readonly ClaimRow[] {
  if (claims !== undefined) return claims;
  return row.isClaimed === false ? [] : tables.claims.on(row.number, now);
}

/** Whether the claim's holder may edit the document: a claim binds only while it may. */
export function mayHolderEdit(tables: Tables, holder: string, { row, location }: ClaimedDocument): boolean {
  return roleContains(readReach(tables, holder).roleOn(row.id, location), 'editor');
}

/** Claims that bind others now, the oldest first. Reads rights only where there are claims; such documents are few. */
export function findClaims(tables: Tables, document: ClaimedDocument, now: number): ClaimRow[] {
  return claimsOn(tables, document, now).filter((claim) => mayHolderEdit(tables, claim.holder.id, document));
}

/** A claim as shown to every reader of the document. */
export function toClaim({ id, section, sectionDigest, holder, purpose, claimedAt, expiresAt }: ClaimRow): Claim {
  return { id, section, holdsDocument: sectionDigest === null, holder, purpose, claimedAt, expiresAt };
}
