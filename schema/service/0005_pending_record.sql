-- Audit records that still have to be added to the chain of a workspace. Each was written with its change, in one
-- transaction.

CREATE TABLE pending_record (
  -- Never used again: a workspace keeps the number of the last record that its chain has.
  number    INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace TEXT NOT NULL,
  -- JSON.
  event     TEXT NOT NULL,
  -- The entry of oauth_entry that counts as unused again if the record is never added; null for most.
  undo_kind TEXT,
  undo_hash BLOB
) STRICT;
CREATE INDEX pending_record_workspace ON pending_record (workspace, number);
