import { join } from 'node:path';
import { parseFolderLocation, parseLocation } from '../../../lib/domain/location.js';
import { createDocument } from '../../../lib/operations/documents/create-document.js';
import { importDocuments } from '../../../lib/operations/folders/import-documents.js';
import { perform } from '../../../lib/operations/perform.js';
import { Actor } from './actor.js';
import { renameAsBefore } from './as-before.js';
import { operator, type TestService } from './service.js';
import { Sqlite } from './sqlite.js';

/** A history with every kind of event; a millisecond passes between any two events. */
export async function makeHistory(test: TestService): Promise<Actor> {
  const { workspace, clock } = test;
  const { id } = await test.person('approver', '', 'Ada <the first>');
  const agent = await test.principal('Indexer', 'agent');
  await test.grant('editor', { type: 'principal', id: agent }, '');
  const person = new Actor(workspace, id);
  const robot = new Actor(workspace, agent);
  const steps: (() => Promise<unknown>)[] = [
    () => person.create('plan.md', '# Plan'),
    () => person.update('plan.md', '# Plan, second'),
    () => robot.update('plan.md', '# Plan, second'),
    () => person.createFolder('empty/kept'),
    () => robot.create('empty/kept/now used.txt', 'x'),
    () => person.create('a/b/c/deep.md', 'deep'),
    () => person.create('a/b/other.md', 'other'),
    () => person.rename('a/b', 'B', true),
    () => robot.update('a/B/c/deep.md', 'deeper'),
    () => person.move('a/B', 'empty', true),
    () => person.move('empty/B/other.md', 'new/place', true),
    () => renameAsBefore(workspace, person.caller, 'new/place/other.md', ' spaced .md'),
    () => person.delete('plan.md'),
    () => person.create('plan.md', 'another document at the old place'),
    () => person.delete('plan.md'),
    () => person.undelete('plan.md'),
    () => person.delete('empty/B/c/deep.md'),
    () => person.undelete('empty/B/c/deep.md'),
    () => person.delete('empty/kept/now used.txt'),
    // Binary: the analysis of a long text would start a thread for each history, and for each restore of one.
    () => person.create('large.bin', `\u0000${'x'.repeat(1024 * 1024 + 16)}`),
    () => person.create('cut.bin', '\u0000binary'),
    () => person.create('late/é ü.md', 'late'),
    () => person.move('late', 'new', true),
    () =>
      perform(workspace, person.caller, createDocument, {
        location: parseLocation('said.html'),
        content: { bytes: Buffer.from('<p>') },
        labels: ['one', 'two'],
        mediaType: 'text/html; charset="utf-8"',
        message: 'First line\n\nOperation: delete\nDocument: doc_forged\n\n\nTime: never',
      }),
    () =>
      perform(workspace, operator, importDocuments, {
        into: parseFolderLocation('imported'),
        files: ['a.md', 'b.png', 'c/d.md', 'c/e', 'c/f.json', 'a.md'].map((name) => ({
          location: parseLocation(`imported/${name}`),
          content: { bytes: Buffer.from(name.endsWith('.png') ? '\u0000png' : `text of ${name}`) },
        })),
        message: 'From the old share',
      }),
    () => person.update('imported/c/f.json', '{}'),
    () => person.move('imported/c', '', true),
  ];
  for (const step of steps) {
    await step();
    clock.advance(7);
  }
  return person;
}

/** Every row that the repository gives again, without the numbers that name rows to each other. */
export function dumpContent(dataFolder: string, file = 'sidecar.sqlite') {
  const connection = new Sqlite(join(dataFolder, 'acme', file), { readonly: true });
  try {
    const paths = `WITH RECURSIVE place (number, path) AS (
      SELECT number, name FROM folder WHERE number = 1
      UNION ALL SELECT f.number, place.path || '/' || f.name FROM folder f JOIN place ON f.parent = place.number)`;
    return {
      folders: connection
        .prepare(`${paths} SELECT path, kept, mirror FROM place JOIN folder USING (number) ORDER BY path`)
        .all(),
      documents: connection
        .prepare(
          `${paths} SELECT d.id, place.path, d.name, d.created_at, d.sequence, d.deleted_at, d.deleted_by,
             d.deleted_commit, d.deleted_location
           FROM document d LEFT JOIN place ON place.number = d.folder ORDER BY d.id`,
        )
        .all(),
      versions: connection
        .prepare(
          `SELECT d.id AS document_id, v.sequence, v.id, v.commit_oid, v.blob_oid, v.sha256, v.size, v.kind,
             v.media_type, v.location, v.author, v.at, v.operation, v.message
           FROM version v JOIN document d ON d.number = v.document ORDER BY d.id, v.sequence`,
        )
        .all(),
      relocations: connection
        .prepare(
          `SELECT r.commit_oid, r.operation, d.id AS document_id, r.from_location, r.to_location, r.author, r.at
           FROM relocation r LEFT JOIN document d ON d.number = r.document ORDER BY r.number`,
        )
        .all(),
      deletions: connection
        .prepare(
          `SELECT e.commit_oid, d.id AS document_id, e.location, e.folder, e.author, e.at
           FROM deletion e JOIN document d ON d.number = e.document ORDER BY e.moment, d.id`,
        )
        .all(),
      folderDeletions: connection
        .prepare('SELECT commit_oid, location, author, at FROM folder_deletion ORDER BY moment')
        .all(),
      deletedFolders: connection
        .prepare(
          `SELECT k.location, f.commit_oid, f.location AS deleted_with
           FROM deleted_folder k JOIN folder_deletion f ON f.moment = k.deletion ORDER BY k.location`,
        )
        .all(),
      labels: connection
        .prepare('SELECT d.id, l.label FROM label l JOIN document d ON d.number = l.document ORDER BY d.id, l.label')
        .all(),
      storedBytes: connection.prepare("SELECT value FROM meta WHERE name = 'stored_bytes'").all(),
    };
  } finally {
    connection.close();
  }
}

/** Tables whose rows the repository gives again. */
const projected: ReadonlySet<string> = new Set(['document', 'version', 'relocation', 'deletion']);

/**
 * Every row about a document that the repository does not give again, such as a comment or a claim, as JSON. The
 * document goes by its id. Moments are left out: a rebuild counts them again, and the feed begins with what is there.
 */
export function dumpKept(dataFolder: string): Readonly<Record<string, readonly string[]>> {
  const connection = new Sqlite(join(dataFolder, 'acme', 'sidecar.sqlite'), { readonly: true });
  try {
    const references = connection
      .prepare<[], { readonly name: string; readonly column: string }>(
        `SELECT t.name, f."from" AS "column" FROM sqlite_master t JOIN pragma_foreign_key_list(t.name) f
         WHERE t.type = 'table' AND f."table" = 'document' ORDER BY t.name`,
      )
      .all()
      .filter(({ name }) => !projected.has(name));
    return Object.fromEntries(
      references.map(({ name, column }) => {
        const rows = connection
          .prepare<[], Record<string, unknown>>(
            `SELECT r.*, d.id AS ${column}_id FROM ${name} r LEFT JOIN document d ON d.number = r.${column}`,
          )
          .all();
        const texts = rows.map(({ [column]: _, moment: __, ...row }) => JSON.stringify(row)).sort();
        return [name, texts];
      }),
    );
  } finally {
    connection.close();
  }
}
