-- Sources that are mirrored into folders. The id is the connector's principal. `secret` and `webhook_secret` are sealed.
-- `memory` is what its source cannot find out again, such as where drives were mounted.
-- `stale_entries` says that its mirror_entry rows are not to be believed: of earlier settings, or from before a rebuild.
-- `deleted_until` is the run up to which deletions have been approved.
-- `held` is the fingerprint of the change that waits for approval, `approved` the one that somebody approved.
CREATE TABLE connector (
  id             TEXT PRIMARY KEY REFERENCES principal (id),
  kind           TEXT NOT NULL,
  location       TEXT NOT NULL,
  settings       TEXT NOT NULL,
  described      TEXT NOT NULL DEFAULT '',
  secret         BLOB,
  webhook_secret BLOB,
  state          TEXT NOT NULL CHECK (state IN ('active', 'paused', 'held', 'stopped', 'disconnected')),
  state_reason   TEXT,
  generation     INTEGER NOT NULL DEFAULT 1,
  run_interval   INTEGER NOT NULL,
  next_run_at    INTEGER,
  next_trigger   TEXT NOT NULL DEFAULT 'schedule',
  failures       INTEGER NOT NULL DEFAULT 0,
  idle_runs      INTEGER NOT NULL DEFAULT 0,
  cursor         TEXT,
  memory         TEXT,
  stale_entries  INTEGER NOT NULL DEFAULT 0,
  source_version TEXT,
  synced_at      INTEGER,
  held           TEXT,
  approved       TEXT,
  deleted_until  INTEGER NOT NULL DEFAULT 0,
  created_at     INTEGER NOT NULL,
  created_by     TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX connector_by_next_run ON connector (next_run_at) WHERE next_run_at IS NOT NULL;

-- The last runs of each. No text in it names a document.
CREATE TABLE connector_run (
  connector      TEXT NOT NULL REFERENCES connector (id),
  number         INTEGER NOT NULL,
  cause          TEXT NOT NULL,
  started_at     INTEGER NOT NULL,
  ended_at       INTEGER,
  outcome        TEXT,
  fault          TEXT,
  message        TEXT,
  listed         INTEGER NOT NULL DEFAULT 0,
  created        INTEGER NOT NULL DEFAULT 0,
  updated        INTEGER NOT NULL DEFAULT 0,
  moved          INTEGER NOT NULL DEFAULT 0,
  deleted        INTEGER NOT NULL DEFAULT 0,
  skipped        INTEGER NOT NULL DEFAULT 0,
  bytes          INTEGER NOT NULL DEFAULT 0,
  version_id     TEXT,
  source_version TEXT,
  PRIMARY KEY (connector, number)
) STRICT, WITHOUT ROWID;

-- What a source holds as of the last run: the mirrored files, and the skipped ones with the reason.
-- `path` lies below the mirror's folder. `version` is the source's own word for the state of the file.
CREATE TABLE mirror_entry (
  connector TEXT NOT NULL REFERENCES connector (id),
  path      TEXT NOT NULL,
  source_id TEXT,
  version   TEXT NOT NULL,
  reason    TEXT,
  detail    TEXT,
  PRIMARY KEY (connector, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX mirror_entry_by_source ON mirror_entry (connector, source_id) WHERE source_id IS NOT NULL;
CREATE INDEX mirror_entry_skipped ON mirror_entry (connector, path) WHERE reason IS NOT NULL;

-- Files that were erased here and must not come back: an HMAC of the path, which names nothing.
CREATE TABLE mirror_suppression (
  connector TEXT NOT NULL REFERENCES connector (id),
  path_hash BLOB NOT NULL,
  PRIMARY KEY (connector, path_hash)
) STRICT, WITHOUT ROWID;

-- Packs in the repository with contents for a mirror's next commit. After a crash, a pack here may hold what nobody needs.
CREATE TABLE staged_pack (
  name      TEXT PRIMARY KEY,
  connector TEXT NOT NULL
) STRICT, WITHOUT ROWID;
