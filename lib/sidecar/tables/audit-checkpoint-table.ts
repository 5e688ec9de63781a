import { Table } from '../statement.js';

/** The chain's head at some moment, signed. */
export interface CheckpointRow {
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly hash: Buffer;
  readonly signature: Buffer;
}

/** Signed heads of the audit chain, in order. */
export class AuditCheckpointTable extends Table {
  readonly #insert = this.statement(
    'INSERT INTO audit_checkpoint (seq, at, hash, signature) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
  );
  readonly #last = this.statement<[], CheckpointRow>('SELECT * FROM audit_checkpoint ORDER BY seq DESC LIMIT 1');
  readonly #between = this.statement<[number, number], CheckpointRow>(
    'SELECT * FROM audit_checkpoint WHERE seq > ? AND seq <= ? ORDER BY seq',
  );

  /** A signed head stays as it is. */
  insert(row: CheckpointRow): void {
    this.#insert.run(row.seq, row.at, row.hash, row.signature);
  }

  last(): CheckpointRow | undefined {
    return this.#last.get();
  }

  /** Checkpoints with after < seq ≤ upTo. */
  between(after: number, upTo: number): CheckpointRow[] {
    return this.#between.all(after, upTo);
  }
}
