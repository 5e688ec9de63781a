import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import {
  openTestServer,
  type HttpAnswer,
  type HttpClient,
  type Parsed,
  type TestServer,
} from '../support/http/server.js';

interface Item {
  readonly document: { readonly id: string; readonly location: string; readonly etag: string };
  readonly line?: number;
  readonly text?: string;
  readonly changed?: true;
}

const placesOf = ({ json }: HttpAnswer): string[] =>
  json.items.map(({ document, line, changed }: Item) => `${document.location}:${changed === true ? 'changed' : line}`);

describe('The search for lines', () => {
  let service: TestServer;
  let server: TestServer;
  let ada: HttpClient;

  before(async () => {
    service = await openTestServer();
  });
  beforeEach(async () => {
    server = await service.addWorkspace();
    ada = await server.person('approver');
  });
  after(() => service.close());

  const ask = (who: HttpClient, query: Record<string, string | number>): Promise<HttpAnswer> =>
    who.get(
      `/v1/search/lines?${new URLSearchParams({ match: 'exact', ...query } as Record<string, string>).toString()}`,
    );

  /** All pages of a question. */
  async function pagesOf(who: HttpClient, query: Record<string, string | number>): Promise<Parsed[]> {
    const pages: Parsed[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: HttpAnswer = await ask(who, cursor === '' ? query : { ...query, cursor });
      assert.equal(page.status, 200, page.text);
      pages.push(page.json);
      cursor = page.json.next_cursor;
    }
    return pages;
  }

  const allOf = async (who: HttpClient, query: Record<string, string | number>): Promise<string[]> =>
    (await pagesOf(who, query)).flatMap(({ items }) =>
      items.map(({ document, line }: Item) => `${document.location}:${line}`),
    );

  it('finds each line that holds the characters, with its place, its section and the lines around', async () => {
    const made = await ada.create('a/travel.md', '# Travel\n\n## Hotels\n\nUp to 140 EUR a night.\nTrains first.\n');
    const { json } = await ask(ada, { q: '140 EUR', context: 1 });
    assert.deepEqual(json, {
      items: [
        {
          document: { id: made.json.id, location: 'a/travel.md', etag: made.etag },
          line: 5,
          column: 7,
          text: 'Up to 140 EUR a night.',
          cut: false,
          section: 'hotels',
          before: [''],
          after: ['Trains first.'],
        },
      ],
      next_cursor: null,
    });
    assert.deepEqual(placesOf(await ask(ada, { q: '140 eur' })), []);
    assert.deepEqual(placesOf(await ask(ada, { q: '(?i)140 eur', match: 'pattern' })), ['a/travel.md:5']);
  });

  it('narrows by folder, by document and by label, in the order of a list', async () => {
    await ada.post('/v1/documents', { location: 'b.md', content: 'zebra', labels: ['one'] });
    await ada.create('a/z.md', 'zebra\nzebra');
    await ada.create('a/b/y.md', 'zebra');
    await ada.create('a-b/x.md', 'zebra');
    assert.deepEqual(await allOf(ada, { q: 'zebra' }), ['b.md:1', 'a/z.md:1', 'a/z.md:2', 'a/b/y.md:1', 'a-b/x.md:1']);
    assert.deepEqual(await allOf(ada, { q: 'zebra', location: 'a' }), ['a/z.md:1', 'a/z.md:2', 'a/b/y.md:1']);
    assert.deepEqual(await allOf(ada, { q: 'zebra', location: 'a/z.md' }), ['a/z.md:1', 'a/z.md:2']);
    assert.deepEqual(await allOf(ada, { q: 'zebra', label: 'one' }), ['b.md:1']);
    assert.deepEqual(await allOf(ada, { q: 'zebra', location: 'none' }), []);
  });

  it('gives the lines of a plain scan over an export of the reach, page by page, whatever the texts and the query', async function () {
    this.timeout(60_000);
    const piece = fc.constantFrom('a', 'b', 'é', 'e\u0301', 'ab', '.', '🎯', ' ', '\n', '\r\n', '\n\n');
    const text = fc.array(piece, { minLength: 1, maxLength: 30 }).map((pieces) => pieces.join(''));
    const texts = fc.sample(text, { numRuns: 24, seed: 386 });
    for (const [index, content] of texts.entries())
      await ada.create(`${index % 2 ? 'open' : 'shut'}/${index % 3}/${index}.md`, content);
    const latin = Buffer.from('na\u00efve caf\u00e9 ab\n', 'latin1');
    await ada.post('/v1/documents?location=open/latin.txt&media_type=text/plain;charset=iso-8859-1', latin);
    const bob = await server.person('reader', 'open', 'Bob');
    const exported: (readonly [string, string])[] = [];
    for (const { location, content } of await listAll(bob)) exported.push([location, content]);
    assert.equal(exported.length, 13);
    for (const query of ['a', 'ab', 'é', 'e', '.', '🎯', 'a b', 'é.', 'café']) {
      const expected = exported.flatMap(([location, content]) =>
        content
          .split('\n')
          .flatMap((line, index) =>
            line.normalize('NFC').includes(query.normalize('NFC')) ? [`${location}:${index + 1}`] : [],
          ),
      );
      for (const limit of [3, 200]) {
        assert.deepEqual((await allOf(bob, { q: query, limit })).toSorted(), expected.toSorted(), `${query}, ${limit}`);
      }
    }
  });

  async function listAll(who: HttpClient): Promise<{ location: string; content: string }[]> {
    const locations: string[] = [];
    for (const folder of ['open', 'open/0', 'open/1', 'open/2']) {
      const { json } = await who.get(`/v1/documents?location=${folder}&limit=200`);
      locations.push(...json.items.map(({ location }: { location: string }) => location));
    }
    return Promise.all(
      locations.map(async (location) => ({
        location,
        content: String((await who.get(`/v1/documents/${location}`)).json.content),
      })),
    );
  }

  it('gives at most 20 lines of one document on a page, and goes on in it', async () => {
    await ada.create('a/many.md', 'zebra\n'.repeat(45));
    await ada.create('a/next.md', 'zebra');
    const pages = await pagesOf(ada, { q: 'zebra', limit: 200 });
    assert.deepEqual(
      pages.map(({ items }) => items.length),
      [20, 20, 6],
    );
  });

  it('goes on behind a document that has changed, and says so; without a word behind one that went or moved', async () => {
    const lines = 'zebra\n'.repeat(30);
    const begin = async (name: string): Promise<string> => {
      await ada.create(`${name}/a.md`, lines);
      await ada.create(`${name}/b.md`, 'zebra');
      return (await ask(ada, { q: 'zebra', location: name })).json.next_cursor;
    };
    const goOn = async (name: string, cursor: string): Promise<string[]> =>
      placesOf(await ask(ada, { q: 'zebra', location: name, cursor }));
    const changed = await begin('changed');
    const { etag } = await ada.put('/v1/documents/changed/a.md', { content: 'zebra' });
    const answer = await ask(ada, { q: 'zebra', location: 'changed', cursor: changed });
    assert.deepEqual(placesOf(answer), ['changed/a.md:changed', 'changed/b.md:1']);
    assert.equal(answer.json.items[0].document.etag, etag);
    const deleted = await begin('deleted');
    await ada.delete('/v1/documents/deleted/a.md');
    assert.deepEqual(await goOn('deleted', deleted), ['deleted/b.md:1']);
    const moved = await begin('moved');
    await ada.post('/v1/moves', { location: 'moved/a.md', to_folder: 'elsewhere' });
    assert.deepEqual(await goOn('moved', moved), ['moved/b.md:1']);
    const replaced = await begin('replaced');
    await ada.delete('/v1/documents/replaced/a.md');
    await ada.create('replaced/a.md', 'a new zebra');
    assert.deepEqual(await goOn('replaced', replaced), ['replaced/a.md:1', 'replaced/b.md:1']);
  });

  it('goes on without a document whose label or reach is gone', async () => {
    await ada.create('open/a.md', 'zebra\n'.repeat(30));
    const { id, key } = await server.host.person('reader', 'open', 'Bob');
    const bob = server.as(key);
    const { json } = await ask(bob, { q: 'zebra' });
    await server.host.revoke('reader', { type: 'principal', id }, 'open');
    assert.deepEqual((await ask(bob, { q: 'zebra', cursor: json.next_cursor })).json, { items: [], next_cursor: null });
  });

  it('is not touched by documents out of reach: every byte, page and cursor is the same with them', async () => {
    for (let index = 0; index < 60; index += 1)
      await ada.create(`open/${index}.md`, `a zebra ${index}\nand another zebra`);
    const bob = await server.person('reader', 'open', 'Bob');
    const questions = [
      { q: 'zebra', limit: 7 },
      { q: 'zebra', limit: 200, location: 'open' },
      { q: 'z.b[r]a', match: 'pattern', limit: 9, context: 2 },
      { q: 'secret' },
      { q: 'secret', location: 'hidden/0.md' },
      { q: 'secret', location: 'hidden/big.bin' },
      { q: '(', match: 'pattern', location: 'hidden' },
    ];
    const answers = async (): Promise<unknown[]> => {
      const all: unknown[] = [];
      for (const question of questions) {
        const first = await ask(bob, question);
        if (first.status !== 200) all.push([first.status, first.refusal, first.json.error.message]);
        else all.push((await pagesOf(bob, question)).map((page) => [page.items, page.next_cursor?.length]));
      }
      return all;
    };
    const before = await answers();
    for (let index = 0; index < 30; index += 1) await ada.create(`hidden/${index}.md`, 'a secret zebra\n'.repeat(30));
    for (let index = 0; index < 30; index += 1) await ada.create(`aa-${index}.md`, 'a secret zebra\n'.repeat(30));
    await ada.post('/v1/documents?location=hidden/big.bin&media_type=image/png', Buffer.from([0, 1, 2]));
    assert.deepEqual(await answers(), before);
  });

  it('passes over binary documents, and refuses one that is named', async () => {
    await ada.post('/v1/documents?location=a/zebra.bin&media_type=image/png', Buffer.from('zebra\0'));
    await ada.create('a/zebra.md', 'zebra');
    assert.deepEqual(placesOf(await ask(ada, { q: 'zebra' })), ['a/zebra.md:1']);
    assert.equal((await ask(ada, { q: 'zebra', location: 'a/zebra.bin' })).refusal, 'INVALID_REQUEST not_text');
  });

  it('passes over texts of more than 10 MiB, and refuses one that is named', async function () {
    this.timeout(30_000);
    const large = Buffer.alloc(10 * 1024 * 1024 + 1, 'zebra\n');
    const made = await ada.post('/v1/documents?location=a/large.txt&media_type=text/plain', large);
    assert.equal(made.status, 201, made.text);
    assert.deepEqual(placesOf(await ask(ada, { q: 'zebra' })), []);
    const named = await ask(ada, { q: 'zebra', location: 'a/large.txt' });
    assert.equal(named.refusal, 'INVALID_REQUEST content_too_large');
  });

  it('refuses what it cannot ask, naming the field', async () => {
    const wrong: readonly (readonly [Record<string, string | number>, string, string])[] = [
      [{ q: '' }, 'bad_field', 'q'],
      [{ q: 'a'.repeat(501) }, 'bad_field', 'q'],
      [{ q: 'a\nb' }, 'bad_field', 'q'],
      [{ q: 'a', match: 'words' }, 'bad_field', 'match'],
      [{ q: 'a', context: 6 }, 'bad_field', 'context'],
      [{ q: 'a', limit: 201 }, 'bad_field', 'limit'],
      [{ q: 'a', kind: 'text' }, 'unknown_field', 'kind'],
      [{ q: 'a', location: 'a//b' }, 'bad_location', 'location'],
      [{ q: 'ab(?=c)', match: 'pattern' }, 'bad_pattern', 'q'],
      [{ q: 'a{1,500}', match: 'pattern' }, 'bad_pattern', 'q'],
      [{ q: 'a', cursor: 'x' }, 'bad_cursor', 'cursor'],
    ];
    for (const [query, reason, field] of wrong) {
      const { status, json } = await ask(ada, query);
      assert.deepEqual(
        [status, json.error.details.reason, json.error.details.field],
        [400, reason, field],
        JSON.stringify(query),
      );
    }
    const { json } = await ask(ada, { q: 'ab(?=c)', match: 'pattern' });
    assert.equal(json.error.details.position, 3);
  });

  it('ends a page after 8 MiB of text, which may be empty and have a cursor', async function () {
    this.timeout(30_000);
    for (let index = 0; index < 9; index += 1) {
      const content = Buffer.from(`${'x'.repeat(99)}\n`.repeat(10_480) + (index === 8 ? 'zebra' : `${index}`));
      await ada.post(`/v1/documents?location=a/${index}.txt&media_type=text/plain`, content);
    }
    const pages = await pagesOf(ada, { q: 'zebra' });
    assert.ok(pages.length >= 2);
    assert.deepEqual(pages[0].items, []);
    assert.deepEqual(
      pages.flatMap(({ items }) => items.map(({ line }: Item) => line)),
      [10_481],
    );
  });

  it('is refused to a key that has one under way and as many waiting as it may', async () => {
    const strict = await openTestServer({ workLimits: { lineSearches: { waiting: 0 } } });
    try {
      const bob = await strict.person('approver');
      await bob.create('a.md', 'zebra');
      const answers = await Promise.all([ask(bob, { q: 'zebra' }), ask(bob, { q: 'zebra' })]);
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200, 429]));
    } finally {
      await strict.close();
    }
  });

  it('is recorded with the query, how it was asked and the documents of which it showed lines', async () => {
    const one = await ada.create('a/one.md', 'zebra\nzebra');
    await ada.create('a/two.md', 'nothing');
    await ask(ada, { q: 'zebra', location: 'a' });
    const [record] = (await ada.get('/v1/audit?action=document.search&limit=1')).json.items;
    assert.deepEqual([record.target, record.detail], ['zebra', { match: 'exact', folder: 'a' }]);
    const touched = async (location: string): Promise<string[]> => {
      const { json } = await ada.get(`/v1/audit?location=${location}&limit=50`);
      return json.items.map(({ action }: { action: string }) => action);
    };
    assert.ok((await touched('a/one.md')).includes('document.search'), one.text);
    assert.ok(!(await touched('a/two.md')).includes('document.search'));
  });

  it('counts each begun 50 ms of its work as one more request', async () => {
    await ada.create('a/x.md', 'zebra');
    const before = Number((await ada.get('/v1/documents/a/x.md')).headers['x-ratelimit-remaining']);
    const { headers } = await ask(ada, { q: 'zebra' });
    assert.ok(Number(headers['x-ratelimit-remaining']) <= before - 2, String(headers['x-ratelimit-remaining']));
  });
});
