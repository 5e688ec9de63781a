import { openSidecar, type Sidecar } from '../../lib/sidecar/sidecar.js';
import { Sqlite } from '../support/store/sqlite.js';

/** SQLite's errors. */
export type SqliteFault =
  'SQLITE_FULL' | 'SQLITE_IOERR_WRITE' | 'SQLITE_IOERR_READ' | 'SQLITE_IOERR_FSYNC' | 'SQLITE_BUSY';

export interface FaultOptions {
  /** Whether the failing call is done nevertheless, and only reported as failed. */
  readonly when?: 'before' | 'after';
  /** Whether sidecars can be opened until `disarm`. */
  readonly mayOpen?: boolean;
}

/**
 * Opens real sidecars whose writing side fails once. The n-th call since `arm`, a statement on a table or a step of the
 * transaction, throws SQLite's error. Earlier calls stay undone or done as SQLite leaves them.
 */
export class FailingSidecars {
  /** Calls to the writing side since `arm`. */
  calls = 0;
  /** The kind of the failed call. */
  failed: string | undefined;
  /** Sidecars opened since `arm`. */
  opened = 0;
  /** The number of the failing call, or its kind. */
  #failAt: number | string = Number.POSITIVE_INFINITY;
  #fault: SqliteFault = 'SQLITE_FULL';
  #when: 'before' | 'after' = 'before';
  #mayOpen = true;
  readonly #watched: ReadonlySet<string>;

  /** @param countsReads whether calls to the reading side count and fail too */
  constructor({ countsReads = false } = {}) {
    this.#watched = new Set(['writer', 'sqlTransaction', ...(countsReads ? ['reader'] : [])]);
  }

  /** Lets the n-th call fail. */
  arm(failAt: number, fault: SqliteFault, options: FaultOptions = {}): void {
    this.#arm(failAt, fault, options);
  }

  /** Lets the next call of this fail, e.g. `sidecar.sqlTransaction.commit`. */
  armFor(what: string, fault: SqliteFault, options: FaultOptions = {}): void {
    this.#arm(what, fault, options);
  }

  #arm(failAt: number | string, fault: SqliteFault, { when = 'before', mayOpen = true }: FaultOptions): void {
    this.calls = 0;
    this.opened = 0;
    this.failed = undefined;
    this.#failAt = failAt;
    this.#fault = fault;
    this.#when = when;
    this.#mayOpen = mayOpen;
  }

  disarm(): void {
    this.#failAt = Number.POSITIVE_INFINITY;
    this.#mayOpen = true;
  }

  readonly open: typeof openSidecar = (file, migrations, mustExist) => {
    this.opened += 1;
    if (!this.#mayOpen) throw new Sqlite.SqliteError('made to fail', 'SQLITE_CANTOPEN');
    const sidecar = openSidecar(file, migrations, mustExist);
    return this.#watch(sidecar, 'sidecar', this.#watched) as Sidecar;
  };

  /** Passes everything on, except for calls of methods below `watched`, which count. */
  #watch(target: object, name: string, watched: ReadonlySet<string> | 'all'): object {
    const known = new Map<string | symbol, unknown>();
    return new Proxy(target, {
      get: (_, key) => {
        // Asking for the reader begins its transaction, each time.
        const value: unknown = known.has(key) && key !== 'reader' ? undefined : Reflect.get(target, key);
        if (known.has(key)) return known.get(key);
        const label = `${name}.${String(key)}`;
        const isWatched = watched === 'all' || watched.has(String(key));
        if (typeof value === 'object' && value !== null && isWatched) {
          known.set(key, this.#watch(value, label, 'all'));
          return known.get(key);
        }
        if (typeof value !== 'function') return value;
        const bound = (value as (...given: unknown[]) => unknown).bind(target);
        const called = isWatched ? this.#count(bound, label) : bound;
        known.set(key, called);
        return called;
      },
    });
  }

  #count(call: (...given: unknown[]) => unknown, label: string) {
    return (...given: unknown[]): unknown => {
      // The end of a failed transaction must work, as it does in SQLite.
      if (label.endsWith('.rollback')) return call(...given);
      this.calls += 1;
      if (this.calls !== this.#failAt && label !== this.#failAt) return call(...given);
      this.#failAt = Number.POSITIVE_INFINITY;
      this.failed = label;
      if (this.#when === 'after') call(...given);
      throw new Sqlite.SqliteError('made to fail', this.#fault);
    };
  }
}
