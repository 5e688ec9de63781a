-- What a workspace's chain has of the records of this file. Numbers alone do not tell: they go back when an older copy
-- of this file is put back, and the chains do not.

-- Tells a record from one of the same number that another copy of this file gave out.
ALTER TABLE pending_record ADD COLUMN id TEXT NOT NULL DEFAULT '';
UPDATE pending_record SET id = lower(hex(randomblob(8)));

-- The last record that was found in the chain of a workspace, and taken off the list. An empty id: the workspace was
-- brought here, with what the file of another service had noted in it.
CREATE TABLE recorded_mark (
  workspace TEXT PRIMARY KEY,
  id        TEXT NOT NULL,
  number    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
