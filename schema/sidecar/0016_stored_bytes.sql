-- Bytes stored beside documents, by kind and by the principal who wrote them. Triggers keep the sums, so they are right
-- after any statement. Each row counts for some bytes beside its text.
CREATE TABLE stored_bytes (
  kind      TEXT NOT NULL CHECK (kind IN ('comment', 'message', 'answer')),
  principal TEXT NOT NULL,
  bytes     INTEGER NOT NULL,
  PRIMARY KEY (kind, principal)
) STRICT, WITHOUT ROWID;

-- Bytes of comments and messages that a principal wrote on one day, counted in days since 1970.
CREATE TABLE discussion_use (
  principal TEXT PRIMARY KEY,
  day       INTEGER NOT NULL,
  bytes     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER comment_stored AFTER INSERT ON comment BEGIN
  INSERT INTO stored_bytes (kind, principal, bytes) VALUES ('comment', new.author, 200 + octet_length(new.text))
    ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER comment_changed AFTER UPDATE OF text ON comment BEGIN
  UPDATE stored_bytes SET bytes = bytes + octet_length(new.text) - octet_length(old.text)
    WHERE kind = 'comment' AND principal = new.author;
END;
CREATE TRIGGER comment_gone AFTER DELETE ON comment BEGIN
  UPDATE stored_bytes SET bytes = bytes - 200 - octet_length(old.text)
    WHERE kind = 'comment' AND principal = old.author;
END;

CREATE TRIGGER message_stored AFTER INSERT ON message BEGIN
  INSERT INTO stored_bytes (kind, principal, bytes)
    VALUES ('message', new.sender, 200 + octet_length(new.body) + octet_length(new.addressed))
    ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER message_gone AFTER DELETE ON message BEGIN
  UPDATE stored_bytes SET bytes = bytes - 200 - octet_length(old.body) - octet_length(old.addressed)
    WHERE kind = 'message' AND principal = old.sender;
END;
CREATE TRIGGER delivery_stored AFTER INSERT ON message_delivery BEGIN
  INSERT INTO stored_bytes (kind, principal, bytes) VALUES ('message', new.sender, 100)
    ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER delivery_gone AFTER DELETE ON message_delivery BEGIN
  UPDATE stored_bytes SET bytes = bytes - 100 WHERE kind = 'message' AND principal = old.sender;
END;

CREATE TRIGGER answer_stored AFTER INSERT ON idempotency BEGIN
  INSERT INTO stored_bytes (kind, principal, bytes)
    VALUES ('answer', new.principal_id, 200 + octet_length(new.key) + octet_length(new.result))
    ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER answer_changed AFTER UPDATE OF result ON idempotency BEGIN
  UPDATE stored_bytes SET bytes = bytes + octet_length(new.result) - octet_length(old.result)
    WHERE kind = 'answer' AND principal = new.principal_id;
END;
CREATE TRIGGER answer_gone AFTER DELETE ON idempotency BEGIN
  UPDATE stored_bytes SET bytes = bytes - 200 - octet_length(old.key) - octet_length(old.result)
    WHERE kind = 'answer' AND principal = old.principal_id;
END;

INSERT INTO stored_bytes (kind, principal, bytes)
  SELECT 'comment', author, sum(200 + octet_length(text)) FROM comment GROUP BY author
  UNION ALL
  SELECT 'answer', principal_id, sum(200 + octet_length(key) + octet_length(result)) FROM idempotency
    GROUP BY principal_id
  UNION ALL
  SELECT 'message', sender, sum(bytes) FROM (
    SELECT sender, 200 + octet_length(body) + octet_length(addressed) AS bytes FROM message
    UNION ALL
    SELECT sender, 100 FROM message_delivery
  ) GROUP BY sender;
