import type { AuditEvent } from '../domain/audit-record.js';
import type { AuditTable } from '../sidecar/tables/audit-table.js';

/** The reason under which requests over the limit are counted; every other reason is a failed authentication. */
export const overLimit = 'over_limit';
export type OverLimit = typeof overLimit;

/** The part of a turn that this needs. */
export interface RecordingTurn {
  readonly tables: { readonly audit: AuditTable };
  audit(event: AuditEvent): void;
}

/**
 * Records of one turn: few enough to hold up nobody (a hundredth of a second), and to stand between two signatures of
 * the chain beside everything else that its group records.
 */
const atOnce = 200;

/**
 * Turns the first of what was counted in minutes before this one into records, one for each source, reason and minute:
 * a flood of refused attempts takes as many records as it has sources, and no more.
 * @param minute whole minutes since 1970
 * @returns whether there is more, for another turn
 */
export function recordTallies(turn: RecordingTurn, minute: number): boolean {
  const due = turn.tables.audit.talliesBefore(minute, atOnce);
  for (const tally of due) {
    const isOverLimit = tally.reason === overLimit;
    turn.audit({
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
  if (last !== undefined) turn.tables.audit.deleteTalliesUpTo(last);
  return due.length === atOnce;
}
