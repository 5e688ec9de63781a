import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '../../lib/sidecar/migrate.js';
import { Sqlite } from '../support/store/sqlite.js';

const schema = join(import.meta.dirname, '..', '..', '..', 'schema', 'sidecar');

describe('a file from before the feed', () => {
  it('gets its tables, a secret of its own, and no rows of what happened before', () => {
    const folder = mkdtempSync(join(tmpdir(), 'cartulary-schema-'));
    const connections = [1, 2].map(() => new Sqlite(':memory:'));
    try {
      for (const name of readdirSync(schema)) if (name < '0021') cpSync(join(schema, name), join(folder, name));
      const secrets = connections.map((connection) => {
        migrate(connection, folder);
        connection.exec(`
          INSERT INTO principal VALUES ('p', 'person', 'Ada', 1, NULL), ('q', 'person', 'Ben', 1, NULL);
          INSERT INTO principal_group VALUES ('g', 'Group', 1);
          INSERT INTO membership VALUES ('principal', 'p', 'g', 1);
          INSERT INTO access_grant VALUES ('1', 'folder', 'a', 'principal', 'p', 'reader', 'p', 1);`);
        migrate(connection, schema);
        const read = (select: string): unknown[] => connection.prepare(select).pluck().all();
        assert.deepEqual(read('SELECT kind FROM activity'), []);
        connection.exec(`
          UPDATE access_grant SET scope_key = 'b' WHERE id = '1';
          DELETE FROM access_grant WHERE id = '1';
          DELETE FROM membership;
          UPDATE principal SET disabled_at = 5 WHERE id = 'q';
          UPDATE principal SET disabled_at = 6 WHERE id = 'q';
          UPDATE principal SET disabled_at = NULL WHERE id = 'q';`);
        const kinds = ['revoked', 'granted', 'revoked', 'parted', 'disabled', 'enabled'];
        assert.deepEqual(read('SELECT kind FROM activity ORDER BY number'), kinds);
        assert.deepEqual(read('SELECT number FROM activity WHERE is_within = 1'), [1, 2]);
        return read("SELECT value FROM meta WHERE name = 'feed_secret'")[0];
      });
      assert.match(String(secrets[0]), /^[0-9a-f]{64}$/);
      assert.notEqual(secrets[0], secrets[1]);
    } finally {
      for (const connection of connections) connection.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
