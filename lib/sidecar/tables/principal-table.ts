import type { Principal } from '../../domain/principal.js';
import type { Connection } from '../driver.js';
import { Table } from '../statement.js';

const select = `SELECT id, kind, display_name AS displayName, created_at AS createdAt, disabled_at AS disabledAt
  FROM principal`;

/** People, agents, connectors and the operator. Rows are never deleted. */
export class PrincipalTable extends Table {
  readonly #touched: () => void;
  readonly #find = this.statement<[string], Principal>(`${select} WHERE id = ?`);
  readonly #list = this.statement<[], Principal>(`${select} ORDER BY created_at, id`);
  readonly #after = this.statement<[string, number], Principal>(`${select} WHERE id > ? ORDER BY id LIMIT ?`);
  readonly #named = this.valueStatement<[string, number], string>(
    'SELECT id FROM principal WHERE display_name = ? COLLATE NOCASE ORDER BY id LIMIT ?',
  );
  readonly #madeSince = this.statement<[number], Principal>(`${select} WHERE created_at >= ?`);
  readonly #insert = this.statement('INSERT INTO principal (id, kind, display_name, created_at) VALUES (?, ?, ?, ?)');
  readonly #rename = this.statement('UPDATE principal SET display_name = ? WHERE id = ?');
  readonly #disable = this.statement('UPDATE principal SET disabled_at = ? WHERE id = ?');

  /** @param touched called before each write that may change a principal's reach */
  constructor(connection: Connection, touched: () => void) {
    super(connection);
    this.#touched = touched;
  }

  /** Ids of the principals with this name, without regard to the case of a to z. */
  named(displayName: string, limit: number): string[] {
    return this.#named.all(displayName, limit);
  }

  find(id: string): Principal | undefined {
    return this.#find.get(id);
  }

  list(): Principal[] {
    return this.#list.all();
  }

  /** Those with a greater id, in the order of ids, at most so many. */
  after(id: string, most: number): Principal[] {
    return this.#after.all(id, most);
  }

  /** @param at milliseconds since 1970 */
  madeSince(at: number): Principal[] {
    return this.#madeSince.all(at);
  }

  insert(principal: Principal): void {
    this.#touched();
    this.#insert.run(principal.id, principal.kind, principal.displayName, principal.createdAt);
  }

  rename(id: string, displayName: string): void {
    this.#rename.run(displayName, id);
  }

  /** @param at milliseconds since 1970, or null to enable again */
  setDisabled(id: string, at: number | null): void {
    this.#touched();
    this.#disable.run(at, id);
  }
}
