import type { Connection } from '../database.js';

/** Labels of documents. They serve search and filters, never access (specification, Grant rule 6). */
export class LabelTable {
  readonly #of;
  readonly #ofThese;
  readonly #after;
  readonly #add;
  readonly #remove;

  constructor(connection: Connection) {
    this.#of = connection.prepare<[number], { label: string }>(
      'SELECT label FROM label WHERE document = ? ORDER BY label',
    );
    this.#ofThese = connection.prepare<[string], { document: number; label: string }>(
      `SELECT document, label FROM label WHERE document IN (SELECT value FROM json_each(?)) ORDER BY document, label`,
    );
    this.#after = connection.prepare<[number, number], { document: number; label: string }>(
      `SELECT document, label FROM label WHERE document IN
         (SELECT DISTINCT document FROM label WHERE document > ? ORDER BY document LIMIT ?)
       ORDER BY document, label`,
    );
    this.#add = connection.prepare('INSERT INTO label (document, label) VALUES (?, ?) ON CONFLICT DO NOTHING');
    this.#remove = connection.prepare('DELETE FROM label WHERE document = ? AND label = ?');
  }

  of(document: number): string[] {
    return this.#of.all(document).map((row) => row.label);
  }

  /** The next labelled documents after the number, with their labels. */
  after(number: number, limit: number): Map<number, string[]> {
    return gatherLabels(this.#after.all(number, limit));
  }

  /** Labels of those among these documents that have any. */
  ofThese(documents: readonly number[]): Map<number, string[]> {
    return gatherLabels(this.#ofThese.all(JSON.stringify(documents)));
  }

  add(document: number, label: string): void {
    this.#add.run(document, label);
  }

  remove(document: number, label: string): void {
    this.#remove.run(document, label);
  }
}

function gatherLabels(rows: readonly { readonly document: number; readonly label: string }[]): Map<number, string[]> {
  const labels = new Map<number, string[]>();
  for (const { document, label } of rows) {
    const known = labels.get(document);
    if (known === undefined) labels.set(document, [label]);
    else known.push(label);
  }
  return labels;
}
