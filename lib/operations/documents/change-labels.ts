import type { Document } from '../../domain/document.js';
import type { Location } from '../../domain/location.js';
import { notFound } from '../../domain/refusal.js';
import { findDocument, toDocument } from '../../view/locate.js';
import { noteSearch } from '../../changes/index-changes.js';
import type { WriteContext } from '../../changes/write-context.js';
import { parseLabels, requireVisibleLabels } from './content.js';
import type { WriteOperation } from '../operation.js';

export interface ChangeLabelsInput {
  readonly location: Location;
  readonly labels: readonly string[];
}

/**
 * @param decide computes the document's new labels from its present ones and the named ones
 * @throws Refusal NOT_FOUND; INVALID_REQUEST `bad_field`
 */
function change(
  context: WriteContext,
  { location, labels }: ChangeLabelsInput,
  decide: (present: readonly string[], named: readonly string[]) => readonly string[],
): Document {
  const { tables, now } = context.transaction;
  const named = parseLabels(labels);
  const found = findDocument(tables, location);
  if (found === undefined) throw notFound();
  const present = tables.labels.of(found.row.number);
  const wanted = parseLabels(decide(present, named));
  requireVisibleLabels(wanted.filter((label) => !present.includes(label)));
  for (const label of present) if (!wanted.includes(label)) tables.labels.remove(found.row.number, label);
  for (const label of wanted) if (!present.includes(label)) tables.labels.add(found.row.number, label);
  if (present.length !== wanted.length || !wanted.every((label) => present.includes(label))) {
    tables.activities.add({ kind: 'label_set', document: found.row.number, actor: context.author.id });
  }
  const { head } = context.transaction.state;
  if (head !== null) noteSearch(context, head, { type: 'relabel', location, labels: wanted });
  return toDocument(tables, { ...found, row: { ...found.row, isLabelled: wanted.length > 0 } }, now);
}

function describe(
  name: string,
  decide: (present: readonly string[], named: readonly string[]) => readonly string[],
): WriteOperation<ChangeLabelsInput, Document> {
  return {
    kind: 'write',
    name,
    needs: ({ location }) => [{ role: 'editor', location }],
    note: ({ location, labels }) => ({ target: location, detail: { labels: labels.slice(0, 50) } }),
    run: (context, input) => change(context, input, decide),
    noteResult: (document) => ({ documentId: document.id }),
    documentNumber: (document) => document.number,
  };
}

/** Adds labels to a document. It makes no version, and never changes access. Editor. */
export const addLabels = describe('label.add', (present, named) => [...present, ...named]);

/** Removes labels from a document. Missing ones are ignored. Editor. */
export const removeLabels = describe('label.remove', (present, named) =>
  present.filter((label) => !named.includes(label)));

/** Gives a document exactly these labels. Editor. */
export const setLabels = describe('label.set', (_present, named) => named);
