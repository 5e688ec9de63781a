-- A workspace's sidecar: all data about its documents outside git, and the journal's working tables.
-- Times are milliseconds since 1970. Names compare by their UTF-8 bytes (BINARY), as git and listings do.

CREATE TABLE meta (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE principal (
  id           TEXT PRIMARY KEY,
  kind         TEXT NOT NULL CHECK (kind IN ('person', 'agent', 'connector', 'operator')),
  display_name TEXT NOT NULL,
  created_at   INTEGER NOT NULL,
  disabled_at  INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE principal_group (
  id           TEXT PRIMARY KEY,
  display_name TEXT NOT NULL,
  created_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE membership (
  member_type TEXT NOT NULL CHECK (member_type IN ('principal', 'group')),
  member_id   TEXT NOT NULL,
  group_id    TEXT NOT NULL REFERENCES principal_group (id),
  added_at    INTEGER NOT NULL,
  PRIMARY KEY (member_type, member_id, group_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX membership_by_group ON membership (group_id, member_type, member_id);

-- scope_key: a folder's location, or a document's id.
CREATE TABLE access_grant (
  id           TEXT PRIMARY KEY,
  scope_type   TEXT NOT NULL CHECK (scope_type IN ('folder', 'document')),
  scope_key    TEXT NOT NULL,
  subject_type TEXT NOT NULL CHECK (subject_type IN ('principal', 'group')),
  subject_id   TEXT NOT NULL,
  role         TEXT NOT NULL CHECK (role IN ('reader', 'editor', 'approver')),
  granted_by   TEXT NOT NULL,
  created_at   INTEGER NOT NULL,
  UNIQUE (scope_type, scope_key, subject_type, subject_id, role)
) STRICT, WITHOUT ROWID;
CREATE INDEX access_grant_by_subject ON access_grant (subject_type, subject_id);

CREATE TABLE credential (
  id                  TEXT PRIMARY KEY,
  principal_id        TEXT NOT NULL REFERENCES principal (id),
  name                TEXT NOT NULL,
  interfaces          TEXT NOT NULL,
  secret_hash         BLOB NOT NULL,
  last_four           TEXT NOT NULL,
  created_at          INTEGER NOT NULL,
  created_by          TEXT NOT NULL,
  expires_at          INTEGER,
  revoked_at          INTEGER,
  last_used_at        INTEGER,
  requests_per_minute INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX credential_by_principal ON credential (principal_id);

-- Structure: folders are nodes, so that renaming one touches one row. The root is number 1.
CREATE TABLE folder (
  number    INTEGER PRIMARY KEY,
  parent    INTEGER NOT NULL,
  name      TEXT NOT NULL,
  kept      INTEGER NOT NULL DEFAULT 0,
  mirror    TEXT,
  UNIQUE (parent, name)
) STRICT;
INSERT INTO folder (number, parent, name) VALUES (1, 0, '');

-- A deleted document keeps its location as text and does not follow its folder.
CREATE TABLE document (
  number           INTEGER PRIMARY KEY,
  id               TEXT NOT NULL UNIQUE,
  folder           INTEGER,
  name             TEXT NOT NULL,
  created_at       INTEGER NOT NULL,
  sequence         INTEGER NOT NULL,
  deleted_at       INTEGER,
  deleted_by       TEXT,
  deleted_commit   TEXT,
  deleted_location TEXT,
  CHECK ((folder IS NULL) = (deleted_at IS NOT NULL))
) STRICT;
CREATE UNIQUE INDEX document_by_place ON document (folder, name) WHERE folder IS NOT NULL;
CREATE INDEX document_deleted ON document (deleted_location, deleted_at) WHERE deleted_location IS NOT NULL;

-- id is the version's ETag; commit_oid is the current name of that commit.
CREATE TABLE version (
  document   INTEGER NOT NULL REFERENCES document (number),
  sequence   INTEGER NOT NULL,
  id         TEXT NOT NULL,
  commit_oid TEXT NOT NULL,
  blob_oid   TEXT NOT NULL,
  sha256     TEXT NOT NULL,
  size       INTEGER NOT NULL,
  kind       TEXT NOT NULL CHECK (kind IN ('text', 'binary')),
  media_type TEXT NOT NULL,
  location   TEXT NOT NULL,
  author     TEXT NOT NULL,
  at         INTEGER NOT NULL,
  operation  TEXT NOT NULL,
  message    TEXT,
  PRIMARY KEY (document, sequence)
) STRICT, WITHOUT ROWID;
CREATE INDEX version_by_id ON version (document, id);

CREATE TABLE label (
  document INTEGER NOT NULL REFERENCES document (number),
  label    TEXT NOT NULL,
  PRIMARY KEY (document, label)
) STRICT, WITHOUT ROWID;

-- Answers of successful writes, kept for a day so that a retry gets the same one.
CREATE TABLE idempotency (
  principal_id TEXT NOT NULL,
  route        TEXT NOT NULL,
  key          TEXT NOT NULL,
  fingerprint  BLOB NOT NULL,
  result       TEXT NOT NULL,
  document     INTEGER,
  created_at   INTEGER NOT NULL,
  PRIMARY KEY (principal_id, route, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_by_age ON idempotency (created_at);
CREATE INDEX idempotency_by_document ON idempotency (document) WHERE document IS NOT NULL;

-- Git objects that are committed here but not yet in a pack; deflated as a pack holds them.
CREATE TABLE pending_object (
  number   INTEGER PRIMARY KEY,
  oid      TEXT NOT NULL UNIQUE,
  type     TEXT NOT NULL,
  size     INTEGER NOT NULL,
  deflated BLOB NOT NULL
) STRICT;

-- Large blobs stored in the repository before their write: maintenance must not prune them.
CREATE TABLE staged_object (
  oid       TEXT PRIMARY KEY,
  size      INTEGER NOT NULL,
  staged_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The chain. prev_hash is the hash of the row before; it is not stored twice.
CREATE TABLE audit_record (
  seq        INTEGER PRIMARY KEY,
  at         INTEGER NOT NULL,
  principal  TEXT,
  credential TEXT,
  interface  TEXT NOT NULL,
  action     TEXT NOT NULL,
  code       TEXT,
  target     BLOB,
  version    TEXT,
  request_id TEXT,
  detail     BLOB,
  hash       BLOB NOT NULL
) STRICT;

-- The texts behind the commitments of a record; an erase clears them and the chain still verifies.
CREATE TABLE audit_text (
  seq         INTEGER PRIMARY KEY,
  salt        BLOB NOT NULL,
  target      TEXT,
  detail      TEXT,
  document_id TEXT
) STRICT;

-- Requests refused before they became a principal's, counted until their minute is over and they become one record.
CREATE TABLE audit_tally (
  minute    INTEGER NOT NULL,
  interface TEXT NOT NULL,
  reason    TEXT NOT NULL,
  source    TEXT NOT NULL,
  count     INTEGER NOT NULL,
  PRIMARY KEY (minute, interface, reason, source)
) STRICT, WITHOUT ROWID;
