import assert from 'node:assert/strict';
import { parseLocation } from '../../lib/domain/location.js';
import { addLabels } from '../../lib/operations/documents/change-labels.js';
import { perform } from '../../lib/operations/perform.js';
import { openTestServer, type HttpClient, type TestServer } from '../support/http/server.js';
import { operator } from '../support/store/service.js';
import { claim } from '../support/store/place.js';

// As it runs for users: no comparison of answers with the description, so that remembered answers are used.
const server = { validateResponses: false };

describe('a server as it runs for users', () => {
  let host: TestServer;
  let ada: HttpClient;
  before(async () => {
    host = await openTestServer({ server });
    ada = await host.person('approver');
  });
  after(() => host.close());

  describe('lists the documents', () => {
    before(async () => {
      for (const name of ['a.md', 'b.md', 'ü — 中.md']) await ada.create(`shelf/${name}`, name);
    });

    it('in the same bytes each time without a change', async () => {
      const first = await list();
      assert.equal(JSON.parse(first).items.length, 3);
      for (let again = 0; again < 3; again += 1) assert.equal(await list(), first);
    });

    it('with cursors of each request’s own that lead to the same next page', async () => {
      const pages = [];
      for (let again = 0; again < 3; again += 1)
        pages.push((await ada.get('/v1/documents?location=shelf&limit=2')).json);
      for (const { items, next_cursor: cursor } of pages) {
        assert.deepEqual(items, pages[0].items);
        const next = await ada.get(`/v1/documents?location=shelf&limit=2&cursor=${cursor}`);
        assert.deepEqual(
          next.json.items.map(({ name }: { name: string }) => name),
          ['ü — 中.md'],
        );
        assert.equal(next.json.next_cursor, null);
      }
    });

    it('and shows every change to the next request', async () => {
      const seen = new Set([await list(), await list()]);
      const changes: readonly (() => Promise<unknown>)[] = [
        () => ada.put('/v1/documents/shelf/a.md', { content: 'new' }),
        () =>
          perform(host.host.workspace, operator, addLabels, { location: parseLocation('shelf/a.md'), labels: ['x'] }),
        () => ada.create('shelf/c.md'),
        () => ada.post('/v1/renames', { location: 'shelf/c.md', name: 'd.md' }),
        () => ada.delete('/v1/documents/shelf/b.md'),
      ];
      for (const [index, change] of changes.entries()) {
        await change();
        const now = await list();
        assert.equal(await list(), now);
        assert.equal(seen.has(now), false, `change ${index} is not seen`);
        seen.add(now);
      }
      assert.deepEqual(await names(), ['a.md', 'd.md', 'ü — 中.md']);
    });

    it('a claim only while it lasts', async () => {
      const { id } = await host.host.person('editor', '', 'Holder');
      const isClaimed = async (): Promise<boolean> =>
        JSON.parse(await list()).items.some((item: { claim: unknown }) => item.claim !== null);
      assert.equal(await isClaimed(), false);
      await claim(host.host, 'shelf/a.md', id);
      assert.equal(await isClaimed(), true);
      assert.equal(await isClaimed(), true);
      host.host.clock.advance(25 * 60 * 60 * 1000);
      assert.equal(await isClaimed(), false);
    });

    it('only to those who may read the folder', async () => {
      await list();
      const stranger = await host.person('reader', 'elsewhere', 'Stranger');
      assert.equal((await stranger.get('/v1/documents?location=shelf')).text, '{"items":[],"next_cursor":null}');
    });

    const list = async (target = '/v1/documents?location=shelf'): Promise<string> => (await ada.get(target)).text;

    const names = async (location = 'shelf'): Promise<string[]> =>
      JSON.parse(await list(`/v1/documents?location=${location}`)).items.map((item: { name: string }) => item.name);
  });

  it('refuses like a server with checked answers, byte for byte', async () => {
    const checked = await openTestServer();
    const bob = await checked.person('approver');
    const targets: readonly (readonly [method: string, target: string, headers?: Record<string, string>])[] = [
      ['GET', '/v1/documents/a%00b'],
      ['GET', '/v1/documents/..%2Fx'],
      ['GET', '/v1/documents/absent.md'],
      ['GET', '/v1/documents/absent.md?'],
      ['GET', '/v1/documents/absent.md?version='],
      ['GET', '/v1/documents/absent.md?nothing=1'],
      ['GET', '/v1/documents/absent.md', { 'If-None-Match': '' }],
      ['GET', '/v1/documents/absent.md', { Range: 'bytes=0-' }],
      ['GET', '/v1/documents/absent.md', { 'Content-Type': 'application/json' }],
      ['HEAD', '/v1/documents/absent.md'],
      ['DELETE', '/v1/documents/absent.md'],
      ['DELETE', '/v1/documents/absent.md', { 'If-Match': 'x' }],
      ['GET', '/v1/documents'],
      ['GET', '/v1/folders?limit=0'],
      ['GET', '/v1/search'],
      ['POST', '/v1/documents'],
      ['GET', '/v1/grants'],
    ];
    try {
      for (const [method, target, headers = {}] of targets) {
        const [served, expected] = await Promise.all(
          [ada, bob].map((client) => client.send(method, target, { headers })),
        );
        const bytes = (answer: typeof served): string => `${answer?.status} ${answer?.text.replace(/req_\w+/, 'req')}`;
        if (target === '/v1/documents' && method === 'GET') assert.equal(served?.status, expected?.status);
        else assert.equal(bytes(served), bytes(expected), `${method} ${target}`);
      }
    } finally {
      await checked.close();
    }
  });
});
