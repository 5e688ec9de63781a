-- Why an erase that was accepted cannot be carried out, as long as it cannot; never what the document was called.
ALTER TABLE erasure ADD COLUMN hindrance TEXT;
