import type { AuditEvent } from '../domain/audit-record.js';
import type { AuditTable } from '../sidecar/tables/audit-table.js';

/** The reason for counted requests over the limit; every other reason is a failed authentication. */
export const overLimit = 'over_limit';
export type OverLimit = typeof overLimit;

/** The required part of a transaction. */
export interface RecordingTransaction {
  readonly tables: { readonly audit: AuditTable };
  audit(event: AuditEvent): void;
}

/**
 * Records of one transaction. They are few enough for a hundredth of a second. They also fit between two signatures of
 * the chain, beside everything else that their group records.
 */
const atOnce = 200;

/**
 * Turns the first tallies of minutes before this one into records, one for each source, reason and minute. So a flood
 * of refused attempts takes as many records as it has sources, and no more.
 * @param minute whole minutes since 1970
 * @returns whether there is more, for another transaction
 */
export function recordTallies(transaction: RecordingTransaction, minute: number): boolean {
  const due = transaction.tables.audit.talliesBefore(minute, atOnce);
  for (const tally of due) {
    const isOverLimit = tally.reason === overLimit;
    transaction.audit({
      principal: null,
      credential: null,
      interface: tally.interface,
      action: isOverLimit ? 'rate.limited' : 'authentication.failed',
      outcome: 'refused',
      code: isOverLimit ? 'RATE_LIMITED' : 'UNAUTHENTICATED',
      requestId: null,
      detail: { count: tally.count, reason: tally.reason, source: tally.source, minute: tally.minute },
    });
  }
  const last = due.at(-1);
  if (last !== undefined) transaction.tables.audit.deleteTalliesUpTo(last);
  return due.length === atOnce;
}
