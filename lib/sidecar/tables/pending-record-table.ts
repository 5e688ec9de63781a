import type { AuditEvent } from '../../domain/audit-record.js';
import { Table } from '../statement.js';

/** Names one row of `oauth_entry`. */
export interface EntryName {
  readonly kind: string;
  readonly idHash: Uint8Array;
}

/** An audit record written with its change, and not known to be in its workspace's chain. */
export interface PendingRecord {
  readonly number: number;
  readonly event: AuditEvent;
  /** The entry whose use is undone if the record is never added. */
  readonly undo: EntryName | undefined;
}

interface Row {
  number: number;
  event: string;
  undo_kind: string | null;
  undo_hash: Buffer | null;
}

/** Audit records on their way from the service's file to the chains of the workspaces. */
export class PendingRecordTable extends Table {
  readonly #insert = this.statement(
    'INSERT INTO pending_record (workspace, event, undo_kind, undo_hash) VALUES (?, ?, ?, ?)',
  );
  readonly #listOf = this.statement<[string], Row>(
    'SELECT number, event, undo_kind, undo_hash FROM pending_record WHERE workspace = ? ORDER BY number',
  );
  readonly #workspaces = this.valueStatement<[], string>(
    'SELECT DISTINCT workspace FROM pending_record ORDER BY workspace',
  );
  readonly #removeUpTo = this.statement('DELETE FROM pending_record WHERE workspace = ? AND number <= ?');
  readonly #remove = this.statement('DELETE FROM pending_record WHERE number = ?');
  readonly #keepUsed = this.statement(
    'UPDATE pending_record SET undo_kind = NULL, undo_hash = NULL WHERE undo_kind = ? AND undo_hash = ?',
  );

  /** @returns the record's number, which is higher than all before */
  add(workspace: string, event: AuditEvent, undo?: EntryName): number {
    const text = JSON.stringify(event);
    return Number(this.#insert.run(workspace, text, undo?.kind ?? null, undo?.idHash ?? null).lastInsertRowid);
  }

  /** In the order of their addition. */
  listOf(workspace: string): PendingRecord[] {
    return this.#listOf.all(workspace).map((row) => ({
      number: row.number,
      event: JSON.parse(row.event) as AuditEvent,
      undo:
        row.undo_kind === null || row.undo_hash === null ? undefined : { kind: row.undo_kind, idHash: row.undo_hash },
    }));
  }

  /** The names of the workspaces with pending records. */
  workspaces(): string[] {
    return this.#workspaces.all();
  }

  removeUpTo(workspace: string, number: number): void {
    this.#removeUpTo.run(workspace, number);
  }

  remove(number: number): void {
    this.#remove.run(number);
  }

  /** For a workspace that replaces a lost one of its name. */
  removeAll(workspace: string): void {
    this.#removeUpTo.run(workspace, Number.MAX_SAFE_INTEGER);
  }

  /** An entry was used again: the earlier use is no longer undone. */
  keepUsed({ kind, idHash }: EntryName): void {
    this.#keepUsed.run(kind, idHash);
  }
}
