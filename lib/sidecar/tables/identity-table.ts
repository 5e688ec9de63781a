import { Table } from '../statement.js';

/** A person who signs in, as far as it concerns one workspace. */
export interface PersonPart {
  readonly id: string;
  readonly principalId: string;
  readonly signInName: string;
  readonly passwordHash: string | null;
  readonly createdAt: number;
  /** As in `StoredMembership`; missing in older backups, where everybody has joined. */
  readonly joiningAs?: string | null;
}

/** A person who can sign in. */
export interface StoredIdentity {
  readonly id: string;
  readonly signInName: string;
  /** null until the first sign-in. */
  readonly passwordHash: string | null;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** When the present password was chosen; null without one. */
  readonly passwordSetAt?: number | null;
}

/** The principal of an identity in a workspace. */
export interface StoredMembership {
  readonly workspace: string;
  readonly principalId: string;
  readonly identityId: string;
  /**
   * Null once the person has joined. Until then the sign-in name for which the link was made: it stood for an identity
   * already, and whoever has that one may be another person.
   */
  readonly joiningAs: string | null;
}

const identityColumns = 'id, sign_in_name AS signInName, password_hash AS passwordHash, created_at AS createdAt';
const selectMembership = `SELECT workspace, principal_id AS principalId, identity_id AS identityId,
    joining_as AS joiningAs
  FROM membership`;

/** Those who are in this workspace and in no other. */
const onlyHere = `SELECT identity_id FROM membership WHERE workspace = ?
  EXCEPT SELECT identity_id FROM membership WHERE workspace <> ?`;

/** The people who can sign in, and their principals. */
export class IdentityTable extends Table {
  readonly #find = this.statement<[string], StoredIdentity>(
    `SELECT ${identityColumns}, password_set_at AS passwordSetAt FROM identity WHERE id = ?`,
  );
  readonly #findByName = this.statement<[string], StoredIdentity>(
    `SELECT ${identityColumns} FROM identity WHERE sign_in_name = ?`,
  );
  readonly #insert = this.statement('INSERT INTO identity (id, sign_in_name, created_at) VALUES (?, ?, ?)');
  readonly #rename = this.statement('UPDATE identity SET sign_in_name = ? WHERE id = ?');
  readonly #setPassword = this.statement('UPDATE identity SET password_hash = ?, password_set_at = ? WHERE id = ?');
  readonly #membershipsOf = this.statement<[string], StoredMembership>(
    `${selectMembership} WHERE identity_id = ? ORDER BY workspace`,
  );
  readonly #findMembership = this.statement<[string, string], StoredMembership>(
    `${selectMembership} WHERE workspace = ? AND principal_id = ?`,
  );
  readonly #listPeople = this.statement<[string], PersonPart>(
    `SELECT ${identityColumns}, membership.principal_id AS principalId, membership.joining_as AS joiningAs
     FROM membership
     JOIN identity ON identity.id = membership.identity_id WHERE membership.workspace = ? ORDER BY identity.id`,
  );
  readonly #leaveAll = this.statement('DELETE FROM membership WHERE workspace = ?');
  readonly #endSessionsOfLast = this.statement(`DELETE FROM browser_session WHERE identity_id IN (${onlyHere})`);
  readonly #lastMembers = this.valueStatement<[string, string], string>(onlyHere);
  readonly #remove = this.statement('DELETE FROM identity WHERE id = ?');
  readonly #leave = this.statement('DELETE FROM membership WHERE workspace = ? AND principal_id = ?');
  readonly #join = this.statement(
    `INSERT INTO membership (workspace, principal_id, identity_id, joining_as) VALUES (?, ?, ?, ?)`,
  );
  readonly #setJoining = this.statement(
    'UPDATE membership SET joining_as = ? WHERE workspace = ? AND principal_id = ? AND joining_as IS NOT NULL',
  );

  find(id: string): StoredIdentity | undefined {
    return this.#find.get(id);
  }

  /** @param signInName as it is compared */
  findByName(signInName: string): StoredIdentity | undefined {
    return this.#findByName.get(signInName);
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

  /** Including those that the person has not joined yet. */
  membershipsOf(identityId: string): StoredMembership[] {
    return this.#membershipsOf.all(identityId);
  }

  findMembership(workspace: string, principalId: string): StoredMembership | undefined {
    return this.#findMembership.get(workspace, principalId);
  }

  /** All people who sign in to a workspace, for its backup. */
  listPeople(workspace: string): PersonPart[] {
    return this.#listPeople.all(workspace);
  }

  /** Removes all memberships of a workspace: they are remains of an earlier one of the name. */
  leaveAll(workspace: string): void {
    this.#leaveAll.run(workspace);
  }

  /** The same for a workspace that is removed: people who are in no other are forgotten, with their sessions. */
  leaveForGood(workspace: string): void {
    const last = this.#lastMembers.all(workspace, workspace);
    this.#endSessionsOfLast.run(workspace, workspace);
    this.leaveAll(workspace);
    for (const id of last) this.#remove.run(id);
  }

  /**
   * Takes in a person from another service's backup. A known id is the same person, and keeps the password of this
   * service. An equal name under another id does not make them one person: then nothing is taken in, and an admin makes
   * a link.
   */
  takePerson(workspace: string, person: PersonPart): void {
    if (this.find(person.id) === undefined) {
      if (this.findByName(person.signInName) !== undefined) return;
      this.insert(person);
      const hasJoined = (person.joiningAs ?? null) === null;
      if (hasJoined && person.passwordHash !== null) {
        this.setPassword(person.id, person.passwordHash, person.createdAt);
      }
    }
    const { principalId, id: identityId, joiningAs = null } = person;
    this.join({ workspace, principalId, identityId, joiningAs });
  }

  join({ workspace, principalId, identityId, joiningAs }: StoredMembership): void {
    this.#join.run(workspace, principalId, identityId, joiningAs);
  }

  /** Of one who has not joined yet. @param joiningAs null: they have joined now */
  setJoining(workspace: string, principalId: string, joiningAs: string | null): void {
    this.#setJoining.run(joiningAs, workspace, principalId);
  }

  leave(workspace: string, principalId: string): void {
    this.#leave.run(workspace, principalId);
  }
}
