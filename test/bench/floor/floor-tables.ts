import { createHash } from 'node:crypto';
import { Sqlite, type Connection } from '../../support/store/sqlite.js';

/** Tables and indexes with the members and the order of the product's own, as far as a GET and a PUT touch them. */
const schema = `
  CREATE TABLE credential (id TEXT PRIMARY KEY, principal TEXT, hash BLOB) STRICT, WITHOUT ROWID;
  CREATE TABLE document (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, folder INTEGER, name TEXT, created_at INTEGER,
    sequence INTEGER, last_moment INTEGER, changed_at INTEGER, version_id TEXT, content TEXT
  ) STRICT;
  CREATE UNIQUE INDEX document_by_place ON document (folder, name);
  CREATE INDEX document_by_moment ON document (last_moment, folder);
  CREATE INDEX document_by_change ON document (folder, changed_at DESC, name);
  CREATE TABLE version (
    document INTEGER, sequence INTEGER, id TEXT, commit_oid TEXT, blob_oid TEXT, sha256 TEXT, size INTEGER, kind TEXT,
    media_type TEXT, location TEXT, author TEXT, at INTEGER, operation TEXT, message TEXT, moment INTEGER,
    PRIMARY KEY (document, sequence)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX version_by_id ON version (document, id);
  CREATE INDEX version_by_author ON version (author, at);
  CREATE INDEX version_by_moment ON version (moment, document);
  CREATE TABLE pending_object (
    number INTEGER PRIMARY KEY, oid TEXT NOT NULL UNIQUE, type INTEGER, base BLOB, size INTEGER, deflated BLOB
  ) STRICT;
  CREATE TABLE audit_record (
    seq INTEGER PRIMARY KEY, at INTEGER, principal TEXT, credential TEXT, interface TEXT, action TEXT, code TEXT,
    target BLOB, version TEXT, request_id TEXT, detail BLOB, hash BLOB
  ) STRICT;
  CREATE INDEX audit_record_by_principal ON audit_record (principal);
  CREATE TABLE audit_text (seq INTEGER PRIMARY KEY, salt BLOB, target TEXT, document_id TEXT) STRICT;
  CREATE INDEX audit_text_by_document ON audit_text (document_id);`;

/** A row of document. */
export interface FloorDocument {
  readonly number: number;
  readonly id: string;
  readonly name: string;
  readonly created_at: number;
  readonly sequence: number;
  readonly changed_at: number;
  readonly version_id: string;
  readonly content: string;
}

/** An object that no pack has yet. `base` is the name of the tree that a delta starts from. */
export interface FloorObject {
  readonly oid: string;
  readonly type: number;
  readonly base: Buffer | null;
  readonly size: number;
  readonly deflated: Buffer;
}

/** Opens a new file with the product's settings, and prepares every statement of the floor. */
export function openFloorTables(file: string, secret: string) {
  const database: Connection = new Sqlite(file);
  for (const setting of [
    'auto_vacuum = INCREMENTAL',
    'secure_delete = ON',
    'journal_mode = WAL',
    'synchronous = FULL',
    'cache_size = -32768',
    'wal_autocheckpoint = 8000',
  ])
    database.pragma(setting);
  database.exec(schema);
  const credentialHash = createHash('sha256').update(secret).digest();
  database.prepare('INSERT INTO credential VALUES (?, ?, ?)').run('key', 'prn_edda', credentialHash);
  return {
    begin: database.prepare('BEGIN IMMEDIATE'),
    commit: database.prepare('COMMIT'),
    credential: database.prepare<[string], { principal: string; hash: Buffer }>(
      'SELECT principal, hash FROM credential WHERE id = ?',
    ),
    addDocument: database.prepare('INSERT INTO document VALUES (?, ?, 1, ?, ?, 1, 0, ?, ?, ?)'),
    document: database.prepare<[string], FloorDocument>('SELECT * FROM document WHERE folder = 1 AND name = ?'),
    updateDocument: database.prepare(
      `UPDATE document SET sequence = sequence + 1, last_moment = ?, changed_at = ?, version_id = ?, content = ?
       WHERE number = ?`,
    ),
    addVersion: database.prepare('INSERT INTO version VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)'),
    addObject: database.prepare(
      `INSERT INTO pending_object (oid, type, base, size, deflated) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (oid) DO NOTHING`,
    ),
    newestObject: database.prepare<[], { newest: number | null }>('SELECT max(number) AS newest FROM pending_object'),
    objectsUpTo: database.prepare<[number], FloorObject>(
      'SELECT oid, type, base, size, deflated FROM pending_object WHERE number <= ? ORDER BY number',
    ),
    removeObjects: database.prepare('DELETE FROM pending_object WHERE number <= ?'),
    addRecord: database.prepare('INSERT INTO audit_record VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)'),
    addText: database.prepare('INSERT INTO audit_text VALUES (?, ?, ?, ?)'),
  };
}

export type FloorTables = ReturnType<typeof openFloorTables>;
