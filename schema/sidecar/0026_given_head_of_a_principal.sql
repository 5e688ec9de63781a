-- A head that one principal's client got says nothing about another's. Two principals with the same reach have the same
-- heads. The rows until now do not say whose they are: the next fetch of each client counts as a clone.
DROP TABLE audit_given_head;
CREATE TABLE audit_given_head (
  principal TEXT NOT NULL,
  head      TEXT NOT NULL,
  place_set INTEGER NOT NULL,
  moment    INTEGER NOT NULL,
  PRIMARY KEY (principal, head, place_set)
) STRICT, WITHOUT ROWID;
