-- What two names have in common that Windows and macOS cannot tell apart (lib/domain/portable-name.ts). It is null for a
-- name that is its own key, as most are.
ALTER TABLE document ADD COLUMN twin_key TEXT;
ALTER TABLE folder ADD COLUMN twin_key TEXT;
UPDATE document SET twin_key = twin_key(name) WHERE twin_key(name) IS NOT NULL;
UPDATE folder SET twin_key = twin_key(name) WHERE twin_key(name) IS NOT NULL;
CREATE INDEX document_by_twin_key ON document (folder, twin_key) WHERE twin_key IS NOT NULL AND folder IS NOT NULL;
CREATE INDEX folder_by_twin_key ON folder (parent, twin_key) WHERE twin_key IS NOT NULL;

-- A message can go to a name.
CREATE INDEX principal_by_name ON principal (display_name COLLATE NOCASE);
CREATE INDEX principal_group_by_name ON principal_group (display_name COLLATE NOCASE);
