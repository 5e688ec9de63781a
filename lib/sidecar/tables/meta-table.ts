import type { Connection } from '../database.js';

/** Single values of a workspace: where the history stands, counters, the policy. */
export class MetaTable {
  readonly #get;
  readonly #set;

  constructor(connection: Connection) {
    this.#get = connection.prepare<[string], string>('SELECT value FROM meta WHERE name = ?').pluck();
    this.#set = connection.prepare(
      'INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
    );
  }

  get(name: string): string | undefined {
    return this.#get.get(name);
  }

  set(name: string, value: string): void {
    this.#set.run(name, value);
  }
}
