import { Table } from '../statement.js';

export interface StoredLink {
  /** SHA-256 of the secret. */
  readonly secretHash: Uint8Array;
  readonly identityId: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly expiresAt: number;
}

interface Row {
  secret_hash: Buffer;
  identity_id: string;
  created_at: number;
  expires_at: number;
}

/** Links that work once. */
export class OneTimeLinkTable extends Table {
  readonly #find = this.statement<[Uint8Array], Row>('SELECT * FROM one_time_link WHERE secret_hash = ?');
  readonly #insert = this.statement(
    'INSERT INTO one_time_link (secret_hash, identity_id, created_at, expires_at) VALUES (?, ?, ?, ?)',
  );
  readonly #deleteOf = this.statement('DELETE FROM one_time_link WHERE identity_id = ?');
  readonly #sweep = this.statement(
    `DELETE FROM one_time_link WHERE secret_hash IN
       (SELECT secret_hash FROM one_time_link WHERE expires_at <= ? LIMIT ?)`,
  );

  find(secretHash: Uint8Array): StoredLink | undefined {
    const row = this.#find.get(secretHash);
    if (row === undefined) return undefined;
    return {
      secretHash: row.secret_hash,
      identityId: row.identity_id,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
    };
  }

  insert(link: StoredLink): void {
    this.#insert.run(link.secretHash, link.identityId, link.createdAt, link.expiresAt);
  }

  deleteOf(identityId: string): void {
    this.#deleteOf.run(identityId);
  }

  /** Deletes some of what has expired. @param now milliseconds since 1970 @param most rows */
  sweep(now: number, most: number): void {
    this.#sweep.run(now, most);
  }
}
