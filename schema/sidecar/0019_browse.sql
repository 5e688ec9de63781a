-- The time of each document's last version, so that a folder can be listed by it. The trigger keeps it, so it is right
-- after any statement.
ALTER TABLE document ADD COLUMN changed_at INTEGER NOT NULL DEFAULT 0;
UPDATE document SET changed_at = coalesce(
  (SELECT v.at FROM version v WHERE v.document = document.number AND v.sequence = document.sequence), created_at);
CREATE INDEX document_by_change ON document (folder, changed_at DESC, name) WHERE folder IS NOT NULL;

DROP TRIGGER version_dates_document;
CREATE TRIGGER version_dates_document AFTER INSERT ON version BEGIN
  UPDATE document SET
    last_moment = max(last_moment, new.moment),
    first_moment = CASE first_moment WHEN 0 THEN new.moment ELSE first_moment END,
    changed_at = new.at
  WHERE number = new.document;
END;

-- The moment of a document's last deletion. Deleted documents are listed by it, everywhere and in a folder. The second
-- index holds all that a sorted scan of a folder needs.
ALTER TABLE document ADD COLUMN deleted_moment INTEGER NOT NULL DEFAULT 0;
UPDATE document SET deleted_moment =
  coalesce((SELECT max(e.moment) FROM deletion e WHERE e.document = document.number), 0);
CREATE TRIGGER deletion_dates_document AFTER INSERT ON deletion BEGIN
  UPDATE document SET deleted_moment = new.moment WHERE number = new.document;
END;
CREATE INDEX document_by_deletion ON document (deleted_moment) WHERE deleted_location IS NOT NULL;
DROP INDEX document_deleted;
CREATE INDEX document_deleted ON document (deleted_location, deleted_moment) WHERE deleted_location IS NOT NULL;
