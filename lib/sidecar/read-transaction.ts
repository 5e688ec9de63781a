import type { Connection } from './database.js';

/**
 * One transaction for all reads of one turn of the event loop: by itself each statement asks the system for a lock and
 * gives it back, which takes longer than to find a row.
 *
 * What is read is the newest committed state nevertheless, since the one who commits ends the transaction. It never
 * outlives the turn of the event loop either, so that nobody's checkpoint of the log waits for an idle reader.
 */
export class ReadTransaction {
  readonly #connection: Connection;
  readonly #begin;
  readonly #commit;
  readonly #rollback;
  #isEndDue = false;
  /** Whether what it shows may be old, since the file could not be read when it was to end. */
  #isOverdue = false;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#begin = connection.prepare('BEGIN');
    this.#commit = connection.prepare('COMMIT');
    this.#rollback = connection.prepare('ROLLBACK');
  }

  /**
   * What the connection reads from now on is one state, until `end` or the end of this turn of the event loop.
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

  /** The next read sees what is committed then, or fails. Never throws. */
  end(): void {
    if (!this.#connection.open) return;
    try {
      this.#leave();
    } catch {
      this.#isOverdue = true;
    }
  }

  /** Nothing was written, so it is the same whether that is kept; SQLite may refuse the one and do the other. */
  #leave(): void {
    try {
      if (this.#connection.inTransaction) this.#commit.run();
    } catch {
      if (this.#connection.inTransaction) this.#rollback.run();
    }
    this.#isOverdue = false;
  }
}
