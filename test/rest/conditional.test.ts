import assert from 'node:assert/strict';
import { openTestServer, type HttpClient, type TestServer } from '../support/http/server.js';

describe('If-None-Match over REST', () => {
  let server: TestServer;
  let ada: HttpClient;
  let etag: string;

  before(async () => {
    server = await openTestServer();
    ada = await server.person('approver');
    ({ etag } = await ada.create('a.md'));
  });
  after(() => server.close());

  it('answers 304 without a body to the holder of the current version, in every spelling', async () => {
    const id = etag.slice(1, -1);
    for (const known of [etag, `W/${etag}`, `"x", ${etag}`, `"${id}-gzip"`, `"${id}--gzip"`, id, '*']) {
      for (const headers of [{}, { Accept: 'application/octet-stream' }]) {
        const answer = await ada.get('/v1/documents/a.md', { 'If-None-Match': known, ...headers });
        assert.deepEqual([answer.status, answer.text, answer.etag], [304, '', etag], known);
        assert.deepEqual(
          [answer.headers['vary'], answer.headers['cache-control']],
          ['Accept, Accept-Encoding', 'private, no-cache'],
        );
      }
      assert.equal((await ada.head('/v1/documents/a.md', { 'If-None-Match': known })).status, 304);
    }
  });

  it('answers 200 with the content to the holder of another one', async () => {
    const answer = await ada.get('/v1/documents/a.md', { 'If-None-Match': `"${'0'.repeat(40)}"` });
    assert.deepEqual([answer.status, answer.json.content], [200, 'text']);
  });

  it('is 404 all the same where there is no document', async () => {
    assert.equal((await ada.get('/v1/documents/none.md', { 'If-None-Match': '*' })).status, 404);
  });

  it('compares with the requested version', async () => {
    const second = await ada.put('/v1/documents/a.md', { content: 'two' });
    const first = etag.slice(1, -1);
    const older = (known: string): Promise<{ status: number }> =>
      ada.get(`/v1/documents/a.md?version=${first}`, { 'If-None-Match': known });
    assert.equal((await older(etag)).status, 304);
    assert.equal((await older(second.etag)).status, 200);
  });

  it('answers with the record where its labels or claims have changed beside the version', async () => {
    const read = async (path: string, headers: Record<string, string> = {}) =>
      (await ada.get(path, { 'If-None-Match': etagOf, ...headers })).status;
    const { etag: etagOf } = await ada.create('l.md');
    const record = '/v1/documents/l.md';
    const bytes = '/v1/files/l.md';
    assert.deepEqual([await read(record), await read(bytes)], [304, 304]);
    await ada.post('/v1/labels', { location: 'l.md', labels: ['x'] });
    assert.equal((await ada.head(record, { 'If-None-Match': etagOf })).status, 200);
    assert.deepEqual([await read(record), await read(bytes)], [200, 304]);
    assert.equal(await read(record, { Accept: 'application/octet-stream' }), 304);
    const next = (await ada.put(record, { content: 'two' }, { 'If-Match': etagOf })).etag;
    assert.equal((await ada.get(record, { 'If-None-Match': next })).status, 304);
    const claim = await ada.post('/v1/claims', { location: 'l.md' });
    const held = await ada.get(record, { 'If-None-Match': next });
    assert.deepEqual([held.status, held.etag, held.json.claim !== null], [200, next, true]);
    await ada.delete(`/v1/claims?id=${claim.json.id}`);
    const free = await ada.get(record, { 'If-None-Match': next });
    assert.deepEqual([free.status, free.json.claim], [200, null]);
  });

  it('is refused when it is no entity-tag', async () => {
    const refused = await ada.get('/v1/documents/a.md', { 'If-None-Match': '"open' });
    assert.equal(refused.refusal, 'INVALID_REQUEST bad_field');
    const { record } = server.records().at(-1) ?? assert.fail('there is no record');
    assert.deepEqual([record.action, record.outcome, record.version], ['document.read', 'refused', null]);
  });
});

describe('If-Match on a read over REST', () => {
  let server: TestServer;
  let ada: HttpClient;
  const record = '/v1/documents/a.md';
  const bytes = '/v1/files/a.md';

  before(async () => {
    server = await openTestServer();
    ada = await server.person('approver');
  });
  after(() => server.close());

  it('gives the version that it names, and refuses any other with the current ETag', async () => {
    const { etag: first } = await ada.create('a.md');
    const { etag: second } = await ada.put(record, { content: 'second' });
    for (const path of [record, bytes]) {
      for (const match of [second, '*', `"x", ${second}`]) {
        assert.equal((await ada.get(path, { 'If-Match': match })).status, 200);
      }
      for (const more of [{}, { Range: 'bytes=0-3' }, { 'If-None-Match': first }, { 'If-None-Match': second }]) {
        const stale = await ada.get(path, { 'If-Match': first, ...more });
        assert.deepEqual([stale.status, stale.refusal, stale.etag], [409, 'CONFLICT stale_if_match', second]);
      }
      const older = `${path}?version=${first.slice(1, -1)}`;
      assert.equal((await ada.get(older, { 'If-Match': first })).status, 200);
      assert.equal((await ada.get(older, { 'If-Match': second })).status, 409);
      assert.equal((await ada.get(path, { 'If-Match': '"open' })).refusal, 'INVALID_REQUEST bad_field');
    }
    assert.equal((await ada.head(record, { 'If-Match': first })).status, 409);
    assert.equal((await ada.get(bytes, { 'If-Match': second, Range: 'bytes=0-3' })).status, 206);
    assert.equal((await ada.get('/v1/files/none.md', { 'If-Match': '*' })).status, 404);
  });

  it('goes before If-Unmodified-Since, which refuses a newer version', async () => {
    const { headers, etag } = await ada.get(bytes);
    const modified = String(headers['last-modified']);
    const earlier = new Date(Date.parse(modified) - 1000).toUTCString();
    for (const path of [record, bytes]) {
      const read = async (sent: Record<string, string>) => (await ada.get(path, sent)).status;
      assert.equal(await read({ 'If-Unmodified-Since': modified }), 200);
      assert.equal(await read({ 'If-Unmodified-Since': earlier }), 409);
      assert.equal(await read({ 'If-Unmodified-Since': earlier, 'If-Match': etag }), 200);
      assert.equal(await read({ 'If-Unmodified-Since': 'yesterday' }), 200);
    }
  });
});
