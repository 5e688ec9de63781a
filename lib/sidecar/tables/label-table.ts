import { Table } from '../statement.js';

/** Labels of documents. They serve search and filters, never access (specification, Grant rule 6). */
export class LabelTable extends Table {
  readonly #of = this.valueStatement<[number], string>('SELECT label FROM label WHERE document = ? ORDER BY label');
  readonly #ofThese = this.statement<[string], { document: number; label: string }>(
    `SELECT document, label FROM label WHERE document IN (SELECT value FROM json_each(?)) ORDER BY document, label`,
  );
  readonly #after = this.statement<[number, number], { document: number; label: string }>(
    `SELECT document, label FROM label WHERE document IN
       (SELECT DISTINCT document FROM label WHERE document > ? ORDER BY document LIMIT ?)
     ORDER BY document, label`,
  );
  readonly #add = this.statement('INSERT INTO label (document, label) VALUES (?, ?) ON CONFLICT DO NOTHING');
  readonly #remove = this.statement('DELETE FROM label WHERE document = ? AND label = ?');

  of(document: number): string[] {
    return this.#of.all(document);
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
