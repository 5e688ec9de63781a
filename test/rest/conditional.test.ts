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
    for (const known of [etag, `W/${etag}`, `"x", ${etag}`, `"${id}-gzip"`, id, '*']) {
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

  it('must be an entity-tag', async () => {
    const refused = await ada.get('/v1/documents/a.md', { 'If-None-Match': '"open' });
    assert.equal(refused.refusal, 'INVALID_REQUEST bad_field');
    const { record } = server.records().at(-1) ?? assert.fail('there is no record');
    assert.deepEqual([record.action, record.outcome, record.version], ['document.read', 'refused', null]);
  });
});
