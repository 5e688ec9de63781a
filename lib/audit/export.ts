import { firstPreviousHash, type AuditRecord, type AuditText } from '../domain/audit-record.js';
import type { AuditTable } from '../sidecar/audit-table.js';
import { toRecord } from './chain.js';

/** One line of an export: the record, and beside it the text of its commitments where it still exists. */
export interface ExportedRecord {
  readonly record: AuditRecord;
  readonly text?: AuditText;
}

const batch = 1000;

/**
 * The chain in order, read in batches so that memory stays flat.
 * @param withTexts whether to open the commitments (locations, queries): leave out for an outside auditor
 */
export function* exportRecords(table: AuditTable, withTexts: boolean): Generator<ExportedRecord> {
  let seq = 0;
  let previousHash = firstPreviousHash;
  for (;;) {
    const rows = table.after(seq, batch);
    if (rows.length === 0) return;
    for (const row of rows) {
      const record = toRecord(row, previousHash);
      const text = withTexts ? table.textOf(row.seq) : undefined;
      yield text === undefined ? { record } : { record, text };
      previousHash = record.hash;
      seq = row.seq;
    }
  }
}
