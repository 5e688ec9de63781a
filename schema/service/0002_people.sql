-- People who sign in. A person in two workspaces is two principals and one identity.

CREATE TABLE identity (
  id              TEXT PRIMARY KEY,
  -- An e-mail address or a name, as it is compared: NFKC, lower case.
  sign_in_name    TEXT NOT NULL UNIQUE,
  -- `$scrypt$ln=…,r=…,p=…$salt$hash`; null until the first sign-in.
  password_hash   TEXT,
  password_set_at INTEGER,
  created_at      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE membership (
  workspace    TEXT NOT NULL,
  principal_id TEXT NOT NULL,
  identity_id  TEXT NOT NULL REFERENCES identity (id),
  PRIMARY KEY (workspace, principal_id),
  UNIQUE (identity_id, workspace)
) STRICT, WITHOUT ROWID;

-- A link that lets its holder choose a password, once. Only the hash of its secret is stored.
CREATE TABLE one_time_link (
  secret_hash BLOB PRIMARY KEY,
  identity_id TEXT NOT NULL REFERENCES identity (id),
  created_at  INTEGER NOT NULL,
  expires_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX one_time_link_identity ON one_time_link (identity_id);

-- A browser that is signed in. Only the hash of its cookie is stored.
CREATE TABLE browser_session (
  secret_hash  BLOB PRIMARY KEY,
  id           TEXT NOT NULL UNIQUE,
  identity_id  TEXT NOT NULL REFERENCES identity (id),
  -- password, link or upstream
  method       TEXT NOT NULL,
  -- What the browser said of itself, shortened, and where it was when it signed in.
  browser      TEXT NOT NULL,
  address      TEXT NOT NULL,
  started_at   INTEGER NOT NULL,
  -- Rounded down to the minute.
  last_seen_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX browser_session_identity ON browser_session (identity_id);

-- Failed attempts to sign in, by a keyed hash of a name or of an address. They are hashed because people type passwords
-- where names belong.
CREATE TABLE sign_in_failure (
  source  BLOB PRIMARY KEY,
  count   INTEGER NOT NULL,
  last_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sign_in_failure_last ON sign_in_failure (last_at);
