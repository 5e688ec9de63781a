-- Erased documents. A row is the receipt: the extent of the erase, its times and its requester. While the erase is
-- under way it also holds the document and all its locations. Both are removed before it is final, so a receipt names
-- nothing. document refers to document (number) without a foreign key: the receipt outlasts the row.
CREATE TABLE erasure (
  number       INTEGER PRIMARY KEY,
  id           TEXT NOT NULL UNIQUE,
  phase        TEXT NOT NULL CHECK (phase IN ('accepted', 'moved', 'final')),
  document     INTEGER,
  document_id  TEXT,
  locations    TEXT,
  requested_by TEXT NOT NULL,
  requested_at INTEGER NOT NULL,
  versions     INTEGER NOT NULL,
  comments     INTEGER NOT NULL,
  bytes        INTEGER NOT NULL,
  final_at     INTEGER,
  CHECK ((phase = 'final') = (final_at IS NOT NULL)),
  CHECK (phase <> 'final' OR (document IS NULL AND document_id IS NULL AND locations IS NULL))
) STRICT;
CREATE INDEX erasure_open ON erasure (number) WHERE phase <> 'final';
CREATE INDEX erasure_by_document ON erasure (document) WHERE document IS NOT NULL;

-- The new names of commits rewritten by the rewrite under way; null for a removed one.
CREATE TABLE rewritten_commit (
  old_oid TEXT PRIMARY KEY,
  new_oid TEXT
) STRICT, WITHOUT ROWID;
