import assert from 'node:assert/strict';
import { perform } from '../../lib/operations/perform.js';
import { changePolicy } from '../../lib/operations/workspaces/change-policy.js';
import { operator } from '../support/store/service.js';
import { mirror } from '../support/store/place.js';
import { openTestServer, type HttpAnswer, type HttpClient, type TestServer } from '../support/http/server.js';

describe('folders over REST', () => {
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

  it('can be made empty, with those above them, and stay when they are empty', async () => {
    const made = await make(ada, 'a/b/c d');
    assert.equal(made.status, 201);
    assert.deepEqual(made.json, { location: 'a/b/c d', name: 'c d', read_only: false, source: null });
    assert.deepEqual((await ada.get(made.headers.location ?? '')).json, { items: [], next_cursor: null });
    assert.deepEqual(namesOf(await ada.get('/v1/folders?location=a/b')), ['c d']);
    await ada.create('a/b/c d/x.md');
    await ada.delete('/v1/documents/a/b/c%20d/x.md');
    assert.deepEqual(namesOf(await ada.get('/v1/folders?location=a/b')), ['c d']);
  });

  it('show no document for the file that keeps them in git', async () => {
    await make(ada, 'kept');
    assert.deepEqual((await ada.get('/v1/documents?location=kept')).json.items, []);
    assert.ok((await ada.get('/v1/documents/kept/.gitkeep')).status >= 400);
  });

  it('are refused where the name is taken, or a document is on the way', async () => {
    await ada.create('a/x.md');
    for (const [location, taken] of [
      ['a', 'a'],
      ['a/x.md', 'a/x.md'],
      ['a/x.md/sub', 'a/x.md'],
    ] as const) {
      const refused = await make(ada, location);
      assert.equal(refused.refusal, 'CONFLICT name_taken');
      assert.equal(refused.json.error.details.location, taken);
    }
  });

  it('are NOT_FOUND for a creator who is no editor there, whether or not the name is taken', async () => {
    await ada.create('a/b/x.md');
    const [reader, stranger] = [await server.person('reader', 'a'), await server.person('editor', 'c', 'stranger')];
    for (const who of [reader, stranger]) {
      for (const location of ['a/b', 'a/new', 'new']) assert.equal((await make(who, location)).refusal, 'NOT_FOUND');
    }
    assert.equal((await make(stranger, 'c/new')).status, 201);
  });

  it('cannot be made inside a mirror', async () => {
    await ada.create('m/x.md');
    await mirror(server.host, 'm');
    assert.equal((await make(ada, 'm/new')).refusal, 'INVALID_REQUEST read_only_source');
    const [folder] = (await ada.get('/v1/folders')).json.items;
    assert.equal(folder.read_only, true);
  });

  it('can be renamed and moved while empty', async () => {
    await make(ada, 'a/empty');
    assert.equal((await ada.post('/v1/renames', { location: 'a/empty', name: 'void' })).json.location, 'a/void');
    assert.equal((await ada.post('/v1/moves', { location: 'a/void', to_folder: 'b' })).json.location, 'b/void');
    assert.deepEqual(namesOf(await ada.get('/v1/folders?location=b')), ['void']);
  });

  it('are listed one level at a time, in order, in pages', async () => {
    await perform(server.host.workspace, operator, changePolicy, { portableNames: false });
    for (const name of ['b', 'a', 'B', 'ä', 'a b', 'a-b']) await ada.create(`top/${name}/x.md`);
    const names: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: HttpAnswer = await ada.get(`/v1/folders?location=top&limit=2${cursor && `&cursor=${cursor}`}`);
      names.push(...namesOf(page));
      cursor = page.json.next_cursor;
    }
    assert.deepEqual(names, ['B', 'a', 'a b', 'a-b', 'b', 'ä']);
  });

  it('show to a key only where it has reach, and absent ones look like hidden ones', async () => {
    for (const location of ['a/one/x.md', 'a/two/y.md', 'b/z.md']) await ada.create(location);
    await make(ada, 'c');
    const bob = await server.person('reader', 'a/one', 'Bob');
    assert.deepEqual(namesOf(await bob.get('/v1/folders')), ['a']);
    assert.deepEqual(namesOf(await bob.get('/v1/folders?location=a')), ['one']);
    const texts = new Set<string>();
    for (const location of ['b', 'c', 'none', 'a/two', 'a/none', 'a/two/y.md']) {
      texts.add((await bob.get(`/v1/folders?location=${encodeURIComponent(location)}`)).text);
    }
    assert.deepEqual([...texts], ['{"items":[],"next_cursor":null}']);
  });

  it('take a location and nothing else', async () => {
    const wrong: [object, string, string][] = [
      [{}, 'missing_field', 'location'],
      [{ location: 'a', name: 'b' }, 'unknown_field', 'name'],
      [{ location: '' }, 'bad_location', 'location'],
      [{ location: 'a/' }, 'bad_location', 'location'],
      [{ location: 7 }, 'bad_field', 'location'],
    ];
    for (const [body, reason, field] of wrong) {
      const { json } = await ada.post('/v1/folders', body);
      assert.deepEqual([json.error.details.reason, json.error.details.field], [reason, field]);
    }
  });

  const make = (who: HttpClient, location: string): Promise<HttpAnswer> => who.post('/v1/folders', { location });

  const namesOf = ({ json }: HttpAnswer): string[] => json.items.map(({ name }: { name: string }) => name);
});
