import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { schemaPath } from '../../lib/app/upgrade.js';
import { migrate } from '../../lib/sidecar/migrate.js';
import { Sqlite } from '../support/store/sqlite.js';

describe('a new file', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'cartulary-new-file-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  for (const kind of ['sidecar', 'service'] as const) {
    it(`of the ${kind} kind is the same by each step and by all of them at once`, () => {
      const steps = join(folder, 'steps');
      // No other test has taken the steps of this folder.
      cpSync(schemaPath(kind), steps, { recursive: true });
      const [first, second, third] = [makeFile(steps), makeFile(steps), makeFile(steps)];
      const secrets = [first, second, third].flatMap(({ rows }) => (rows['meta'] ?? []) as { value: string }[]);
      assert.equal(new Set(secrets.map(({ value }) => value)).size, kind === 'sidecar' ? 3 : 0, 'each has its own');
      for (const secret of secrets) {
        assert.match(secret.value, /^[0-9a-f]{64}$/);
        secret.value = 'a secret';
      }
      assert.deepEqual(second, first);
      assert.deepEqual(third, first);
      assert.ok(Object.keys(first.rows).length > 5);
    });
  }

  function makeFile(steps: string): Content {
    const connection = new Sqlite(':memory:');
    migrate(connection, steps);
    const schema = connection
      .prepare<[], { type: string; name: string }>('SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name')
      .all();
    const tables = schema.filter(({ type, name }) => type === 'table' && name !== 'sqlite_sequence');
    const rows = tables.map(({ name }) => [name, connection.prepare(`SELECT * FROM "${name}"`).all()] as const);
    const version = connection.pragma('user_version', { simple: true });
    connection.close();
    return { version, schema, rows: Object.fromEntries(rows) };
  }
});

interface Content {
  readonly version: unknown;
  readonly schema: unknown;
  readonly rows: Record<string, unknown[]>;
}
