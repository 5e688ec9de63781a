import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { schemaPath } from '../../lib/app/upgrade.js';
import { routes } from '../../lib/api/rest/rest-routes.js';
import { openTestServer, type HttpClient, type TestServer } from '../support/http/server.js';

describe('the operations of the REST API', () => {
  let server: TestServer;
  let ada: HttpClient;

  beforeEach(async () => {
    server = await openTestServer();
    ada = await server.person('approver');
  });
  afterEach(() => server.close());

  describe('the table', () => {
    it('Operations: GET /v1/documents lists the documents of one folder, without content, in order', async () => {
      for (const location of ['b/z.md', 'b/a.md', 'b/c/below.md', 'top.md', 'b.md']) await ada.create(location);
      const { json } = await ada.get('/v1/documents?location=b');
      assert.deepEqual(
        json.items.map((item: { location: string }) => item.location),
        ['b/a.md', 'b/z.md'],
      );
      assert.ok(!('content' in json.items[0]));
      const root = await ada.get('/v1/documents?location=');
      assert.equal(root.json.items.length, 2);
    });

    it('Operations: GET /v1/documents without a folder is refused; an empty one is the root', async () => {
      const { refusal, json } = await ada.get('/v1/documents');
      assert.deepEqual([refusal, json.error.details.field], ['INVALID_REQUEST missing_field', 'location']);
      assert.equal((await ada.get('/v1/documents?location=')).status, 200);
      assert.equal((await ada.get('/v1/folders/export')).refusal, 'INVALID_REQUEST missing_field');
    });

    it('Operations: GET /v1/documents of a folder that is not there is an empty page', async () => {
      assert.deepEqual((await ada.get('/v1/documents?location=no/such')).json, { items: [], next_cursor: null });
    });

    it('Operations: POST /v1/documents makes the document with all it was given', async () => {
      const { status, json, etag } = await ada.post('/v1/documents', {
        location: 'handbook/travel.md',
        content: 'Trains.\n',
        media_type: 'text/x-notes',
        labels: ['policy', 'draft'],
        message: 'First',
      });
      assert.equal(status, 201);
      assert.equal(json.etag, etag);
      assert.deepEqual(
        [json.location, json.name, json.kind, json.media_type, json.size, json.labels, json.version.message],
        ['handbook/travel.md', 'travel.md', 'text', 'text/x-notes', 8, ['draft', 'policy'], 'First'],
      );
      assert.equal(json.version.author.display_name, 'approver');
      assert.equal((await ada.get('/v1/documents/handbook/travel.md')).json.content, 'Trains.\n');
    });

    it('Operations: POST and PUT take bytes as base64, and raw', async () => {
      const bytes = Buffer.from([0, 255, 10, 13, 0]);
      const base64 = { location: 'a.bin', content: bytes.toString('base64'), encoding: 'base64' };
      assert.equal((await ada.post('/v1/documents', base64)).status, 201);
      const raw = await ada.post('/v1/documents?location=dir/b.png&media_type=image/png&message=raw', bytes);
      assert.deepEqual([raw.status, raw.json.kind, raw.json.media_type], [201, 'binary', 'image/png']);
      assert.equal(raw.json.version.message, 'raw');
      for (const location of ['a.bin', 'dir/b.png']) {
        const { json } = await ada.get(`/v1/documents/${location}`);
        assert.deepEqual([json.encoding, Buffer.from(json.content, 'base64')], ['base64', bytes]);
      }
      const put = await ada.put('/v1/documents/a.bin?media_type=text/plain', Buffer.from('now text'));
      assert.deepEqual([put.json.kind, put.json.media_type], ['text', 'text/plain']);
    });

    it('Operations: GET, PUT and DELETE of a document answer its record and the ETag of the version', async () => {
      const created = await ada.create('a.md', 'one');
      const read = await ada.get('/v1/documents/a.md');
      assert.deepEqual([read.etag, read.json.etag, read.json.content], [created.etag, created.etag, 'one']);
      const put = await ada.put('/v1/documents/a.md', { content: 'two' }, { 'If-Match': created.etag });
      assert.notEqual(put.etag, created.etag);
      assert.deepEqual([put.json.etag, put.json.id, put.json.size], [put.etag, created.json.id, 3]);
      const gone = await ada.delete('/v1/documents/a.md', { 'If-Match': put.etag });
      assert.deepEqual([gone.json.location, gone.json.deleted, gone.json.etag], ['a.md', true, gone.etag]);
      assert.equal((await ada.get('/v1/documents/a.md')).refusal, 'NOT_FOUND');
    });

    it('Operations: HEAD answers like GET, without a body', async () => {
      await ada.create('a.md', 'one');
      const [head, get] = [await ada.head('/v1/documents/a.md'), await ada.get('/v1/documents/a.md')];
      assert.deepEqual([head.status, head.etag, head.text], [200, get.etag, '']);
      assert.equal(head.headers['content-type'], get.headers['content-type']);
      assert.equal((await ada.head('/v1/documents/absent.md')).status, 404);
      assert.deepEqual([(await ada.head('/v1/health')).status, (await ada.head('/v1/health')).text], [200, '']);
    });

    it('Operations: PUT never creates', async () => {
      assert.equal((await ada.put('/v1/documents/new.md', { content: 'x' })).refusal, 'NOT_FOUND');
    });

    it('Operations: GET /v1/folders lists one level of folders, in order', async () => {
      for (const location of ['b/x.md', 'a/c/d/y.md', 'a/b/z.md', 'top.md']) await ada.create(location);
      const locations = async (query: string): Promise<string[]> =>
        (await ada.get(`/v1/folders${query}`)).json.items.map((item: { location: string }) => item.location);
      assert.deepEqual(await locations(''), ['a', 'b']);
      assert.deepEqual(await locations('?location=a'), ['a/b', 'a/c']);
      assert.deepEqual(await locations('?location=a/b'), []);
    });

    it('Operations: GET /v1/health says that the service lives and which build it is, and nothing of content', async () => {
      const { json } = await server.as().get('/v1/health');
      assert.deepEqual(json, { status: 'ok', version: '0.0.0', commit: null, started_at: '2026-01-05T09:00:00.000Z' });
    });

    it('Operations: GET /v1/openapi.yaml serves the description as it is written', async () => {
      const { headers, text } = await server.as().get('/v1/openapi.yaml');
      assert.equal(headers['content-type'], 'application/yaml; charset=utf-8');
      assert.equal(text, readFileSync(schemaPath('openapi.yaml'), 'utf8'));
    });

    it('Operations: a method that a path does not have is refused as such, and a path that is not there is not there', async () => {
      const wrong = await ada.send('PATCH', '/v1/documents/a.md');
      assert.equal(wrong.refusal, 'INVALID_REQUEST method_not_allowed');
      assert.deepEqual(wrong.json.error.details.allowed, ['GET', 'HEAD', 'PUT', 'DELETE']);
      assert.equal((await ada.send('DELETE', '/v1/health')).refusal, 'INVALID_REQUEST method_not_allowed');
      assert.equal((await ada.get('/v1/documents-of-mine')).refusal, 'NOT_FOUND');
    });
  });

  it('Operations 1: a create, folder create, rename, move, undelete or grant without Idempotency-Key is refused as a missing precondition', async () => {
    const creates = routes.filter(({ method }) => method === 'POST');
    assert.equal(creates.length, 27);
    for (const { path } of creates) {
      for (const body of [{ location: 'a.md', content: '' }, Buffer.from('raw')]) {
        const refused = await ada.send('POST', path.replace('{id}', 'prn_none'), { body });
        assert.equal(refused.refusal, 'INVALID_REQUEST missing_idempotency_key', path);
      }
    }
    assert.equal(server.head, null);
  });

  it('Operations 2: a PUT or DELETE without If-Match is refused as a missing precondition, and changes nothing', async () => {
    await ada.create('a.md');
    const { head } = server;
    const put = await ada.send('PUT', '/v1/documents/a.md', { body: { content: 'x' } });
    const gone = await ada.send('DELETE', '/v1/documents/a.md');
    assert.deepEqual(
      [put.refusal, gone.refusal],
      ['INVALID_REQUEST missing_if_match', 'INVALID_REQUEST missing_if_match'],
    );
    assert.equal(server.head, head);
  });

  it('Operations 3: a stale If-Match is a CONFLICT that tells the present ETag and changes nothing; * goes ahead', async () => {
    const first = await ada.create('a.md', 'one');
    const second = await ada.put('/v1/documents/a.md', { content: 'two' }, { 'If-Match': first.etag });
    const { head } = server;
    const stale = { 'If-Match': first.etag };
    for (const refused of [
      await ada.put('/v1/documents/a.md', { content: 'lost' }, stale),
      await ada.delete('/v1/documents/a.md', stale),
    ]) {
      assert.equal(refused.refusal, 'CONFLICT stale_if_match');
      assert.deepEqual([refused.etag, refused.json.error.details.current_etag], [second.etag, second.etag]);
    }
    assert.equal(server.head, head);
    assert.equal((await ada.put('/v1/documents/a.md', { content: 'three' }, { 'If-Match': '*' })).status, 200);
    assert.equal((await ada.delete('/v1/documents/a.md', { 'If-Match': '*' })).status, 200);
  });

  it('Operations 3: If-Match takes a list, bare ids, and what proxies make of an ETag', async () => {
    let { etag } = await ada.create('a.md');
    const spellings: ((id: string) => string)[] = [
      (id) => `"${'0'.repeat(40)}", "${id}"`,
      (id) => id,
      (id) => `W/"${id}"`,
      (id) => `"${id}-gzip"`,
    ];
    for (const spell of spellings) {
      const sent = spell(etag.replaceAll('"', ''));
      const put = await ada.put('/v1/documents/a.md', { content: 'x' }, { 'If-Match': sent });
      assert.equal(put.status, 200, sent);
      ({ etag } = put);
    }
    assert.equal((await ada.put('/v1/documents/a.md', { content: 'x' }, { 'If-Match': '"foreign"' })).status, 409);
    const absent = await ada.put('/v1/documents/none.md', { content: 'x' }, { 'If-Match': '*' });
    assert.equal(absent.refusal, 'NOT_FOUND');
  });

  it('Operations 4: writes follow each other by the ETags they return, without a read in between', async () => {
    let { etag } = await ada.create('a.md', '0');
    for (let transaction = 1; transaction <= 5; transaction += 1) {
      const put = await ada.put('/v1/documents/a.md', { content: String(transaction) }, { 'If-Match': etag });
      assert.equal(put.status, 200);
      ({ etag } = put);
    }
    assert.equal((await ada.get('/v1/documents/a.md')).json.content, '5');
    assert.equal((await ada.delete('/v1/documents/a.md', { 'If-Match': etag })).status, 200);
  });

  it('Operations 7: a key without grants gets an empty list of folders, and not a refusal', async () => {
    await ada.create('a/b.md');
    const nobody = server.as(await server.host.key(await server.host.principal('nobody')));
    assert.deepEqual((await nobody.get('/v1/folders')).json, { items: [], next_cursor: null });
    assert.deepEqual((await nobody.get('/v1/documents?location=a')).json, { items: [], next_cursor: null });
  });

  it('Operations 8: what a key may not read answers byte for byte like what does not exist', async () => {
    await ada.create('secret/plan.md');
    await ada.create('open/plan.md');
    const bob = await server.person('reader', 'open', 'bob');
    const [hidden, absent] = [
      await bob.get('/v1/documents/secret/plan.md'),
      await bob.get('/v1/documents/secret/none.md'),
    ];
    assert.equal(hidden.refusal, 'NOT_FOUND');
    assert.equal(
      hidden.text.replace(hidden.json.error.request_id, ''),
      absent.text.replace(absent.json.error.request_id, ''),
    );
  });

  it('Operations 9: what a key cannot reach is not listed either, not as a folder and not by a gap', async () => {
    for (const location of ['secret/plan.md', 'open/a.md', 'open/inner/b.md', 'top.md']) await ada.create(location);
    const bob = await server.person('reader', 'open/inner', 'bob');
    const folders = async (at: string): Promise<string[]> =>
      (await bob.get(`/v1/folders?location=${at}`)).json.items.map((item: { name: string }) => item.name);
    assert.deepEqual(await folders(''), ['open']);
    assert.deepEqual(await folders('open'), ['inner']);
    for (const at of ['', 'open', 'secret']) {
      assert.deepEqual((await bob.get(`/v1/documents?location=${at}`)).json, { items: [], next_cursor: null });
    }
    assert.equal((await bob.get('/v1/documents?location=open/inner')).json.items.length, 1);
  });
});
