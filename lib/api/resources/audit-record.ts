import type { ExportedLine } from '../../audit/exported-line.js';
import { describeRemarks } from '../../audit/describe-remarks.js';
import type { AuditEntry } from '../../domain/audit-entry.js';
import { formatTime, formatTimeOrNull } from '../../domain/clock.js';
import type { ChainCheck } from '../../workspace/chain-checks.js';
import { toAuthorRecord } from '../../records/author-record.js';

/** The description's `AuditEntry`. */
export function presentEntry(entry: AuditEntry): object {
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
export function presentCheck(check: ChainCheck): object {
  const { id, startedAt, endedAt, records, checked, isBrokenOff } = check;
  return {
    id,
    state: endedAt === null ? 'running' : isBrokenOff ? 'broken_off' : 'ended',
    started_at: formatTime(startedAt),
    ended_at: formatTimeOrNull(endedAt),
    records,
    checked,
    result: presentVerdict(check),
  };
}

function presentVerdict({ verdict }: ChainCheck): object | null {
  if (verdict === null) return null;
  const remarks = describeRemarks(verdict);
  if (!verdict.sound) {
    const { records, seq, problem, reason = null } = verdict;
    return { sound: false, records, first_broken: { seq, problem, reason }, remarks };
  }
  const { records, head, signed } = verdict;
  return { sound: true, records, head: { seq: records, hash: head }, signed, remarks };
}

/** Characters sent together. */
const pieceLength = 64 * 1024;

/** The lines of an export as text, many in one piece. */
export async function* joinLines(lines: AsyncIterable<ExportedLine>): AsyncGenerator<string, undefined> {
  let piece = '';
  for await (const line of lines) {
    piece += `${JSON.stringify(line)}\n`;
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}
