-- Keys that somebody else made for a person, and keys that were made with a key.

-- When the person said that they know of a key that somebody else made for them. NULL until then.
ALTER TABLE credential ADD COLUMN acknowledged_at INTEGER;

-- The key whose request made this one. It ends with that key.
ALTER TABLE credential ADD COLUMN made_with TEXT REFERENCES credential (id);
CREATE INDEX credential_by_made_with ON credential (made_with) WHERE made_with IS NOT NULL;
