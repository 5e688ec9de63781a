import assert from 'node:assert/strict';
import { chooseCoding } from '../../lib/http/choose-coding.js';
import { openTestServer, type HttpClient, type TestServer } from '../support/http/server.js';

const gzip = { 'Accept-Encoding': 'gzip' };
const text = 'A wombat digs. '.repeat(1000);

describe('compressed answers', () => {
  let server: TestServer;
  let ada: HttpClient;

  before(async () => {
    server = await openTestServer();
    ada = await server.person('approver');
    await ada.create('long.md', text);
    await ada.create('short.md', 'A wombat.');
    await ada.create('longer.md', text.repeat(150));
    await ada.send('PUT', '/v1/files/bytes.bin', { body: Buffer.alloc(9000), headers: { 'If-None-Match': '*' } });
  });
  after(() => server.close());

  it('are chosen by the weights of Accept-Encoding, br before gzip', () => {
    for (const [header, coding] of [
      [undefined, undefined],
      ['', undefined],
      ['gzip', 'gzip'],
      ['gzip, deflate, br', 'br'],
      ['GZIP;Q=0.5, br;q=0.4', 'gzip'],
      ['gzip;q=0, br;q=0.000', undefined],
      ['*', 'br'],
      ['*;q=0.1, br;q=0', 'gzip'],
      ['deflate, identity', undefined],
      ['gzip;q=2', undefined],
      ['gzip;q=x', undefined],
      [`gzip${', x'.repeat(1000)}`, undefined],
    ] as const) {
      assert.equal(chooseCoding(header), coding, header?.slice(0, 40));
    }
  });

  it('are the same content under the same ETag, for a document, its bytes and the description', async () => {
    for (const target of [
      '/v1/documents/long.md',
      '/v1/documents/longer.md',
      '/v1/files/long.md',
      '/v1/files/longer.md',
      '/v1/openapi.yaml',
    ]) {
      const plain = await ada.get(target);
      assert.equal(plain.headers['content-encoding'], undefined, target);
      for (const coding of ['gzip', 'br']) {
        const asked = { 'Accept-Encoding': coding };
        const answer = await ada.get(target, asked);
        assert.deepEqual([answer.status, answer.headers['content-encoding']], [200, coding], target);
        assert.ok(answer.bytes.equals(plain.bytes), target);
        assert.deepEqual([answer.etag, answer.headers['content-type']], [plain.etag, plain.headers['content-type']]);
        assert.match(String(answer.headers['vary']), /Accept-Encoding/);
        assert.equal(answer.headers['vary'], plain.headers['vary']);
        const head = await ada.head(target, asked);
        const headersOf = ({ headers }: typeof head) => {
          const {
            'x-request-id': _,
            date: __,
            'x-ratelimit-remaining': ___,
            'transfer-encoding': ____,
            ...rest
          } = headers;
          return rest;
        };
        assert.deepEqual(headersOf(head), headersOf(answer), target);
      }
    }
    const { etag } = await ada.get('/v1/documents/long.md', gzip);
    assert.equal((await ada.get('/v1/documents/long.md', { ...gzip, 'If-None-Match': etag })).status, 304);
  });

  it('are none where they save nothing, or a range could go on with them', async () => {
    for (const [target, headers] of [
      ['/v1/documents/short.md', gzip],
      ['/v1/files/short.md', gzip],
      ['/v1/files/bytes.bin', gzip],
      ['/v1/files/long.md', { ...gzip, Range: 'bytes=0-5000' }],
      ['/v1/documents/long.md', { ...gzip, Accept: 'application/octet-stream' }],
      ['/v1/health', gzip],
    ] as const) {
      for (const method of ['GET', 'HEAD']) {
        const answer = await ada.send(method, target, { headers });
        assert.equal(answer.headers['content-encoding'], undefined, `${method} ${target}`);
      }
    }
    assert.equal((await ada.get('/v1/files/long.md')).headers['accept-ranges'], 'bytes');
    assert.equal((await ada.get('/v1/files/long.md', gzip)).headers['accept-ranges'], 'none');
  });

  it('are none where texts of several writers meet, so a length tells nothing of another’s', async () => {
    for (let number = 0; number < 8; number += 1) {
      await ada.post('/v1/documents', { location: `many/${number}.md`, content: text, labels: ['l'.repeat(90)] });
    }
    for (const target of [
      '/v1/documents?location=many',
      '/v1/search?q=wombat',
      '/v1/history?location=many/1.md',
      '/v1/grants?scope_type=folder&scope_id=',
      '/v1/folders/export?location=many',
    ]) {
      const answer = await ada.get(target, gzip);
      assert.deepEqual([answer.status, answer.headers['content-encoding']], [200, undefined], target);
    }
  });

  it('are broken off when the reader leaves, and nothing is logged as a fault', async () => {
    const { key } = await server.host.person('reader');
    const stopped = new AbortController();
    const headers = { Authorization: `Bearer ${key}`, ...gzip };
    const answer = await fetch(`${server.rest.url}/v1/documents/longer.md`, { headers, signal: stopped.signal });
    stopped.abort();
    await assert.rejects(answer.text(), { name: 'AbortError' });
    assert.equal((await ada.get('/v1/documents/longer.md', gzip)).status, 200);
    assert.deepEqual(
      server.log.filter(({ level }) => level === 'error'),
      [],
    );
  });
});
