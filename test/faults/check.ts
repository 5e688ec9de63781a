import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createHash, createPublicKey } from 'node:crypto';
import { verifySource } from '../../lib/audit/verify-source.js';
import type { Workspace } from '../../lib/workspace/workspace.js';
import { fsck, git } from '../support/git/fixture.js';
import { operator } from '../support/store/service.js';
import type { Model } from '../support/faults/model.js';
import { Actor } from '../support/store/actor.js';
import { checkErased, checkSaid } from './check-said.js';
import { readAll } from '../support/faults/workbench.js';
import { Sqlite, type Connection } from '../support/store/sqlite.js';

/** A live document as the rows have it. */
export interface RowDocument {
  readonly location: string;
  readonly id: string;
  readonly etag: string;
  readonly blob: string;
  readonly sha256: string;
  readonly size: number;
  /** Ids of those in force; null for none. */
  readonly claims: string | null;
}

/** A record of the audit log, with the values behind its commitments. */
export interface LoggedAction {
  readonly seq: number;
  readonly request: string;
  readonly action: string;
  readonly code: string | null;
  readonly version: string | null;
  readonly documentId: string | null;
  readonly detail: string | null;
}

/** The workspace's files, looked at by means other than the service's own. */
export class Evidence {
  readonly #connection: Connection;
  readonly repository: string;
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
    this.repository = join(folder, 'content.git');
    this.#connection = new Sqlite(join(folder, 'sidecar.sqlite'), { readonly: true });
  }

  close(): void {
    this.#connection.close();
  }

  number(query: string): number {
    return Number(this.#connection.prepare(query).pluck().get());
  }

  column(query: string): string[] {
    return this.#connection.prepare(query).pluck().all().map(String);
  }

  documents(): RowDocument[] {
    return this.#connection
      .prepare<[], RowDocument>(
        `WITH RECURSIVE place (number, path) AS (
           SELECT 1, '' UNION ALL
           SELECT f.number, place.path || f.name || '/' FROM folder f JOIN place ON f.parent = place.number)
         SELECT place.path || d.name AS location, d.id, v.id AS etag, v.blob_oid AS blob, v.sha256, v.size,
           (SELECT group_concat(id) FROM claim WHERE claim.document = d.number AND claim.ended_at IS NULL) AS claims
         FROM document d JOIN place ON place.number = d.folder
         JOIN version v ON v.document = d.number AND v.sequence = d.sequence`,
      )
      .all();
  }

  keptFolders(): string[] {
    return this.column(
      `WITH RECURSIVE place (number, path, kept) AS (
         SELECT 1, '', 0 UNION ALL
         SELECT f.number, place.path || f.name || '/', f.kept FROM folder f JOIN place ON f.parent = place.number)
       SELECT substr(path, 1, length(path) - 1) FROM place WHERE kept <> 0`,
    );
  }

  deleted(): { readonly location: string; readonly id: string }[] {
    return this.#connection
      .prepare<[], { location: string; id: string }>(
        'SELECT deleted_location AS location, id FROM document WHERE folder IS NULL ORDER BY deleted_at, number',
      )
      .all();
  }

  actions(afterSeq: number): LoggedAction[] {
    return this.#connection
      .prepare<[number], LoggedAction>(
        `SELECT r.seq, r.request_id AS request, r.action, r.code, r.version, t.document_id AS documentId, t.detail
         FROM audit_record r LEFT JOIN audit_text t ON t.seq = r.seq WHERE r.seq > ? ORDER BY r.seq`,
      )
      .all(afterSeq);
  }

  /** Comments and messages, live or not, by their ids. */
  said(): { readonly document: string; readonly id: string; readonly thread: string; readonly text: string }[] {
    return this.#connection
      .prepare<[], { document: string; id: string; thread: string; text: string; resolved: number }>(
        `SELECT d.id AS document, c.id, t.id AS thread, c.text, t.resolved_at IS NOT NULL AS resolved
         FROM comment c JOIN comment_thread t ON t.number = c.thread JOIN document d ON d.number = t.document`,
      )
      .all();
  }

  version(documentId: string, id: string): { readonly sha256: string; readonly sequence: number } | undefined {
    return this.#connection
      .prepare<[string, string], { sha256: string; sequence: number }>(
        `SELECT v.sha256, v.sequence FROM version v JOIN document d ON d.number = v.document WHERE d.id = ? AND v.id = ?`,
      )
      .get(documentId, id);
  }

  /** Path to blob, as git lists the newest commit. */
  tree(): Map<string, string> {
    const lines = git(this.repository, ['ls-tree', '-r', '-z', 'refs/heads/main']).toString().split('\0');
    return new Map(
      lines
        .filter((line) => line !== '')
        .map((line) => {
          const [head = '', path = ''] = line.split('\t');
          return [path, head.split(' ')[2] ?? ''];
        }),
    );
  }
}

const emptyBlob = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391';
const committing = new Set([
  'document.create',
  'document.update',
  'document.delete',
  'document.undelete',
  'document.import',
  'folder.create',
  'item.rename',
  'item.move',
  'document.restore',
  'folder.delete',
  'folder.undelete',
  'folder.revert',
]);

/** Whether the record has a commit of its own: done, not a stored answer given again, and not an empty import. */
export function madeCommit({ action, code, version, detail }: LoggedAction): boolean {
  const { replayed, created } = JSON.parse(detail ?? '{}') as { replayed?: boolean; created?: number };
  if (action === 'document.import' && (created === 0 || version === null)) return false;
  return committing.has(action) && code === null && replayed !== true;
}

/** These hold in every workspace that has caught up, after any fault. @throws AssertionError */
export async function checkSelf(evidence: Evidence, workspace: Workspace): Promise<void> {
  const { repository } = evidence;
  const leftovers = readdirSync(evidence.folder, { recursive: true })
    .map(String)
    .filter((name) => /\.(?:tmp|lock)$|tmp_|\.tmp-/.test(name));
  assert.deepEqual(leftovers, [], 'something half done was left lying about');
  assert.deepEqual(evidence.column('PRAGMA integrity_check'), ['ok']);
  assert.deepEqual(evidence.column('PRAGMA foreign_key_check'), []);
  assert.equal(evidence.number('SELECT count(*) FROM pending_object'), 0, 'pending objects after catching up');
  assert.equal(evidence.number('SELECT count(*) FROM staged_object'), 0, 'staged objects after recovery');
  assert.equal(fsck(repository), '', 'git fsck');

  const commits = git(repository, ['rev-list', 'refs/heads/main']).toString().trim().split('\n');
  assert.equal(commits[0], evidence.column(`SELECT value FROM meta WHERE name = 'head'`)[0], 'main is not the head');
  const known = new Set(commits);
  const named = evidence.column(
    `SELECT id FROM version WHERE NOT EXISTS (SELECT 1 FROM erasure) UNION SELECT commit_oid FROM version UNION SELECT commit_oid FROM relocation
     UNION SELECT commit_oid FROM deletion UNION SELECT commit_oid FROM folder_deletion
     UNION SELECT deleted_commit FROM document WHERE deleted_commit IS NOT NULL`,
  );
  for (const id of named) assert.ok(known.has(id), `the rows name ${id}, which is no commit on main`);
  const recorded = evidence.actions(0).filter(madeCommit).length;
  // An erase takes commits out of the history, and leaves their records.
  const isErased = evidence.number('SELECT count(*) FROM erasure') > 0;
  const areAllThere = isErased ? commits.length <= recorded : commits.length === recorded;
  assert.ok(areAllThere, `${commits.length} commits on main, and ${recorded} actions on record that made one`);

  const documents = evidence.documents();
  const expected = new Map(documents.map(({ location, blob }) => [location, blob]));
  for (const folder of evidence.keptFolders()) expected.set(`${folder}/.keep`, emptyBlob);
  assert.deepEqual(evidence.tree(), expected, 'tree and rows differ');
  assert.equal(
    evidence.column(`SELECT value FROM meta WHERE name = 'stored_bytes'`)[0] ?? '0',
    String(evidence.number('SELECT coalesce(sum(size), 0) FROM version')),
    'bytes that were counted',
  );

  const used = new Set(evidence.column('SELECT blob_oid FROM version'));
  const objects = join(repository, 'objects');
  for (const start of readdirSync(objects).filter((name) => name.length === 2)) {
    for (const rest of readdirSync(join(objects, start))) {
      assert.ok(used.has(start + rest), `${start}${rest} was stored, and no version has it`);
    }
  }

  const heads = git(repository, ['log', '--format=%(trailers:key=Audit-Head,valueonly)', 'refs/heads/main'])
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => ({ seq: Number(line.split(' ')[0]), hash: line.split(' ')[1] ?? '' }))
    .filter(({ seq }) => seq > 0);
  assert.ok(heads.length >= commits.length - 1);
  const source = { workspace: workspace.name, tables: workspace.journal.reader, archives: workspace.archives };
  const verdict = await verifySource(source, heads, { publicKey: createPublicKey(workspace.signer.publicKey) });
  assert.ok(verdict.sound, JSON.stringify(verdict));
}

/** The workspace holds exactly the content of the model. @throws AssertionError */
export async function checkModel(
  evidence: Evidence,
  workspace: Workspace,
  model: Model,
  isOther: (location: string) => boolean,
): Promise<number> {
  const found = evidence
    .documents()
    .filter(({ location }) => !isOther(location))
    .map(({ location, id, etag, sha256, claims }) => [location, { id, etag, sha256, claims }]);
  const expected = Object.entries(model.documents).map(([location, { id, etag, sha256, claim = null }]) => [
    location,
    { id, etag, sha256, claims: claim },
  ]);
  assert.deepEqual(Object.fromEntries(found), Object.fromEntries(expected), 'live documents');
  assert.deepEqual(evidence.keptFolders().toSorted(), model.kept.toSorted(), 'kept folders');
  const deleted = evidence.deleted().map(({ location, id }) => `${location} ${id}`);
  const gone = Object.entries(model.deleted).flatMap(([location, those]) => those.map(({ id }) => `${location} ${id}`));
  assert.deepEqual(deleted.toSorted(), gone.toSorted(), 'deleted documents');
  const grants = evidence.column(
    `SELECT g.scope_key || ' ' || g.role FROM access_grant g JOIN principal p ON p.id = g.subject_id
     WHERE p.display_name = 'subject'`,
  );
  assert.deepEqual(grants.toSorted(), model.grants.toSorted(), 'grants');
  checkSaid(evidence, model);
  checkErased(evidence, model);

  const actor = new Actor(workspace, operator.principalId);
  const locations = Object.keys(model.documents);
  for (let at = 0; at < locations.length; at += 64) {
    await Promise.all(
      locations.slice(at, at + 64).map(async (location) => {
        const sha256 = createHash('sha256')
          .update(await readAll(actor, location))
          .digest('hex');
        assert.equal(sha256, model.documents[location]?.sha256, `the bytes of ${location}`);
      }),
    );
  }
  return locations.length;
}
