import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { git } from '../support/git/fixture.js';
import type { Evidence } from './check.js';
import type { Model, ModelDocument } from '../support/faults/model.js';

/** Comments, messages and access equal those of the model. @throws AssertionError */
export function checkSaid(evidence: Evidence, model: Model): void {
  const documents: ModelDocument[] = [...Object.values(model.documents), ...Object.values(model.deleted).flat()];
  const said = documents.flatMap(({ id: document, comments = {} }) =>
    Object.entries(comments).map(([id, { thread, text, isResolved }]) => {
      return { document, id, thread, text, resolved: isResolved ? 1 : 0 };
    }),
  );
  const byId = (one: { id: string }, other: { id: string }): number => (one.id < other.id ? -1 : 1);
  assert.deepEqual(evidence.said().toSorted(byId), said.toSorted(byId), 'comments');
  assert.equal(evidence.number('SELECT count(*) FROM comment_thread'), said.length, 'threads');
  const labels = evidence.column(`SELECT d.id || ' ' || l.label FROM label l JOIN document d ON d.number = l.document`);
  const expected = documents.flatMap(({ id, labels: those = [] }) => those.map((label) => `${id} ${label}`));
  assert.deepEqual(labels.toSorted(), expected.toSorted(), 'labels');
  const messages = evidence.column(
    `SELECT m.body || ' ' || coalesce(d.id, '') FROM message m JOIN message_thread t ON t.number = m.thread
     LEFT JOIN document d ON d.number = t.about_document`,
  );
  const sent = Object.entries(model.messages).map(([body, { about }]) => `${body} ${about ?? ''}`);
  assert.deepEqual(messages.toSorted(), sent.toSorted(), 'messages');
  const people = evidence.column(
    `SELECT id || ' ' || display_name || ' ' || (disabled_at IS NOT NULL) FROM principal
     WHERE display_name LIKE '% person %'`,
  );
  const added = Object.entries(model.people).map(([id, { name, isDisabled }]) => `${id} ${name} ${isDisabled ? 1 : 0}`);
  assert.deepEqual(people.toSorted(), added.toSorted(), 'people');
}

/**
 * No trace of the erased documents is left. Their ids stand in no file and no commit. Their bytes are no object any
 * more, unless another document has the same bytes. Each is on record as erased once. @throws AssertionError
 */
export function checkErased(evidence: Evidence, { erased }: Model): void {
  const records = evidence.number(`SELECT count(*) FROM audit_record WHERE action = 'document.erased'`);
  assert.equal(records, erased.length, 'records of what was erased');
  const targets = `SELECT count(DISTINCT t.target) FROM audit_record r JOIN audit_text t ON t.seq = r.seq
    WHERE r.action = 'document.erased'`;
  assert.equal(evidence.number(targets), erased.length, 'what the records say was erased');
  const final = evidence.number(`SELECT count(*) FROM erasure WHERE phase = 'final' AND document IS NULL`);
  assert.equal(final, erased.length, 'receipts that are final');
  assert.equal(evidence.number('SELECT count(*) FROM erasure'), erased.length, 'receipts');
  if (erased.length === 0) return;

  const objects = git(evidence.repository, ['cat-file', '--batch-all-objects', '--batch-check']).toString().split('\n');
  const present = new Set(objects.map((line) => line.slice(0, 40)));
  const used = new Set(evidence.column('SELECT blob_oid FROM version'));
  const commits = objects.filter((line) => line.includes(' commit ')).map((line) => line.slice(0, 40));
  const history = git(evidence.repository, ['cat-file', '--batch'], `${commits.join('\n')}\n`);
  const files = readdirSync(evidence.folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.pack'))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path, bytes: readFileSync(path) }));
  for (const { id, blobs } of erased) {
    assert.ok(!history.includes(id), `a commit names ${id}, which was erased`);
    for (const { path, bytes } of files) assert.ok(!bytes.includes(id), `${path} names ${id}, which was erased`);
    const left = blobs.filter((blob) => present.has(blob) && !used.has(blob));
    assert.deepEqual(left, [], `contents that only ${id} had, which was erased`);
  }
}
