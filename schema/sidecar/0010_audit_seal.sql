-- The signed heads of the chain (Ed25519; the private key is in the service's file).
CREATE TABLE audit_checkpoint (
  seq       INTEGER PRIMARY KEY,
  at        INTEGER NOT NULL,
  hash      BLOB NOT NULL,
  signature BLOB NOT NULL
) STRICT;

-- Ranges of the chain in compressed files beside this one. Their texts stay in audit_text.
CREATE TABLE audit_archive (
  first_seq   INTEGER PRIMARY KEY,
  last_seq    INTEGER NOT NULL,
  last_hash   BLOB NOT NULL,
  last_at     INTEGER NOT NULL,
  file        TEXT NOT NULL,
  sha256      TEXT NOT NULL,
  bytes       INTEGER NOT NULL,
  archived_at INTEGER NOT NULL
) STRICT;
