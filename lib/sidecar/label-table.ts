import type { Connection } from './database.js';

/** Labels of documents. They serve search and filters, never access (specification, Grant rule 6). */
export class LabelTable {
  readonly #of;
  readonly #add;
  readonly #remove;

  constructor(connection: Connection) {
    this.#of = connection.prepare<[number], { label: string }>(
      'SELECT label FROM label WHERE document = ? ORDER BY label',
    );
    this.#add = connection.prepare('INSERT INTO label (document, label) VALUES (?, ?) ON CONFLICT DO NOTHING');
    this.#remove = connection.prepare('DELETE FROM label WHERE document = ? AND label = ?');
  }

  of(document: number): string[] {
    return this.#of.all(document).map((row) => row.label);
  }

  add(document: number, label: string): void {
    this.#add.run(document, label);
  }

  remove(document: number, label: string): void {
    this.#remove.run(document, label);
  }
}
