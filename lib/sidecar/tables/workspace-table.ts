import { Table } from '../statement.js';

/** A workspace as the service lists it. */
export interface ListedWorkspace {
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** The list of workspaces in the service's own file. */
export class WorkspaceTable extends Table {
  readonly #list = this.statement<[], ListedWorkspace>(
    'SELECT name, created_at AS createdAt FROM workspace ORDER BY name',
  );
  readonly #createdAt = this.valueStatement<[string], number>('SELECT created_at FROM workspace WHERE name = ?');
  readonly #add = this.statement('INSERT INTO workspace (name, created_at) VALUES (?, ?)');
  readonly #remove = this.statement('DELETE FROM workspace WHERE name = ?');

  list(): ListedWorkspace[] {
    return this.#list.all();
  }

  /** Milliseconds since 1970; undefined when there is no workspace of that name. */
  createdAt(name: string): number | undefined {
    return this.#createdAt.get(name);
  }

  /** @throws SqliteError when there is a workspace of that name */
  add(name: string, createdAt: number): void {
    this.#add.run(name, createdAt);
  }

  remove(name: string): void {
    this.#remove.run(name);
  }
}
