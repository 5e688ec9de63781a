-- Why an accepted erase cannot be carried out, as long as it cannot; never the document's name.
ALTER TABLE erasure ADD COLUMN hindrance TEXT;
