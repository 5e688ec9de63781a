-- Addresses that are told what changes. The secrets are sealed; the former one signs, too, until former_until.
-- kinds is a JSON array, null for every change. position is where the owner's feed goes on; for security kinds, the number
-- of the last audit record that was looked at. stopped says why nothing is sent, null while it is enabled.
CREATE TABLE webhook (
  id              TEXT PRIMARY KEY,
  name            TEXT NOT NULL,
  owner           TEXT NOT NULL REFERENCES principal (id),
  location        TEXT NOT NULL,
  url             TEXT NOT NULL,
  kinds           TEXT,
  secret          BLOB NOT NULL,
  former_secret   BLOB,
  former_until    INTEGER,
  stopped         TEXT,
  position        TEXT NOT NULL,
  failures        INTEGER NOT NULL DEFAULT 0,
  next_attempt_at INTEGER,
  generation      INTEGER NOT NULL DEFAULT 1,
  created_at      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX webhook_by_owner ON webhook (owner);
CREATE INDEX webhook_by_location ON webhook (location);

-- The last attempts of each. before is the position from which the message was made. No body is kept, and an erase
-- removes the answers: they can repeat what was sent.
CREATE TABLE webhook_delivery (
  webhook    TEXT NOT NULL REFERENCES webhook (id) ON DELETE CASCADE,
  number     INTEGER NOT NULL,
  message_id TEXT NOT NULL,
  type       TEXT NOT NULL,
  at         INTEGER NOT NULL,
  duration   INTEGER NOT NULL,
  outcome    TEXT NOT NULL,
  status     INTEGER,
  answer     TEXT,
  before     TEXT NOT NULL,
  PRIMARY KEY (webhook, number)
) STRICT, WITHOUT ROWID;
