-- Finds the versions that a large blob lies in. Only blobs of more than 1 MiB are stored before their write, and only
-- for those it is asked; the index holds no others, so that ordinary writes do not pay for it.
CREATE INDEX version_by_large_blob ON version (blob_oid) WHERE size > 1048576;
