import type { Credential, Interface } from '../../domain/credential.js';
import type { Connection } from '../driver.js';
import { Table } from '../statement.js';

/** A credential with the hash of its secret, for comparing. */
export interface StoredCredential extends Credential {
  /** SHA-256 of the secret. */
  readonly secretHash: Uint8Array;
}

/** An array: one is looked up for each request, and SQLite's driver takes long to make an object of so many names. */
type Row = readonly [
  id: string,
  principalId: string,
  name: string,
  interfaces: string,
  secretHash: Uint8Array,
  lastFour: string,
  createdAt: number,
  createdBy: string,
  expiresAt: number | null,
  revokedAt: number | null,
  lastUsedAt: number | null,
  requestsPerMinute: number | null,
  acknowledgedAt: number | null,
  madeWith: string | null,
];

const select = `SELECT id, principal_id, name, interfaces, secret_hash, last_four, created_at, created_by, expires_at,
    revoked_at, last_used_at, requests_per_minute, acknowledged_at, made_with
  FROM credential`;

const toCredential = (row: Row): StoredCredential => ({
  id: row[0],
  principalId: row[1],
  name: row[2],
  interfaces: row[3].split(' ').filter((name) => name !== '') as Interface[],
  secretHash: row[4],
  lastFour: row[5],
  createdAt: row[6],
  createdBy: row[7],
  expiresAt: row[8],
  revokedAt: row[9],
  lastUsedAt: row[10],
  requestsPerMinute: row[11],
  acknowledgedAt: row[12],
  madeWith: row[13],
});

function withoutHash(row: Row): Credential {
  const { secretHash: _, ...credential } = toCredential(row);
  return credential;
}

/** Keys and tokens; only the hash of a secret is ever stored. */
export class CredentialTable extends Table {
  readonly #touched: () => void;
  readonly #find = this.arrayStatement<[string], Row>(`${select} WHERE id = ?`);
  readonly #list = this.arrayStatement<[], Row>(`${select} ORDER BY created_at, id`);
  readonly #listOf = this.arrayStatement<[string], Row>(`${select} WHERE principal_id = ? ORDER BY created_at, id`);
  readonly #pageOf = this.arrayStatement<[string, number, string, number], Row>(
    `${select} WHERE principal_id = ? AND (created_at, id) < (?, ?)
     ORDER BY created_at DESC, id DESC LIMIT ?`,
  );
  readonly #page = this.arrayStatement<[number, string, number], Row>(
    `${select} WHERE (created_at, id) < (?, ?) ORDER BY created_at DESC, id DESC LIMIT ?`,
  );
  readonly #lastUseOf = this.valueStatement<[string], number | null>(
    'SELECT max(last_used_at) FROM credential WHERE principal_id = ?',
  );
  readonly #insert = this.statement(
    `INSERT INTO credential (id, principal_id, name, interfaces, secret_hash, last_four, created_at, created_by,
       expires_at, requests_per_minute, acknowledged_at, made_with) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  readonly #revoke = this.statement<[{ at: number; id: string }]>(
    'UPDATE credential SET revoked_at = @at WHERE (id = @id OR made_with = @id) AND revoked_at IS NULL',
  );
  readonly #madeByOthers = this.arrayStatement<[string, number], Row>(
    `${select} WHERE principal_id = ? AND created_by <> principal_id
     ORDER BY acknowledged_at IS NOT NULL, created_at DESC, id DESC LIMIT ?`,
  );
  readonly #countUnacknowledged = this.valueStatement<[string], number>(
    'SELECT count(*) FROM credential WHERE principal_id = ? AND created_by <> principal_id AND acknowledged_at IS NULL',
  );
  readonly #acknowledge = this.statement(
    `UPDATE credential SET acknowledged_at = ?
     WHERE id = ? AND principal_id = ? AND created_by <> principal_id AND acknowledged_at IS NULL`,
  );
  readonly #madeBy = this.arrayStatement<[string, number, number, number], Row>(
    `${select}
     WHERE created_by = ? AND created_at >= ? AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)
     ORDER BY created_at DESC, id DESC LIMIT ?`,
  );
  readonly #dropOver = this.statement(
    `DELETE FROM credential WHERE id IN (
       SELECT id FROM credential
       WHERE principal_id = ? AND (created_by = principal_id OR made_with IS NOT NULL)
         AND (revoked_at IS NOT NULL OR expires_at <= ?)
         AND NOT EXISTS (SELECT 1 FROM credential made WHERE made.made_with = credential.id)
       ORDER BY created_at DESC, id DESC LIMIT -1 OFFSET ?)`,
  );
  readonly #rotate = this.statement('UPDATE credential SET secret_hash = ?, last_four = ? WHERE id = ?');
  readonly #tellAgain = this.statement('UPDATE credential SET acknowledged_at = NULL WHERE id = ?');
  readonly #touch = this.statement('UPDATE credential SET last_used_at = ? WHERE id = ?');

  /** @param touched called before each write */
  constructor(connection: Connection, touched: () => void) {
    super(connection);
    this.#touched = touched;
  }

  find(id: string): StoredCredential | undefined {
    const row = this.#find.get(id);
    return row === undefined ? undefined : toCredential(row);
  }

  list(principalId?: string): Credential[] {
    return (principalId === undefined ? this.#list.all() : this.#listOf.all(principalId)).map(toCredential);
  }

  /** A principal's credentials, or all, made before that one: the newest first, at most so many. */
  pageOf(
    principalId: string | undefined,
    before: Pick<Credential, 'createdAt' | 'id'> | undefined,
    most: number,
  ): Credential[] {
    const { createdAt, id } = before ?? { createdAt: Number.MAX_SAFE_INTEGER, id: '' };
    const rows =
      principalId === undefined
        ? this.#page.all(createdAt, id, most)
        : this.#pageOf.all(principalId, createdAt, id, most);
    return rows.map(withoutHash);
  }

  /** When any of a principal's credentials was used last. */
  lastUseOf(principalId: string): number | null {
    return this.#lastUseOf.get(principalId) ?? null;
  }

  insert(credential: StoredCredential): void {
    this.#touched();
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
      credential.acknowledgedAt,
      credential.madeWith,
    );
  }

  /** Ends it, and the keys that were made with it. What ended before keeps its time. */
  revoke(id: string, at: number): void {
    this.#touched();
    this.#revoke.run({ at, id });
  }

  /** A principal's keys that another one made, the newest first, those not acknowledged before all, at most so many. */
  madeByOthers(principalId: string, most: number): Credential[] {
    return this.#madeByOthers.all(principalId, most).map(withoutHash);
  }

  /** How many keys of a principal another one made, without its word that it knows. */
  countUnacknowledged(principalId: string): number {
    return this.#countUnacknowledged.get(principalId) ?? 0;
  }

  /** Notes that the owner knows of a key that another one made. Of any other key, nothing is noted. */
  acknowledge(principalId: string, id: string, at: number): void {
    this.#touched();
    this.#acknowledge.run(at, id, principalId);
  }

  /** Keys in force that a principal made since a moment, for whomever, the newest first, at most so many. */
  madeBy(principalId: string, since: number, now: number, most: number): Credential[] {
    return this.#madeBy.all(principalId, since, now, most).map(withoutHash);
  }

  /** Forgets the oldest of a principal's own keys that open nothing any more, beyond so many. */
  dropOver(principalId: string, now: number, kept: number): void {
    this.#touched();
    this.#dropOver.run(principalId, now, kept);
  }

  /** Replaces the secret and nothing else. */
  rotate(id: string, secretHash: Uint8Array, lastFour: string): void {
    this.#touched();
    this.#rotate.run(secretHash, lastFour, id);
  }

  /** Its owner is notified once more: another principal has its secret again. */
  tellAgain(id: string): void {
    this.#touched();
    this.#tellAgain.run(id);
  }

  touch(id: string, at: number): void {
    this.#touched();
    this.#touch.run(at, id);
  }
}
