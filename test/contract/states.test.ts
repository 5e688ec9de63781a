import assert from 'node:assert/strict';
import { openTestServer, type HttpClient, type TestServer } from '../harness/http.js';

describe('the states of a document', () => {
  let server: TestServer;
  let ada: HttpClient;

  before(async () => {
    server = await openTestServer();
    ada = await server.person('approver');
  });
  after(() => server.close());

  it('States: a create with an Idempotency-Key makes a live document with a version and an ETag', async () => {
    const { status, etag } = await ada.create('s/new.md');
    assert.equal(status, 201);
    assert.match(etag, /^"[0-9a-f]{40}"$/);
    assert.equal((await ada.get('/v1/documents/s/new.md')).status, 200);
  });

  it('States: a repeated create gives the first answer again, marked as such, and makes nothing', async () => {
    const key = { 'Idempotency-Key': 'repeat-1' };
    const first = await ada.create('s/once.md', 'text', key);
    const { head } = server;
    const again = await ada.create('s/once.md', 'text', key);
    assert.deepEqual([again.status, again.text, again.etag], [201, first.text, first.etag]);
    assert.equal(again.headers.location, first.headers.location);
    assert.equal(first.headers['idempotent-replayed'], undefined);
    assert.equal(again.headers['idempotent-replayed'], 'true');
    assert.equal(server.head, head);
  });

  it('States: live stays live under an update with the current ETag, and unchanged under a stale one', async () => {
    const first = await ada.create('s/live.md', 'one');
    const second = await ada.put('/v1/documents/s/live.md', { content: 'two' }, { 'If-Match': first.etag });
    assert.equal(second.status, 200);
    const stale = await ada.put('/v1/documents/s/live.md', { content: 'three' }, { 'If-Match': first.etag });
    assert.equal(stale.status, 409);
    const { json, etag } = await ada.get('/v1/documents/s/live.md');
    assert.deepEqual([json.content, etag], ['two', second.etag]);
  });

  it('States: a deleted document is hidden from reading, listing and writing, with its folder if that is empty now', async () => {
    const { etag } = await ada.create('s/gone/only.md');
    const stale = await ada.delete('/v1/documents/s/gone/only.md', { 'If-Match': `"${'0'.repeat(40)}"` });
    assert.equal(stale.status, 409);
    assert.equal((await ada.delete('/v1/documents/s/gone/only.md', { 'If-Match': etag })).status, 200);
    assert.equal((await ada.get('/v1/documents/s/gone/only.md')).status, 404);
    assert.equal((await ada.get(`/v1/documents/s/gone/only.md?version=${etag.slice(1, -1)}`)).status, 404);
    assert.equal((await ada.put('/v1/documents/s/gone/only.md', { content: 'x' })).status, 404);
    assert.equal((await ada.delete('/v1/documents/s/gone/only.md')).status, 404);
    assert.deepEqual((await ada.get('/v1/documents?location=s/gone')).json.items, []);
    assert.deepEqual((await ada.get('/v1/folders?location=s')).json.items, []);
  });

  it('States: a location is free again after a delete, for another document', async () => {
    const first = await ada.create('s/again.md');
    await ada.delete('/v1/documents/s/again.md');
    const second = await ada.create('s/again.md');
    assert.equal(second.status, 201);
    assert.notEqual(second.json.id, first.json.id);
  });

  it('States: of writers at the same time with the same ETag one is let through', async () => {
    const { etag } = await ada.create('s/race.md', 'start');
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        ada.put('/v1/documents/s/race.md', { content: `writer ${index}` }, { 'If-Match': etag }),
      ),
    );
    const won = answers.filter(({ status }) => status === 200);
    assert.equal(won.length, 1);
    assert.ok(answers.every(({ status, refusal }) => status === 200 || refusal === 'CONFLICT stale_if_match'));
    assert.equal((await ada.get('/v1/documents/s/race.md')).etag, won[0]?.etag);
  });
});
