import { Table } from '../statement.js';

/** A key that belongs to no workspace's file. */
export interface ServiceKey {
  readonly purpose: string;
  readonly material: Uint8Array;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

const select = 'SELECT purpose, material, created_at AS createdAt FROM service_key';

/** The keys in the service's own file, by their purpose. */
export class ServiceKeyTable extends Table {
  readonly #find = this.valueStatement<[string], Buffer>('SELECT material FROM service_key WHERE purpose = ?');
  readonly #add = this.statement(
    'INSERT INTO service_key (purpose, material, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  );
  readonly #replace = this.statement(
    'INSERT OR REPLACE INTO service_key (purpose, material, created_at) VALUES (?, ?, ?)',
  );
  readonly #remove = this.statement('DELETE FROM service_key WHERE purpose = ?');
  readonly #startingWith = this.statement<[string, string], ServiceKey>(
    `${select} WHERE substr(purpose, 1, length(?)) = ? ORDER BY created_at DESC, purpose`,
  );
  readonly #endingWith = this.statement<[string, string], ServiceKey>(
    `${select} WHERE substr(purpose, -length(?)) = ? ORDER BY purpose`,
  );

  find(purpose: string): Uint8Array | undefined {
    return this.#find.get(purpose);
  }

  /** Keeps an existing key. @returns the key in force */
  add({ purpose, material, createdAt }: ServiceKey): Uint8Array {
    this.#add.run(purpose, material, createdAt);
    return this.find(purpose) ?? material;
  }

  /** Puts it in the place of the existing one. */
  replace({ purpose, material, createdAt }: ServiceKey): void {
    this.#replace.run(purpose, material, createdAt);
  }

  remove(purpose: string): void {
    this.#remove.run(purpose);
  }

  /** Keys whose purpose begins with the prefix, the newest first. */
  startingWith(prefix: string): ServiceKey[] {
    return this.#startingWith.all(prefix, prefix);
  }

  /** Keys whose purpose ends with `ending`, in the order of their purposes. */
  endingWith(ending: string): ServiceKey[] {
    return this.#endingWith.all(ending, ending);
  }
}
