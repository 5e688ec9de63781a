import { Table } from '../statement.js';

/** Single values of a workspace: where the history stands, counters, the policy. */
export class MetaTable extends Table {
  readonly #get = this.valueStatement<[string], string>('SELECT value FROM meta WHERE name = ?');
  readonly #set = this.statement(
    'INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
  );

  get(name: string): string | undefined {
    return this.#get.get(name);
  }

  set(name: string, value: string): void {
    this.#set.run(name, value);
  }
}
