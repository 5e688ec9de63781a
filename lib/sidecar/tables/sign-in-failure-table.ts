import { Table } from '../statement.js';

/** Failures in a row, for one name or one address. */
export interface Failures {
  readonly count: number;
  /** Milliseconds since 1970. */
  readonly lastAt: number;
}

/** Failed attempts to sign in. */
export class SignInFailureTable extends Table {
  readonly #find = this.statement<[Uint8Array], Failures>(
    'SELECT count, last_at AS lastAt FROM sign_in_failure WHERE source = ?',
  );
  readonly #set = this.statement(
    `INSERT INTO sign_in_failure (source, count, last_at) VALUES (?, ?, ?)
     ON CONFLICT (source) DO UPDATE SET count = excluded.count, last_at = excluded.last_at`,
  );
  readonly #delete = this.statement('DELETE FROM sign_in_failure WHERE source = ?');
  readonly #count = this.valueStatement<[], number>('SELECT count(*) AS number FROM sign_in_failure');
  readonly #sweep = this.statement(
    `DELETE FROM sign_in_failure WHERE source IN
       (SELECT source FROM sign_in_failure WHERE last_at < ? ORDER BY last_at LIMIT ?)`,
  );
  readonly #forgetFewest = this.statement(
    `DELETE FROM sign_in_failure WHERE source IN
       (SELECT source FROM sign_in_failure ORDER BY count, last_at LIMIT ?)`,
  );

  find(source: Uint8Array): Failures | undefined {
    return this.#find.get(source);
  }

  set(source: Uint8Array, { count, lastAt }: Failures): void {
    this.#set.run(source, count, lastAt);
  }

  delete(source: Uint8Array): void {
    this.#delete.run(source);
  }

  /**
   * Deletes some counts last increased before then. Above `maxSources` sources, it also deletes those with the fewest
   * failures.
   * @param before milliseconds since 1970
   * @param maxSources sources that are remembered
   * @param most rows to delete
   * @returns whether nothing is left to delete
   */
  sweep(before: number, maxSources: number, most: number): boolean {
    const { changes } = this.#sweep.run(before, most);
    const excess = (this.#count.get() ?? 0) - maxSources;
    const left = most - changes;
    if (excess > 0 && left > 0) this.#forgetFewest.run(Math.min(excess, left));
    return left > 0 && excess < left;
  }
}
