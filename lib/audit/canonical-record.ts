import { createHash, createHmac } from 'node:crypto';
import type { AuditRecord } from '../domain/audit-record.js';

/** A record's members without its own hash. */
export type HashedMembers = Omit<AuditRecord, 'hash'>;

/**
 * The RFC 8785 (JCS) form. All members are strings, integers or null. So it is exactly the keys in sorted order with
 * JSON.stringify's escapes; a test compares it with an independent implementation.
 */
export function canonicalize(record: HashedMembers): string {
  return JSON.stringify({
    action: record.action,
    at: record.at,
    code: record.code,
    credential: record.credential,
    detail: record.detail,
    interface: record.interface,
    outcome: record.outcome,
    prev_hash: record.prev_hash,
    principal: record.principal,
    request_id: record.request_id,
    seq: record.seq,
    target: record.target,
    version: record.version,
  });
}

/** SHA-256 over the canonical form, including the hash of the record before. */
export function hashRecord(record: HashedMembers): Buffer {
  return createHash('sha256').update(canonicalize(record)).digest();
}

/** A commitment to a text. It opens with the salt, and without it says nothing. */
export function commitTo(text: string, salt: Uint8Array): Buffer {
  return createHmac('sha256', salt).update(text).digest();
}
