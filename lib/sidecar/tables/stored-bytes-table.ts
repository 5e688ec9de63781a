import { Table } from '../statement.js';

/** The kinds of counted rows beside documents: comments, messages, and answers kept for retries. */
export type StoredKind = 'comment' | 'message' | 'answer';

/** Bytes stored beside documents. Triggers of the schema keep the sums. */
export class StoredBytesTable extends Table {
  readonly #of = this.valueStatement<[string, string], number>(
    'SELECT bytes FROM stored_bytes WHERE kind = ? AND principal = ?',
  );
  readonly #beside = this.valueStatement<[], number>(
    `SELECT coalesce((SELECT sum(bytes) FROM stored_bytes WHERE kind IN ('comment', 'message')), 0)
       + 100 * max(0, coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'activity'), 0) - 10000)
       + 300 * max(0, coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'erased_place'), 0) - 10000)`,
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

  /**
   * Bytes that count towards the quota beside versions: comments, messages, and what the feed keeps of other events and
   * of erased documents, after the first ten thousand. A row of these counts the same after it is gone, so that the last
   * number tells how many.
   */
  beside(): number {
    return this.#beside.get() ?? 0;
  }

  /** Bytes of comments and messages that a principal wrote on a day. @param day counted from 1970 */
  writtenOn(principal: string, day: number): number {
    return this.#use.get(principal, day) ?? 0;
  }

  noteWritten(principal: string, day: number, bytes: number): void {
    this.#addUse.run(principal, day, bytes);
  }
}
