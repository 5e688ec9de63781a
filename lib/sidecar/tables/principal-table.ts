import type { Principal } from '../../domain/principal.js';
import type { Connection } from '../driver.js';
import type { Touched } from '../stamps.js';
import { Table } from '../statement.js';

/** An array, as in the table of credentials: one is looked up for each request. */
type Row = readonly [
  id: string,
  kind: Principal['kind'],
  displayName: string,
  createdAt: number,
  disabledAt: number | null,
];

const select = 'SELECT id, kind, display_name, created_at, disabled_at FROM principal';

const toPrincipal = (row: Row): Principal => ({
  id: row[0],
  kind: row[1],
  displayName: row[2],
  createdAt: row[3],
  disabledAt: row[4],
});

/** People, agents, connectors and the operator. Rows are never deleted. */
export class PrincipalTable extends Table {
  readonly #touched: (what: Touched) => void;
  readonly #find = this.arrayStatement<[string], Row>(`${select} WHERE id = ?`);
  readonly #list = this.arrayStatement<[], Row>(`${select} ORDER BY created_at, id`);
  readonly #after = this.arrayStatement<[string, number], Row>(`${select} WHERE id > ? ORDER BY id LIMIT ?`);
  readonly #named = this.valueStatement<[string, number], string>(
    'SELECT id FROM principal WHERE display_name = ? COLLATE NOCASE ORDER BY id LIMIT ?',
  );
  readonly #madeSince = this.arrayStatement<[number], Row>(`${select} WHERE created_at >= ?`);
  readonly #insert = this.statement('INSERT INTO principal (id, kind, display_name, created_at) VALUES (?, ?, ?, ?)');
  readonly #rename = this.statement('UPDATE principal SET display_name = ? WHERE id = ?');
  readonly #disable = this.statement('UPDATE principal SET disabled_at = ? WHERE id = ?');

  /** @param touched called before each write; a name is no part of a principal's reach */
  constructor(connection: Connection, touched: (what: Touched) => void) {
    super(connection);
    this.#touched = touched;
  }

  /** Ids of the principals with this name, without regard to the case of a to z. */
  named(displayName: string, limit: number): string[] {
    return this.#named.all(displayName, limit);
  }

  find(id: string): Principal | undefined {
    const row = this.#find.get(id);
    return row === undefined ? undefined : toPrincipal(row);
  }

  list(): Principal[] {
    return this.#list.all().map(toPrincipal);
  }

  /** Those with a greater id, in the order of ids, at most so many. */
  after(id: string, most: number): Principal[] {
    return this.#after.all(id, most).map(toPrincipal);
  }

  /** @param at milliseconds since 1970 */
  madeSince(at: number): Principal[] {
    return this.#madeSince.all(at).map(toPrincipal);
  }

  insert(principal: Principal): void {
    this.#touched('reach');
    this.#insert.run(principal.id, principal.kind, principal.displayName, principal.createdAt);
  }

  rename(id: string, displayName: string): void {
    this.#touched('keys');
    this.#rename.run(displayName, id);
  }

  /** @param at milliseconds since 1970, or null to enable again */
  setDisabled(id: string, at: number | null): void {
    this.#touched('reach');
    this.#disable.run(at, id);
  }
}
