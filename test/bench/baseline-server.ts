/**
 * The baselines of the measurements, in one process of their own. `bare`: an Express route that answers fixed bytes.
 * `stored`: an Express route with one prepared SELECT and one INSERT, committed in groups with an fsync before the
 * answer: the least cost of a recorded read. A PUT does the same and reads a body of JSON. `written`: Node's http with a prepared UPDATE and INSERT for each PUT of
 * JSON, committed in the same way. Usage: node baseline-server.js bare|stored|written BYTES FILE
 */
import { createServer, type Server } from 'node:http';
import express from 'express';
import { Sqlite } from '../support/store/sqlite.js';

const [kind = 'bare', size = '4096', file = ':memory:'] = process.argv.slice(2);
const body = JSON.stringify({ content: 'x'.repeat(Number(size)) });
const app = express();
app.disable('x-powered-by');
app.disable('etag');

let server: Server = createServer(app);
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
  const update = database.prepare('UPDATE item SET body = ? WHERE id = ?');
  let waiting: { readonly write?: () => void; readonly answer: () => void }[] = [];
  const commitGroup = (): void => {
    const group = waiting;
    waiting = [];
    database.exec('BEGIN');
    for (const { write } of group) {
      write?.();
      insert.run(Date.now(), 'something of an item by someone, recorded');
    }
    database.exec('COMMIT');
    for (const { answer } of group) answer();
  };
  const commitSoon = (item: (typeof waiting)[number]): void => {
    if (waiting.push(item) === 1) setImmediate(commitGroup);
  };
  let next = 0;
  app.get('/{*path}', (_request, response) => {
    next = (next + 7919) % 10_000;
    const row = select.get(next);
    commitSoon({ answer: () => response.type('application/json').send(row?.body) });
  });
  app.put('/{*path}', express.json({ limit: '10mb' }), (_request, response) => {
    next = (next + 7919) % 10_000;
    select.get(next);
    commitSoon({ answer: () => response.json({ updated: true }) });
  });
  if (kind === 'written') {
    server = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        const { content } = JSON.parse(Buffer.concat(pieces).toString()) as { content: string };
        next = (next + 7919) % 10_000;
        const id = next;
        commitSoon({
          write: () => update.run(content, id),
          answer: () => response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"updated":true}'),
        });
      });
    });
  }
}

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') {
    process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${address.port}` })}\n`);
  }
});
