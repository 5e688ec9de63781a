import type { Location } from '../../domain/location.js';
import { notFound } from '../../domain/refusal.js';
import { toClaim } from '../../view/find-claims.js';
import { findDocument } from '../../view/locate.js';
import type { ChangedClaim } from './find-own-claim.js';
import type { WriteOperation } from '../operation.js';

export interface BreakClaimInput {
  readonly location: Location;
  readonly claimId: string;
}

/** Ends another principal's claim on a document. The holder finds it among its own as broken. Approver. */
export const breakClaim: WriteOperation<BreakClaimInput, ChangedClaim> = {
  kind: 'write',
  name: 'claim.break',
  worksWhenLow: true,
  needs: ({ location }) => [{ role: 'approver', location }],
  note: ({ location, claimId }) => ({ target: location, detail: { claim: claimId } }),
  run(context, { location, claimId }) {
    const { tables, now } = context.transaction;
    const found = findDocument(tables, location);
    const claim =
      found === undefined ? undefined : tables.claims.on(found.row.number, now).find((each) => each.id === claimId);
    if (found === undefined || claim === undefined) throw notFound();
    tables.claims.end(claimId, now, context.author.id);
    tables.activities.add({ kind: 'claim_ended', document: found.row.number, actor: context.author.id });
    return { claim: toClaim(claim), documentId: found.row.id, documentNumber: found.row.number };
  },
  noteResult: ({ claim, documentId }) => ({
    ...(documentId === null ? {} : { documentId }),
    detail: { claim: claim.id, holder: claim.holder.id },
  }),
  documentNumber: ({ documentNumber }) => documentNumber,
};
