-- What happens besides commits, in order: what the feed of changes tells, and what changes who may read.
-- moment is that of the last event of a commit before it. is_within: it is part of that event, as where a folder that
-- moves takes its grants along. Rows about a document reference it, so an erase removes them.
-- The kinds granted and revoked have subject, scope and role; joined and parted have the subject and group_id;
-- disabled and enabled have the subject.
CREATE TABLE activity (
  number       INTEGER PRIMARY KEY AUTOINCREMENT,
  moment       INTEGER NOT NULL,
  is_within    INTEGER NOT NULL DEFAULT 0,
  at           INTEGER,
  kind         TEXT NOT NULL CHECK (kind IN ('label_set', 'comment_added', 'comment_settled', 'claimed', 'claim_ended',
                 'granted', 'revoked', 'joined', 'parted', 'disabled', 'enabled')),
  document     INTEGER REFERENCES document (number),
  actor        TEXT,
  subject_type TEXT,
  subject_id   TEXT,
  group_id     TEXT,
  scope_type   TEXT,
  scope_key    TEXT,
  role         TEXT
) STRICT;
CREATE INDEX activity_by_document ON activity (document) WHERE document IS NOT NULL;
CREATE INDEX activity_by_subject ON activity (subject_type, subject_id, number) WHERE subject_id IS NOT NULL;
CREATE INDEX activity_by_scope ON activity (scope_key) WHERE scope_type = 'folder';
CREATE INDEX activity_within ON activity (moment, number) WHERE is_within = 1;
-- The journal dates them at the end of the transaction: a trigger knows no time.
CREATE INDEX activity_undated ON activity (number) WHERE at IS NULL;

-- Where an erased document was, for those who may hold a copy: between two moments, in the granted places that these
-- scopes name, a JSON array. They are texts of grants. Its id is sealed, and erasure is the number of the receipt.
CREATE TABLE erased_place (
  number    INTEGER PRIMARY KEY AUTOINCREMENT,
  erasure   INTEGER NOT NULL,
  since     INTEGER NOT NULL,
  until     INTEGER NOT NULL,
  at        INTEGER NOT NULL,
  scopes    TEXT NOT NULL,
  sealed_id BLOB NOT NULL
) STRICT;
CREATE INDEX erased_place_by_end ON erased_place (until);

CREATE VIEW last_moment AS SELECT max(
  coalesce((SELECT max(moment) FROM version), 0),
  coalesce((SELECT max(moment) FROM relocation), 0),
  coalesce((SELECT max(moment) FROM deletion), 0),
  coalesce((SELECT max(until) FROM erased_place), 0)
) AS moment;

CREATE TRIGGER grant_added AFTER INSERT ON access_grant BEGIN
  INSERT INTO activity (moment, kind, subject_type, subject_id, scope_type, scope_key, role)
  SELECT moment, 'granted', new.subject_type, new.subject_id, new.scope_type, new.scope_key, new.role FROM last_moment;
END;
CREATE TRIGGER grant_removed AFTER DELETE ON access_grant BEGIN
  INSERT INTO activity (moment, kind, subject_type, subject_id, scope_type, scope_key, role)
  SELECT moment, 'revoked', old.subject_type, old.subject_id, old.scope_type, old.scope_key, old.role FROM last_moment;
END;
CREATE TRIGGER grant_carried AFTER UPDATE ON access_grant BEGIN
  INSERT INTO activity (moment, is_within, kind, subject_type, subject_id, scope_type, scope_key, role)
  SELECT moment, 1, 'revoked', old.subject_type, old.subject_id, old.scope_type, old.scope_key, old.role FROM last_moment;
  INSERT INTO activity (moment, is_within, kind, subject_type, subject_id, scope_type, scope_key, role)
  SELECT moment, 1, 'granted', new.subject_type, new.subject_id, new.scope_type, new.scope_key, new.role FROM last_moment;
END;
CREATE TRIGGER membership_added AFTER INSERT ON membership BEGIN
  INSERT INTO activity (moment, kind, subject_type, subject_id, group_id)
  SELECT moment, 'joined', new.member_type, new.member_id, new.group_id FROM last_moment;
END;
CREATE TRIGGER membership_removed AFTER DELETE ON membership BEGIN
  INSERT INTO activity (moment, kind, subject_type, subject_id, group_id)
  SELECT moment, 'parted', old.member_type, old.member_id, old.group_id FROM last_moment;
END;

CREATE TRIGGER principal_changed AFTER UPDATE OF disabled_at ON principal
WHEN (new.disabled_at IS NULL) <> (old.disabled_at IS NULL) BEGIN
  INSERT INTO activity (moment, kind, subject_type, subject_id)
  SELECT moment, CASE WHEN new.disabled_at IS NULL THEN 'enabled' ELSE 'disabled' END, 'principal', new.id FROM last_moment;
END;

-- The moves of one commit are read in the order of their documents.
CREATE INDEX relocation_by_moment_and_document ON relocation (moment, document);

-- Whether it was told that the claim ran out.
ALTER TABLE claim ADD COLUMN is_lapsed INTEGER NOT NULL DEFAULT 0;
CREATE INDEX claim_to_lapse ON claim (expires_at) WHERE is_lapsed = 0 AND ended_at IS NULL;

-- Names the feed of this file: positions of another one are refused. It also keys the ids of items.
INSERT INTO meta (name, value) VALUES ('feed_secret', lower(hex(randomblob(32))));
