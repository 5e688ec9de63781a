import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packagePath } from '../../lib/config.js';
import { createFolder } from '../../lib/operations/folders/create-folder.js';
import { changePolicy } from '../../lib/operations/workspaces/change-policy.js';
import { perform } from '../../lib/operations/perform.js';
import { parseLocation } from '../../lib/domain/location.js';
import { StoredBytesTable, type StoredKind } from '../../lib/sidecar/tables/stored-bytes-table.js';
import { outcomeOf } from '../support/store/actor.js';
import { addClient, type Client } from '../support/store/client.js';
import { openTestService, operator, type TestService } from '../support/store/service.js';
import { eraseAt } from '../support/store/erase-at.js';
import { defineFunctions } from '../../lib/sidecar/migrate.js';
import { Sqlite } from '../support/store/sqlite.js';

const oneDay = 24 * 60 * 60 * 1000;

/** The stored bytes beside documents, summed up from the rows themselves. */
const sums: Readonly<Record<StoredKind, string>> = {
  comment: 'SELECT coalesce(sum(200 + octet_length(text)), 0) FROM comment WHERE author = @author',
  message: `SELECT coalesce(sum(200 + octet_length(body) + octet_length(addressed)), 0)
    + 100 * (SELECT count(*) FROM message_delivery WHERE sender = @author) FROM message WHERE sender = @author`,
  answer:
    'SELECT coalesce(sum(200 + octet_length(key) + octet_length(result)), 0) FROM idempotency WHERE principal_id = @author',
};

describe('Stored bytes beside documents', () => {
  let test: TestService;
  let ada: Client;
  let ben: Client;

  beforeEach(async () => {
    test = await openTestService({ store: 'disk' });
    ada = await addClient({ service: test, workspace: test.workspace }, 'Ada', 'approver');
    ben = await addClient({ service: test, workspace: test.workspace }, 'Ben', 'reader');
    await ada.create('a.md', 'text');
  });
  afterEach(() => test.close());

  it('are counted for their author, as they are written, changed, taken back and erased', async () => {
    const { id } = await ben.comment('a.md', 'é'.repeat(100));
    assert.equal(countOf('comment', ben), 400);
    await ben.editComment('a.md', id, 'short');
    assert.equal(countOf('comment', ben), 205);
    await ben.comment('a.md', 'another');
    await ben.deleteComment('a.md', id);
    assert.ok(countOf('comment', ben) <= 412);
    await ben.send([ada.id], 'x'.repeat(1000));
    assert.ok(countOf('message', ben) > 1300);
    assert.equal(countOf('message', ada), 0);
    const { id: erasure } = await eraseAt(test.workspace, 'a.md');
    await test.workspace.eraser.finished(erasure);
    assert.equal(countOf('comment', ben), 0);
  });

  it('count answers kept for retries until they are swept', async () => {
    const retry = { key: 'once', fingerprint: Buffer.alloc(32) };
    const create = (key: string) =>
      perform(test.workspace, operator, createFolder, { location: parseLocation(key) }, { ...retry, key });
    await create('first');
    await create('second');
    await create('second');
    const kept = test.workspace.journal.reader.storedBytes.of('answer', operator.principalId);
    assert.ok(kept > 400, String(kept));
    await test.workspace.journal.write({ run: ({ tables, now }) => tables.idempotency.sweep(now, 10) });
    assert.equal(test.workspace.journal.reader.storedBytes.of('answer', operator.principalId), 0);
  });

  it('are bounded for each author and day, whatever others write', async () => {
    await perform(test.workspace, operator, changePolicy, { discussionPerDay: 1100 });
    await ben.comment('a.md', 'x'.repeat(500));
    await assert.rejects(ben.comment('a.md', 'y'.repeat(500)), { code: 'RATE_LIMITED', retryAfter: 15 * 60 * 60 });
    assert.equal(await outcomeOf(ben.send([ada.id], 'y'.repeat(500))), 'RATE_LIMITED');
    await ben.send([ada.id], 'y');
    await ada.comment('a.md', 'y'.repeat(500));
    test.clock.advance(oneDay);
    await ben.comment('a.md', 'y'.repeat(500));
  });

  it('are not charged where they are refused', async () => {
    await perform(test.workspace, operator, changePolicy, { discussionPerDay: 1000 });
    for (let tries = 0; tries < 5; tries += 1) assert.equal(await outcomeOf(ben.comment('none.md', 'x')), 'NOT_FOUND');
    await ben.comment('a.md', 'x'.repeat(700));
  });

  it('count towards the quota of the workspace', async () => {
    await perform(test.workspace, operator, changePolicy, { storageQuota: 500 });
    await ben.comment('a.md', 'x'.repeat(200));
    assert.equal(await outcomeOf(ben.comment('a.md', 'x')), 'INVALID_REQUEST storage_quota');
    assert.equal(await outcomeOf(ada.create('b.md', 'x'.repeat(97))), 'INVALID_REQUEST storage_quota');
    await ada.create('b.md', 'x'.repeat(96));
  });

  /** The counted bytes, held against the rows. */
  function countOf(kind: StoredKind, { id }: Client): number {
    const counted = test.workspace.journal.reader.storedBytes.of(kind, id);
    const file = new Sqlite(join(test.dataFolder ?? '', 'acme', 'sidecar.sqlite'), { readonly: true });
    try {
      assert.equal(counted, file.prepare(sums[kind]).pluck().get({ author: id }), `${kind} as the rows say`);
    } finally {
      file.close();
    }
    return counted;
  }
});

describe('A data folder of a release that did not count bytes beside documents', () => {
  it('has it counted when it is opened', () => {
    const folder = packagePath('schema', 'sidecar');
    const connection = new Sqlite(':memory:');
    const migrate = (isWanted: (number: number) => boolean): void => {
      defineFunctions(connection);
      for (const name of readdirSync(folder).toSorted()) {
        if (isWanted(Number(name.slice(0, 4)))) connection.exec(readFileSync(join(folder, name), 'utf8'));
      }
    };
    migrate((number) => number < 16);
    connection.exec(`
      INSERT INTO document (number, id, folder, name, created_at, sequence) VALUES (1, 'doc', 1, 'x.md', 1, 1);
      INSERT INTO comment_thread (number, id, document) VALUES (1, 'thr', 1);
      INSERT INTO comment VALUES (1, 'one', 1, 'ada', 'four', 1, NULL, NULL), (2, 'two', 1, 'ben', 'six...', 1, NULL, NULL);
      INSERT INTO message_thread (number, id, subject) VALUES (1, 'mth', 'Subject');
      INSERT INTO message VALUES (1, 'msg', 1, 'ada', 'body', '[]', x'00', 1);
      INSERT INTO message_delivery (principal, message, sender) VALUES ('ben', 1, 'ada'), ('amy', 1, 'ada');
      INSERT INTO idempotency VALUES ('ben', 'POST', 'key', x'00', '{}', NULL, 1);
    `);
    migrate((number) => number >= 16);
    const table = new StoredBytesTable(connection);
    const counted = (['comment', 'message', 'answer'] as const).map((kind) => [
      table.of(kind, 'ada'),
      table.of(kind, 'ben'),
    ]);
    assert.deepEqual(counted, [
      [204, 206],
      [406, 0],
      [0, 205],
    ]);
    assert.equal(table.beside(), 410 + 406);
  });
});
