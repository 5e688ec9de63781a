-- What a copy elsewhere holds of the files beside this one. `name` is that of the object below its life, `key` opens it.
-- `gone_at` is when the file was found gone here: the object stays as long as a moment can be restored that had it.
CREATE TABLE stored_object (
  name TEXT PRIMARY KEY,
  life TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  key BLOB NOT NULL,
  gone_at INTEGER
) WITHOUT ROWID;
CREATE INDEX stored_object_gone ON stored_object (gone_at) WHERE gone_at IS NOT NULL;
