import type { Connection } from './database.js';

export interface StoredAnswer {
  /** SHA-256 of the request it answered. */
  readonly fingerprint: Uint8Array;
  /** JSON of the operation's result; holds no content. */
  readonly result: string;
  readonly createdAt: number;
}

/** Answers of successful writes by principal, route and key. */
export class IdempotencyTable {
  readonly #find;
  readonly #insert;
  readonly #sweep;

  constructor(connection: Connection) {
    this.#find = connection.prepare<
      [string, string, string],
      { fingerprint: Buffer; result: string; created_at: number }
    >('SELECT fingerprint, result, created_at FROM idempotency WHERE principal_id = ? AND route = ? AND key = ?');
    this.#insert = connection.prepare(
      `INSERT OR REPLACE INTO idempotency (principal_id, route, key, fingerprint, result, document, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#sweep = connection.prepare(
      `DELETE FROM idempotency WHERE (principal_id, route, key) IN
         (SELECT principal_id, route, key FROM idempotency WHERE created_at <= ? ORDER BY created_at LIMIT ?)`,
    );
  }

  find(principalId: string, route: string, key: string): StoredAnswer | undefined {
    const row = this.#find.get(principalId, route, key);
    if (row === undefined) return undefined;
    return { fingerprint: row.fingerprint, result: row.result, createdAt: row.created_at };
  }

  /** @param document number of the document the answer names, so that an erase takes it along */
  insert(principalId: string, route: string, key: string, answer: StoredAnswer, document: number | null): void {
    this.#insert.run(principalId, route, key, answer.fingerprint, answer.result, document, answer.createdAt);
  }

  /** Forgets the oldest of what was stored at or before that time, at most `limit`. @returns how many */
  sweep(upTo: number, limit: number): number {
    return this.#sweep.run(upTo, limit).changes;
  }
}
