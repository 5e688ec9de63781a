-- A pending tree can wait as a delta against another pending object, which has a smaller number. `depth` is the length
-- of the chain of deltas below it.
ALTER TABLE pending_object ADD COLUMN base TEXT;
ALTER TABLE pending_object ADD COLUMN depth INTEGER NOT NULL DEFAULT 0;
