import { type ClaimStanding, type OwnClaim, type PlacedClaim } from '../../domain/claim.js';
import type { Document } from '../../domain/document.js';
import { isWithin, type Location } from '../../domain/location.js';
import { makePage, type Page } from '../../domain/page.js';
import type { ClaimRow } from '../../sidecar/tables/claim-table.js';
import { mayHolderEdit, toClaim } from '../../view/find-claims.js';
import type { ReadContext, ReadOperation } from '../operation.js';
import { findReadable } from '../documents/read-text.js';

export interface ListClaimsInput {
  /** A document or a folder; the root for everything. */
  readonly location: Location;
  /** The end position of the page before; '' for the first page. */
  readonly after: string;
  readonly limit: number;
}

/** The place of a claim in a list, the oldest first. Of one length, since a sealed cursor shows its length. */
export function positionOfClaim({ claimedAt, id }: PlacedClaim): string {
  return `${String(claimedAt).padStart(16, '0')} ${id}`;
}

/** Claims in force on documents that the caller can read there. Others are left out. */
export const listClaims: ReadOperation<ListClaimsInput, Page<PlacedClaim>> = {
  kind: 'read',
  name: 'claim.list',
  needs: () => [],
  note: ({ location }) => ({ target: location }),
  run({ view }, { location, after, limit }) {
    const claims: PlacedClaim[] = [];
    for (const row of view.tables.claims.active(view.now)) {
      const document = findReadable(view, row.document);
      if (document === undefined || !isWithin(location, document.location)) continue;
      if (!document.claims.some(({ id }) => id === row.id)) continue;
      const claim = { ...toClaim(row), location: document.location };
      if (positionOfClaim(claim) <= after) continue;
      claims.push(claim);
      if (claims.length > limit) break;
    }
    return makePage(claims, limit, positionOfClaim);
  },
};

function standingOf({ view }: ReadContext, claim: ClaimRow, document: Document): ClaimStanding {
  if (claim.endedAt !== null) return 'broken';
  if (claim.expiresAt <= view.now) return 'expired';
  const mayEdit = mayHolderEdit(view.tables, claim.holder.id, { row: document, location: document.location });
  return mayEdit ? 'active' : 'suspended';
}

/**
 * The caller's own claims with their states: those in force, and those lost at `since` or later without being released.
 * A document that the caller can no longer read is not named.
 */
export function findOwnClaims(context: ReadContext, since: number, limit: number): OwnClaim[] {
  const { view, caller } = context;
  return view.tables.claims.ofHolder(caller.principalId, since, limit).flatMap((row): OwnClaim[] => {
    if (row.endedAt !== null && row.endedAt < since) return [];
    const document = findReadable(view, row.document);
    if (document === undefined) return [];
    return [{ ...toClaim(row), location: document.location, standing: standingOf(context, row, document) }];
  });
}
