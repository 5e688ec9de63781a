import { Table } from '../statement.js';

/** A key that belongs to no workspace's file. */
export interface ServiceKey {
  readonly purpose: string;
  readonly material: Uint8Array;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

interface KeyRow {
  readonly purpose: string;
  readonly material: Buffer;
  readonly created_at: number;
}

/** The keys in the service's own file, by what they are for. */
export class ServiceKeyTable extends Table {
  readonly #find = this.valueStatement<[string], Buffer>('SELECT material FROM service_key WHERE purpose = ?');
  readonly #add = this.statement(
    'INSERT INTO service_key (purpose, material, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  );
  readonly #replace = this.statement(
    'INSERT OR REPLACE INTO service_key (purpose, material, created_at) VALUES (?, ?, ?)',
  );
  readonly #remove = this.statement('DELETE FROM service_key WHERE purpose = ?');
  readonly #startingWith = this.statement<[string, string], KeyRow>(
    'SELECT * FROM service_key WHERE substr(purpose, 1, length(?)) = ? ORDER BY created_at DESC, purpose',
  );
  readonly #endingWith = this.statement<[string, string], KeyRow>(
    'SELECT * FROM service_key WHERE substr(purpose, -length(?)) = ? ORDER BY purpose',
  );

  find(purpose: string): Uint8Array | undefined {
    return this.#find.get(purpose);
  }

  /** Keeps the one that is there already. @returns the one that is in force */
  add({ purpose, material, createdAt }: ServiceKey): Uint8Array {
    this.#add.run(purpose, material, createdAt);
    return this.find(purpose) ?? material;
  }

  /** Puts it in the place of the one that is there. */
  replace({ purpose, material, createdAt }: ServiceKey): void {
    this.#replace.run(purpose, material, createdAt);
  }

  remove(purpose: string): void {
    this.#remove.run(purpose);
  }

  /** Those whose purpose begins so, the newest first. */
  startingWith(prefix: string): ServiceKey[] {
    return this.#startingWith.all(prefix, prefix).map(toKey);
  }

  /** Those whose purpose ends so, in the order of their purposes. */
  endingWith(ending: string): ServiceKey[] {
    return this.#endingWith.all(ending, ending).map(toKey);
  }
}

function toKey({ purpose, material, created_at: createdAt }: KeyRow): ServiceKey {
  return { purpose, material, createdAt };
}
