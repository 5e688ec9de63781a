import { readReach } from '../access/reach.js';
import { formatTime } from '../domain/clock.js';
import { isWithin, type Location } from '../domain/location.js';
import { conflict } from '../domain/refusal.js';
import { roleContains } from '../domain/role.js';
import type { ClaimRow } from '../sidecar/claim-table.js';
import { findDocumentById, locationOfFolder, type FoundDocument } from './locate.js';
import type { Pen } from './pen.js';

/** A claim binds only while its holder may still edit the document. */
function isInForce(pen: Pen, claim: ClaimRow, documentId: string, location: Location): boolean {
  return roleContains(readReach(pen.turn.tables, claim.holder.id).roleOn(documentId, location), 'editor');
}

function claimed(claim: ClaimRow): Error {
  return conflict(
    'claimed',
    'Someone else has claimed this and is working on it. Wait for release or expiry, or ask them.',
    {
      holder: { id: claim.holder.id, kind: claim.holder.kind, display_name: claim.holder.displayName },
      expires_at: formatTime(claim.expiresAt),
      section: claim.section,
    },
  );
}

/**
 * Makes sure that nobody else holds a claim on the document, whatever If-Match says.
 * @param touches whether the write reaches a claimed section; left out, it reaches all of them
 * @throws Refusal CONFLICT `claimed`
 */
export function requireUnclaimed(
  pen: Pen,
  found: FoundDocument,
  touches: (section: string) => boolean = () => true,
): void {
  for (const claim of pen.turn.tables.claims.on(found.row.number, pen.turn.now)) {
    if (claim.holder.id === pen.caller.principalId) continue;
    if (claim.section !== null && !touches(claim.section)) continue;
    if (isInForce(pen, claim, found.row.id, found.location)) throw claimed(claim);
  }
}

/** The same for everything in a folder. Sought from the claims, which are few, not from the documents. */
export function requireNoneClaimed(pen: Pen, folder: Location): void {
  const { tables, now } = pen.turn;
  for (const claim of tables.claims.active(now)) {
    if (claim.holder.id === pen.caller.principalId) continue;
    const row = tables.documents.byNumber(claim.document);
    if (row === undefined || !isWithin(folder, locationOfFolder(tables, row.folder))) continue;
    const found = findDocumentById(tables, row.id);
    if (found !== undefined && isInForce(pen, claim, row.id, found.location)) throw claimed(claim);
  }
}
