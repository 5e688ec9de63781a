import { Table } from '../statement.js';

export interface StoredLink {
  /** SHA-256 of the secret. */
  readonly secretHash: Uint8Array;
  readonly identityId: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** Links that work once. */
export class OneTimeLinkTable extends Table {
  readonly #find = this.statement<[Uint8Array], StoredLink>(
    `SELECT secret_hash AS secretHash, identity_id AS identityId, created_at AS createdAt, expires_at AS expiresAt
     FROM one_time_link WHERE secret_hash = ?`,
  );
  readonly #insert = this.statement(
    'INSERT INTO one_time_link (secret_hash, identity_id, created_at, expires_at) VALUES (?, ?, ?, ?)',
  );
  readonly #deleteOf = this.statement('DELETE FROM one_time_link WHERE identity_id = ? AND created_at <= ?');
  readonly #sweep = this.statement(
    `DELETE FROM one_time_link WHERE secret_hash IN
       (SELECT secret_hash FROM one_time_link WHERE expires_at <= ? LIMIT ?)`,
  );

  find(secretHash: Uint8Array): StoredLink | undefined {
    return this.#find.get(secretHash);
  }

  insert(link: StoredLink): void {
    this.#insert.run(link.secretHash, link.identityId, link.createdAt, link.expiresAt);
  }

  /** @param createdBy deletes only links made until then, milliseconds since 1970; all by default */
  deleteOf(identityId: string, createdBy = Number.MAX_SAFE_INTEGER): void {
    this.#deleteOf.run(identityId, createdBy);
  }

  /** Deletes some expired links. @param now milliseconds since 1970 @param most rows */
  sweep(now: number, most: number): void {
    this.#sweep.run(now, most);
  }
}
