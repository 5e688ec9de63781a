-- Of each document: the moments of its last event, and of its first version. A brief goes through documents by the
-- first, and counts by the second. Triggers keep them, so they are right after any statement.
ALTER TABLE document ADD COLUMN last_moment INTEGER NOT NULL DEFAULT 0;
ALTER TABLE document ADD COLUMN first_moment INTEGER NOT NULL DEFAULT 0;
UPDATE document SET
  first_moment = coalesce((SELECT min(v.moment) FROM version v WHERE v.document = document.number), 0),
  last_moment = max(
    coalesce((SELECT max(v.moment) FROM version v WHERE v.document = document.number), 0),
    coalesce((SELECT max(r.moment) FROM relocation r WHERE r.document = document.number), 0)
  );
CREATE INDEX document_by_moment ON document (last_moment);
CREATE INDEX document_by_moment_and_folder ON document (last_moment, folder, first_moment);

CREATE TRIGGER version_dates_document AFTER INSERT ON version BEGIN
  UPDATE document SET
    last_moment = max(last_moment, new.moment),
    first_moment = CASE first_moment WHEN 0 THEN new.moment ELSE first_moment END
  WHERE number = new.document;
END;
CREATE TRIGGER relocation_dates_document AFTER INSERT ON relocation WHEN new.document IS NOT NULL BEGIN
  UPDATE document SET last_moment = max(last_moment, new.moment) WHERE number = new.document;
END;
