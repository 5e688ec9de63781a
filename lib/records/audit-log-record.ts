import { describeRemarks } from '../audit/describe-remarks.js';
import type { AuditEntry } from '../domain/audit-entry.js';
import { formatTime, formatTimeOrNull } from '../domain/clock.js';
import type { ChainCheck } from '../workspace/chain-checks.js';
import { toAuthorRecord } from './author-record.js';

/** The description's `AuditEntry`. */
export function toAuditEntryRecord(entry: AuditEntry): object {
  const { id, seq, at, principal, credential, action, outcome, code, target, version, detail, hash } = entry;
  return {
    id,
    seq,
    at: formatTime(at),
    principal: principal === null ? null : toAuthorRecord(principal),
    credential,
    key_made_by: entry.keyMadeBy === null ? null : toAuthorRecord(entry.keyMadeBy),
    interface: entry.interface,
    action,
    outcome,
    code,
    target,
    document_id: entry.documentId,
    version,
    request_id: entry.requestId,
    detail,
    hash,
  };
}

/** The description's `AuditVerification`. */
export function toChainCheckRecord(check: ChainCheck): object {
  const { id, startedAt, endedAt, records, checked, isBrokenOff } = check;
  return {
    id,
    state: endedAt === null ? 'running' : isBrokenOff ? 'broken_off' : 'ended',
    started_at: formatTime(startedAt),
    ended_at: formatTimeOrNull(endedAt),
    records,
    checked,
    result: toVerdictRecord(check),
  };
}

function toVerdictRecord({ verdict }: ChainCheck): object | null {
  if (verdict === null) return null;
  const remarks = describeRemarks(verdict);
  if (!verdict.sound) {
    const { records, seq, problem, reason = null } = verdict;
    return { sound: false, records, first_broken: { seq, problem, reason }, remarks };
  }
  const { records, head, signed } = verdict;
  return { sound: true, records, head: { seq: records, hash: head }, signed, remarks };
}
