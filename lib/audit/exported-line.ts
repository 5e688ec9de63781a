import type { AuditRecord, AuditText } from '../domain/audit-record.js';
import type { SignedCheckpoint } from './signed-checkpoint.js';

/** One record of an export, and beside it the text of its commitments where it still exists. */
export interface ExportedRecord {
  readonly record: AuditRecord;
  readonly text?: AuditText;
}

/** A signature over the record before it. */
export interface ExportedCheckpoint {
  readonly checkpoint: SignedCheckpoint;
}

/** One line of an export. */
export type ExportedLine = ExportedRecord | ExportedCheckpoint;
