import { firstPreviousHash, type AuditEvent, type AuditRecord } from '../domain/audit-record.js';
import { formatTime, type Randomness } from '../domain/clock.js';
import type { AuditRow, AuditTable } from '../sidecar/tables/audit-table.js';
import { commitTo, hashRecord } from './canonical-record.js';

/** The end of the chain: the last record's number and hash (hex). */
export interface ChainHead {
  readonly seq: number;
  readonly hash: string;
}

/** Before the first record. */
export const emptyChain: ChainHead = { seq: 0, hash: firstPreviousHash };

const saltLength = 16;

/** The end of the chain in its table; `emptyChain` before the first record. */
export function readHead(table: AuditTable): ChainHead {
  const head = table.head();
  return head === undefined ? emptyChain : { seq: head.seq, hash: head.hash.toString('hex') };
}

/**
 * Appends one record after `head`, inside the caller's transaction. The hashed bytes are the stored bytes, for any
 * text. Each half of a surrogate pair becomes U+FFFD first, as UTF-8 has no form for it. A record is never refused for
 * its text, because its action has already happened.
 * @param at milliseconds since 1970
 * @returns the new head
 */
export function appendRecord(
  table: AuditTable,
  head: ChainHead,
  event: AuditEvent,
  at: number,
  randomness: Randomness,
): ChainHead {
  const salt = randomness.bytes(saltLength);
  const targetText = toStored(event.target);
  // JSON.stringify escapes ill-formed text: its result is always Unicode.
  const detailText = event.detail === undefined ? null : JSON.stringify(event.detail);
  const target = targetText === null ? null : commitTo(targetText, salt);
  const detail = detailText === null ? null : commitTo(detailText, salt);
  const seq = head.seq + 1;
  const members = {
    seq,
    at: formatTime(at),
    principal: toStored(event.principal),
    credential: toStored(event.credential),
    interface: event.interface,
    action: event.action.toWellFormed(),
    outcome: event.outcome,
    code: event.code ?? null,
    target: target === null ? null : target.toString('hex'),
    version: toStored(event.version),
    request_id: toStored(event.requestId),
    detail: detail === null ? null : detail.toString('hex'),
    prev_hash: head.hash,
  };
  const hash = hashRecord(members);
  table.insert({
    seq,
    at,
    principal: members.principal,
    credential: members.credential,
    interface: members.interface,
    action: members.action,
    code: members.code,
    target,
    version: members.version,
    request_id: members.request_id,
    detail,
    hash,
  });
  if (target !== null || detail !== null) {
    table.insertText(seq, salt, targetText, detailText, toStored(event.documentId), members.code !== null);
  }
  return { seq, hash: hash.toString('hex') };
}

const toStored = (text: string | null | undefined): string | null => text?.toWellFormed() ?? null;

/** A stored row in its hashed and exported form. */
export function toRecord(row: AuditRow, previousHash: string): AuditRecord {
  return {
    seq: row.seq,
    at: formatTime(row.at),
    principal: row.principal,
    credential: row.credential,
    interface: row.interface,
    action: row.action,
    outcome: row.code === null ? 'done' : 'refused',
    code: row.code,
    target: row.target?.toString('hex') ?? null,
    version: row.version,
    request_id: row.request_id,
    detail: row.detail?.toString('hex') ?? null,
    prev_hash: previousHash,
    hash: row.hash.toString('hex'),
  };
}
