import assert from 'node:assert/strict';
import { routes } from '../../lib/api/rest/rest-routes.js';
import { openTestServer, type HttpClient, type TestServer } from '../support/http/server.js';

/** Headers that differ from one request to the next. */
const ofTheRequest = ['x-request-id', 'x-ratelimit-remaining', 'date', 'transfer-encoding'];

describe('the methods of a path', () => {
  let server: TestServer;
  let ada: HttpClient;
  /** One address for each route with GET. */
  let targets: readonly string[];

  before(async () => {
    server = await openTestServer();
    ada = await server.person('approver');
    const { json } = await ada.create('a/b.md', 'A wombat.\n');
    await ada.put('/v1/documents/a/b.md', { content: 'Two wombats.\n' });
    const source = { name: 'Files', location: 'm', kind: 'folder', settings: { path: '/srv/files' } };
    const connector = await ada.post('/v1/connectors', source);
    const check = await ada.post('/v1/audit/verifications', undefined);
    const webhook = await ada.post('/v1/webhooks', { name: 'Chat', location: 'a', url: 'https://a.example/in' });
    const queries: Readonly<Record<string, string>> = {
      '/v1/documents': 'location=a&limit=1',
      '/v1/folders/export': 'location=a',
      '/v1/search': 'q=wombat',
      '/v1/search/lines': 'q=wombat&match=exact',
      '/v1/grants': 'scope_type=folder&scope_id=',
      '/v1/history': 'location=a/b.md',
      '/v1/diffs': `location=a/b.md&from=${json.version.id}`,
      '/v1/reverts': `location=a&principal_id=${json.version.author.id}&since=2000-01-01T00:00:00Z`,
      '/v1/labels': 'location=a/b.md',
      '/v1/comments': 'location=a/b.md',
      '/v1/audit': 'action=none',
    };
    const keyed = routes.filter(({ method }) => method === 'GET').map(({ path }) => path);
    targets = [...keyed, '/v1', '/v1/', '/v1/health', '/v1/openapi.yaml'].map((path) => {
      const made = path.includes('/audit/') ? check : path.includes('/webhooks/') ? webhook : connector;
      const target = path.replace('{location}', 'a/b.md').replace('{id}', made.json.id);
      return queries[path] === undefined ? target : `${target}?${queries[path]}`;
    });
  });
  after(() => server.close());

  it('HEAD has the status and the headers of GET, no body, and the same records', async () => {
    for (const target of targets) {
      const recorded = async (method: string) => {
        const before = server.records().length;
        const answer = await ada.send(method, target);
        // The end of an export is recorded after its answer.
        await ada.get('/v1/folders');
        const records = server.records().slice(before, -1);
        return { answer, records: records.map(({ record, text }) => [record.action, record.outcome, text?.target]) };
      };
      const get = await recorded('GET');
      const head = await recorded('HEAD');
      assert.deepEqual([get.answer.status, head.answer.status, head.answer.bytes.length], [200, 200, 0], target);
      const headersOf = ({ headers }: typeof get.answer) =>
        Object.entries(headers).filter(([name]) => !ofTheRequest.includes(name));
      assert.deepEqual(headersOf(head.answer), headersOf(get.answer), target);
      assert.deepEqual(head.records, get.records, target);
    }
  });

  it('HEAD is refused as GET is', async () => {
    for (const target of ['/v1/documents', '/v1/documents/none.md', '/v1/search?q=', '/v1/folders?limit=x', '/none']) {
      const { status, bytes } = await ada.head(target);
      assert.deepEqual([status, bytes.length], [(await ada.get(target)).status, 0], target);
    }
    assert.equal((await server.as().head('/v1/folders')).status, 401);
    const { json } = await ada.get('/v1/documents?location=a&limit=1&cursor=x');
    assert.equal(json.error.details.reason, 'bad_cursor');
  });

  it('a method that a path lacks is refused, and Allow names those that it has', async () => {
    for (const [method, target, allow] of [
      ['PATCH', '/v1/documents/a/b.md', 'GET, HEAD, PUT, DELETE'],
      ['DELETE', '/v1/documents', 'GET, HEAD, POST'],
      ['GET', '/v1/renames', 'POST'],
      ['POST', '/v1/health', 'GET, HEAD'],
    ] as const) {
      const { refusal, headers, json } = await ada.send(method, target);
      assert.equal(refusal, 'INVALID_REQUEST method_not_allowed');
      assert.deepEqual([headers.allow, json.error.details.allowed.join(', ')], [allow, allow]);
    }
  });

  it('OPTIONS names the methods without a key, whatever lies at the address', async () => {
    const nobody = server.as();
    for (const client of [nobody, ada]) {
      for (const target of ['/v1/documents/a/b.md', '/v1/documents/none.md']) {
        const { status, headers, bytes } = await client.send('OPTIONS', target);
        assert.deepEqual([status, headers.allow, bytes.length], [204, 'GET, HEAD, PUT, DELETE, OPTIONS', 0]);
      }
      assert.equal((await client.send('OPTIONS', '/v1/none')).refusal, 'NOT_FOUND');
    }
  });

  it('the index leads to the description, below the path of a proxy too', async () => {
    const below = await openTestServer({ server: { base: '/files' } });
    for (const [from, prefix] of [
      [server, ''],
      [below, '/files'],
    ] as const) {
      for (const target of ['/v1', '/v1/']) {
        const { json, headers } = await from.as().get(target);
        assert.equal(json.description, `${prefix}/v1/openapi.yaml`);
        assert.equal(headers['link'], `<${prefix}/v1/openapi.yaml>; rel="service-desc"; type="application/yaml"`);
      }
    }
    await below.close();
    assert.equal((await server.as().get('/v1?x=1')).refusal, 'INVALID_REQUEST unknown_field');
  });
});
