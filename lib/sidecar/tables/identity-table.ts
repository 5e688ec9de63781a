import { Table } from '../statement.js';

/** Somebody who signs in, as far as it concerns one workspace. */
export interface PersonPart {
  readonly id: string;
  readonly principalId: string;
  readonly signInName: string;
  readonly passwordHash: string | null;
  readonly createdAt: number;
}

/** Somebody who can sign in. */
export interface StoredIdentity {
  readonly id: string;
  readonly signInName: string;
  /** null until the first sign-in. */
  readonly passwordHash: string | null;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** Which principal of a workspace an identity is. */
export interface StoredMembership {
  readonly workspace: string;
  readonly principalId: string;
  readonly identityId: string;
}

interface IdentityRow {
  id: string;
  sign_in_name: string;
  password_hash: string | null;
  created_at: number;
}

interface MembershipRow {
  workspace: string;
  principal_id: string;
  identity_id: string;
}

const toIdentity = (row: IdentityRow): StoredIdentity => ({
  id: row.id,
  signInName: row.sign_in_name,
  passwordHash: row.password_hash,
  createdAt: row.created_at,
});

const toMembership = (row: MembershipRow): StoredMembership => ({
  workspace: row.workspace,
  principalId: row.principal_id,
  identityId: row.identity_id,
});

/** Who can sign in, and as whom. */
export class IdentityTable extends Table {
  readonly #find = this.statement<[string], IdentityRow>('SELECT * FROM identity WHERE id = ?');
  readonly #findByName = this.statement<[string], IdentityRow>('SELECT * FROM identity WHERE sign_in_name = ?');
  readonly #insert = this.statement('INSERT INTO identity (id, sign_in_name, created_at) VALUES (?, ?, ?)');
  readonly #rename = this.statement('UPDATE identity SET sign_in_name = ? WHERE id = ?');
  readonly #setPassword = this.statement('UPDATE identity SET password_hash = ?, password_set_at = ? WHERE id = ?');
  readonly #membershipsOf = this.statement<[string], MembershipRow>(
    'SELECT * FROM membership WHERE identity_id = ? ORDER BY workspace',
  );
  readonly #findMembership = this.statement<[string, string], MembershipRow>(
    'SELECT * FROM membership WHERE workspace = ? AND principal_id = ?',
  );
  readonly #listPeople = this.statement<[string], IdentityRow & { principal_id: string }>(
    `SELECT identity.*, membership.principal_id FROM membership
     JOIN identity ON identity.id = membership.identity_id WHERE membership.workspace = ? ORDER BY identity.id`,
  );
  readonly #leaveAll = this.statement('DELETE FROM membership WHERE workspace = ?');
  readonly #join = this.statement('INSERT INTO membership (workspace, principal_id, identity_id) VALUES (?, ?, ?)');

  find(id: string): StoredIdentity | undefined {
    const row = this.#find.get(id);
    return row === undefined ? undefined : toIdentity(row);
  }

  /** @param signInName as it is compared */
  findByName(signInName: string): StoredIdentity | undefined {
    const row = this.#findByName.get(signInName);
    return row === undefined ? undefined : toIdentity(row);
  }

  insert(identity: Pick<StoredIdentity, 'id' | 'signInName' | 'createdAt'>): void {
    this.#insert.run(identity.id, identity.signInName, identity.createdAt);
  }

  rename(id: string, signInName: string): void {
    this.#rename.run(signInName, id);
  }

  setPassword(id: string, passwordHash: string, at: number): void {
    this.#setPassword.run(passwordHash, at, id);
  }

  membershipsOf(identityId: string): StoredMembership[] {
    return this.#membershipsOf.all(identityId).map(toMembership);
  }

  findMembership(workspace: string, principalId: string): StoredMembership | undefined {
    const row = this.#findMembership.get(workspace, principalId);
    return row === undefined ? undefined : toMembership(row);
  }

  /** Everyone who signs in to a workspace, for its backup. */
  listPeople(workspace: string): PersonPart[] {
    return this.#listPeople.all(workspace).map((row) => ({ ...toIdentity(row), principalId: row.principal_id }));
  }

  /** Nobody signs in to a workspace any more: what an earlier one of the name left behind gives way. */
  leaveAll(workspace: string): void {
    this.#leaveAll.run(workspace);
  }

  /**
   * Takes in somebody from another service's backup. Whoever is known here by the same id is the same, with the password
   * that is here. A name that somebody else has is no reason to take them for each other: then nobody is taken in, and
   * an admin makes a link.
   */
  takePerson(workspace: string, person: PersonPart): void {
    if (this.find(person.id) === undefined) {
      if (this.findByName(person.signInName) !== undefined) return;
      this.insert(person);
      if (person.passwordHash !== null) this.setPassword(person.id, person.passwordHash, person.createdAt);
    }
    this.join({ workspace, principalId: person.principalId, identityId: person.id });
  }

  join(membership: StoredMembership): void {
    this.#join.run(membership.workspace, membership.principalId, membership.identityId);
  }
}
