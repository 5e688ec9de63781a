import { Table } from '../statement.js';

/** An object in a bucket that holds the bytes of one file of the workspace. */
export interface StoredObject {
  /** Below the life's folder, such as `packs/pack-1f….pack`. */
  readonly name: string;
  /** The life in whose folder it lies. */
  readonly life: string;
  /** Of the file, before it is sealed. */
  readonly bytes: number;
  /** Opens it: 32 bytes. */
  readonly key: Buffer;
  /** When the file was found gone here, in milliseconds since 1970; null while it is there. */
  readonly goneAt: number | null;
}

const select = 'SELECT name, life, bytes, key, gone_at AS goneAt FROM stored_object';

/** The objects that a copy elsewhere holds of packs, large blobs and archives; empty where nothing is copied. */
export class StoredObjectTable extends Table {
  readonly #after = this.statement<[string, number], StoredObject>(`${select} WHERE name > ? ORDER BY name LIMIT ?`);
  readonly #find = this.statement<[string], StoredObject>(`${select} WHERE name = ?`);
  readonly #insert = this.statement(
    'INSERT INTO stored_object (name, life, bytes, key, gone_at) VALUES (?, ?, ?, ?, NULL)',
  );
  readonly #mark = this.statement('UPDATE stored_object SET gone_at = ? WHERE name = ?');
  readonly #goneBefore = this.statement<[number, number], StoredObject>(
    `${select} WHERE gone_at IS NOT NULL AND gone_at < ? ORDER BY gone_at LIMIT ?`,
  );
  readonly #remove = this.statement('DELETE FROM stored_object WHERE name = ? AND gone_at IS NOT NULL');

  /** Those with a greater name, in the order of names. */
  after(name: string, limit: number): StoredObject[] {
    return this.#after.all(name, limit);
  }

  find(name: string): StoredObject | undefined {
    return this.#find.get(name);
  }

  insert({ name, life, bytes, key }: Omit<StoredObject, 'goneAt'>): void {
    this.#insert.run(name, life, bytes, key);
  }

  /** @param goneAt null for one that is there again: a pack is named by its contents */
  mark(name: string, goneAt: number | null): void {
    this.#mark.run(goneAt, name);
  }

  /** Those whose file was found gone before a moment, the longest gone first. */
  goneBefore(at: number, limit: number): StoredObject[] {
    return this.#goneBefore.all(at, limit);
  }

  /** Removes the row of one whose file is gone. */
  remove(name: string): void {
    this.#remove.run(name);
  }
}
