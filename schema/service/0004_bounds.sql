-- The rows that a caller can create are bounded: these indexes find the oldest ones.

-- Requests of applications that one person has not answered yet.
CREATE INDEX oauth_entry_account ON oauth_entry (kind, account_id, expires_at) WHERE account_id IS NOT NULL;
DROP INDEX oauth_entry_grant;
CREATE INDEX oauth_entry_grant ON oauth_entry (grant_id, kind, expires_at) WHERE grant_id IS NOT NULL;
-- Finds out whether a person has given a client consent.
CREATE INDEX oauth_grant_client ON oauth_grant (client_id);
-- Sources with the fewest failures are deleted first.
CREATE INDEX sign_in_failure_count ON sign_in_failure (count, last_at);
