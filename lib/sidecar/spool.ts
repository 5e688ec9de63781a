import { connect } from './driver.js';
import { nameless } from './scratch.js';
import { Statement } from './statement.js';

/**
 * A list of values on its way from one place to another. A short list stays in memory; a long one goes into a file
 * without a name that ends with the process. The values are plain, as JSON can hold them.
 */
export class Spool<Value> {
  readonly #connection = connect(nameless);
  readonly #add = new Statement<[string], never>(this.#connection, 'INSERT INTO spooled (value) VALUES (?)');
  readonly #next = new Statement<[number], { number: number; value: string }>(
    this.#connection,
    'SELECT number, value FROM spooled WHERE number > ? ORDER BY number LIMIT 1',
  );
  #taken = 0;

  constructor() {
    this.#connection.pragma('journal_mode = OFF');
    this.#connection.exec('CREATE TABLE spooled (number INTEGER PRIMARY KEY, value TEXT NOT NULL)');
  }

  add(value: Value): void {
    this.#add.run(JSON.stringify(value));
  }

  /** The first value not taken yet; undefined when there is none. */
  take(): Value | undefined {
    const row = this.#next.get(this.#taken);
    if (row === undefined) return undefined;
    this.#taken = row.number;
    return JSON.parse(row.value) as Value;
  }

  /** Removes its file. May be called twice. */
  close(): void {
    this.#connection.close();
  }
}
