import { Table } from '../statement.js';

export interface StoredLink {
  /** SHA-256 of the secret. */
  readonly secretHash: Uint8Array;
  /** Whose link it is: one principal of one workspace. */
  readonly workspace: string;
  readonly principalId: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** Links that work once. A link ends with the membership of its principal. */
export class OneTimeLinkTable extends Table {
  readonly #find = this.statement<[Uint8Array], StoredLink>(
    `SELECT secret_hash AS secretHash, workspace, principal_id AS principalId, created_at AS createdAt,
       expires_at AS expiresAt
     FROM one_time_link WHERE secret_hash = ?`,
  );
  readonly #openIn = this.statement<[string, number, number, number], StoredLink>(
    `SELECT secret_hash AS secretHash, workspace, principal_id AS principalId, created_at AS createdAt,
       expires_at AS expiresAt
     FROM one_time_link WHERE workspace = ? AND created_at >= ? AND expires_at > ?
     ORDER BY created_at DESC, principal_id LIMIT ?`,
  );
  readonly #insert = this.statement(
    'INSERT INTO one_time_link (secret_hash, workspace, principal_id, created_at, expires_at) VALUES (?, ?, ?, ?, ?)',
  );
  readonly #deleteOf = this.statement(
    'DELETE FROM one_time_link WHERE workspace = ? AND principal_id = ? AND created_at <= ?',
  );
  readonly #deleteOfJoined = this.statement(
    `DELETE FROM one_time_link WHERE (workspace, principal_id) IN
       (SELECT workspace, principal_id FROM membership WHERE identity_id = ? AND joining_as IS NULL)`,
  );
  readonly #sweep = this.statement(
    `DELETE FROM one_time_link WHERE secret_hash IN
       (SELECT secret_hash FROM one_time_link WHERE expires_at <= ? LIMIT ?)`,
  );

  find(secretHash: Uint8Array): StoredLink | undefined {
    return this.#find.get(secretHash);
  }

  /** Links of a workspace that were made since a moment and still work, the newest first, at most so many. */
  openIn(workspace: string, since: number, now: number, most: number): StoredLink[] {
    return this.#openIn.all(workspace, since, now, most);
  }

  insert(link: StoredLink): void {
    this.#insert.run(link.secretHash, link.workspace, link.principalId, link.createdAt, link.expiresAt);
  }

  /**
   * @param createdBy deletes only links made until then, milliseconds since 1970; all by default
   * @returns whether there were any
   */
  deleteOf(workspace: string, principalId: string, createdBy = Number.MAX_SAFE_INTEGER): boolean {
    return this.#deleteOf.run(workspace, principalId, createdBy).changes > 0;
  }

  /** Deletes an identity's links of all workspaces that the person has joined. */
  deleteOfJoined(identityId: string): void {
    this.#deleteOfJoined.run(identityId);
  }

  /** Deletes some expired links. @param now milliseconds since 1970 @param most rows */
  sweep(now: number, most: number): void {
    this.#sweep.run(now, most);
  }
}
