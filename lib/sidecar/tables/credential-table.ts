import type { Credential, Interface } from '../../domain/credential.js';
import { Table } from '../statement.js';

interface Row {
  id: string;
  principal_id: string;
  name: string;
  interfaces: string;
  secret_hash: Buffer;
  last_four: string;
  created_at: number;
  created_by: string;
  expires_at: number | null;
  revoked_at: number | null;
  last_used_at: number | null;
  requests_per_minute: number | null;
}

/** A credential with the hash of its secret, for comparing. */
export interface StoredCredential extends Credential {
  /** SHA-256 of the secret. */
  readonly secretHash: Uint8Array;
}

const toCredential = (row: Row): StoredCredential => ({
  id: row.id,
  principalId: row.principal_id,
  name: row.name,
  interfaces: row.interfaces.split(' ').filter((name) => name !== '') as Interface[],
  secretHash: row.secret_hash,
  lastFour: row.last_four,
  createdAt: row.created_at,
  createdBy: row.created_by,
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
  lastUsedAt: row.last_used_at,
  requestsPerMinute: row.requests_per_minute,
});

function withoutHash(row: Row): Credential {
  const { secretHash: _, ...credential } = toCredential(row);
  return credential;
}

/** Keys and tokens; only the hash of a secret is ever stored. */
export class CredentialTable extends Table {
  readonly #find = this.statement<[string], Row>('SELECT * FROM credential WHERE id = ?');
  readonly #list = this.statement<[], Row>('SELECT * FROM credential ORDER BY created_at, id');
  readonly #listOf = this.statement<[string], Row>(
    'SELECT * FROM credential WHERE principal_id = ? ORDER BY created_at, id',
  );
  readonly #pageOf = this.statement<[string, number, string, number], Row>(
    `SELECT * FROM credential WHERE principal_id = ? AND (created_at, id) < (?, ?)
     ORDER BY created_at DESC, id DESC LIMIT ?`,
  );
  readonly #lastUseOf = this.valueStatement<[string], number | null>(
    'SELECT max(last_used_at) FROM credential WHERE principal_id = ?',
  );
  readonly #insert = this.statement(
    `INSERT INTO credential (id, principal_id, name, interfaces, secret_hash, last_four, created_at, created_by,
       expires_at, requests_per_minute) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  readonly #revoke = this.statement('UPDATE credential SET revoked_at = ? WHERE id = ?');
  readonly #rotate = this.statement('UPDATE credential SET secret_hash = ?, last_four = ? WHERE id = ?');
  readonly #touch = this.statement('UPDATE credential SET last_used_at = ? WHERE id = ?');

  find(id: string): StoredCredential | undefined {
    const row = this.#find.get(id);
    return row === undefined ? undefined : toCredential(row);
  }

  list(principalId?: string): Credential[] {
    return (principalId === undefined ? this.#list.all() : this.#listOf.all(principalId)).map(toCredential);
  }

  /** A principal's credentials made before that one, the newest first, at most so many. */
  pageOf(principalId: string, before: Pick<Credential, 'createdAt' | 'id'> | undefined, most: number): Credential[] {
    const { createdAt, id } = before ?? { createdAt: Number.MAX_SAFE_INTEGER, id: '' };
    return this.#pageOf.all(principalId, createdAt, id, most).map(withoutHash);
  }

  /** When any of a principal's credentials was used last. */
  lastUseOf(principalId: string): number | null {
    return this.#lastUseOf.get(principalId) ?? null;
  }

  insert(credential: StoredCredential): void {
    this.#insert.run(
      credential.id,
      credential.principalId,
      credential.name,
      credential.interfaces.join(' '),
      credential.secretHash,
      credential.lastFour,
      credential.createdAt,
      credential.createdBy,
      credential.expiresAt,
      credential.requestsPerMinute,
    );
  }

  revoke(id: string, at: number): void {
    this.#revoke.run(at, id);
  }

  /** Replaces the secret and nothing else. */
  rotate(id: string, secretHash: Uint8Array, lastFour: string): void {
    this.#rotate.run(secretHash, lastFour, id);
  }

  touch(id: string, at: number): void {
    this.#touch.run(at, id);
  }
}
