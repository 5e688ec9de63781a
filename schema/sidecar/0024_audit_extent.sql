-- What a record of the audit log is about where that is more than its target (decision 0260): the places that a fetch or
-- an export gave out, or the documents that a search showed and a push changed.
-- Places are stored once for each set of them. A set that loses one is no set that is found again.
CREATE TABLE audit_place_set (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  digest BLOB NOT NULL UNIQUE
) STRICT;
CREATE TABLE audit_place_set_folder (
  place_set INTEGER NOT NULL,
  place     TEXT NOT NULL,
  PRIMARY KEY (place_set, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX audit_place_set_by_folder ON audit_place_set_folder (place, place_set);
CREATE TABLE audit_place_set_document (
  place_set INTEGER NOT NULL,
  document  INTEGER NOT NULL REFERENCES document (number),
  PRIMARY KEY (place_set, document)
) STRICT, WITHOUT ROWID;
CREATE INDEX audit_place_set_by_document ON audit_place_set_document (document, place_set);
CREATE TRIGGER audit_place_set_loses_folder AFTER DELETE ON audit_place_set_folder BEGIN
  UPDATE audit_place_set SET digest = randomblob(32) WHERE number = old.place_set;
END;
CREATE TRIGGER audit_place_set_loses_document AFTER DELETE ON audit_place_set_document BEGIN
  UPDATE audit_place_set SET digest = randomblob(32) WHERE number = old.place_set;
END;

-- moment is that of the last event of a commit before it.
CREATE TABLE audit_place_use (
  seq       INTEGER PRIMARY KEY,
  place_set INTEGER NOT NULL,
  moment    INTEGER NOT NULL
) STRICT;
CREATE INDEX audit_place_use_by_set ON audit_place_use (place_set, seq);
CREATE INDEX audit_place_use_by_moment ON audit_place_use (moment, seq);

CREATE TABLE audit_touched (
  seq      INTEGER NOT NULL,
  document INTEGER NOT NULL REFERENCES document (number),
  PRIMARY KEY (seq, document)
) STRICT, WITHOUT ROWID;
CREATE INDEX audit_touched_by_document ON audit_touched (document, seq);

-- Heads that clients got, with the places that they could read then. A client that has one gets only what came later.
CREATE TABLE audit_given_head (
  head      TEXT NOT NULL,
  place_set INTEGER NOT NULL,
  moment    INTEGER NOT NULL,
  PRIMARY KEY (head, place_set)
) STRICT, WITHOUT ROWID;
