-- The service's own file: the list of workspaces, and keys that belong to none of them alone.

CREATE TABLE workspace (
  name       TEXT PRIMARY KEY,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- purpose: the use of the key, e.g. 'cursor' or 'audit:acme'; material: the raw or PKCS #8 bytes.
CREATE TABLE service_key (
  purpose    TEXT PRIMARY KEY,
  material   BLOB NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
