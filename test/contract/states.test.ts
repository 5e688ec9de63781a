import assert from 'node:assert/strict';
import { hashObject } from '../../lib/git/objects/objects.js';
import { eraseAt } from '../support/store/erase-at.js';
import { Actor, outcomeOf } from '../support/store/actor.js';
import { openTestServer, type HttpClient, type TestServer } from '../support/http/server.js';

describe('the states of a document', () => {
  let server: TestServer;
  let ada: HttpClient;

  before(async () => {
    server = await openTestServer();
    ada = await server.person('approver');
  });
  after(() => server.close());

  it('States: a create with an Idempotency-Key makes a live document with a version and an ETag', async () => {
    const { status, etag } = await ada.create('s/new.md');
    assert.equal(status, 201);
    assert.match(etag, /^"[0-9a-f]{40}"$/);
    assert.equal((await ada.get('/v1/documents/s/new.md')).status, 200);
  });

  it('States: a repeated create gives the first answer again, marked as such, and makes nothing', async () => {
    const key = { 'Idempotency-Key': 'repeat-1' };
    const first = await ada.create('s/once.md', 'text', key);
    const { head } = server;
    const again = await ada.create('s/once.md', 'text', key);
    assert.deepEqual([again.status, again.text, again.etag], [201, first.text, first.etag]);
    assert.equal(again.headers.location, first.headers.location);
    assert.equal(first.headers['idempotent-replayed'], undefined);
    assert.equal(again.headers['idempotent-replayed'], 'true');
    assert.equal(server.head, head);
  });

  it('States: live stays live under an update with the current ETag, and unchanged under a stale one', async () => {
    const first = await ada.create('s/live.md', 'one');
    const second = await ada.put('/v1/documents/s/live.md', { content: 'two' }, { 'If-Match': first.etag });
    assert.equal(second.status, 200);
    const stale = await ada.put('/v1/documents/s/live.md', { content: 'three' }, { 'If-Match': first.etag });
    assert.equal(stale.status, 409);
    const { json, etag } = await ada.get('/v1/documents/s/live.md');
    assert.deepEqual([json.content, etag], ['two', second.etag]);
  });

  it('States: a deleted document is hidden from reading, listing and writing, with its folder if that is empty now', async () => {
    const { etag } = await ada.create('s/gone/only.md');
    const stale = await ada.delete('/v1/documents/s/gone/only.md', { 'If-Match': `"${'0'.repeat(40)}"` });
    assert.equal(stale.status, 409);
    assert.equal((await ada.delete('/v1/documents/s/gone/only.md', { 'If-Match': etag })).status, 200);
    assert.equal((await ada.get('/v1/documents/s/gone/only.md')).status, 404);
    assert.equal((await ada.get(`/v1/documents/s/gone/only.md?version=${etag.slice(1, -1)}`)).status, 404);
    assert.equal((await ada.put('/v1/documents/s/gone/only.md', { content: 'x' })).status, 404);
    assert.equal((await ada.delete('/v1/documents/s/gone/only.md')).status, 404);
    assert.deepEqual((await ada.get('/v1/documents?location=s/gone')).json.items, []);
    assert.deepEqual((await ada.get('/v1/folders?location=s')).json.items, []);
  });

  it('States: a location is free again after a delete, for another document', async () => {
    const first = await ada.create('s/again.md');
    await ada.delete('/v1/documents/s/again.md');
    const second = await ada.create('s/again.md');
    assert.equal(second.status, 201);
    assert.notEqual(second.json.id, first.json.id);
  });

  it('States: of writers at the same time with the same ETag one is let through', async () => {
    const { etag } = await ada.create('s/race.md', 'start');
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        ada.put('/v1/documents/s/race.md', { content: `writer ${index}` }, { 'If-Match': etag }),
      ),
    );
    const won = answers.filter(({ status }) => status === 200);
    assert.equal(won.length, 1);
    assert.ok(answers.every(({ status, refusal }) => status === 200 || refusal === 'CONFLICT stale_if_match'));
    assert.equal((await ada.get('/v1/documents/s/race.md')).etag, won[0]?.etag);
  });

  it('States: a restore adds the old text as the newest version, and later versions stay readable', async () => {
    const first = await ada.create('s/restored.md', 'one');
    const second = await ada.put('/v1/documents/s/restored.md', { content: 'two' }, { 'If-Match': first.etag });
    const restored = await ada.post('/v1/restores', { location: 's/restored.md', version: first.json.version.id });
    assert.equal(restored.status, 200, restored.text);
    const { json, etag } = await ada.get('/v1/documents/s/restored.md');
    assert.deepEqual([json.content, json.id, etag], ['one', first.json.id, restored.etag]);
    assert.ok(![first.etag, second.etag].includes(etag));
    const later = await ada.get(`/v1/documents/s/restored.md?version=${second.json.version.id}`);
    assert.equal(later.json.content, 'two');
  });

  it('States: a live or deleted document is erased by an approver of it, with content, history and name, for good', async () => {
    for (const state of ['live', 'deleted'] as const) {
      const location = `s/erased-${state}.md`;
      const created = await ada.create(location, 'quagmire');
      const versionId: string = created.json.version.id;
      if (state === 'deleted') await ada.delete(`/v1/documents/${location}`);
      const { workspace } = server.host;
      const isDeleted = state === 'deleted';
      const editor = new Actor(workspace, (await server.host.person('editor')).id).caller;
      assert.equal(await outcomeOf(eraseAt(workspace, location, { isDeleted, caller: editor })), 'NOT_FOUND');
      const approver = new Actor(workspace, (await server.host.person('approver')).id).caller;
      const { id } = await eraseAt(workspace, location, { isDeleted, caller: approver });
      await workspace.eraser.finished(id);
      for (const target of [location, `${location}?version=${versionId}`]) {
        assert.equal((await ada.get(`/v1/documents/${target}`)).status, 404);
      }
      assert.equal((await ada.get(`/v1/history?location=${location}`)).status, 404);
      assert.equal((await ada.post('/v1/undeletes', { location })).status, 404);
      assert.deepEqual((await ada.get('/v1/search?q=quagmire')).json.items, []);
      const blob = hashObject('blob', Buffer.from('quagmire'));
      assert.deepEqual(await Promise.all([versionId, blob].map((oid) => workspace.repository.has(oid))), [
        false,
        false,
      ]);
    }
  });

  it('States: what one claims nobody else writes to, until it is given up', async () => {
    await ada.create('s/claimed.md', 'one');
    const ben = await server.person('editor', 's');
    const { json: taken } = await ben.post('/v1/claims', { location: 's/claimed.md' });
    const write = () => ada.put('/v1/documents/s/claimed.md', { content: 'mine' });
    assert.equal((await write()).refusal, 'CONFLICT claimed');
    assert.equal((await ada.delete('/v1/documents/s/claimed.md')).refusal, 'CONFLICT claimed');
    assert.equal((await ben.put('/v1/documents/s/claimed.md', { content: 'two' })).status, 200);
    assert.equal((await ben.delete(`/v1/claims?id=${taken.id}`)).status, 200);
    assert.equal((await write()).status, 200);
  });

  it('States: what one claims others write to again once the claim has run out', async () => {
    await ada.create('s/lapsed.md', 'one');
    const ben = await server.person('editor', 's');
    await ben.post('/v1/claims', { location: 's/lapsed.md', ttl_seconds: 60 });
    const write = () => ada.put('/v1/documents/s/lapsed.md', { content: 'mine' });
    server.host.clock.advance(59_000);
    assert.equal((await write()).refusal, 'CONFLICT claimed');
    server.host.clock.advance(1000);
    assert.equal((await write()).status, 200);
  });

  it('States: a claim on a section leaves the others to whoever writes', async () => {
    await ada.create('s/sections.md', '# One\n\na\n\n# Two\n\nb\n');
    const ben = await server.person('editor', 's');
    await ben.post('/v1/claims', { location: 's/sections.md', section: 'one' });
    const write = (content: string) => ada.put('/v1/documents/s/sections.md', { content });
    assert.equal((await write('# One\n\nmine\n\n# Two\n\nb\n')).refusal, 'CONFLICT claimed');
    assert.equal((await write('# One\n\na\n\n# Two\n\nmine\n')).status, 200);
  });
});
