import type { Principal, PrincipalKind } from '../../domain/principal.js';
import type { Connection } from '../database.js';
import { Table } from '../statement.js';

interface Row {
  id: string;
  kind: PrincipalKind;
  display_name: string;
  created_at: number;
  disabled_at: number | null;
}

const toPrincipal = (row: Row): Principal => ({
  id: row.id,
  kind: row.kind,
  displayName: row.display_name,
  createdAt: row.created_at,
  disabledAt: row.disabled_at,
});

/** People, agents, connectors and the operator. Rows are never deleted. */
export class PrincipalTable extends Table {
  readonly #touched: () => void;
  readonly #find = this.statement<[string], Row>('SELECT * FROM principal WHERE id = ?');
  readonly #list = this.statement<[], Row>('SELECT * FROM principal ORDER BY created_at, id');
  readonly #insert = this.statement('INSERT INTO principal (id, kind, display_name, created_at) VALUES (?, ?, ?, ?)');
  readonly #disable = this.statement('UPDATE principal SET disabled_at = ? WHERE id = ?');

  /** @param touched called before each write that may change what someone reaches */
  constructor(connection: Connection, touched: () => void) {
    super(connection);
    this.#touched = touched;
  }

  find(id: string): Principal | undefined {
    const row = this.#find.get(id);
    return row === undefined ? undefined : toPrincipal(row);
  }

  list(): Principal[] {
    return this.#list.all().map(toPrincipal);
  }

  insert(principal: Principal): void {
    this.#touched();
    this.#insert.run(principal.id, principal.kind, principal.displayName, principal.createdAt);
  }

  /** @param at milliseconds since 1970, or null to enable again */
  setDisabled(id: string, at: number | null): void {
    this.#touched();
    this.#disable.run(at, id);
  }
}
