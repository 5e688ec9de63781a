import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { changePolicy } from '../../lib/operations/workspaces/change-policy.js';
import { perform } from '../../lib/operations/perform.js';
import { openTestServer, type TestServer } from '../support/http/server.js';
import { RawConnection, type RawAnswer } from '../support/http/raw-connection.js';
import { operator } from '../support/store/service.js';
import { until } from '../support/until.js';

describe('a connection to the REST face', () => {
  let server: TestServer;
  let key: string;
  let open: RawConnection[];

  before(async () => {
    server = await openTestServer({ store: 'disk-without-git' });
    ({ key } = await server.host.person('approver'));
    await server.as(key).create('a.md', 'text');
  });
  beforeEach(() => {
    open = [];
  });
  afterEach(() => {
    for (const connection of open) connection.end();
  });
  after(() => server.close());

  it('survives refusals, whether the body was looked at or not', async () => {
    const connection = await connect();
    const refused = [
      ask('GET', '/v1/documents/none.md'),
      ask('GET', '/nowhere'),
      ask('POST', '/v1/documents', json('{'), '{'),
      ask('POST', '/v1/documents', ['Content-Length: 4'], 'body'),
      ask('PUT', '/v1/documents/a.md', ['Content-Type: application/octet-stream', 'Content-Length: 4'], 'body'),
      ask(
        'PUT',
        '/v1/documents/none.md',
        ['If-Match: *', 'Content-Type: application/octet-stream', 'Content-Length: 4'],
        'body',
      ),
      'POST /v1/documents HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody',
    ];
    for (const text of refused) {
      connection.write(text);
      const { status } = await connection.read();
      assert.ok(status >= 400 && status < 500, `${text} → ${status}`);
    }
    connection.write(ask('GET', '/v1/documents/a.md'));
    assert.equal((await connection.read()).status, 200);
  });

  it('answers requests in order that were sent at once', async () => {
    const connection = await connect();
    connection.write(
      ask('GET', '/v1/documents/none.md') + ask('GET', '/v1/documents/a.md') + ask('GET', '/v1/folders'),
    );
    const statuses = [await connection.read(), await connection.read(), await connection.read()].map((a) => a.status);
    assert.deepEqual(statuses, [404, 200, 200]);
  });

  it('understands a target in absolute form', async () => {
    const connection = await connect();
    connection.write(ask('GET', 'http://example.test/v1/documents/a.md'));
    assert.equal((await connection.read()).status, 200);
  });

  const malformed: [string, string][] = [
    ['no HTTP at all', 'hello\r\n\r\n'],
    ['a bad version', 'GET /v1/health HTTP/9.9\r\nHost: x\r\n\r\n'],
    ['an address with a raw umlaut in its query', 'GET /v1/search?q=Stra\u00dfe HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a bad header', 'GET /v1/health HTTP/1.1\r\nHost: x\r\nbad header\r\n\r\n'],
    ['two lengths', 'POST /v1/documents HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    [
      'a length and chunks',
      'POST /v1/documents HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a negative length', 'POST /v1/documents HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n'],
    ['endless headers', `GET /v1/health HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`],
  ];
  for (const [what, text] of malformed) {
    it(`answers ${what} in the shape of every error`, async () => {
      const connection = await connect();
      connection.write(text);
      const answer = await connection.read();
      const { error } = bodyOf(answer);
      assert.deepEqual([answer.status, error.code], [400, 'INVALID_REQUEST']);
      assert.ok(answer.head.toLowerCase().includes(`x-request-id: ${error.request_id}`));
      assert.match(answer.head, /^content-type: application\/json/im);
      await connection.closed();
    });
  }

  it('answers a malformed chunk under the id of its request, in the shape of every error', async () => {
    for (const [chunk, target] of [
      ['zz\r\nbody', '/v1/documents'],
      ['5\r\nhello\r\nfollowed by nonsense', '/v1/documents'],
      [`5;${'x'.repeat(40_000)}`, '/v1/documents'],
      ['-1\r\n', '/v1/documents?location=c.bin'],
    ] as const) {
      const type = target.includes('?') ? 'application/octet-stream' : 'application/json';
      const connection = await connect();
      connection.write(
        ask('POST', target, ['Idempotency-Key: k', `Content-Type: ${type}`, 'Transfer-Encoding: chunked']),
      );
      connection.write(chunk);
      const answer = await connection.read();
      const { error } = bodyOf(answer);
      assert.deepEqual([answer.status, error.code, error.details?.reason], [400, 'INVALID_REQUEST', 'bad_field']);
      assert.ok(answer.head.toLowerCase().includes(`x-request-id: ${error.request_id}`));
      connection.end();
      await until('the request is recorded', () => server.records().at(-1)?.record.request_id === error.request_id);
      assert.equal(server.records().at(-1)?.record.code, 'INVALID_REQUEST');
    }
  });

  it('refuses a request without a host, as HTTP demands', async () => {
    const connection = await connect();
    connection.write('GET /v1/health HTTP/1.1\r\n\r\n');
    const answer = await connection.read();
    assert.deepEqual([answer.status, bodyOf(answer).error.details?.reason], [400, 'missing_field']);
  });

  describe('with an upload', () => {
    it('leaves nothing behind when the client is gone in the middle', async () => {
      const folder = join(server.host.dataFolder ?? '', 'acme');
      // The checkpoint's own writes are another matter.
      const isOurs = (name: string): boolean => !/sidecar\.sqlite|objects\/pack\/pack-|refs\/heads/.test(name);
      const list = (): string[] => (readdirSync(folder, { recursive: true }) as string[]).filter(isOurs).sort();
      await server.host.workspace.checkpointer.run();
      const [files, { head }] = [list(), server];
      // Asking first makes sure that the service is reading the body when the client goes.
      const heads = [0, 1, 2, 3, 4].map((round) =>
        raw(`/v1/documents?location=cut${round}.bin`, 'Content-Length: 5000000', ['Expect: 100-continue']),
      );
      heads.push(
        ask('POST', '/v1/documents', [...json('').slice(0, 2), 'Content-Length: 1000', 'Expect: 100-continue']),
      );
      for (const [round, text] of heads.entries()) {
        const connection = await connect();
        connection.write(text);
        assert.equal((await connection.read()).status, 100);
        connection.write(Buffer.alloc(round < 5 ? 200 * 10 ** round : 500, 32));
        connection.reset();
      }
      const brokenOff = () => server.log.filter(({ fields }) => fields['status'] === null);
      await until('all six are logged as broken off', () => brokenOff().length >= 6);
      await until('the files are those of before', () => list().join() === files.join());
      assert.equal(server.head, head);
      assert.deepEqual(
        server.log.filter(({ level }) => level === 'error'),
        [],
      );
    });

    it('sends a client with Expect a 100 Continue only when its body is wanted', async () => {
      const expect = ['Expect: 100-continue'];
      const wanted = await connect();
      wanted.write(raw('/v1/documents?location=asked.bin', 'Content-Length: 4', expect));
      assert.equal((await wanted.read()).status, 100);
      wanted.write('body');
      assert.equal((await wanted.read()).status, 201);
      const reader = await server.host.person('reader');
      for (const [who, target] of [
        ['no key', '/v1/documents?location=b.bin'],
        [reader.key, '/v1/documents?location=b.bin'],
        [key, '/v1/documents?location=../b.bin'],
      ] as const) {
        const unwanted = await connect();
        unwanted.write(raw(target, 'Content-Length: 4', expect).replace(key, who));
        const { status } = await unwanted.read();
        assert.ok(status >= 400 && status < 500, String(status));
      }
    });

    it('answers before the end of too large a body, and closes the connection after that', async () => {
      for (const headers of [
        raw('/v1/documents?location=big.bin', 'Content-Length: 999999999999'),
        ask('POST', '/v1/documents', [...json('').slice(0, 2), 'Content-Length: 999999999999']),
      ]) {
        const connection = await connect();
        connection.write(headers);
        connection.write(Buffer.alloc(300_000));
        const answer = await connection.read();
        const { error } = bodyOf(answer);
        assert.equal(answer.status, 400);
        assert.match(error.details?.reason ?? '', /^(?:content|body)_too_large$/);
        assert.match(answer.head, /^connection: close/im);
        await connection.closed();
      }
    });

    it('counts a body in chunks, too', async () => {
      const connection = await connect();
      connection.write(raw('/v1/documents?location=chunks.bin', 'Transfer-Encoding: chunked'));
      connection.write('3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n');
      const answer = await connection.read();
      assert.equal(answer.status, 201);
      assert.equal((JSON.parse(answer.body) as { size: number }).size, 7);
    });

    it('refuses a body in chunks once it has become too large', async () => {
      const own = await openTestServer({ store: 'disk-without-git' });
      try {
        await perform(own.host.workspace, operator, changePolicy, { largestBlob: 1000 });
        const { key: writer } = await own.host.person('editor');
        const connection = await RawConnection.open(own.rest.port);
        connection.write(raw('/v1/documents?location=c.bin', 'Transfer-Encoding: chunked').replace(key, writer));
        for (let count = 0; count < 10; count += 1) connection.write(`c8\r\n${'x'.repeat(200)}\r\n`);
        const answer = await connection.read();
        assert.deepEqual([answer.status, bodyOf(answer).error.details?.reason], [400, 'content_too_large']);
        await connection.closed();
        assert.equal(own.head, null);
      } finally {
        await own.close();
      }
    });

    it('refuses a large upload without the right to write, and the answer arrives', async () => {
      const { key: foreign } = await server.host.person('reader', 'elsewhere');
      const connection = await connect();
      connection.write(raw('/v1/documents?location=b.bin', 'Content-Length: 50000000').replace(key, foreign));
      connection.write(Buffer.alloc(3_000_000));
      assert.equal((await connection.read()).status, 404);
      await connection.closed();
    });

    const raw = (target: string, length: string, more: readonly string[] = []): string =>
      ask('POST', target, [
        `Idempotency-Key: ${target.length}`,
        'Content-Type: application/octet-stream',
        length,
        ...more,
      ]);
  });

  const json = (body: string): string[] => [
    'Content-Type: application/json',
    'Idempotency-Key: k',
    `Content-Length: ${body.length}`,
  ];

  async function connect(): Promise<RawConnection> {
    const connection = await RawConnection.open(server.rest.port);
    open.push(connection);
    return connection;
  }

  function ask(method: string, target: string, headers: readonly string[] = [], body = ''): string {
    const lines = [`${method} ${target} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${key}`, ...headers];
    return `${lines.join('\r\n')}\r\n\r\n${body}`;
  }
});

const bodyOf = ({ body }: RawAnswer): { error: { code: string; request_id: string; details?: { reason: string } } } =>
  JSON.parse(body) as ReturnType<typeof bodyOf>;
