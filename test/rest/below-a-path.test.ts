import assert from 'node:assert/strict';
import { OpenAPIClientAxios, type Document } from 'openapi-client-axios';
import { parse } from 'yaml';
import { openTestServer, type HttpAnswer, type HttpClient, type TestServer } from '../support/http/server.js';

/** The proxy takes the path off before it passes a request on, so requests come without. */
describe('REST behind a proxy that offers the service below a path', () => {
  const base = '/files';
  let server: TestServer;
  let ada: HttpClient;

  before(async () => {
    server = await openTestServer({ server: { base } });
    ada = await server.person('approver');
    await ada.create('team/a.md');
  });
  after(() => server.close());

  const created: Readonly<Record<string, () => Promise<HttpAnswer>>> = {
    document: () => ada.create('team/naïve b.md'),
    folder: () => ada.post('/v1/folders', { location: 'team/sub' }),
    grant: async () => {
      const subject = { type: 'principal', id: await server.host.principal('Ben') };
      return ada.post('/v1/grants', { scope_type: 'folder', scope_id: 'team', subject, role: 'reader' });
    },
    claim: () => ada.post('/v1/claims', { location: 'team/a.md' }),
    comment: () => ada.post('/v1/comments', { location: 'team/a.md', text: 'Good.' }),
  };
  for (const [what, create] of Object.entries(created)) {
    it(`leads to a new ${what} below that path`, async () => {
      const answer = await create();
      assert.equal(answer.status, 201, answer.text);
      const { location = '' } = answer.headers;
      assert.ok(location.startsWith(`${base}/v1/`), location);
      assert.equal((await ada.get(location.slice(base.length))).status, 200);
    });
  }

  it('leads there again when a create is retried', async () => {
    const retry = { 'Idempotency-Key': 'the-same' };
    const first = await ada.create('team/c.md', 'text', retry);
    const again = await ada.create('team/c.md', 'text', retry);
    assert.equal(again.headers['idempotent-replayed'], 'true');
    assert.deepEqual(
      [first, again].map(({ headers }) => headers.location),
      ['/files/v1/documents/team/c.md', '/files/v1/documents/team/c.md'],
    );
  });

  it('describes itself as being there, to programs too', async () => {
    const { text } = await server.as().get('/v1/openapi.yaml');
    const definition = parse(text, { maxAliasCount: -1 }) as Document;
    assert.deepEqual(
      definition.servers?.map(({ url }) => url),
      [base],
    );
    const client = await new OpenAPIClientAxios({ definition }).init();
    assert.equal(client.api.getBaseURL(), base);
  });
});
