import type { Subject } from '../../domain/grant.js';
import type { Group } from '../../domain/principal.js';
import type { Connection } from '../driver.js';
import { Table } from '../statement.js';

const select = 'SELECT id, display_name AS displayName, created_at AS createdAt FROM principal_group';

/** Groups and their members. UNION, not UNION ALL, ends the recursion even where a cycle were stored. */
export class GroupTable extends Table {
  readonly #touched: () => void;
  readonly #find = this.statement<[string], Group>(`${select} WHERE id = ?`);
  readonly #list = this.statement<[], Group>(`${select} ORDER BY created_at, id`);
  readonly #after = this.statement<[string, number], Group>(`${select} WHERE id > ? ORDER BY id LIMIT ?`);
  readonly #named = this.valueStatement<[string, number], string>(
    'SELECT id FROM principal_group WHERE display_name = ? COLLATE NOCASE ORDER BY id LIMIT ?',
  );
  readonly #madeSince = this.statement<[number], Group>(`${select} WHERE created_at >= ?`);
  readonly #insert = this.statement('INSERT INTO principal_group (id, display_name, created_at) VALUES (?, ?, ?)');
  readonly #join = this.statement(
    'INSERT INTO membership (member_type, member_id, group_id, added_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
  );
  readonly #leave = this.statement('DELETE FROM membership WHERE member_type = ? AND member_id = ? AND group_id = ?');
  readonly #members = this.statement<[string], Subject>(
    'SELECT member_type AS type, member_id AS id FROM membership WHERE group_id = ? ORDER BY member_type, member_id',
  );
  readonly #membersAfter = this.statement<[string, string, string, number], Subject>(
    `SELECT member_type AS type, member_id AS id FROM membership WHERE group_id = ? AND (member_type, member_id) > (?, ?)
     ORDER BY member_type, member_id LIMIT ?`,
  );
  readonly #of = this.valueStatement<[string, string], string>(
    'SELECT group_id FROM membership WHERE member_type = ? AND member_id = ? ORDER BY group_id',
  );
  readonly #above = this.valueStatement<[string, string], string>(
    `WITH RECURSIVE above (id) AS (
       SELECT group_id FROM membership WHERE member_type = ? AND member_id = ?
       UNION
       SELECT m.group_id FROM above CROSS JOIN membership m ON m.member_type = 'group' AND m.member_id = above.id
     ) SELECT id FROM above`,
  );

  /** @param touched called before each write that may change a principal's reach */
  constructor(connection: Connection, touched: () => void) {
    super(connection);
    this.#touched = touched;
  }

  /** Ids of the groups with this name, without regard to the case of a to z. */
  named(displayName: string, limit: number): string[] {
    return this.#named.all(displayName, limit);
  }

  find(id: string): Group | undefined {
    return this.#find.get(id);
  }

  list(): Group[] {
    return this.#list.all();
  }

  /** Groups after an id, in the order of ids, at most so many. */
  after(id: string, most: number): Group[] {
    return this.#after.all(id, most);
  }

  /** @param at milliseconds since 1970 */
  madeSince(at: number): Group[] {
    return this.#madeSince.all(at);
  }

  insert(group: Group): void {
    this.#touched();
    this.#insert.run(group.id, group.displayName, group.createdAt);
  }

  /** @returns false when the member was in it already */
  join(groupId: string, member: Subject, at: number): boolean {
    this.#touched();
    return this.#join.run(member.type, member.id, groupId, at).changes > 0;
  }

  /** @returns false when the member was not in it */
  leave(groupId: string, member: Subject): boolean {
    this.#touched();
    return this.#leave.run(member.type, member.id, groupId).changes > 0;
  }

  /** Direct members. */
  membersOf(groupId: string): Subject[] {
    return this.#members.all(groupId);
  }

  /** Direct members behind this one, groups before principals, at most so many. */
  membersAfter(groupId: string, after: Subject | undefined, most: number): Subject[] {
    return this.#membersAfter.all(groupId, after?.type ?? '', after?.id ?? '', most);
  }

  /** The groups of which the subject is a direct member. */
  groupsOf(subject: Subject): string[] {
    return this.#of.all(subject.type, subject.id);
  }

  /** Every group the subject is in, directly or through other groups, at any depth. */
  groupsAbove(subject: Subject): string[] {
    return this.#above.all(subject.type, subject.id);
  }
}
