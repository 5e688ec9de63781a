-- The names of rewritten commits in the order of the history, some hundred in a row: forty bytes for each, its old name
-- and its new one, or zeros for a removed one. Look-ups are in memory, so nothing here is ordered by name.
ALTER TABLE rewritten_commit RENAME TO rewritten_commit_by_name;
CREATE TABLE rewritten_commit (
  number INTEGER PRIMARY KEY,
  oids   BLOB NOT NULL CHECK (length(oids) % 40 = 0)
) STRICT;
INSERT INTO rewritten_commit (oids)
SELECT CAST(unhex(old_oid) || coalesce(unhex(new_oid), zeroblob(20)) AS BLOB) FROM rewritten_commit_by_name;
DROP TABLE rewritten_commit_by_name;
