import type { AuditEvent } from '../../domain/audit-record.js';
import { Table } from '../statement.js';

/** Names one row of `oauth_entry`. */
export interface EntryName {
  readonly kind: string;
  readonly idHash: Uint8Array;
}

/** An audit record written with its change, and not known to be in its workspace's chain. */
export interface PendingRecord {
  /** Tells it from a record of the same number in another copy of the file. */
  readonly id: string;
  readonly number: number;
  readonly event: AuditEvent;
  /** The entry whose use is undone if the record is never added. */
  readonly undo: EntryName | undefined;
}

/** A record of which nothing but its place is left. */
export interface RecordedMark {
  readonly id: string;
  readonly number: number;
}

interface Row {
  id: string;
  number: number;
  event: string;
  undo_kind: string | null;
  undo_hash: Buffer | null;
}

/** Audit records on their way from the service's file to the chains of the workspaces. */
export class PendingRecordTable extends Table {
  readonly #insert = this.statement(
    'INSERT INTO pending_record (id, workspace, event, undo_kind, undo_hash) VALUES (?, ?, ?, ?, ?)',
  );
  readonly #listOf = this.statement<[string], Row>(
    'SELECT id, number, event, undo_kind, undo_hash FROM pending_record WHERE workspace = ? ORDER BY number',
  );
  readonly #workspaces = this.valueStatement<[], string>(
    'SELECT DISTINCT workspace FROM pending_record ORDER BY workspace',
  );
  readonly #findMark = this.statement<[string, number], RecordedMark>(
    'SELECT id, number FROM pending_record WHERE workspace = ? AND number = ?',
  );
  readonly #markOf = this.statement<[string], RecordedMark>('SELECT id, number FROM recorded_mark WHERE workspace = ?');
  readonly #setMark = this.statement(
    `INSERT INTO recorded_mark (workspace, id, number) VALUES (?, ?, ?)
     ON CONFLICT (workspace) DO UPDATE SET id = excluded.id, number = excluded.number`,
  );
  readonly #removeMark = this.statement('DELETE FROM recorded_mark WHERE workspace = ?');
  readonly #lastNumber = this.valueStatement<[], number>(
    "SELECT seq FROM sqlite_sequence WHERE name = 'pending_record'",
  );
  readonly #removeUpTo = this.statement('DELETE FROM pending_record WHERE workspace = ? AND number <= ?');
  readonly #remove = this.statement('DELETE FROM pending_record WHERE number = ?');
  readonly #keepUsed = this.statement(
    'UPDATE pending_record SET undo_kind = NULL, undo_hash = NULL WHERE undo_kind = ? AND undo_hash = ?',
  );

  /** @param id a random one @returns the record's number, which is higher than all before */
  add(id: string, workspace: string, event: AuditEvent, undo?: EntryName): number {
    const text = JSON.stringify(event);
    return Number(this.#insert.run(id, workspace, text, undo?.kind ?? null, undo?.idHash ?? null).lastInsertRowid);
  }

  /** In the order of their addition. */
  listOf(workspace: string): PendingRecord[] {
    return this.#listOf.all(workspace).map((row) => ({
      id: row.id,
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

  /** The record of that number, while it waits. */
  find(workspace: string, number: number): RecordedMark | undefined {
    return this.#findMark.get(workspace, number);
  }

  /** The last number given out; 0 before the first one. */
  lastNumber(): number {
    return this.#lastNumber.get() ?? 0;
  }

  /** The last record that was taken off the list; its id is empty where the workspace was brought here. */
  markOf(workspace: string): RecordedMark | undefined {
    return this.#markOf.get(workspace);
  }

  /** Takes off the list what a chain has, and keeps the place of the last one. */
  removeUpTo(workspace: string, number: number): void {
    const last = this.find(workspace, number);
    if (last !== undefined) this.#setMark.run(workspace, last.id, last.number);
    this.#removeUpTo.run(workspace, number);
  }

  remove(number: number): void {
    this.#remove.run(number);
  }

  /**
   * For a workspace that replaces a lost one of its name.
   * @param isBrought whether it comes from another service, whose file noted in it what its chain has
   */
  removeAll(workspace: string, isBrought: boolean): void {
    this.#removeUpTo.run(workspace, Number.MAX_SAFE_INTEGER);
    if (isBrought) this.#setMark.run(workspace, '', 0);
    else this.#removeMark.run(workspace);
  }

  /** An entry was used again: the earlier use is no longer undone. */
  keepUsed({ kind, idHash }: EntryName): void {
    this.#keepUsed.run(kind, idHash);
  }
}
