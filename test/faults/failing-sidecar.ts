import Sqlite from 'better-sqlite3';
import { openSidecar, type Sidecar } from '../../lib/sidecar/sidecar.js';

/** What SQLite says when it goes wrong. */
export type SqliteFault =
  'SQLITE_FULL' | 'SQLITE_IOERR_WRITE' | 'SQLITE_IOERR_READ' | 'SQLITE_IOERR_FSYNC' | 'SQLITE_BUSY';

export interface FaultOptions {
  /** Whether what fails is done nevertheless, and only said to have failed. */
  readonly when?: 'before' | 'after';
  /** Whether sidecars can be opened until `disarm`. */
  readonly mayOpen?: boolean;
}

/**
 * Opens real sidecars whose writing side fails once: the n-th thing asked of it since `arm`, be it a statement on a
 * table or a step of the transaction, throws what SQLite would throw there. What was done before it stays undone or
 * done as SQLite leaves it.
 */
export class FailingSidecars {
  /** Things asked of the writing side since `arm`. */
  calls = 0;
  /** What the one that failed was. */
  failed: string | undefined;
  /** Sidecars that were opened since `arm`. */
  opened = 0;
  /** The number of the call that fails, or what it is. */
  #failAt: number | string = Number.POSITIVE_INFINITY;
  #fault: SqliteFault = 'SQLITE_FULL';
  #when: 'before' | 'after' = 'before';
  #mayOpen = true;
  readonly #watched: ReadonlySet<string>;

  /** @param countsReads whether what is asked of the side that reads counts and fails too */
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

  /** Passes everything on, but for calls of methods that lie below `watched`, which count. */
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
      // What ends a transaction that failed has to work, as it does in SQLite.
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
