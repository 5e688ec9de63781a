import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  encodeRewritten,
  RewrittenCommitTable,
  type RewrittenCommit,
} from '../../lib/sidecar/tables/rewritten-commit-table.js';
import { defineFunctions } from '../../lib/sidecar/migrate.js';
import { Sqlite, type Connection } from '../support/store/sqlite.js';

const migrations = fileURLToPath(new URL('../../../schema/sidecar/', import.meta.url));

describe('notes of rewritten commits', () => {
  it('give the new place of each commit, or that it is gone, for any number of commits', () => {
    const connection = new Sqlite(':memory:');
    migrate(connection, () => true);
    const commits: RewrittenCommit[] = Array.from({ length: 2345 }, (_, index) => ({
      before: oidOf(index + 1),
      after: index % 7 === 0 ? null : oidOf(100_000 + index),
    }));
    const rows = new RewrittenCommitTable(connection);
    rows.noteRewritten(encodeRewritten(commits.slice(0, 2000)));
    rows.noteRewritten(encodeRewritten(commits.slice(2000)));
    assert.deepEqual(
      follow(connection, rows),
      commits.map(({ before, after }) => [before, after]),
    );
    assert.equal(rows.forgetRewritten(2), 2);
    while (rows.forgetRewritten(2) === 2);
    assert.deepEqual(follow(connection, rows), []);
  });

  it('that an earlier release left in the middle of an erase are kept', () => {
    const connection = new Sqlite(':memory:');
    migrate(connection, (number) => number <= 12);
    const before: [string, string | null][] = [
      [oidOf(1), `${'ab'.repeat(19)}00`],
      [`00${'cd'.repeat(19)}`, null],
    ];
    const insert = connection.prepare('INSERT INTO rewritten_commit (old_oid, new_oid) VALUES (?, ?)');
    for (const row of before) insert.run(...row);
    migrate(connection, (number) => number > 12);
    assert.deepEqual(follow(connection, new RewrittenCommitTable(connection)), before);
  });
});

const oidOf = (number: number): string => number.toString(16).padStart(40, '0');

function migrate(connection: Connection, isWanted: (number: number) => boolean): void {
  defineFunctions(connection);
  for (const name of readdirSync(migrations).toSorted()) {
    if (isWanted(Number(name.slice(0, 4)))) connection.exec(readFileSync(migrations + name, 'utf8'));
  }
}

/** Where the notes lead the commits of a column, as it is read back. */
function follow(connection: Connection, rows: RewrittenCommitTable): [string, string | null][] {
  let after: number | null = null;
  do after = rows.takeUpRewritten(after, 2);
  while (after !== null);
  const all = connection.prepare('SELECT old_oid, new_oid FROM temp.moved_commit ORDER BY old_oid').raw().all();
  rows.dropTakenUp();
  return all as [string, string | null][];
}
