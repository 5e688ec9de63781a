import assert from 'node:assert/strict';
import { startServer } from '../../lib/api/rest/server.js';
import { noLog } from '../support/http/log.js';
import { openTestServer, type TestServer } from '../support/http/server.js';
import { RawConnection } from '../support/http/raw-connection.js';

describe('the REST server', () => {
  let server: TestServer | undefined;
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });

  it('finishes open requests when it closes, and takes nothing new', async () => {
    server = await openTestServer();
    const { key } = await server.host.person('approver');
    const busy = await RawConnection.open(server.rest.port);
    const idle = await RawConnection.open(server.rest.port);
    busy.write(
      `POST /v1/documents?location=last.bin HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nIdempotency-Key: k\r\n` +
        'Content-Type: application/octet-stream\r\nContent-Length: 6\r\nExpect: 100-continue\r\n\r\n',
    );
    assert.equal((await busy.read()).status, 100);
    busy.write('abc');
    const closed = server.rest.close(5000);
    await idle.closed();
    await assert.rejects(RawConnection.open(server.rest.port), { code: 'ECONNREFUSED' });
    busy.write('def');
    const answer = await busy.read();
    assert.equal(answer.status, 201);
    await closed;
    await busy.closed();
  });

  it('cuts off requests that do not finish in time', async () => {
    server = await openTestServer();
    const { key } = await server.host.person('approver');
    const stuck = await RawConnection.open(server.rest.port);
    stuck.write(
      `POST /v1/documents?location=last.bin HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nIdempotency-Key: k\r\n` +
        'Content-Type: application/octet-stream\r\nContent-Length: 6\r\nExpect: 100-continue\r\n\r\n',
    );
    assert.equal((await stuck.read()).status, 100);
    stuck.write('abc');
    await server.rest.close(100);
    await stuck.closed();
    assert.equal(server.head, null);
  });

  it('gives a mounted face its own paths, and no others', async () => {
    server = await openTestServer();
    server.rest.mount({
      takes: (path) => path === '/other',
      handle: (_, response) => void response.end('from the other face'),
    });
    const client = server.as();
    assert.equal(await (await fetch(`${server.rest.url}/other?x=1`)).text(), 'from the other face');
    assert.equal((await client.get('/other/more')).status, 404);
    assert.equal((await client.get('/v1/health')).json.status, 'ok');
  });

  it('reports that its port is taken', async () => {
    server = await openTestServer();
    const second = startServer(server.host.service, {
      host: '127.0.0.1',
      port: server.rest.port,
      build: { version: '0', commit: null },
      log: noLog,
      trustProxy: 0,
      corsOrigins: [],
      validateResponses: false,
    });
    await assert.rejects(second, { code: 'EADDRINUSE' });
  });

  it('logs a line a request: its route and its outcome, and nothing of location, query or key', async () => {
    server = await openTestServer();
    const { key } = await server.host.person('approver');
    const ada = server.as(key);
    await ada.create('secret/place.md', 'secret content');
    const { json } = await ada.get('/v1/documents/secret/place.md?version=secret');
    await server.as().get('/v1/documents/secret/place.md');
    await ada.get('/secret');
    const lines = server.log.map(({ fields }) => fields);
    assert.deepEqual(
      lines.map(({ method, route, status }) => [method, route, status]),
      [
        ['POST', '/v1/documents', 201],
        ['GET', '/v1/documents/{location}', 400],
        ['GET', '/v1/documents/{location}', 401],
        ['GET', null, 404],
      ],
    );
    assert.equal(lines[1]?.['id'], json.error.request_id);
    assert.deepEqual(Object.keys(lines[0] ?? {}), [
      'id',
      'remote',
      'method',
      'route',
      'credential',
      'status',
      'bytes',
      'ms',
    ]);
    const text = JSON.stringify(server.log);
    assert.ok(!text.includes('secret') && !text.includes(key));
    assert.ok(key.includes(String(lines[0]?.['credential'])), 'the credential is named by its id');
  });

  it('protects every answer from being sniffed, framed, run or kept', async () => {
    server = await openTestServer();
    const ada = await server.person('approver');
    for (const answer of [
      await ada.get('/v1/folders'),
      await ada.get('/nowhere'),
      await server.as().get('/v1/folders'),
      await server.as().get('/v1/health'),
    ]) {
      assert.deepEqual(
        [
          answer.headers['x-content-type-options'],
          answer.headers['content-security-policy'],
          answer.headers['x-frame-options'],
          answer.headers['referrer-policy'],
          answer.headers['cache-control'],
          answer.headers['x-powered-by'],
          answer.headers['server'],
        ],
        [
          'nosniff',
          "default-src 'none'; frame-ancestors 'none'",
          'DENY',
          'no-referrer',
          'private, no-cache',
          undefined,
          undefined,
        ],
      );
    }
  });

  describe('asked by pages of other origins', () => {
    const preflight = {
      Origin: 'https://app.example',
      'Access-Control-Request-Method': 'PUT',
      'Access-Control-Request-Headers': 'authorization,if-match',
    };

    it('the server lets no page of another origin in by default', async () => {
      server = await openTestServer();
      const ada = await server.person('approver');
      const answer = await ada.get('/v1/folders', { Origin: 'https://app.example' });
      assert.deepEqual(
        Object.keys(answer.headers).filter((name) => name.startsWith('access-control')),
        [],
      );
      const refused = await server.as().send('OPTIONS', '/v1/folders', { headers: preflight });
      assert.deepEqual(
        Object.keys(refused.headers).filter((name) => name.startsWith('access-control')),
        [],
      );
    });

    it('answers a preflight of a configured origin without a key, and shows it the headers it needs', async () => {
      server = await openTestServer({ server: { corsOrigins: ['https://app.example'] } });
      const ada = await server.person('approver');
      await ada.create('a.md');
      const asked = await server.as().send('OPTIONS', '/v1/documents/a.md', { headers: preflight });
      assert.equal(asked.status, 204);
      assert.equal(asked.headers['access-control-allow-origin'], 'https://app.example');
      assert.match(String(asked.headers['access-control-allow-methods']), /\bPUT\b/);
      assert.match(String(asked.headers['access-control-allow-headers']), /\bIf-Match\b/);
      assert.equal(asked.headers['access-control-allow-credentials'], undefined);
      const read = await ada.get('/v1/documents/a.md', { Origin: 'https://app.example' });
      for (const name of [
        'ETag',
        'Location',
        'Retry-After',
        'X-Request-Id',
        'X-RateLimit-Remaining',
        'Idempotent-Replayed',
      ]) {
        assert.ok(String(read.headers['access-control-expose-headers']).includes(name), name);
      }
      assert.equal(read.headers['vary'], 'Origin, Accept, Accept-Encoding');
    });

    it('sends no headers to an unconfigured origin', async () => {
      server = await openTestServer({ server: { corsOrigins: ['https://app.example'] } });
      const ada = await server.person('approver');
      for (const origin of ['https://app.example.evil.test', 'http://app.example', 'null']) {
        const answer = await ada.get('/v1/folders', { Origin: origin });
        assert.equal(answer.headers['access-control-allow-origin'], undefined, origin);
        assert.equal(answer.headers['vary'], 'Origin');
      }
    });
  });

  it('believes a proxy about the client’s address only where it is configured', async () => {
    const attempts = async (trustProxy: number): Promise<number> => {
      const own = await openTestServer({ server: { trustProxy } });
      let last = 401;
      for (let count = 0; count < 320; count += 1) {
        ({ status: last } = await own.as('x').get('/v1/folders', { 'X-Forwarded-For': `192.0.2.${count % 250}` }));
      }
      await own.close();
      return last;
    };
    assert.equal(await attempts(0), 429, 'all come from one address');
    assert.equal(await attempts(1), 401, 'they come from many');
  });
});
