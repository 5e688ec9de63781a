-- Messages, briefs, and indexes that find the events since a moment.

-- about_document, about_folder: the topic of a thread, a document or a folder's path; both null for no topic.
CREATE TABLE message_thread (
  number         INTEGER PRIMARY KEY,
  id             TEXT NOT NULL UNIQUE,
  subject        TEXT NOT NULL,
  about_document INTEGER REFERENCES document (number),
  about_folder   TEXT,
  CHECK (about_document IS NULL OR about_folder IS NULL)
) STRICT;
CREATE INDEX message_thread_by_document ON message_thread (about_document) WHERE about_document IS NOT NULL;
CREATE INDEX message_thread_by_folder ON message_thread (about_folder) WHERE about_folder IS NOT NULL;

-- addressed: the recipients as written, a JSON array of principals and groups. digest covers everything that identifies
-- a message, so that a repeated one is recognised. Numbers are never used again: they order a mailbox.
CREATE TABLE message (
  number    INTEGER PRIMARY KEY AUTOINCREMENT,
  id        TEXT NOT NULL UNIQUE,
  thread    INTEGER NOT NULL REFERENCES message_thread (number) ON DELETE CASCADE,
  sender    TEXT NOT NULL,
  body      TEXT NOT NULL,
  addressed TEXT NOT NULL,
  digest    BLOB NOT NULL,
  sent_at   INTEGER NOT NULL
) STRICT;
CREATE INDEX message_by_thread ON message (thread, number);
CREATE INDEX message_by_sender ON message (sender, number);
CREATE INDEX message_by_digest ON message (sender, digest, number);

-- The recipients: each principal once, groups resolved when it was sent. sender is here too, to find who wrote to whom.
CREATE TABLE message_delivery (
  principal TEXT NOT NULL,
  message   INTEGER NOT NULL REFERENCES message (number) ON DELETE CASCADE,
  sender    TEXT NOT NULL,
  is_read   INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (principal, message)
) STRICT, WITHOUT ROWID;
CREATE INDEX message_delivery_unread ON message_delivery (principal, message) WHERE is_read = 0;
CREATE INDEX message_delivery_by_sender ON message_delivery (principal, sender);
CREATE INDEX message_delivery_by_message ON message_delivery (message);

-- The end of each principal's last brief.
CREATE TABLE brief_mark (
  principal TEXT PRIMARY KEY,
  moment    INTEGER NOT NULL,
  at        INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX version_by_moment ON version (moment, document);
CREATE INDEX relocation_by_moment ON relocation (moment);
CREATE INDEX deletion_by_moment ON deletion (moment, document);
