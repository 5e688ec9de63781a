import assert from 'node:assert/strict';
import { IllFormedText, openForWriting } from '../../lib/sidecar/database.js';
import { Table } from '../../lib/sidecar/statement.js';

describe('A statement of the sidecar', () => {
  let connection: Connection;
  let words: Words;
  /** The statements prepared on the connection. */
  let prepared: string[];

  beforeEach(() => {
    connection = openForWriting(':memory:');
    const { prepare } = connection;
    prepared = [];
    connection.prepare = ((source: string) => {
      prepared.push(source);
      return prepare.call(connection, source);
    }) as Connection['prepare'];
    words = new Words(connection);
  });
  afterEach(() => connection.close());

  it('is prepared at its first use, and once', () => {
    create();
    assert.deepEqual(prepared, []);
    words.insert('a');
    words.insert('b');
    assert.deepEqual(prepared, ['INSERT INTO word (text) VALUES (?)']);
  });

  it('a statement of the sidecar is prepared again after a failure', () => {
    assert.throws(() => words.insert('a'), /no such table: word/);
    create();
    assert.equal(words.insert('a'), 1);
  });

  it('a statement of the sidecar returns objects, arrays or values', () => {
    create();
    words.insert('a');
    words.insertNamed('b');
    assert.deepEqual(words.all(), [
      { number: 1, text: 'a' },
      { number: 2, text: 'b' },
    ]);
    assert.deepEqual(words.arrays(), [
      [1, 'a'],
      [2, 'b'],
    ]);
    assert.deepEqual([words.text(2), words.text(3)], ['b', undefined]);
  });

  it('can be prepared before it is used, with the others of its table', () => {
    assert.throws(() => words.prepareAll(), /no such table: word/);
    create();
    words.prepareAll();
    const { length } = prepared;
    words.insert('a');
    assert.deepEqual([words.text(1), prepared.length], ['a', length]);
  });

  it('sees columns added after its first use, and works after VACUUM', () => {
    create();
    words.insert('a');
    assert.deepEqual(words.all(), [{ number: 1, text: 'a' }]);
    connection.exec("ALTER TABLE word ADD COLUMN language TEXT DEFAULT 'en'");
    assert.deepEqual(words.all(), [{ number: 1, text: 'a', language: 'en' }]);
    connection.exec('VACUUM');
    assert.deepEqual([words.all().length, words.text(1)], [1, 'a']);
  });

  it('lets others be prepared while its rows are iterated, and is not used again before that ends', () => {
    create();
    words.insert('a');
    words.insert('b');
    const other = new Words(connection);
    for (const _ of words.each()) {
      assert.equal(other.text(1), 'a');
      assert.throws(() => words.all(), /busy executing a query/);
      break;
    }
    assert.equal(words.all().length, 2);
  });

  it('refuses to store ill-formed Unicode', () => {
    create();
    assert.throws(() => words.insert('\ud800'), IllFormedText);
    assert.throws(() => words.insertNamed('\ud800'), IllFormedText);
    assert.deepEqual(words.all(), []);
  });

  const create = (): void => void connection.exec('CREATE TABLE word (number INTEGER PRIMARY KEY, text TEXT)');
});

class Words extends Table {
  readonly #insert = this.statement('INSERT INTO word (text) VALUES (?)');
  readonly #insertNamed = this.statement<[{ text: string }]>('INSERT INTO word (text) VALUES (@text)');
  readonly #all = this.statement<[], { number: number; text: string }>('SELECT * FROM word ORDER BY number');
  readonly #arrays = this.arrayStatement<[], [number: number, text: string]>('SELECT number, text FROM word');
  readonly #text = this.valueStatement<[number], string>('SELECT text FROM word WHERE number = ?');

  insert(text: string): number {
    return Number(this.#insert.run(text).lastInsertRowid);
  }

  insertNamed(text: string): void {
    this.#insertNamed.run({ text });
  }

  all(): object[] {
    return this.#all.all();
  }

  each(): IterableIterator<object> {
    return this.#all.iterate();
  }

  arrays(): [number, string][] {
    return this.#arrays.all();
  }

  text(number: number): string | undefined {
    return this.#text.get(number);
  }
}

type Connection = ReturnType<typeof openForWriting>;
