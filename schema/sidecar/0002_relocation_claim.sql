-- Renames and moves: events in a document's history that make no version.
-- document is null when a folder went, with everything in it.
CREATE TABLE relocation (
  number        INTEGER PRIMARY KEY,
  commit_oid    TEXT NOT NULL,
  operation     TEXT NOT NULL CHECK (operation IN ('rename', 'move')),
  document      INTEGER REFERENCES document (number),
  from_location TEXT NOT NULL,
  to_location   TEXT NOT NULL,
  author        TEXT NOT NULL,
  at            INTEGER NOT NULL
) STRICT;
CREATE INDEX relocation_by_document ON relocation (document) WHERE document IS NOT NULL;

-- Leases: the holder of a claim keeps others from writing until it is released or runs out.
-- section is the heading's id, null for the whole document.
CREATE TABLE claim (
  id         TEXT PRIMARY KEY,
  document   INTEGER NOT NULL REFERENCES document (number),
  section    TEXT,
  holder     TEXT NOT NULL,
  purpose    TEXT,
  claimed_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX claim_by_document ON claim (document, expires_at);
CREATE INDEX claim_by_expiry ON claim (expires_at);
CREATE INDEX folder_mirrored ON folder (mirror) WHERE mirror IS NOT NULL;
