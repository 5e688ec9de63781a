/**
 * Finds questions that a request asks twice in one state: a query with the same values while none of its tables was
 * written, and a role by the same grants at the same location. A state ends with the event loop's turn, and where a
 * write's transaction begins.
 */
import { Reach } from '../../../lib/view/reach.js';
import { connect, type Connection } from '../../../lib/sidecar/driver.js';

type Method = (this: unknown, ...parameters: unknown[]) => unknown;
interface RunningStatement {
  readonly source: string;
  readonly reader: boolean;
  readonly database: Connection;
}

/** A question of one state, with the places in the code that asked it again. */
export interface Repeated {
  readonly question: string;
  readonly from: readonly string[];
}

/** Statements that begin and end transactions ask nothing. */
const isTransactionControl = /^\s*(?:BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|PRAGMA)/i;
const beginsWrite = /^\s*BEGIN\s+IMMEDIATE/i;
const tableNames = /\b(?:FROM|JOIN|INTO|UPDATE)\s+(?:OR\s+\w+\s+)?(\w+)/gi;

function tablesOf(sql: string): string[] {
  return [...sql.matchAll(tableNames)].map(([, name]) => name ?? '');
}

/** The places of this program's own code on the stack, the innermost first. */
function placesOnStack(): string {
  return (new Error('The stack').stack ?? '')
    .split('\n')
    .filter((line) => line.includes('/dist/lib/') && !/sidecar\/(?:statement|tables)/.test(line))
    .map((line) => line.replace(/^\s*at (?:async )?/, '').replace(/\(?\S*\/dist\/lib\/([^):]+:\d+).*$/, '$1'))
    .slice(0, 6)
    .join(' < ');
}

export class QuestionWatch {
  /** The places of the first asking. */
  readonly #asked = new Map<string, string>();
  readonly #repeated = new Map<string, string[]>();
  readonly #numbers = new Map<unknown, number>();
  readonly #writes = new Map<string, number>();
  #isTurnOver = true;
  readonly #undo: (() => void)[] = [];

  constructor() {
    const connection = connect(':memory:');
    const statements = Object.getPrototypeOf(connection.prepare('SELECT 1')) as object;
    connection.close();
    for (const name of ['get', 'all', 'iterate', 'run']) {
      this.#watch(statements, name, (statement, parameters) =>
        this.#noteStatement(statement as RunningStatement, parameters),
      );
    }
    // The other questions of a reach are answered by these.
    for (const name of ['roleIn', 'roleAbove', 'foldersBelow']) {
      this.#watch(Reach.prototype, name, (reach, parameters) =>
        this.#ask(`${name} ${JSON.stringify(parameters)}`, `reach ${this.#numberOf(reach)}`),
      );
    }
  }

  /** The questions asked more than once in one state since the last call. */
  take(): Repeated[] {
    const repeated = [...this.#repeated].map(([question, from]) => ({ question, from }));
    this.#repeated.clear();
    this.#asked.clear();
    return repeated;
  }

  close(): void {
    for (const undo of this.#undo) undo();
  }

  #watch(prototype: object, name: string, note: (receiver: unknown, parameters: readonly unknown[]) => void): void {
    const descriptor = Object.getOwnPropertyDescriptor(prototype, name);
    if (descriptor === undefined) throw new Error(`There is no ${name} to watch.`);
    const method = descriptor.value as Method;
    const value: Method = function (...parameters) {
      note(this, parameters);
      return method.apply(this, parameters);
    };
    Object.defineProperty(prototype, name, { ...descriptor, value });
    this.#undo.push(() => Object.defineProperty(prototype, name, descriptor));
  }

  #noteStatement({ source, reader, database }: RunningStatement, parameters: readonly unknown[]): void {
    // A write asks for its rights again in its own transaction, also where that begins in the same turn.
    if (beginsWrite.test(source)) this.#asked.clear();
    if (isTransactionControl.test(source)) return;
    const connection = this.#numberOf(database);
    const tables = tablesOf(source).map((table) => `${connection}.${table}`);
    if (reader) {
      const states = tables.map((table) => `${table}@${this.#writes.get(table) ?? 0}`);
      const values = parameters.map((value) =>
        value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value,
      );
      this.#ask(`${source.replaceAll(/\s+/g, ' ').trim()} ${JSON.stringify(values)}`, states.join(' '));
    } else {
      for (const table of tables) this.#writes.set(table, (this.#writes.get(table) ?? 0) + 1);
    }
  }

  #ask(question: string, state: string): void {
    if (this.#isTurnOver) {
      this.#asked.clear();
      this.#isTurnOver = false;
      setImmediate(() => {
        this.#isTurnOver = true;
      });
    }
    const key = `${state} ${question}`;
    const first = this.#asked.get(key);
    if (first === undefined) {
      this.#asked.set(key, placesOnStack());
    } else {
      const from = this.#repeated.get(question) ?? [first];
      this.#repeated.set(question, [...from, placesOnStack()]);
    }
  }

  #numberOf(object: unknown): number {
    const number = this.#numbers.get(object) ?? this.#numbers.size;
    this.#numbers.set(object, number);
    return number;
  }
}
