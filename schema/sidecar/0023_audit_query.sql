-- What the audit log is asked by (decision 0235). A record's number is part of each entry, so each key is in order.
-- Reads and writes of documents are most records: those are found by principal or document, and need no entry more.
CREATE INDEX audit_record_by_principal ON audit_record (principal);
-- A list (NOT IN) would make SQLite build a table of it for each new record.
CREATE INDEX audit_record_by_rare_action ON audit_record (action)
  WHERE action <> 'document.read' AND action <> 'document.list' AND action <> 'document.search'
    AND action <> 'document.create' AND action <> 'document.update' AND action <> 'document.edit'
    AND action <> 'folder.list' AND action <> 'folder.browse';
CREATE INDEX audit_record_by_principal_and_rare_action ON audit_record (principal, action)
  WHERE action <> 'document.read' AND action <> 'document.list' AND action <> 'document.search'
    AND action <> 'document.create' AND action <> 'document.update' AND action <> 'document.edit'
    AND action <> 'folder.list' AND action <> 'folder.browse';
CREATE INDEX audit_record_refused ON audit_record (seq) WHERE code IS NOT NULL;
CREATE INDEX audit_record_refused_by_principal ON audit_record (principal) WHERE code IS NOT NULL;
CREATE INDEX audit_text_by_document ON audit_text (document_id) WHERE document_id IS NOT NULL;
CREATE INDEX audit_text_by_place ON audit_text (target) WHERE document_id IS NULL AND target IS NOT NULL;
-- Refusals are few, so the indexes of refusals at a place cost other records nothing. 1, or null for what was done.
ALTER TABLE audit_text ADD COLUMN is_refused INTEGER;
UPDATE audit_text SET is_refused = 1 WHERE seq IN (SELECT seq FROM audit_record WHERE code IS NOT NULL);
CREATE INDEX audit_text_refused_by_document ON audit_text (document_id)
  WHERE is_refused = 1 AND document_id IS NOT NULL;
CREATE INDEX audit_text_refused_by_place ON audit_text (target)
  WHERE is_refused = 1 AND document_id IS NULL AND target IS NOT NULL;
