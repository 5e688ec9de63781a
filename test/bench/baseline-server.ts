/**
 * The servers that the service is measured against, in one process of their own:
 * `bare`: an Express route that answers fixed bytes; `stored`: an Express route that does one prepared SELECT and one
 * INSERT, committed in groups with an fsync, before it answers: the least that a recorded read can cost.
 * Usage: node baseline-server.js bare|stored BYTES FILE
 */
import Sqlite from 'better-sqlite3';
import express from 'express';

const [kind = 'bare', size = '4096', file = ':memory:'] = process.argv.slice(2);
const body = JSON.stringify({ content: 'x'.repeat(Number(size)) });
const app = express();
app.disable('x-powered-by');
app.disable('etag');

if (kind === 'bare') {
  app.get('/{*path}', (_request, response) => {
    response.type('application/json').send(body);
  });
} else {
  const database = new Sqlite(file);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.exec(
    'CREATE TABLE item (id INTEGER PRIMARY KEY, body TEXT); CREATE TABLE log (seq INTEGER PRIMARY KEY, at INTEGER, text TEXT)',
  );
  const insertItem = database.prepare('INSERT INTO item (id, body) VALUES (?, ?)');
  database.transaction(() => {
    for (let id = 0; id < 10_000; id += 1) insertItem.run(id, body);
  })();
  const select = database.prepare<[number], { body: string }>('SELECT body FROM item WHERE id = ?');
  const insert = database.prepare('INSERT INTO log (at, text) VALUES (?, ?)');
  let waiting: (() => void)[] = [];
  const commitGroup = (): void => {
    const group = waiting;
    waiting = [];
    database.exec('BEGIN');
    for (let index = 0; index < group.length; index += 1)
      insert.run(Date.now(), 'read of an item by someone, recorded');
    database.exec('COMMIT');
    for (const answer of group) answer();
  };
  let next = 0;
  app.get('/{*path}', (_request, response) => {
    next = (next + 7919) % 10_000;
    const row = select.get(next);
    if (waiting.push(() => response.type('application/json').send(row?.body)) === 1) setImmediate(commitGroup);
  });
}

const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') {
    process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${address.port}` })}\n`);
  }
});
