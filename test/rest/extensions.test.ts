import assert from 'node:assert/strict';
import { parse } from 'yaml';
import { openTestServer, type HttpAnswer, type HttpClient, type TestServer } from '../support/http/server.js';
import { extensionRoutes } from '../../lib/api/rest/rest-routes.js';
import { readDescription } from '../../lib/api/requests/description.js';

describe('REST beyond the specification', () => {
  let service: TestServer;
  let server: TestServer;
  let ada: HttpClient;
  let rita: HttpClient;

  before(async () => {
    service = await openTestServer();
  });
  beforeEach(async () => {
    server = await service.addWorkspace();
    ada = await server.person('approver', '', 'Ada');
    rita = await server.person('reader', 'team', 'Rita');
  });
  after(() => service.close());

  it('is marked as such in the description, and lies where no document can', () => {
    const { paths } = parse(readDescription('openapi.yaml').text) as { paths: Record<string, Record<string, Item>> };
    for (const { method, path } of extensionRoutes) {
      assert.equal(paths[path]?.[method.toLowerCase()]?.['x-beyond-specification'], true, `${method} ${path}`);
      assert.ok(!path.startsWith('/v1/documents/'), path);
      const hasId = ['connectors', 'keys', 'webhooks', 'audit/verifications'].some((of) =>
        path.startsWith(`/v1/${of}/{id}`),
      );
      assert.ok(!path.includes('{') || /^\/v1\/(?:files|texts)\/\{location\}$/.test(path) || hasId, path);
    }
  });

  describe('histories', () => {
    it('go back page by page through versions, moves and deletions, with author, time and place', async () => {
      await ada.post('/v1/documents', { location: 'team/a.md', content: 'one', message: 'First' });
      server.host.clock.advance(1000);
      await ada.put('/v1/documents/team/a.md', { content: 'two' });
      await ada.post('/v1/renames', { location: 'team/a.md', name: 'b.md' });
      await ada.delete('/v1/documents/team/b.md');
      await ada.post('/v1/undeletes', { location: 'team/b.md' });
      const items = await readAll(rita, '/v1/history?location=team/b.md');
      assert.deepEqual(
        items.map(({ type, operation, location, from, to }) => [
          type,
          operation,
          location ?? `${String(from)} > ${String(to)}`,
        ]),
        [
          ['version', 'undelete', 'team/b.md'],
          ['deletion', 'delete', 'team/b.md'],
          ['relocation', 'rename', 'team/a.md > team/b.md'],
          ['version', 'update', 'team/a.md'],
          ['version', 'create', 'team/a.md'],
        ],
      );
      const first = items.at(-1) as { version: { id: string; message: string }; at: string; principal: Item };
      assert.deepEqual([first.version.message, first.principal['display_name']], ['First', 'Ada']);
      assert.ok(first.at < String(items[3]?.['at']));
      const old = await rita.get(`/v1/documents/team/b.md?version=${first.version.id}`);
      assert.equal(old.json.content, 'one');
    });

    it('name no place out of the key’s present reach', async () => {
      await ada.create('secret/plan.md');
      await ada.post('/v1/moves', { location: 'secret/plan.md', to_folder: 'team', acknowledge_access_change: true });
      const items = await readAll(rita, '/v1/history?location=team/plan.md');
      assert.deepEqual(
        items.map(({ location, from, to }) => [location, from, to]),
        [
          [undefined, null, 'team/plan.md'],
          [null, undefined, undefined],
        ],
      );
      assert.ok(!JSON.stringify(items).includes('secret'));
    });

    it('take a cursor of the same document and key alone', async () => {
      await ada.create('team/a.md');
      await ada.create('team/b.md');
      await ada.put('/v1/documents/team/a.md', { content: 'two' });
      const { next_cursor: cursor } = (await ada.get('/v1/history?location=team/a.md&limit=1')).json;
      for (const [who, target] of [
        [ada, `/v1/history?location=team/b.md&limit=1&cursor=${cursor}`],
        [rita, `/v1/history?location=team/a.md&limit=1&cursor=${cursor}`],
        [ada, `/v1/comments?location=team/a.md&limit=1&cursor=${cursor}`],
      ] as const) {
        assert.equal((await who.get(target)).refusal, 'INVALID_REQUEST bad_cursor', target);
      }
    });
  });

  describe('diffs', () => {
    it('compare the last two versions, or any two, and explain when they do not', async () => {
      const first = (await ada.create('team/a.md', 'one\ntwo words\n')).json.version.id;
      const second = (await ada.put('/v1/documents/team/a.md', { content: 'one\nthree words\n' })).json.version.id;
      const { json } = await rita.get('/v1/diffs?location=team/a.md');
      assert.deepEqual(
        [json.from.id, json.to.id, json.is_same, json.not_compared_because],
        [first, second, false, null],
      );
      assert.deepEqual(
        json.diff.hunks[0].lines.map(({ kind, text }: Item) => `${String(kind)} ${String(text)}`),
        ['same one', 'removed two words', 'added three words'],
      );
      const back = await rita.get(`/v1/diffs?location=team/a.md&from=${second}&to=${first}`);
      assert.equal(back.json.diff.hunks[0].lines[1].text, 'three words');
      await ada.post('/v1/documents', { location: 'team/b.bin', content: 'AAA=', encoding: 'base64' });
      const binary = (await rita.get('/v1/diffs?location=team/b.bin')).json;
      assert.deepEqual([binary.from, binary.diff, binary.not_compared_because], [null, null, 'binary']);
    });

    it('know the versions of this document only', async () => {
      await ada.create('team/a.md');
      const other = (await ada.create('team/b.md')).json.version.id;
      const [unknown, none] = [
        await rita.get(`/v1/diffs?location=team/a.md&from=${other}`),
        await rita.get(`/v1/diffs?location=team/a.md&from=${'0'.repeat(40)}`),
      ];
      assert.deepEqual([unknown.refusal, none.refusal], ['NOT_FOUND', 'NOT_FOUND']);
      assert.equal((await rita.get('/v1/diffs?location=team/a.md&from=x')).refusal, 'INVALID_REQUEST bad_field');
    });
  });

  describe('labels', () => {
    it('are read, added, set and taken off, make no version, and are found by a search', async () => {
      const { etag } = await ada.create('team/a.md');
      const add = await ada.post('/v1/labels', { location: 'team/a.md', labels: ['b', 'a'] });
      assert.deepEqual(add.json, { location: 'team/a.md', labels: ['a', 'b'] });
      assert.deepEqual((await ada.delete('/v1/labels?location=team/a.md&label=b')).json.labels, ['a']);
      assert.deepEqual((await ada.put('/v1/labels?location=team/a.md', { labels: ['z'] })).json.labels, ['z']);
      assert.deepEqual((await rita.get('/v1/labels?location=team/a.md')).json.labels, ['z']);
      assert.equal((await rita.get('/v1/documents/team/a.md')).etag, etag);
      assert.equal((await rita.get('/v1/search?q=label:z')).json.items.length, 1);
      assert.equal((await rita.put('/v1/labels?location=team/a.md', { labels: [] })).refusal, 'NOT_FOUND');
      assert.deepEqual((await ada.put('/v1/labels?location=team/a.md', { labels: [] })).json.labels, []);
    });
  });

  describe('claims', () => {
    it('keep others from writing until they are given up', async () => {
      const ben = await server.person('editor', 'team', 'Ben');
      await ada.create('team/a.md', '# One\n\nx\n');
      const taken = await ben.post('/v1/claims', { location: 'team/a.md', section: 'one', purpose: 'New rates' });
      assert.equal(taken.status, 201, taken.text);
      assert.equal(taken.headers.location, '/v1/claims?location=team%2Fa.md');
      assert.equal((await ada.put('/v1/documents/team/a.md', { content: '# One\n\ny\n' })).refusal, 'CONFLICT claimed');
      assert.deepEqual((await rita.get('/v1/claims?location=team')).json.items, [taken.json]);
      server.host.clock.advance(1000);
      const renewed = await ben.post('/v1/claims', { location: 'team/a.md', section: 'one' });
      assert.equal(renewed.status, 200);
      assert.ok(renewed.json.expires_at > taken.json.expires_at);
      assert.equal((await ada.delete(`/v1/claims?id=${taken.json.id}`)).refusal, 'NOT_FOUND');
      assert.deepEqual((await ben.delete(`/v1/claims?id=${taken.json.id}`)).json, {
        released: true,
        id: taken.json.id,
      });
      assert.equal((await ada.put('/v1/documents/team/a.md', { content: 'y' })).status, 200);
    });

    it('are refused in described words', async () => {
      await ada.create('team/a.md', '# One\n');
      await ada.post('/v1/claims', { location: 'team/a.md' });
      const ben = await server.person('editor', 'team', 'Ben');
      assert.equal((await ben.post('/v1/claims', { location: 'team/a.md' })).refusal, 'CONFLICT claimed');
      const unknown = await ada.post('/v1/claims', { location: 'team/a.md', section: 'two' });
      assert.equal(unknown.refusal, 'INVALID_REQUEST no_such_section');
      for (const body of [{ ttl_seconds: 1 }, { ttl_seconds: '60' }, { section: '' }, { purpose: 'x\ny' }]) {
        const refused = await ada.post('/v1/claims', { location: 'team/a.md', ...body });
        assert.equal(refused.refusal, 'INVALID_REQUEST bad_field', JSON.stringify(body));
      }
    });
  });

  describe('comments', () => {
    it('are written on passages, answered, edited, settled and taken away', async () => {
      await ada.create('team/a.md', 'first line\nsecond line\n');
      const asked = await add(rita, { text: 'why?', passage: { quote: 'second' } });
      assert.deepEqual([asked.status, asked.json.is_first], [201, true], asked.text);
      const answer = await add(ada, { text: 'so', thread_id: asked.json.thread_id });
      const listed = await readAll(rita, '/v1/comments?location=team/a.md');
      assert.deepEqual(
        listed.map(({ text, anchor }) => [text, (anchor as Item)['line']]),
        [
          ['why?', 2],
          ['so', 2],
        ],
      );
      const place = (id: string): string => `/v1/comments?location=team/a.md&id=${id}`;
      assert.equal((await rita.put(place(asked.json.id), { text: 'why so?' })).json.text, 'why so?');
      assert.equal((await rita.put(place(answer.json.id), { text: 'x' })).refusal, 'NOT_FOUND');
      const thread = `/v1/threads?location=team/a.md&id=${asked.json.thread_id}`;
      assert.equal(typeof (await rita.put(thread, { resolved: true })).json.resolved.at, 'string');
      assert.deepEqual((await rita.get('/v1/comments?location=team/a.md&which=open')).json.items, []);
      assert.equal((await rita.put(thread, { resolved: false })).json.resolved, null);
      await ada.put('/v1/documents/team/a.md', { content: 'gone' });
      const [orphan] = (await rita.get('/v1/comments?location=team/a.md')).json.items;
      assert.deepEqual(orphan.anchor, { type: 'orphaned', quote: 'second' });
      assert.equal((await ada.delete(place(asked.json.id))).json.deleted, true);
      const [emptied] = (await rita.get('/v1/comments?location=team/a.md')).json.items;
      assert.deepEqual([emptied.text, typeof emptied.deleted_at], ['', 'string']);
    });

    it('show their present state to a retry: a deleted text is kept nowhere', async () => {
      await ada.create('team/a.md');
      const once = { 'Idempotency-Key': 'once' };
      const body = { location: 'team/a.md', text: 'a wombat' };
      const written = await rita.post('/v1/comments', body, once);
      await add(ada, { text: 'answered', thread_id: written.json.thread_id });
      await rita.delete(`/v1/comments?location=team/a.md&id=${written.json.id}`);
      const again = await rita.post('/v1/comments', body, once);
      assert.deepEqual(
        [again.headers['idempotent-replayed'], again.json.id, again.json.text],
        ['true', written.json.id, ''],
      );
    });

    it('are refused in described words', async () => {
      await ada.create('team/a.md', 'text');
      await ada.post('/v1/documents', { location: 'team/b.bin', content: 'AAA=', encoding: 'base64' });
      const { thread_id: thread } = (await add(rita, { text: 'x' })).json;
      const none = await add(rita, { text: 'x', passage: { quote: 'nowhere' } });
      assert.equal(none.refusal, 'INVALID_REQUEST quote_not_found');
      const binary = await add(rita, { location: 'team/b.bin', text: 'x', passage: { quote: 'x' } });
      assert.equal(binary.refusal, 'INVALID_REQUEST not_text');
      for (const body of [
        { text: ' ' },
        { text: 'x', thread_id: thread, passage: { quote: 'text' } },
        { text: 'x', mentions: ['a b'] },
        { text: 'x'.repeat(8001) },
        { text: 'x', passage: { quote: 'text', start: -1 } },
      ]) {
        assert.equal((await add(rita, body)).refusal, 'INVALID_REQUEST bad_field', JSON.stringify(body).slice(0, 80));
      }
    });

    const add = async (who: HttpClient, body: object): Promise<HttpAnswer> =>
      who.post('/v1/comments', { location: 'team/a.md', ...body });
  });

  it('is checked, recorded and counted like everything else', async () => {
    await ada.create('team/a.md');
    const before = server.records().length;
    const answers = [
      await rita.get('/v1/history?location=team/a.md'),
      await rita.get('/v1/diffs?location=secret.md'),
      await rita.get('/v1/comments?location=team/a.md'),
      await rita.put('/v1/labels?location=team/a.md', { labels: [] }),
      await rita.get('/v1/history?location=team/../a.md'),
      await rita.get('/v1/history'),
      await rita.get('/v1/history?location=team/a.md&page=2'),
    ];
    assert.deepEqual(
      answers.map(({ status, refusal }) => refusal || status),
      [
        200,
        'NOT_FOUND',
        200,
        'NOT_FOUND',
        'INVALID_REQUEST bad_location',
        'INVALID_REQUEST missing_field',
        'INVALID_REQUEST unknown_field',
      ],
    );
    const records = server.records().slice(before);
    assert.deepEqual(
      records.map(({ record }) => `${record.action} ${record.outcome}`),
      [
        'document.history done',
        'document.diff refused',
        'comment.list done',
        'label.set refused',
        'document.history refused',
        'document.history refused',
        'document.history refused',
      ],
    );
    const left = answers.map(({ headers }) => Number(headers['x-ratelimit-remaining']));
    assert.ok(left.every((count) => Number.isInteger(count)));
  });

  /** Page after page of one item, each cursor sealed for this query. */
  async function readAll(who: HttpClient, target: string): Promise<Item[]> {
    const items: Item[] = [];
    for (let next: string | null = ''; next !== null;) {
      const page: HttpAnswer = await who.get(`${target}&limit=1${next === '' ? '' : `&cursor=${next}`}`);
      assert.equal(page.status, 200, page.text);
      items.push(...(page.json.items as Item[]));
      next = page.json.next_cursor as string | null;
    }
    return items;
  }
});

type Item = Readonly<Record<string, unknown>>;
