-- Finds the versions with a large blob. Only blobs of more than 1 MiB are stored before their write, and only these are
-- searched for. The index holds no others, so ordinary writes do not pay for it.
CREATE INDEX version_by_large_blob ON version (blob_oid) WHERE size > 1048576;
