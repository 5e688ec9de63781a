import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { WorkKind } from '../../lib/limits/work-limits.js';
import type { Caller } from '../../lib/domain/caller.js';
import type { ReadOperation } from '../../lib/operations/operation.js';
import { perform } from '../../lib/operations/perform.js';
import { routes } from '../../lib/api/rest/rest-routes.js';
import { outcomeOf } from '../support/store/actor.js';
import { RawConnection } from '../support/http/raw-connection.js';
import { until } from '../support/until.js';
import { openMcpServer, type McpTestServer } from '../support/http/open-mcp.js';
import { mountGit } from '../support/http/open-remote.js';

const mebibyte = 1024 * 1024;
/** Milliseconds for which a request waits for room in these tests. */
const timeout = 300;
const waiting = 2;

describe('A key’s work under way', function () {
  this.timeout(60_000);
  let server: McpTestServer;
  let greedy: string;
  let modest: string;
  let open: RawConnection[];

  beforeEach(async () => {
    open = [];
    server = await openMcpServer({
      store: 'disk-without-git',
      workLimits: {
        requests: { perSource: 5, inAll: 40 },
        bodies: { perSource: mebibyte, inAll: 8 * mebibyte, waiting, timeout },
        uploads: { perSource: 1, inAll: 8, waiting, timeout },
        downloads: { perSource: 1, inAll: 8, waiting, timeout },
        exports: { perSource: 1, inAll: 8, waiting, timeout },
        computations: { perSource: 1, inAll: 8, waiting, timeout },
        listeners: { perSource: 2, inAll: 8 },
      },
    });
    mountGit(server);
    greedy = await makeKey('Greedy');
    modest = await makeKey('Modest');
    await server.as(modest).create('a.md', 'text');
  });
  afterEach(async () => {
    for (const connection of open) connection.end();
    await server.close();
  });

  const raw = { 'Content-Type': 'application/octet-stream' };

  it('is so many requests and no more, on all faces; the next gets a time for its retry', async () => {
    const held = [await holdUpload(greedy, 10), await holdUpload(greedy, 10), await holdUpload(greedy, 10)];
    held.push(await holdMessage(greedy), await holdGit(greedy, 10));
    await until('all of them are counted', () => isTaken('requests'));
    const refused = await server.as(greedy).get('/v1/documents/a.md');
    assert.equal(refused.refusal, 'RATE_LIMITED');
    assert.equal(refused.headers['retry-after'], '1');
    const posted = await server.client(greedy).request('tools/list');
    assert.equal(posted.status, 429);
    assert.equal(posted.headers.get('retry-after'), '1');
    const cloned = await askGit(greedy);
    assert.deepEqual([cloned.status, cloned.headers.get('retry-after')], [429, '1']);
    assert.equal((await server.as(modest).get('/v1/documents/a.md')).status, 200);
    held[0]?.connection.end();
    await until('there is room again', () => !isTaken('requests'));
    assert.equal((await server.as(greedy).get('/v1/documents/a.md')).status, 200);
  });

  it('is so many bytes of bodies, counted before they are read; a request waits a while for room', async () => {
    const first = await holdJson(greedy, 900 * 1024);
    await until('its bytes are counted', () => isTaken('bodies', 200 * 1024));
    const refused = await server.as(greedy).put('/v1/documents/a.md', { content: 'x'.repeat(300 * 1024) });
    assert.equal(refused.refusal, 'RATE_LIMITED');
    assert.equal((await server.as(greedy).put('/v1/documents/a.md', { content: 'small' })).status, 200);
    assert.equal((await server.as(modest).put('/v1/documents/a.md', { content: 'x'.repeat(900 * 1024) })).status, 200);
    const waits = server.as(greedy).put('/v1/documents/a.md', { content: 'x'.repeat(300 * 1024) });
    first.connection.end();
    assert.equal((await waits).status, 200);
  });

  it('is so many bytes of bodies of git, counted as the largest once they are more than small', async () => {
    const first = await holdGit(greedy, 200 * 1024, '0'.repeat(100 * 1024));
    await until('its bytes are counted', () => isTaken('bodies', 200 * 1024));
    const refused = await server.as(greedy).put('/v1/documents/a.md', { content: 'x'.repeat(300 * 1024) });
    assert.equal(refused.refusal, 'RATE_LIMITED');
    assert.equal((await server.as(modest).put('/v1/documents/a.md', { content: 'x'.repeat(900 * 1024) })).status, 200);
    first.connection.end();
    await until('there is room again', () => !isTaken('bodies', mebibyte));
  });

  it('is counted by its possible size where a body does not state its length', async () => {
    const { connection } = await hold(
      greedy,
      'PUT /v1/documents/a.md',
      ['If-Match: *', ...typed('json'), 'Transfer-Encoding: chunked'],
      `${(100 * 1024).toString(16)}\r\n${'{'.padEnd(100 * 1024)}\r\n`,
    );
    await until('its bytes are counted', () => isTaken('bodies', 1));
    connection.end();
  });

  it('is so many uploads, downloads and exports, in their slow forms', async () => {
    await writeLarge();
    const upload = await holdUpload(greedy, 5 * mebibyte);
    await until('the upload is under way', () => isTaken('uploads'));
    assert.equal(
      (await server.as(greedy).put('/v1/documents/a.md', Buffer.alloc(2 * mebibyte), raw)).refusal,
      'RATE_LIMITED',
    );
    upload.connection.end();
    await until('the upload is over', () => !isTaken('uploads'));

    const download = await hold(greedy, 'GET /v1/documents/large.bin', ['Accept: application/octet-stream']);
    await until('the download is under way', () => isTaken('downloads'));
    const second = await server.as(greedy).get('/v1/documents/large.bin', { Accept: 'application/octet-stream' });
    assert.equal(second.refusal, 'RATE_LIMITED');
    assert.equal(
      (await server.as(modest).get('/v1/documents/large.bin', { Accept: 'application/octet-stream' })).status,
      200,
    );
    download.connection.end();
    await until('the download is over', () => !isTaken('downloads'));

    const exported = await hold(greedy, 'GET /v1/folders/export?location=');
    await until('the export is under way', () => isTaken('exports'));
    assert.equal((await server.as(greedy).get('/v1/folders/export?location=')).refusal, 'RATE_LIMITED');
    assert.equal((await server.as(modest).get('/v1/folders/export?location=')).status, 200);
    exported.connection.end();
    await until('the export is over', () => !isTaken('exports'));
  });

  it('is so many listeners for changes, which hold no place among the requests', async () => {
    const held = [await hold(greedy, 'GET /v1/changes?start=now&wait=60')];
    held.push(await hold(greedy, 'GET /v1/changes?start=now', ['Accept: text/event-stream']));
    await until('both listen', () => isTaken('listeners'));
    assert.equal(isTaken('requests', 5), false);
    assert.equal((await server.as(greedy).get('/v1/changes?start=now&wait=60')).refusal, 'RATE_LIMITED');
    assert.equal((await server.as(greedy).get('/v1/changes?start=now')).status, 200);
    assert.equal((await server.as(modest).get('/v1/changes?start=now&wait=1')).status, 200);
    for (const { connection } of held) connection.end();
    await until('there is room again', () => !isTaken('listeners', 2));
  });

  it('is so many long operations, each of them recorded, done or refused', async () => {
    const gates = new Map<string, () => void>();
    const slow: ReadOperation<string, string> = {
      kind: 'read',
      name: 'test.slow',
      isHeavy: true,
      needs: () => [],
      note: (target) => ({ target }),
      run: (_, name) => new Promise((resolve) => gates.set(name, () => resolve(name))),
    };
    const { workspace } = server.host;
    const begin = async (key: string, name: string) =>
      (await perform(workspace, await callerOf(key), slow, name)).result;
    const first = begin(greedy, 'first');
    await until('the first has begun', () => gates.has('first'));
    assert.equal(await outcomeOf(begin(greedy, 'refused')), 'RATE_LIMITED');
    const other = begin(modest, 'other');
    await until('the other key is not hindered', () => gates.has('other'));
    const next = begin(greedy, 'next');
    gates.get('first')?.();
    gates.get('other')?.();
    await until('the next one begins when the first is done', () => gates.has('next'));
    gates.get('next')?.();
    assert.deepEqual(await Promise.all([first, other, next]), ['first', 'other', 'next']);
    const recorded = server
      .records()
      .filter(({ record }) => record.action === 'test.slow')
      .map(({ record, text }) => `${text?.target} ${record.code ?? 'done'}`);
    assert.deepEqual(recorded.toSorted(), ['first done', 'next done', 'other done', 'refused RATE_LIMITED']);
  });

  it('has no effect on answers to another key', async () => {
    await writeLarge();
    const ask = async (): Promise<string> => {
      const client = server.as(modest);
      const answers = [
        await client.get('/v1/documents?location='),
        await client.get('/v1/documents/a.md'),
        await client.get('/v1/documents/none.md'),
        await client.get('/v1/documents/large.bin', { Accept: 'application/octet-stream', Range: 'bytes=0-9' }),
        await client.get('/v1/search?q=text'),
        await client.get('/v1/folders/export?location='),
        await client.put('/v1/documents/a.md', { content: 'y'.repeat(100 * 1024) }, { 'If-Match': '"none"' }),
      ];
      return JSON.stringify(
        answers.map(({ status, headers, bytes }) => {
          const { date: _, 'x-request-id': id, 'x-ratelimit-remaining': __, ...others } = headers;
          return [status, others, bytes.toString('latin1').replaceAll(String(id), 'id')];
        }),
      );
    };
    const before = await ask();
    await holdJson(greedy, 900 * 1024);
    await holdUpload(greedy, 5 * mebibyte);
    await hold(greedy, 'GET /v1/documents/large.bin', ['Accept: application/octet-stream']);
    await hold(greedy, 'GET /v1/folders/export?location=');
    await holdGit(greedy, 10);
    await until('all of them are counted', () => isTaken('requests'));
    assert.equal(await ask(), before);
  });

  const holdUpload = (key: string, bytes: number): Promise<Held> =>
    hold(key, 'PUT /v1/documents/a.md', ['If-Match: *', ...typed('octet-stream'), `Content-Length: ${bytes}`], 'x');

  const holdJson = (key: string, bytes: number): Promise<Held> =>
    hold(key, 'PUT /v1/documents/a.md', ['If-Match: *', ...typed('json'), `Content-Length: ${bytes}`], '{');

  const holdMessage = (key: string): Promise<Held> =>
    hold(key, 'POST /mcp', [...typed('json'), 'Accept: application/json, text/event-stream', 'Content-Length: 9'], '{');

  const holdGit = (key: string, bytes: number, body = '0'): Promise<Held> =>
    hold(
      key,
      'POST /git/acme/git-upload-pack',
      [...typed('x-git-upload-pack-request'), `Content-Length: ${bytes}`],
      body,
    );

  const askGit = (key: string): Promise<Response> =>
    fetch(`${server.rest.url}/git/acme/info/refs?service=git-upload-pack`, {
      headers: { Authorization: `Bearer ${key}` },
    });

  const typed = (type: string): string[] => [`Content-Type: application/${type}`];

  /** Whether the greedy key has so much under way that no more fits. */
  function isTaken(kind: WorkKind, units = 1): boolean {
    const { workspace } = server.host;
    const source =
      kind === 'listeners' ? workspace.journal.reader.credentials.find(idOf(greedy))?.principalId : idOf(greedy);
    const release = server.host.service.workLimits[kind].tryTake(`acme/${source}`, units);
    release?.();
    return release === undefined;
  }

  /** The part of a key that names it. */
  function idOf(key: string): string {
    return key.split('_')[2] ?? '';
  }

  async function callerOf(key: string): Promise<Caller> {
    const credential = server.host.workspace.journal.reader.credentials.find(idOf(key));
    assert.ok(credential !== undefined);
    const { principalId, id } = credential;
    return { principalId, kind: 'person', credentialId: id, interface: 'rest', requestId: 'req_test' };
  }

  async function makeKey(name: string): Promise<string> {
    const id = await server.host.principal(name);
    await server.host.grant('approver', { type: 'principal', id }, '');
    return server.host.key(id, ['rest', 'mcp', 'git']);
  }

  /** Bytes that do not compress, so that an export of them is as long. */
  async function writeLarge(): Promise<void> {
    const { status } = await server
      .as(modest)
      .post('/v1/documents?location=large.bin', randomBytes(20 * mebibyte), raw);
    assert.equal(status, 201);
  }

  /** Sends the head of a request and some of its body, and no more. */
  async function hold(key: string, line: string, headers: readonly string[] = [], body = ''): Promise<Held> {
    const connection = await RawConnection.open(server.rest.port);
    connection.stopReading();
    open.push(connection);
    const head = [`${line} HTTP/1.1`, 'Host: localhost', `Authorization: Bearer ${key}`, ...headers];
    connection.write(`${head.join('\r\n')}\r\n\r\n${body}`);
    return { connection };
  }
});

describe('A body too large for its route', function () {
  this.timeout(60_000);
  let server: McpTestServer;
  before(async () => {
    server = await openMcpServer();
  });
  after(() => server.close());

  /** More than any body without a document's content. */
  const tooLarge = JSON.stringify({ location: 'x'.repeat(64 * 1024) });

  for (const { method, path, carriesContent, takes } of routes) {
    if (!takes.includes('json') || carriesContent) continue;
    it(`is refused by ${method} ${path} before it is read, from any sender`, async () => {
      const keys = [
        (await server.host.person('approver')).key,
        await server.host.key(await server.host.principal('No')),
      ];
      for (const key of keys) {
        const connection = await RawConnection.open(server.rest.port);
        const head = [
          `${method} ${path.replace('{id}', 'x')}?location=a.md&id=x HTTP/1.1`,
          'Host: x',
          `Authorization: Bearer ${key}`,
          'Idempotency-Key: k',
          'Content-Type: application/json',
          `Content-Length: ${tooLarge.length}`,
        ];
        connection.write(`${head.join('\r\n')}\r\n\r\n`);
        const { status, body } = await connection.read();
        connection.end();
        assert.deepEqual(
          [status, JSON.parse(body).error.details],
          [400, { reason: 'body_too_large', limit: 64 * 1024 }],
        );
      }
    });
  }

  it('is not read where its sender may write nowhere, and is refused as not found', async () => {
    const { key } = await server.host.person('reader');
    for (const line of ['PUT /v1/documents/a.md', 'POST /v1/documents']) {
      const connection = await RawConnection.open(server.rest.port);
      const head = [
        `${line} HTTP/1.1`,
        'Host: x',
        `Authorization: Bearer ${key}`,
        'Idempotency-Key: k',
        'If-Match: *',
        'Content-Type: application/json',
        `Content-Length: ${mebibyte}`,
        'Expect: 100-continue',
      ];
      connection.write(`${head.join('\r\n')}\r\n\r\n`);
      const { status, body } = await connection.read();
      connection.end();
      assert.deepEqual([status, JSON.parse(body).error.code], [404, 'NOT_FOUND']);
    }
  });
});

/** The requests of one key in flight, until they are released. */
interface Held {
  readonly connection: RawConnection;
}
