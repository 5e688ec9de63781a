import type { Connection } from './driver.js';

/**
 * One transaction for all reads of one turn of the event loop. Without it each statement takes a lock from the system
 * and releases it, which takes longer than finding a row.
 *
 * Reads nevertheless see the newest committed state, since the committing code ends the transaction. It never outlives
 * the turn of the event loop either, so that no checkpoint of the log waits for an idle reader.
 */
export class ReadTransaction {
  readonly #connection: Connection;
  readonly #begin;
  readonly #commit;
  readonly #rollback;
  #isEndDue = false;
  /** Whether it may show an old state, since the file could not be read when it was to end. */
  #isOverdue = false;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#begin = connection.prepare('BEGIN');
    this.#commit = connection.prepare('COMMIT');
    this.#rollback = connection.prepare('ROLLBACK');
  }

  /**
   * All reads of the connection show one state from now on, until `end` or the end of this turn of the event loop.
   * @throws SqliteError when the file cannot be read
   */
  begin(): void {
    if (this.#isOverdue) this.#leave();
    if (this.#connection.inTransaction) return;
    this.#begin.run();
    if (this.#isEndDue) return;
    this.#isEndDue = true;
    setImmediate(() => {
      this.#isEndDue = false;
      this.end();
    });
  }

  /** The next read sees the state committed then, or fails. Never throws. */
  end(): void {
    if (!this.#connection.open) return;
    try {
      this.#leave();
    } catch {
      this.#isOverdue = true;
    }
  }

  /** Nothing was written, so commit and rollback are the same; SQLite may refuse the one and do the other. */
  #leave(): void {
    try {
      if (this.#connection.inTransaction) this.#commit.run();
    } catch {
      if (this.#connection.inTransaction) this.#rollback.run();
    }
    this.#isOverdue = false;
  }
}
