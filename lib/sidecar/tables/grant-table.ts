import type { Grant, Scope, Subject } from '../../domain/grant.js';
import type { Location } from '../../domain/location.js';
import type { Role } from '../../domain/role.js';
import type { Connection } from '../driver.js';
import { Table } from '../statement.js';

interface Row {
  id: string;
  scope_type: 'folder' | 'document';
  scope_key: string;
  subject_type: 'principal' | 'group';
  subject_id: string;
  role: Role;
  granted_by: string;
  created_at: number;
}

const toScope = (row: Pick<Row, 'scope_type' | 'scope_key'>): Scope =>
  row.scope_type === 'folder'
    ? { type: 'folder', location: row.scope_key as Location }
    : { type: 'document', documentId: row.scope_key };

const toGrant = (row: Row): Grant => ({
  id: row.id,
  scope: toScope(row),
  subject: { type: row.subject_type, id: row.subject_id },
  role: row.role,
  grantedBy: row.granted_by,
  createdAt: row.created_at,
});

const keyOf = (scope: Scope): string => (scope.type === 'folder' ? scope.location : scope.documentId);

/** Grants: folders by path, documents by id. */
export class GrantTable extends Table {
  readonly #touched: () => void;
  readonly #forSubjects = this.statement<[string, string], Row>(
    `SELECT g.* FROM access_grant g WHERE g.subject_type = 'principal' AND g.subject_id = ?
     UNION ALL
     SELECT g.* FROM json_each(?) s CROSS JOIN access_grant g ON g.subject_type = 'group' AND g.subject_id = s.value`,
  );
  readonly #on = this.statement<[string, string], Row>(
    'SELECT * FROM access_grant WHERE scope_type = ? AND scope_key = ? ORDER BY id',
  );
  readonly #same = this.statement<[string, string, string, string, string], Row>(
    `SELECT * FROM access_grant
     WHERE scope_type = ? AND scope_key = ? AND subject_type = ? AND subject_id = ? AND role = ?`,
  );
  readonly #insert = this.statement(
    `INSERT INTO access_grant (id, scope_type, scope_key, subject_type, subject_id, role, granted_by, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  readonly #delete = this.statement('DELETE FROM access_grant WHERE id = ?');
  readonly #below = this.statement<[string, string, string], Row>(
    `SELECT * FROM access_grant WHERE scope_type = 'folder'
     AND (scope_key = ? OR (scope_key >= ? AND scope_key < ?)) ORDER BY scope_key, id`,
  );
  readonly #rebase = this.statement('UPDATE OR IGNORE access_grant SET scope_key = ? WHERE id = ?');
  readonly #deleteOn = this.statement('DELETE FROM access_grant WHERE scope_type = ? AND scope_key = ?');

  /** @param touched called before each write that may change a principal's reach */
  constructor(connection: Connection, touched: () => void) {
    super(connection);
    this.#touched = touched;
  }

  /** Grants to the principal itself or to any of these groups. */
  forSubjects(principalId: string, groupIds: readonly string[]): Grant[] {
    return this.#forSubjects.all(principalId, JSON.stringify(groupIds)).map(toGrant);
  }

  /** Grants on exactly this scope. */
  on(scope: Scope): Grant[] {
    return this.#on.all(scope.type, keyOf(scope)).map(toGrant);
  }

  findSame(scope: Scope, subject: Subject, role: Role): Grant | undefined {
    const row = this.#same.get(scope.type, keyOf(scope), subject.type, subject.id, role);
    return row === undefined ? undefined : toGrant(row);
  }

  insert(grant: Grant): void {
    this.#touched();
    this.#insert.run(
      grant.id,
      grant.scope.type,
      keyOf(grant.scope),
      grant.subject.type,
      grant.subject.id,
      grant.role,
      grant.grantedBy,
      grant.createdAt,
    );
  }

  delete(id: string): void {
    this.#touched();
    this.#delete.run(id);
  }

  /** Folder grants on the folder and on anything below it. */
  atOrBelow(folder: Location): Grant[] {
    // '0' is the character after '/': the range holds exactly the paths that start with `folder/`.
    if (folder === '') return this.#below.all('', '', '\u{10ffff}').map(toGrant);
    return this.#below.all(folder, `${folder}/`, `${folder}0`).map(toGrant);
  }

  /** Moves a folder grant to another path; where the same grant exists there, this one is dropped. */
  rebase(id: string, to: Location): void {
    this.#touched();
    if (this.#rebase.run(to, id).changes === 0) this.delete(id);
  }

  /** Ends every grant on the scope (a document's erase). */
  deleteOn(scope: Scope): void {
    this.#touched();
    this.#deleteOn.run(scope.type, keyOf(scope));
  }
}
