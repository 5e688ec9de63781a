-- The addressees of a comment, with the time: an edit may add a mention. Numbers go up and none is given twice, so one
-- number says how far a principal has been briefed, also after a mention is removed.
ALTER TABLE comment_addressee RENAME TO comment_addressee_before;
CREATE TABLE comment_addressee (
  number       INTEGER PRIMARY KEY AUTOINCREMENT,
  principal    TEXT NOT NULL,
  comment      INTEGER NOT NULL REFERENCES comment (number),
  why          TEXT NOT NULL CHECK (why IN ('mention', 'reply')),
  addressed_at INTEGER NOT NULL
) STRICT;
INSERT INTO comment_addressee (principal, comment, why, addressed_at)
SELECT a.principal, a.comment, a.why, c.created_at
FROM comment_addressee_before a JOIN comment c ON c.number = a.comment ORDER BY a.comment, a.principal;
DROP TABLE comment_addressee_before;
CREATE UNIQUE INDEX comment_addressee_by_comment ON comment_addressee (comment, principal);
CREATE INDEX comment_addressee_by_principal ON comment_addressee (principal);
CREATE INDEX comment_addressee_by_time ON comment_addressee (principal, addressed_at);

-- The span of each principal's last brief, since a client requests a brief again when its answer was lost. It has a
-- start (exclusive) and an end (inclusive), of commits, of time, and of addressed comments.
ALTER TABLE brief_mark ADD COLUMN addressed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE brief_mark ADD COLUMN from_moment INTEGER NOT NULL DEFAULT 0;
ALTER TABLE brief_mark ADD COLUMN from_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE brief_mark ADD COLUMN from_addressed INTEGER NOT NULL DEFAULT 0;
UPDATE brief_mark SET addressed = coalesce(
  (SELECT max(a.number) FROM comment_addressee a WHERE a.addressed_at < brief_mark.at), 0);
UPDATE brief_mark SET from_moment = moment, from_at = at, from_addressed = addressed;
