import { Table } from '../statement.js';

/** The kinds of counted rows beside documents: comments, messages, and answers kept for retries. */
export type StoredKind = 'comment' | 'message' | 'answer';

/** Bytes stored beside documents. Triggers of the schema keep the sums. */
export class StoredBytesTable extends Table {
  readonly #of = this.valueStatement<[string, string], number>(
    'SELECT bytes FROM stored_bytes WHERE kind = ? AND principal = ?',
  );
  readonly #total = this.valueStatement<[string], number>(
    'SELECT coalesce(sum(bytes), 0) FROM stored_bytes WHERE kind = ?',
  );
  readonly #use = this.valueStatement<[string, number], number>(
    'SELECT bytes FROM discussion_use WHERE principal = ? AND day = ?',
  );
  readonly #addUse = this.statement(
    `INSERT INTO discussion_use (principal, day, bytes) VALUES (?, ?, ?)
     ON CONFLICT (principal) DO UPDATE SET
       bytes = excluded.bytes + CASE WHEN day = excluded.day THEN bytes ELSE 0 END, day = excluded.day`,
  );

  /** Bytes of one kind that a principal's requests have stored. */
  of(kind: StoredKind, principal: string): number {
    return this.#of.get(kind, principal) ?? 0;
  }

  /** Bytes of one kind in all; takes time in proportion to the principals. */
  total(kind: StoredKind): number {
    return this.#total.get(kind) ?? 0;
  }

  /** Bytes of comments and messages that a principal wrote on a day. @param day counted from 1970 */
  writtenOn(principal: string, day: number): number {
    return this.#use.get(principal, day) ?? 0;
  }

  noteWritten(principal: string, day: number, bytes: number): void {
    this.#addUse.run(principal, day, bytes);
  }
}
