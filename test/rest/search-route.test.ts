import assert from 'node:assert/strict';
import { openTestServer, type HttpAnswer, type HttpClient, type TestServer } from '../support/http/server.js';

describe('the search route', () => {
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

  it('finds documents just written, moved and deleted, in their present state', async () => {
    await ada.create('a/x.md', 'Wombats dig burrows.');
    assert.deepEqual(locationsOf(await ask(ada, 'q=wombat')), ['a/x.md']);
    await ada.post('/v1/moves', { location: 'a/x.md', to_folder: 'b' });
    assert.deepEqual(locationsOf(await ask(ada, 'q=wombat')), ['b/x.md']);
    await ada.put('/v1/documents/b/x.md', { content: 'Badgers do, too.' });
    assert.deepEqual(locationsOf(await ask(ada, 'q=wombat')), []);
    await ada.delete('/v1/documents/b/x.md');
    assert.deepEqual(locationsOf(await ask(ada, 'q=badger')), []);
    await ada.post('/v1/undeletes', { location: 'b/x.md' });
    assert.deepEqual(locationsOf(await ask(ada, 'q=badger')), ['b/x.md']);
  });

  it('gives hits with a snippet and where in it the words are, and no score or total', async () => {
    const made = await ada.post('/v1/documents', { location: 'a/x.md', content: 'A wombat digs.', labels: ['animal'] });
    const { json } = await ask(ada, 'q=wombat');
    assert.deepEqual(Object.keys(json), ['items', 'next_cursor']);
    const [hit] = json.items;
    assert.deepEqual(
      [hit.location, hit.name, hit.kind, hit.media_type, hit.etag, hit.labels],
      ['a/x.md', 'x.md', 'text', made.json.media_type, made.etag, ['animal']],
    );
    assert.deepEqual(
      hit.highlights.map(([start, end]: [number, number]) => hit.snippet.slice(start, end).toLowerCase()),
      ['wombat'],
    );
    assert.ok(!('score' in hit));
  });

  it('narrows by folder, label and kind', async () => {
    await ada.post('/v1/documents', { location: 'a/x.md', content: 'wombat', labels: ['one'] });
    await ada.post('/v1/documents', { location: 'a-b/y.md', content: 'wombat', labels: ['two'] });
    await ada.post('/v1/documents?location=a/wombat.png&media_type=image/png', Buffer.from([0, 1, 2]));
    assert.deepEqual(locationsOf(await ask(ada, 'q=wombat&location=a')).toSorted(), ['a/wombat.png', 'a/x.md']);
    assert.deepEqual(locationsOf(await ask(ada, 'q=wombat&label=two')), ['a-b/y.md']);
    assert.deepEqual(locationsOf(await ask(ada, 'q=wombat&kind=binary')), ['a/wombat.png']);
    assert.deepEqual(locationsOf(await ask(ada, 'q=wombat&location=none')), []);
  });

  it('finds nothing out of reach, by word, prefix, phrase, name or label, and pages as if it were absent', async () => {
    for (let index = 0; index < 5; index += 1) await ada.create(`open/${index}.md`, `wombat number ${index}`);
    const bob = await server.person('reader', 'open', 'Bob');
    const queries = [
      'q=wombat&limit=2',
      'q=secretive',
      'q=secr*',
      'q=%22wombat+secretive%22',
      'q=plan',
      'q=wombat&label=x',
    ];
    const pagesOf = async (query: string): Promise<string[]> => {
      const pages: string[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const page: HttpAnswer = await ask(bob, `${query}${cursor && `&cursor=${cursor}`}`);
        assert.equal(page.status, 200, page.text);
        pages.push(JSON.stringify([page.json.items, page.json.next_cursor?.length]));
        cursor = page.json.next_cursor;
      }
      return pages;
    };
    const before = await Promise.all(queries.map(pagesOf));
    for (let index = 0; index < 9; index += 1) {
      await ada.post('/v1/documents', {
        location: `hidden/plan-${index}.md`,
        content: 'wombat secretive wombat',
        labels: ['x'],
      });
    }
    assert.deepEqual(await Promise.all(queries.map(pagesOf)), before);
    assert.equal(before[0]?.length, 3);
    assert.deepEqual(locationsOf(await ask(ada, 'q=secretive&limit=200')).length, 9);
  });

  it('finds nothing more from the next request on when reach is revoked', async () => {
    await ada.create('open/x.md', 'wombat');
    const { id, key } = await server.host.person('reader', 'open', 'Bob');
    const bob = server.as(key);
    assert.equal(locationsOf(await ask(bob, 'q=wombat')).length, 1);
    await server.host.revoke('reader', { type: 'principal', id }, 'open');
    assert.deepEqual((await ask(bob, 'q=wombat')).json, { items: [], next_cursor: null });
  });

  it('gives a key without grants an empty page', async () => {
    await ada.create('open/x.md', 'wombat');
    const nobody = server.as(await server.host.key(await server.host.principal('Nobody')));
    assert.deepEqual((await ask(nobody, 'q=wombat')).json, { items: [], next_cursor: null });
  });

  it('goes through all hits once, and takes a cursor only with its own query', async () => {
    for (let index = 0; index < 7; index += 1) await ada.create(`a/${index}.md`, `wombat ${'dig '.repeat(index)}`);
    const whole = locationsOf(await ask(ada, 'q=wombat'));
    const paged: string[] = [];
    let first = '';
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: HttpAnswer = await ask(ada, `q=wombat&limit=3${cursor && `&cursor=${cursor}`}`);
      paged.push(...locationsOf(page));
      cursor = page.json.next_cursor;
      first ||= cursor ?? '';
    }
    assert.deepEqual(paged, whole);
    for (const other of ['q=wombats&limit=3', 'q=wombat&limit=4', 'q=wombat&limit=3&location=a']) {
      assert.equal((await ask(ada, `${other}&cursor=${first}`)).refusal, 'INVALID_REQUEST bad_cursor', other);
    }
  });

  it('refuses an invalid query, naming the field', async () => {
    const wrong: [string, string, string][] = [
      ['', 'missing_field', 'q'],
      ['q=', 'bad_field', 'q'],
      ['q=a&kind=folder', 'bad_field', 'kind'],
      ['q=a&location=a//b', 'bad_location', 'location'],
      ['q=a&sort=name', 'unknown_field', 'sort'],
      ['q=a&q=b', 'bad_field', 'q'],
      ['q=a&limit=0', 'bad_field', 'limit'],
    ];
    for (const [query, reason, field] of wrong) {
      const { status, json } = await ask(ada, query);
      assert.deepEqual([status, json.error.details.reason, json.error.details.field], [400, reason, field], query);
    }
  });

  const ask = (who: HttpClient, query: string): Promise<HttpAnswer> => who.get(`/v1/search?${query}`);

  const locationsOf = ({ json }: HttpAnswer): string[] =>
    json.items.map(({ location }: { location: string }) => location);
});
