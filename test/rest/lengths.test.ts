import assert from 'node:assert/strict';
import { changePolicy } from '../../lib/operations/workspaces/change-policy.js';
import { perform } from '../../lib/operations/perform.js';
import { openTestServer, type HttpClient, type TestServer } from '../support/http/server.js';
import { operator } from '../support/store/service.js';

describe('lengths over REST', () => {
  let server: TestServer;
  let ada: HttpClient;

  before(async () => {
    server = await openTestServer();
    ada = await server.person('approver');
    await perform(server.host.workspace, operator, changePolicy, { largestText: 2000, largestBlob: 3000 });
  });
  after(() => server.close());

  it('HEAD states the length of GET, in both forms', async () => {
    await ada.create('a.md', 'naïve "quotes" \u0001');
    for (const headers of [{}, { Accept: 'application/octet-stream' }]) {
      const [head, get] = [await ada.head('/v1/documents/a.md', headers), await ada.get('/v1/documents/a.md', headers)];
      assert.deepEqual([head.status, head.bytes.length], [200, 0]);
      assert.equal(head.headers['content-length'], String(get.bytes.length));
      assert.equal(head.headers['content-type'], get.headers['content-type']);
    }
    const refused = await ada.head('/v1/documents/none.md');
    assert.ok(Number(refused.headers['content-length']) > 0);
  });

  it('content over the limit is refused in the same words, whether its length is stated or not', async () => {
    const raw = { 'Content-Type': 'application/octet-stream' };
    const stated = await ada.post('/v1/documents?location=b.bin', Buffer.alloc(3001), raw);
    const { key } = await server.host.person('approver');
    const chunked = await fetch(`${server.rest.url}/v1/documents?location=b.bin`, {
      method: 'POST',
      headers: { ...raw, 'Idempotency-Key': 'chunked', Authorization: `Bearer ${key}` },
      body: new Blob([Buffer.alloc(3001)]).stream(),
      duplex: 'half',
    });
    const { error } = (await chunked.json()) as { error: { message: string; details: object } };
    const { message, details } = stated.json.error;
    assert.deepEqual([error.message, error.details], [message, details]);
    assert.deepEqual(details, { reason: 'content_too_large', field: 'content', limit: 3000 });
    const json = await ada.create('c.md', 'x'.repeat(2001));
    assert.deepEqual(json.json.error.details, { reason: 'content_too_large', field: 'content', limit: 2000 });
  });

  it('content in base64 is taken up to the limit, and invalid content of that length is refused as such', async () => {
    const other = await server.addWorkspace();
    const ben = await other.person('editor');
    const limit = 10 * 1024 * 1024;
    const send = (location: string, content: string) =>
      ben.post('/v1/documents', { location, content, encoding: 'base64' });
    const text = Buffer.alloc(limit, 0xff).toString('base64');
    const taken = await send('full.bin', text);
    assert.deepEqual([taken.status, taken.json.size], [201, limit]);
    const longer = await send('longer.bin', Buffer.alloc(limit + 1, 0xff).toString('base64'));
    assert.deepEqual(longer.json.error.details, { reason: 'content_too_large', field: 'content', limit });
    for (const bad of [`${text.slice(0, -1)}!`, `${text}A`, text.replace('/', '='), text.replace('/', '-')]) {
      assert.deepEqual((await send('bad.bin', bad)).json.error.details, { reason: 'bad_field', field: 'content' });
    }
  });

  it('a folder is not renamed or moved where a document in it would get too long a location', async () => {
    const step = 'x'.repeat(200);
    const deep = Array.from({ length: 4 }, () => step).join('/');
    await ada.create(`f/${deep}/${'y'.repeat(200)}.md`);
    const name = 'z'.repeat(20);
    // 2 + 803 + 1 + 203 bytes: fifteen more fit.
    assert.equal(
      (await ada.post('/v1/renames', { location: 'f', name: 'z'.repeat(17) })).refusal,
      'INVALID_REQUEST bad_location',
    );
    assert.equal(
      (await ada.post('/v1/moves', { location: 'f', to_folder: name })).refusal,
      'INVALID_REQUEST bad_location',
    );
    const fits = await ada.post('/v1/renames', { location: 'f', name: 'z'.repeat(16) });
    assert.equal(fits.status, 200, fits.text);
    const longest = `${'z'.repeat(16)}/${deep}/${'y'.repeat(200)}.md`;
    assert.equal(longest.length, 1024);
    assert.equal((await ada.get(`/v1/documents/${longest}`)).status, 200);
    await ada.post('/v1/folders', { location: `k/${deep}/${step}` });
    assert.equal(
      (await ada.post('/v1/renames', { location: 'k', name: 'z'.repeat(20) })).refusal,
      'INVALID_REQUEST bad_location',
    );
    assert.equal((await ada.post('/v1/renames', { location: 'k', name: 'z'.repeat(19) })).status, 200);
  });
});
