-- A sign-in name may be known already when a workspace makes a link for it. The person joins that workspace when the
-- link is used, not when it is made: until then whoever took the name first gets in nowhere else.

-- NULL once the person has joined. Until then the sign-in name for which the link was made.
ALTER TABLE membership ADD COLUMN joining_as TEXT;

-- The address that another provider vouched for at this sign-in. NULL for all other sign-ins.
ALTER TABLE browser_session ADD COLUMN vouched_for TEXT;

-- A link belongs to one principal of one workspace, and ends with the membership. A link from before belongs to the
-- first workspace of its person.
CREATE TABLE link_of_principal (
  secret_hash  BLOB PRIMARY KEY,
  workspace    TEXT NOT NULL,
  principal_id TEXT NOT NULL,
  created_at   INTEGER NOT NULL,
  expires_at   INTEGER NOT NULL,
  FOREIGN KEY (workspace, principal_id) REFERENCES membership (workspace, principal_id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
INSERT INTO link_of_principal (secret_hash, workspace, principal_id, created_at, expires_at)
SELECT link.secret_hash, membership.workspace, membership.principal_id, link.created_at, link.expires_at
FROM one_time_link link
JOIN membership ON membership.identity_id = link.identity_id
WHERE membership.workspace = (SELECT min(workspace) FROM membership WHERE identity_id = link.identity_id);
DROP TABLE one_time_link;
ALTER TABLE link_of_principal RENAME TO one_time_link;
CREATE INDEX one_time_link_principal ON one_time_link (workspace, principal_id);
