import type { Connection } from '../database.js';

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
export class ServiceKeyTable {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  find(purpose: string): Uint8Array | undefined {
    return this.#connection
      .prepare<[string], { material: Buffer }>('SELECT material FROM service_key WHERE purpose = ?')
      .get(purpose)?.material;
  }

  /** Keeps the one that is there already. @returns the one that is in force */
  add({ purpose, material, createdAt }: ServiceKey): Uint8Array {
    this.#connection
      .prepare('INSERT INTO service_key (purpose, material, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
      .run(purpose, material, createdAt);
    return this.find(purpose) ?? material;
  }

  /** Puts it in the place of the one that is there. */
  replace({ purpose, material, createdAt }: ServiceKey): void {
    this.#connection
      .prepare('INSERT OR REPLACE INTO service_key (purpose, material, created_at) VALUES (?, ?, ?)')
      .run(purpose, material, createdAt);
  }

  remove(purpose: string): void {
    this.#connection.prepare('DELETE FROM service_key WHERE purpose = ?').run(purpose);
  }

  /** Those whose purpose begins so, the newest first. */
  startingWith(prefix: string): ServiceKey[] {
    return this.#connection
      .prepare<[string, string], KeyRow>(
        'SELECT * FROM service_key WHERE substr(purpose, 1, length(?)) = ? ORDER BY created_at DESC, purpose',
      )
      .all(prefix, prefix)
      .map(toKey);
  }

  /** Those whose purpose ends so, in the order of their purposes. */
  endingWith(ending: string): ServiceKey[] {
    return this.#connection
      .prepare<[string, string], KeyRow>(
        'SELECT * FROM service_key WHERE substr(purpose, -length(?)) = ? ORDER BY purpose',
      )
      .all(ending, ending)
      .map(toKey);
  }
}

function toKey({ purpose, material, created_at: createdAt }: KeyRow): ServiceKey {
  return { purpose, material, createdAt };
}
