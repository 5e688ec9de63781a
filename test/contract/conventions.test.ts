import assert from 'node:assert/strict';
import { routes } from '../../lib/api/rest/rest-routes.js';
import { openTestServer, type HttpAnswer, type HttpClient, type TestServer } from '../support/http/server.js';

/** One request of every route that needs a key, and one of an unknown path. */
const keyed: [method: string, target: string][] = [
  ...routes.map(({ method, path }): [string, string] => [method, path.replace('{location}', 'a/one.md')]),
  ['GET', '/v1/not-a-route'],
];

describe('the conventions of the REST API', () => {
  let server: TestServer;
  let ada: HttpClient;

  before(async () => {
    server = await openTestServer();
    ada = await server.person('approver');
    for (const name of ['one.md', 'two.md', 'three.md', 'four.md', 'five.md']) await ada.create(`a/${name}`);
  });
  after(() => server.close());

  it('Conventions 1: everything lives below /v1, and nothing outside of it', async () => {
    assert.equal((await ada.get('/v1/documents/a/one.md')).status, 200);
    for (const target of ['/documents/a/one.md', '/v2/documents', '/V1/documents', '/', '/V1', '/v1documents']) {
      assert.equal((await ada.get(target)).refusal, 'NOT_FOUND', target);
    }
  });

  it('Conventions 2: bodies are JSON both ways, whatever else a client says it likes', async () => {
    const created = await ada.create('json/a.md', 'text', { Accept: 'text/html' });
    assert.equal(created.headers['content-type'], 'application/json; charset=utf-8');
    const utf8 = { 'Content-Type': 'Application/JSON; charset=UTF-8' };
    assert.equal((await ada.create('json/b.md', 'text', utf8)).status, 201);
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=latin1', '']) {
      const refused = await ada.create('json/c.md', 'text', { 'Content-Type': type });
      assert.equal(refused.refusal, 'INVALID_REQUEST unsupported_media_type', type);
    }
    const zipped = await ada.create('json/c.md', 'text', { 'Content-Encoding': 'gzip' });
    assert.equal(zipped.refusal, 'INVALID_REQUEST unsupported_media_type');
  });

  it('Conventions 3: a request without a bearer key gets no further, except to health and the description', async () => {
    const nobody = server.as();
    for (const [method, target] of keyed) {
      const refused = await nobody.send(method, target, { headers: { 'Idempotency-Key': 'k', 'If-Match': '*' } });
      assert.equal(refused.status, 401, `${method} ${target}`);
    }
    assert.equal((await nobody.get('/v1/health')).status, 200);
    assert.equal((await nobody.get('/v1/openapi.yaml')).status, 200);
    const scheme = await nobody.get('/v1/documents', { Authorization: 'Basic YTpi' });
    assert.equal(scheme.status, 401);
  });

  it('Conventions 4: every answer names its request, each by another name', async () => {
    const answers: HttpAnswer[] = [
      await ada.get('/v1/documents?location='),
      await ada.get('/v1/documents/absent.md'),
      await ada.get('/v1/documents?limit=0'),
      await ada.head('/v1/documents/a/one.md'),
      await server.as().get('/v1/documents'),
      await server.as().get('/v1/health'),
      await server.as().get('/elsewhere'),
      await ada.send('PATCH', '/v1/documents'),
    ];
    const known = answers[3]?.etag;
    answers.push(await ada.get('/v1/documents/a/one.md', { 'If-None-Match': known }));
    const ids = answers.map((answer) => answer.headers['x-request-id']);
    assert.ok(ids.every((id) => typeof id === 'string' && id.startsWith('req_')));
    assert.equal(new Set(ids).size, ids.length);
  });

  describe('pages', () => {
    it('Conventions 5: next_cursor leads from page to page through everything once, and ends with null', async () => {
      const names: string[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
        const page: HttpAnswer = await ada.get(`/v1/documents?location=a&limit=2${query}`);
        names.push(...namesOf(page));
        cursor = page.json.next_cursor;
      }
      assert.deepEqual(names, ['five.md', 'four.md', 'one.md', 'three.md', 'two.md']);
    });

    it('Conventions 5: a page that ends exactly at the last item says that it is the last', async () => {
      assert.equal((await ada.get('/v1/documents?location=a&limit=5')).json.next_cursor, null);
    });

    it('Conventions 5: a cursor is good for its own query, route and key alone, and as it is', async () => {
      const cursor = (await ada.get('/v1/documents?location=a&limit=2')).json.next_cursor as string;
      const other = await server.person('approver', '', 'other');
      const flipped = `${cursor.slice(0, -1)}${cursor.endsWith('A') ? 'B' : 'A'}`;
      const misuses: [string, Promise<HttpAnswer>][] = [
        ['another folder', ada.get(`/v1/documents?location=b&limit=2&cursor=${cursor}`)],
        ['another limit', ada.get(`/v1/documents?location=a&limit=3&cursor=${cursor}`)],
        ['a parameter less', ada.get(`/v1/documents?location=a&cursor=${cursor}`)],
        ['another route', ada.get(`/v1/folders?location=a&limit=2&cursor=${cursor}`)],
        ['another key', other.get(`/v1/documents?location=a&limit=2&cursor=${cursor}`)],
        ['edited', ada.get(`/v1/documents?location=a&limit=2&cursor=${flipped}`)],
        ['cut', ada.get(`/v1/documents?location=a&limit=2&cursor=${cursor.slice(0, 20)}`)],
        ['padded', ada.get(`/v1/documents?location=a&limit=2&cursor=${cursor}==`)],
        ['invented', ada.get('/v1/documents?location=a&limit=2&cursor=2')],
      ];
      const messages = new Set<string>();
      for (const [misuse, answer] of misuses) {
        const { refusal, json } = await answer;
        assert.equal(refusal, 'INVALID_REQUEST bad_cursor', misuse);
        messages.add(JSON.stringify({ ...json.error, request_id: '' }));
      }
      assert.equal(messages.size, 1, 'what is wrong with a cursor is not told');
      assert.equal((await ada.get(`/v1/documents?location=a&limit=2&cursor=${cursor}`)).status, 200);
    });

    it('Conventions 5: a cursor holds for a day', async () => {
      const cursor = (await ada.get('/v1/documents?location=a&limit=2')).json.next_cursor as string;
      const target = `/v1/documents?location=a&limit=2&cursor=${cursor}`;
      server.host.clock.advance(24 * 60 * 60 * 1000 - 1);
      assert.equal((await ada.get(target)).status, 200);
      server.host.clock.advance(1);
      assert.equal((await ada.get(target)).refusal, 'INVALID_REQUEST bad_cursor');
    });

    it('Conventions 5: a cursor does not tell the name it stands for', async () => {
      const cursor = (await ada.get('/v1/documents?location=a&limit=2')).json.next_cursor as string;
      assert.ok(!Buffer.from(cursor, 'base64url').toString('latin1').includes('four'));
    });

    it('Conventions 6: the parameters are called limit and cursor; a page has 50 items unless asked, at most 200', async () => {
      for (let index = 0; index < 52; index += 1) await ada.create(`many/${String(index).padStart(2, '0')}.md`);
      assert.equal(namesOf(await ada.get('/v1/documents?location=many')).length, 50);
      assert.equal(namesOf(await ada.get('/v1/documents?location=many&limit=200')).length, 52);
      for (const limit of ['0', '201', '-1', '1.5', 'ten', '', '1e1', '9007199254740993', '%20']) {
        const refused = await ada.get(`/v1/documents?location=many&limit=${limit}`);
        assert.equal(refused.refusal, 'INVALID_REQUEST bad_field', limit);
        assert.equal(refused.json.error.details.field, 'limit');
      }
    });

    it('Conventions 7: a page has items and a cursor and counts nothing', async () => {
      assert.deepEqual(Object.keys((await ada.get('/v1/documents?location=a')).json), ['items', 'next_cursor']);
      const [folder] = (await ada.get('/v1/folders')).json.items;
      assert.deepEqual(Object.keys(folder), ['location', 'name', 'read_only', 'source']);
    });

    it('Conventions 7: pages are filled with what the key reaches, so their length tells nothing of the rest', async () => {
      const bob = await server.host.person('reader', 'nowhere', 'bob');
      for (const name of ['one.md', 'three.md', 'two.md']) {
        await server.host.grant('reader', { type: 'principal', id: bob.id }, `a/${name}`, 'document');
      }
      const first = await server.as(bob.key).get('/v1/documents?location=a&limit=2');
      assert.deepEqual(namesOf(first), ['one.md', 'three.md']);
      const second = await server.as(bob.key).get(`/v1/documents?location=a&limit=2&cursor=${first.json.next_cursor}`);
      assert.deepEqual([namesOf(second), second.json.next_cursor], [['two.md'], null]);
    });

    const namesOf = (answer: HttpAnswer): string[] => answer.json.items.map((item: { name: string }) => item.name);
  });

  it('Conventions 8: a create answers 201 and where the document is; everything else that succeeds answers 200', async () => {
    const created = await ada.create('statuses/naïve plan#1;.md');
    assert.equal(created.status, 201);
    assert.equal(created.headers.location, '/v1/documents/statuses/na%C3%AFve%20plan%231%3B.md');
    const target = created.headers.location;
    assert.equal((await ada.get(target)).status, 200);
    assert.equal((await ada.put(target, { content: 'more' })).status, 200);
    assert.equal((await ada.delete(target)).status, 200);
    assert.equal((await ada.get('/v1/folders')).status, 200);
  });

  it('Conventions 9: the rest of the path is the location, its slashes plain or encoded', async () => {
    await ada.create('deep/er/and deeper/ü.md', 'found');
    for (const path of ['deep/er/and%20deeper/%C3%BC.md', 'deep%2Fer%2fand%20deeper%2F%c3%bc.md']) {
      const read = await ada.get(`/v1/documents/${path}`);
      assert.equal(read.json.location, 'deep/er/and deeper/ü.md');
      assert.equal(read.json.content, 'found');
    }
  });
});
