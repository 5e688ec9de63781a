import { createHash } from 'node:crypto';
import { Table } from '../statement.js';

export interface StoredAnswer {
  /** SHA-256 of the answered request; empty when that is erased. */
  readonly fingerprint: Uint8Array;
  /** JSON of the operation's result; holds no content. Empty when it is erased: only the use of the key remains. */
  readonly result: string;
  /** By the time of answers, which is not that of the machine (decision 0336). */
  readonly createdAt: number;
}

/** Names a stored answer. */
export interface AnswerName {
  readonly principalId: string;
  readonly route: string;
  readonly key: string;
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
  readonly #answersAfter = this.statement<
    [{ id: string; principal: string; route: string; key: string; limit: number }],
    { principal_id: string; route: string; key: string; created_at: number; isNamed: number }
  >(
    `SELECT principal_id, route, key, created_at, instr(result, @id) > 0 AS isNamed FROM idempotency
     WHERE (principal_id, route, key) > (@principal, @route, @key) ORDER BY principal_id, route, key LIMIT @limit`,
  );
  readonly #delete = this.statement('DELETE FROM idempotency WHERE principal_id = ? AND route = ? AND key = ?');
  readonly #newest = this.valueStatement<[], number | null>('SELECT max(created_at) FROM idempotency');
  readonly #sweep = this.statement(
    `DELETE FROM idempotency WHERE (principal_id, route, key) IN
       (SELECT principal_id, route, key FROM idempotency WHERE created_at <= ? ORDER BY created_at LIMIT ?)`,
  );

  find(principalId: string, route: string, key: string): StoredAnswer | undefined {
    return this.#find.get(principalId, route, key) ?? this.#find.get(principalId, route, nameErased(key));
  }

  /** @param document number of the answer's document, so that an erase removes it, too */
  insert(principalId: string, route: string, key: string, answer: StoredAnswer, document: number | null): void {
    this.#insert.run(principalId, route, key, answer.fingerprint, answer.result, document, answer.createdAt);
  }

  /**
   * Removes the requests and answers about a document, for an erase. The use of the key stays known, so that a retry
   * does not restore an erased document. The key itself goes, since its client can have put a name into it.
   */
  eraseAnswers(document: number): void {
    for (const row of this.#ofDocument.all(document)) this.#eraseAnswer(row);
  }

  /**
   * The same for answers about several documents, such as those of pushes, by a document's id in them.
   * @param after the last answer looked at; undefined at the beginning
   * @returns the last one now; undefined when there are no more
   */
  eraseNaming(id: string, after: AnswerName | undefined, limit: number): AnswerName | undefined {
    const { principalId: principal, route, key } = after ?? { principalId: '', route: '', key: '' };
    const rows = this.#answersAfter.all({ id, principal, route, key, limit });
    for (const row of rows) if (row.isNamed === 1) this.#eraseAnswer(row);
    const last = rows.at(-1);
    return last === undefined ? undefined : { principalId: last.principal_id, route: last.route, key: last.key };
  }

  #eraseAnswer(row: { principal_id: string; route: string; key: string; created_at: number }): void {
    this.#delete.run(row.principal_id, row.route, row.key);
    const kept = nameErased(row.key);
    this.#insert.run(row.principal_id, row.route, kept, Buffer.alloc(0), '', null, row.created_at);
  }

  /** When the newest answer was stored; null where there is none. */
  newest(): number | null {
    return this.#newest.get() ?? null;
  }

  /** Deletes the oldest answers stored at or before that time, at most `limit`. @returns how many */
  sweep(upTo: number, limit: number): number {
    return this.#sweep.run(upTo, limit).changes;
  }
}

/** The key of an erased answer: no client's key begins like this. */
function nameErased(key: string): string {
  return `#${createHash('sha256').update(key).digest('hex')}`;
}
