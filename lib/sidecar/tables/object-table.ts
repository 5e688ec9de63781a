import { Table } from '../statement.js';

/** A git object that is committed but not yet in a pack. */
export interface PendingObject {
  readonly oid: string;
  readonly type: 'blob' | 'tree' | 'commit';
  /** Bytes before compression. */
  readonly size: number;
  readonly deflated: Buffer;
  /** For a delta: the pending object that it changes. Size and bytes are those of the delta then. */
  readonly base: string | null;
}

/** Objects on their way into the repository: pending ones wait here, staged ones are there already. */
export class ObjectTable extends Table {
  readonly #insert = this.statement(
    'INSERT INTO pending_object (oid, type, size, deflated) VALUES (?, ?, ?, ?) ON CONFLICT (oid) DO NOTHING',
  );
  readonly #insertDelta = this.statement(
    `INSERT INTO pending_object (oid, type, size, deflated, base, depth)
     SELECT ?, type, ?, ?, oid, depth + 1 FROM pending_object WHERE oid = ? AND number > ? AND depth < ?
     ON CONFLICT (oid) DO NOTHING`,
  );
  readonly #find = this.statement<[string], PendingObject>(
    'SELECT oid, type, size, deflated, base FROM pending_object WHERE oid = ?',
  );
  readonly #has = this.valueStatement<[string], number>(
    'SELECT EXISTS (SELECT 1 FROM pending_object WHERE oid = ?) AS waits',
  );
  readonly #upTo = this.statement<[number, number, number], PendingObject & { number: number }>(
    'SELECT number, oid, type, size, deflated, base FROM pending_object WHERE number > ? AND number <= ? ORDER BY number LIMIT ?',
  );
  readonly #newest = this.valueStatement<[], number | null>('SELECT max(number) AS number FROM pending_object');
  // Two queries, since SQLite finds the least and the greatest in one only by a walk.
  readonly #span = this.valueStatement<[], number>(
    `SELECT coalesce((SELECT max(number) FROM pending_object) - (SELECT min(number) FROM pending_object) + 1, 0)`,
  );
  readonly #left = this.valueStatement<[number, number], number>(
    'SELECT number FROM pending_object WHERE number <= ? ORDER BY number DESC LIMIT 1 OFFSET ?',
  );
  readonly #delete = this.statement('DELETE FROM pending_object WHERE number > ? AND number <= ?');
  readonly #stage = this.statement(
    'INSERT INTO staged_object (oid, size, staged_at) VALUES (?, ?, ?) ON CONFLICT (oid) DO UPDATE SET staged_at = excluded.staged_at',
  );
  readonly #unstage = this.statement('DELETE FROM staged_object WHERE oid = ?');
  readonly #staged = this.statement<[], { oid: string; size: number; staged_at: number }>(
    'SELECT oid, size, staged_at FROM staged_object',
  );
  readonly #isStaged = this.valueStatement<[string], number>(
    'SELECT EXISTS (SELECT 1 FROM staged_object WHERE oid = ?) AS staged',
  );
  readonly #bytes = this.statement<[], { bytes: number; objects: number }>(
    'SELECT coalesce(sum(length(deflated)), 0) AS bytes, count(*) AS objects FROM pending_object',
  );

  readonly #stagePack = this.statement(
    'INSERT INTO staged_pack (name, connector) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET connector = excluded.connector',
  );
  readonly #unstagePacks = this.statement('DELETE FROM staged_pack WHERE connector = ?');
  readonly #unstagePack = this.statement('DELETE FROM staged_pack WHERE name = ?');
  readonly #stagedPacks = this.valueStatement<[], string>('SELECT name FROM staged_pack');

  /** A pending object stays as it is: same name, same bytes. */
  insert(object: Omit<PendingObject, 'base'>): void {
    this.#insert.run(object.oid, object.type, object.size, object.deflated);
  }

  /**
   * The same for a delta, provided that its base is pending, has a number greater than `after`, and is at the end of a
   * chain of fewer than `longest` deltas.
   * @returns whether it was added
   */
  insertDelta(
    { oid, size, deflated, base }: Pick<PendingObject, 'oid' | 'size' | 'deflated'> & { readonly base: string },
    after: number,
    longest: number,
  ): boolean {
    return this.#insertDelta.run(oid, size, deflated, base, after, longest).changes > 0;
  }

  find(oid: string): PendingObject | undefined {
    return this.#find.get(oid);
  }

  /** Whether it is pending. */
  has(oid: string): boolean {
    return this.#has.get(oid) === 1;
  }

  /** Number of the newest pending object; 0 when there is none. */
  newest(): number {
    return this.#newest.get() ?? 0;
  }

  /**
   * Pending objects with after < number ≤ upTo, in order: at most `limit`, and none after the one with which they reach
   * `maxBytes`.
   */
  between(
    after: number,
    upTo: number,
    limit: number,
    maxBytes: number,
  ): (PendingObject & { readonly number: number })[] {
    const objects: (PendingObject & { readonly number: number })[] = [];
    let bytes = 0;
    for (const object of this.#upTo.iterate(after, upTo, limit)) {
      objects.push(object);
      bytes += object.deflated.length;
      if (bytes >= maxBytes) break;
    }
    return objects;
  }

  /** How many numbers pending objects have, from the oldest to the newest: about as many as there are. Takes no time. */
  span(): number {
    return this.#span.get() ?? 0;
  }

  /**
   * Deletes objects that are in a pack now: of those with a number up to this one, the newest, at most `most` of them.
   * @returns the number of the newest one that is left of them; 0 for none. What comes later has a greater number, also
   * where numbers have become free.
   */
  deleteNewest(upTo: number, most: number): number {
    const left = this.#left.get(upTo, most) ?? 0;
    this.#delete.run(left, upTo);
    return left;
  }

  pendingTotals(): { readonly bytes: number; readonly objects: number } {
    return this.#bytes.get() ?? { bytes: 0, objects: 0 };
  }

  stage(oid: string, size: number, at: number): void {
    this.#stage.run(oid, size, at);
  }

  unstage(oid: string): void {
    this.#unstage.run(oid);
  }

  isStaged(oid: string): boolean {
    return this.#isStaged.get(oid) === 1;
  }

  staged(): { readonly oid: string; readonly size: number; readonly staged_at: number }[] {
    return this.#staged.all();
  }

  /** Notes a pack with contents for the next commits of its owner: a connector, or a push. */
  stagePack(name: string, owner: string): void {
    this.#stagePack.run(name, owner);
  }

  /** A commit needs the owner's packs from now on. */
  unstagePacks(owner: string): void {
    this.#unstagePacks.run(owner);
  }

  unstagePack(name: string): void {
    this.#unstagePack.run(name);
  }

  stagedPacks(): string[] {
    return this.#stagedPacks.all();
  }
}
