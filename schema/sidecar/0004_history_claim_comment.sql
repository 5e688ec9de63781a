-- History, claims on sections, comments, and folders deleted as one.

-- moment is the number of the commit on main, counted from the first. It puts versions, moves and deletions into one
-- order, also where a clock stood still or was set back.
ALTER TABLE version ADD COLUMN moment INTEGER NOT NULL DEFAULT 0;
ALTER TABLE relocation ADD COLUMN moment INTEGER NOT NULL DEFAULT 0;
DROP INDEX relocation_by_document;
CREATE INDEX relocation_by_document ON relocation (document, moment) WHERE document IS NOT NULL;
CREATE INDEX relocation_of_folder ON relocation (to_location, moment) WHERE document IS NULL;
-- The changes of one principal since a time.
CREATE INDEX version_by_author ON version (author, at);
CREATE INDEX relocation_by_author ON relocation (author, at);

-- Deletions stay as events when the document is live again. folder is the folder that went with everything in it, null
-- when the document alone was deleted.
CREATE TABLE deletion (
  document   INTEGER NOT NULL REFERENCES document (number),
  moment     INTEGER NOT NULL,
  commit_oid TEXT NOT NULL,
  location   TEXT NOT NULL,
  folder     TEXT,
  author     TEXT NOT NULL,
  at         INTEGER NOT NULL,
  PRIMARY KEY (document, moment)
) STRICT, WITHOUT ROWID;
CREATE INDEX deletion_by_author ON deletion (author, at);
CREATE INDEX document_deleted_by ON document (deleted_commit) WHERE deleted_commit IS NOT NULL;

-- Folders that were deleted as one, until their deletion is undone as one. kept lists the folders made to stay, in it
-- and perhaps the folder itself, as a JSON array of locations.
CREATE TABLE folder_deletion (
  moment     INTEGER PRIMARY KEY,
  commit_oid TEXT NOT NULL,
  location   TEXT NOT NULL,
  kept       TEXT NOT NULL,
  author     TEXT NOT NULL,
  at         INTEGER NOT NULL
) STRICT;
CREATE INDEX folder_deletion_by_location ON folder_deletion (location, moment);

-- section_digest is a digest of the claimed section's current lines; null when the heading is gone.
-- A claim that was given up or broken stays for a while, so that its holder can learn of it.
ALTER TABLE claim ADD COLUMN section_digest TEXT;
ALTER TABLE claim ADD COLUMN ended_at INTEGER;
ALTER TABLE claim ADD COLUMN ended_by TEXT;
CREATE INDEX claim_by_holder ON claim (holder, expires_at);

-- A thread of comments on a document, or on a passage of it: the quote with the text before and after it, and its
-- offset (UTF-16 units) when the comment was made. All null for the document as a whole.
CREATE TABLE comment_thread (
  number       INTEGER PRIMARY KEY,
  id           TEXT NOT NULL UNIQUE,
  document     INTEGER NOT NULL REFERENCES document (number),
  quote        TEXT,
  quote_before TEXT,
  quote_after  TEXT,
  quote_start  INTEGER,
  resolved_at  INTEGER,
  resolved_by  TEXT
) STRICT;
CREATE INDEX comment_thread_by_document ON comment_thread (document, number);
CREATE INDEX comment_thread_open ON comment_thread (document, number) WHERE resolved_at IS NULL;

-- The first comment of a thread is the one with its lowest number. A deleted one has no text any more.
CREATE TABLE comment (
  number     INTEGER PRIMARY KEY,
  id         TEXT NOT NULL UNIQUE,
  thread     INTEGER NOT NULL REFERENCES comment_thread (number),
  author     TEXT NOT NULL,
  text       TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  edited_at  INTEGER,
  deleted_at INTEGER
) STRICT;
CREATE INDEX comment_by_thread ON comment (thread, number);

-- The addressees of a comment: the principals that it mentions, and the author of the thread that it answers.
CREATE TABLE comment_addressee (
  principal TEXT NOT NULL,
  comment   INTEGER NOT NULL REFERENCES comment (number),
  why       TEXT NOT NULL CHECK (why IN ('mention', 'reply')),
  PRIMARY KEY (principal, comment)
) STRICT, WITHOUT ROWID;
CREATE INDEX comment_addressee_by_comment ON comment_addressee (comment);
