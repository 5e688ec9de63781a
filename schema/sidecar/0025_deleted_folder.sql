-- Folders made to stay that went with a deleted folder and were not given back, each with its last deletion. A folder
-- that comes back leaves this table, so no deletion gives it back twice (decision 0305).
CREATE TABLE deleted_folder (
  location TEXT PRIMARY KEY,
  deletion INTEGER NOT NULL REFERENCES folder_deletion (moment) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX deleted_folder_by_deletion ON deleted_folder (deletion);
INSERT INTO deleted_folder (location, deletion)
  SELECT k.value, max(f.moment) FROM folder_deletion f, json_each(f.kept) k GROUP BY k.value;
ALTER TABLE folder_deletion DROP COLUMN kept;

-- A deletion stays as long as something of it is left.
DELETE FROM folder_deletion
WHERE NOT EXISTS (SELECT 1 FROM deleted_folder k WHERE k.deletion = folder_deletion.moment)
  AND NOT EXISTS (
    SELECT 1 FROM document d WHERE d.deleted_moment = folder_deletion.moment AND d.deleted_location IS NOT NULL);

-- Until this commit, the rows did not say which folders an undelete had given back. A rebuild makes them exact.
INSERT INTO meta (name, value) SELECT 'deleted_folders_since', value FROM meta WHERE name = 'commits';
