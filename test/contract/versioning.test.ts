import assert from 'node:assert/strict';
import { parse } from 'yaml';
import { routes } from '../../lib/api/rest/rest-routes.js';
import { openTestServer, type HttpClient, type TestServer } from '../support/http/server.js';

describe('versions', () => {
  let server: TestServer;
  let ada: HttpClient;

  before(async () => {
    server = await openTestServer();
    ada = await server.person('approver', '', 'Ada');
  });
  after(() => server.close());

  it('Versioning 1: the description at /v1/openapi.yaml has every route that there is, all below /v1', async () => {
    const { text } = await server.as().get('/v1/openapi.yaml');
    const { paths } = parse(text) as { paths: Record<string, Record<string, unknown>> };
    assert.ok(Object.keys(paths).every((path) => /^\/v1(?:\/|$)/.test(path)));
    for (const { method, path } of routes) {
      assert.ok(paths[path]?.[method.toLowerCase()], `${method} ${path} is served and not described`);
    }
  });

  it('Versioning 2: every write makes a version, also with the same content, and earlier ones can still be read', async () => {
    const texts = ['one', 'two', 'two', 'four'];
    const versions: string[] = [];
    for (const [index, content] of texts.entries()) {
      const answer =
        index === 0 ? await ada.create('v/a.md', content) : await ada.put('/v1/documents/v/a.md', { content });
      versions.push(answer.json.version.id);
    }
    assert.equal(new Set(versions).size, texts.length);
    for (const [index, id] of versions.entries()) {
      const { json, etag } = await ada.get(`/v1/documents/v/a.md?version=${id}`);
      assert.deepEqual([json.content, json.version.id, etag], [texts[index], id, `"${id}"`]);
    }
  });

  it('Versioning 2: a version is known at its own document only', async () => {
    const other = await ada.create('v/other.md');
    await ada.create('v/mine.md');
    const refused = await ada.get(`/v1/documents/v/mine.md?version=${other.json.version.id}`);
    assert.equal(refused.refusal, 'NOT_FOUND');
    assert.equal((await ada.get(`/v1/documents/v/mine.md?version=${'0'.repeat(40)}`)).refusal, 'NOT_FOUND');
  });

  it('Versioning 3: the ETag names the current version and lets writes through only while it does', async () => {
    const first = await ada.create('v/gate.md', 'one');
    assert.equal(first.etag, `"${first.json.version.id}"`);
    const second = await ada.put('/v1/documents/v/gate.md', { content: 'two' }, { 'If-Match': first.etag });
    assert.equal((await ada.get('/v1/documents/v/gate.md')).etag, second.etag);
    const late = await ada.put('/v1/documents/v/gate.md', { content: 'x' }, { 'If-Match': first.etag });
    assert.equal(late.refusal, 'CONFLICT stale_if_match');
  });

  it('Versioning 4: each version says who wrote it, and when', async () => {
    await ada.create('v/shared.md', 'one');
    server.host.clock.advance(1000);
    const bob = await server.person('editor', 'v', 'Bob');
    await bob.put('/v1/documents/v/shared.md', { content: 'two', message: 'Mine now' });
    const { json } = await ada.get('/v1/documents/v/shared.md');
    assert.deepEqual([json.version.author.display_name, json.version.message], ['Bob', 'Mine now']);
    assert.equal(Date.parse(json.updated_at) - Date.parse(json.created_at), 1000);
  });
});
