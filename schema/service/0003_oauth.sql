-- OAuth: the consents of people to clients in workspaces, and the entries issued for them.

CREATE TABLE oauth_grant (
  id           TEXT PRIMARY KEY,
  identity_id  TEXT NOT NULL,
  workspace    TEXT NOT NULL,
  principal_id TEXT NOT NULL,
  client_id    TEXT NOT NULL,
  -- What the client calls itself: anyone may take any name.
  client_name  TEXT NOT NULL,
  -- Where its answers go: host and port, or the scheme of an application.
  redirect_host TEXT NOT NULL,
  -- OAuth scopes, separated by spaces.
  scope        TEXT NOT NULL,
  created_at   INTEGER NOT NULL,
  expires_at   INTEGER NOT NULL,
  -- Rounded down to the minute.
  last_used_at INTEGER,
  revoked_at   INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX oauth_grant_identity ON oauth_grant (identity_id);

-- Tokens, codes, sign-ins under way, registered clients. An entry is found by the hash of its text. Its content is
-- sealed with a key made from that text, so that the file alone opens nothing.
CREATE TABLE oauth_entry (
  -- AccessToken, RefreshToken, AuthorizationCode, Session, Interaction, Grant, Client
  kind         TEXT NOT NULL,
  id_hash      BLOB NOT NULL,
  grant_id     TEXT,
  -- Of a session: its other name, and who it is about.
  uid          TEXT,
  account_id   TEXT,
  content      BLOB NOT NULL,
  -- Milliseconds since 1970.
  consumed_at  INTEGER,
  expires_at   INTEGER,
  PRIMARY KEY (kind, id_hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX oauth_entry_grant ON oauth_entry (grant_id) WHERE grant_id IS NOT NULL;
CREATE INDEX oauth_entry_uid ON oauth_entry (uid) WHERE uid IS NOT NULL;
CREATE INDEX oauth_entry_expires ON oauth_entry (expires_at) WHERE expires_at IS NOT NULL;
