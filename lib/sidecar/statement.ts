import type { Connection, PreparedStatement, RunResult } from './driver.js';

/** A value that SQLite stores. */
type Value = string | number | null | Uint8Array;

/** The form of a statement's rows: by the names of columns, as arrays in their order, or the first column alone. */
type RowForm = 'object' | 'array' | 'value';

/**
 * A statement of one connection. SQLite prepares it at its first use, and by itself again after a change of the schema.
 * As in better-sqlite3, a statement whose rows are being iterated cannot be used a second time until that ends.
 */
export class Statement<Parameters extends unknown[], Row> {
  readonly #connection: Connection;
  readonly #sql: string;
  readonly #form: RowForm;
  #prepared: PreparedStatement<Parameters, Row> | undefined = undefined;

  constructor(connection: Connection, sql: string, form: RowForm = 'object') {
    this.#connection = connection;
    this.#sql = sql;
    this.#form = form;
  }

  /** The first row. */
  get(...parameters: Parameters): Row | undefined {
    return (this.#prepared ?? this.prepare()).get(...parameters);
  }

  all(...parameters: Parameters): Row[] {
    return (this.#prepared ?? this.prepare()).all(...parameters);
  }

  iterate(...parameters: Parameters): IterableIterator<Row> {
    return (this.#prepared ?? this.prepare()).iterate(...parameters);
  }

  run(...parameters: Parameters): RunResult {
    return (this.#prepared ?? this.prepare()).run(...parameters);
  }

  /** @throws SqliteError when a table or column of the statement is missing in the file */
  prepare(): PreparedStatement<Parameters, Row> {
    const prepared = this.#connection.prepare<Parameters, Row>(this.#sql) as PreparedStatement<Parameters, Row>;
    if (this.#form === 'array') prepared.raw();
    if (this.#form === 'value') prepared.pluck();
    this.#prepared = prepared;
    return prepared;
  }
}

/** A table over one connection. Its statements are its fields, and cost nothing until they are used. */
export abstract class Table {
  protected readonly connection: Connection;
  readonly #statements: { prepare(): unknown }[] = [];

  constructor(connection: Connection) {
    this.connection = connection;
  }

  /** Prepares the unused statements, too. @throws SqliteError when the file has not this release's schema */
  prepareAll(): void {
    for (const statement of this.#statements) statement.prepare();
  }

  /** A statement whose rows are objects with the names of columns, or that has no rows. */
  protected statement<Parameters extends unknown[] = Value[], Row = unknown>(sql: string): Statement<Parameters, Row> {
    return this.#keep(new Statement(this.connection, sql));
  }

  /** A statement whose rows are arrays in the order of the columns. */
  protected arrayStatement<Parameters extends unknown[], Row>(sql: string): Statement<Parameters, Row> {
    return this.#keep(new Statement(this.connection, sql, 'array'));
  }

  /** A statement whose rows are the value of its only column. */
  protected valueStatement<Parameters extends unknown[], Row>(sql: string): Statement<Parameters, Row> {
    return this.#keep(new Statement(this.connection, sql, 'value'));
  }

  #keep<Parameters extends unknown[], Row>(statement: Statement<Parameters, Row>): Statement<Parameters, Row> {
    this.#statements.push(statement);
    return statement;
  }
}
