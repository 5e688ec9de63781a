-- When the person proved who they are. NULL: another provider let them in, which may have asked them nothing.
ALTER TABLE browser_session ADD COLUMN proven_at INTEGER;
UPDATE browser_session SET proven_at = started_at WHERE method <> 'upstream';
