import { createHash } from 'node:crypto';
import { Table } from '../statement.js';

export interface StoredAnswer {
  /** SHA-256 of the request it answered; empty when that is erased. */
  readonly fingerprint: Uint8Array;
  /** JSON of the operation's result; holds no content. Empty when it is erased: that the key was used is all there is. */
  readonly result: string;
  readonly createdAt: number;
}

/** Answers of successful writes by principal, route and key. */
export class IdempotencyTable extends Table {
  readonly #find = this.statement<[string, string, string], StoredAnswer>(
    `SELECT fingerprint, result, created_at AS createdAt FROM idempotency
     WHERE principal_id = ? AND route = ? AND key = ?`,
  );
  readonly #insert = this.statement(
    // Not REPLACE, which deletes a row without its triggers.
    `INSERT INTO idempotency (principal_id, route, key, fingerprint, result, document, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET fingerprint = excluded.fingerprint, result = excluded.result,
       document = excluded.document, created_at = excluded.created_at`,
  );
  readonly #ofDocument = this.statement<
    [number],
    { principal_id: string; route: string; key: string; created_at: number }
  >('SELECT principal_id, route, key, created_at FROM idempotency WHERE document = ?');
  readonly #delete = this.statement('DELETE FROM idempotency WHERE principal_id = ? AND route = ? AND key = ?');
  readonly #sweep = this.statement(
    `DELETE FROM idempotency WHERE (principal_id, route, key) IN
       (SELECT principal_id, route, key FROM idempotency WHERE created_at <= ? ORDER BY created_at LIMIT ?)`,
  );

  find(principalId: string, route: string, key: string): StoredAnswer | undefined {
    return this.#find.get(principalId, route, key) ?? this.#find.get(principalId, route, nameErased(key));
  }

  /** @param document number of the document the answer names, so that an erase takes it along */
  insert(principalId: string, route: string, key: string, answer: StoredAnswer, document: number | null): void {
    this.#insert.run(principalId, route, key, answer.fingerprint, answer.result, document, answer.createdAt);
  }

  /**
   * Takes away what the answers about a document said and answered, for an erase. That a key was used stays known, so
   * that a retry does not bring back what was erased; the key itself goes, since whoever made it can have put a name
   * into it.
   */
  eraseAnswers(document: number): void {
    for (const row of this.#ofDocument.all(document)) {
      this.#delete.run(row.principal_id, row.route, row.key);
      const kept = nameErased(row.key);
      this.#insert.run(row.principal_id, row.route, kept, Buffer.alloc(0), '', null, row.created_at);
    }
  }

  /** Forgets the oldest of what was stored at or before that time, at most `limit`. @returns how many */
  sweep(upTo: number, limit: number): number {
    return this.#sweep.run(upTo, limit).changes;
  }
}

/** Under what a key stands whose answer is erased: no key that a client sends begins so. */
function nameErased(key: string): string {
  return `#${createHash('sha256').update(key).digest('hex')}`;
}
