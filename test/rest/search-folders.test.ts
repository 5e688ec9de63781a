import assert from 'node:assert/strict';
import { openTestServer, type HttpAnswer, type HttpClient, type TestServer } from '../support/http/server.js';

describe('the search route, for folders', () => {
  let server: TestServer;
  let admin: HttpClient;
  let reader: HttpClient;
  before(async () => {
    server = await openTestServer();
    admin = await server.person('approver');
    reader = await server.person('reader', 'teams');
    await admin.create('teams/release plans/a.md', 'first');
    await admin.create('teams/archive/b.md', 'plans of before');
    await admin.create('plans/c.md', 'third');
    for (let page = 0; page < 3; page += 1) await admin.create(`teams/notes/${page}.md`, 'the plans');
  });
  after(() => server.close());

  const ask = (who: HttpClient, query: Readonly<Record<string, string>>): Promise<HttpAnswer> =>
    who.get(`/v1/search?${new URLSearchParams(query).toString()}`);
  const foldersOf = ({ json }: HttpAnswer): unknown[] =>
    (json.folders ?? []).map(({ location }: { location: string }) => location);
  const hitsOf = ({ json }: HttpAnswer): string[] =>
    json.items.map(({ location }: { location: string }) => location).sort();

  it('shows those whose names have the words, on the first page, and only those in reach', async () => {
    const answer = await ask(admin, { q: 'plan' });
    assert.deepEqual(foldersOf(answer), ['plans', 'teams/release plans']);
    assert.deepEqual(answer.json.folders[0], { location: 'plans', name: 'plans', read_only: false, source: null });
    assert.deepEqual(foldersOf(await ask(reader, { q: 'plan' })), ['teams/release plans']);
    assert.deepEqual(foldersOf(await ask(reader, { q: 'plan', location: 'teams/release plans' })), []);
    assert.ok(!('folders' in (await ask(admin, { q: 'third' })).json));
    const first = await ask(admin, { q: 'plans', limit: '2' });
    const second = await ask(admin, { q: 'plans', limit: '2', cursor: first.json.next_cursor });
    assert.deepEqual([foldersOf(first).length, foldersOf(second)], [2, []]);
    assert.deepEqual(foldersOf(await ask(admin, { q: 'plans', kind: 'text' })), []);
  });

  it('shows a moved folder under its new name, and none that was deleted', async () => {
    const { etag } = (await admin.create('teams/capybaras/a.md', 'x')).json;
    await admin.post('/v1/renames', { location: 'teams/capybaras', name: 'marmots' });
    assert.deepEqual(foldersOf(await ask(reader, { q: 'marmot' })), ['teams/marmots']);
    assert.deepEqual(foldersOf(await ask(reader, { q: 'capybara' })), []);
    assert.equal((await admin.delete('/v1/documents/teams/marmots/a.md', { 'If-Match': etag })).status, 200);
    assert.deepEqual(foldersOf(await ask(reader, { q: 'marmot' })), []);
  });

  it('narrows a search to folders of a name, or leaves them out', async () => {
    assert.deepEqual(hitsOf(await ask(admin, { q: 'folder:archive' })), ['teams/archive/b.md']);
    assert.deepEqual(hitsOf(await ask(admin, { q: 'plans folder:"release plan"' })), []);
    assert.deepEqual(hitsOf(await ask(reader, { q: 'first folder:"release plan"' })), ['teams/release plans/a.md']);
    const others = hitsOf(await ask(admin, { q: 'plans -folder:notes' }));
    assert.deepEqual(others, ['teams/archive/b.md']);
    assert.deepEqual((await ask(admin, { q: 'frist folder:archive' })).json.did_you_mean, undefined);
    assert.deepEqual((await ask(admin, { q: 'frist folder:release' })).json.did_you_mean, ['first']);
  });
});
