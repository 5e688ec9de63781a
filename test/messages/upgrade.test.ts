import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packagePath } from '../../lib/config.js';
import { BriefTable } from '../../lib/sidecar/tables/brief-table.js';
import { CommentTable } from '../../lib/sidecar/tables/comment-table.js';
import { defineFunctions } from '../../lib/sidecar/migrate.js';
import { Sqlite, type Connection } from '../support/store/sqlite.js';

const folder = packagePath('schema', 'sidecar');

describe('a data folder of a release before', () => {
  it('keeps the addressees of comments, and the end of each person’s last brief', () => {
    const connection = new Sqlite(':memory:');
    migrate(connection, (number) => number < 15);
    connection.exec(`
      INSERT INTO principal VALUES ('ada', 'person', 'Ada', 1, NULL);
      INSERT INTO document (number, id, folder, name, created_at, sequence) VALUES (1, 'doc', 1, 'x.md', 1, 1);
      INSERT INTO comment_thread (number, id, document) VALUES (1, 'thr', 1);
      INSERT INTO comment VALUES (1, 'one', 1, 'ada', 'one', 100, NULL, NULL), (2, 'two', 1, 'ada', 'two', 200, NULL, NULL);
      INSERT INTO comment_addressee VALUES ('ben', 1, 'mention'), ('ben', 2, 'reply'), ('amy', 2, 'mention');
      INSERT INTO brief_mark VALUES ('ben', 7, 150), ('cem', 8, 50);
    `);
    migrate(connection, (number) => number >= 15);
    const comments = new CommentTable(connection);
    const told = (principal: string, after: number) =>
      comments
        .addressedTo(principal, { after, before: comments.lastAddressed() + 1 }, 10)
        .map(({ comment, why, addressedAt }) => [comment.text, why, addressedAt]);
    const mark = new BriefTable(connection).mark('ben');
    assert.deepEqual(told('ben', mark?.until.addressed ?? -1), [['two', 'reply', 200]]);
    assert.deepEqual(told('ben', 0), [
      ['two', 'reply', 200],
      ['one', 'mention', 100],
    ]);
    assert.deepEqual(told('amy', 0), [['two', 'mention', 200]]);
    assert.deepEqual([mark?.until.moment, mark?.until.at, mark?.from], [7, 150, mark?.until]);
    assert.equal(new BriefTable(connection).mark('cem')?.until.addressed, 0);
    connection.close();
  });
});

function migrate(connection: Connection, isWanted: (number: number) => boolean): void {
  defineFunctions(connection);
  for (const name of readdirSync(folder).toSorted()) {
    if (isWanted(Number(name.slice(0, 4)))) connection.exec(readFileSync(join(folder, name), 'utf8'));
  }
}
