-- Author and time of an imported version, according to its source: `NAME <EMAIL> SECONDS`, as git writes a signature.
ALTER TABLE version ADD COLUMN original_author TEXT;
