import type { Connection } from '../database.js';

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
export class OneTimeLinkTable {
  readonly #find;
  readonly #insert;
  readonly #deleteOf;
  readonly #sweep;

  constructor(connection: Connection) {
    this.#find = connection.prepare<[Uint8Array], Row>('SELECT * FROM one_time_link WHERE secret_hash = ?');
    this.#insert = connection.prepare(
      'INSERT INTO one_time_link (secret_hash, identity_id, created_at, expires_at) VALUES (?, ?, ?, ?)',
    );
    this.#deleteOf = connection.prepare('DELETE FROM one_time_link WHERE identity_id = ? AND created_at <= ?');
    this.#sweep = connection.prepare(
      `DELETE FROM one_time_link WHERE secret_hash IN
         (SELECT secret_hash FROM one_time_link WHERE expires_at <= ? LIMIT ?)`,
    );
  }

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

  /** @param createdBy deletes only those made until then, milliseconds since 1970; all if left out */
  deleteOf(identityId: string, createdBy = Number.MAX_SAFE_INTEGER): void {
    this.#deleteOf.run(identityId, createdBy);
  }

  /** Deletes some of what has expired. @param now milliseconds since 1970 @param most rows */
  sweep(now: number, most: number): void {
    this.#sweep.run(now, most);
  }
}
