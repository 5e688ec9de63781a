import assert from 'node:assert/strict';
import { mirror } from '../support/store/place.js';
import { openTestServer, type HttpAnswer, type HttpClient, type TestServer } from '../support/http/server.js';

describe('undeletes over REST', () => {
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

  it('brings the document back as it was, as a new version of itself', async () => {
    const made = await ada.post('/v1/documents', { location: 'a/x.md', content: 'text', labels: ['kept'] });
    await remove('a/x.md');
    const back = await undelete(ada, 'a/x.md');
    assert.equal(back.status, 200);
    assert.deepEqual([back.json.id, back.json.labels, back.json.sha256], [made.json.id, ['kept'], made.json.sha256]);
    assert.notEqual(back.etag, made.etag);
    const read = await ada.get('/v1/documents/a/x.md');
    assert.deepEqual([read.json.content, read.etag], ['text', back.etag]);
    assert.equal((await ada.get(`/v1/documents/a/x.md?version=${made.json.version.id}`)).status, 200);
    const put = await ada.put('/v1/documents/a/x.md', { content: 'more' }, { 'If-Match': back.etag });
    assert.equal(put.status, 200);
  });

  it('undeletes the last deletion, though the clock was set back in between', async () => {
    const { clock } = server.host;
    for (const content of ['first', 'second']) {
      await ada.create('a/x.md', content);
      await remove('a/x.md');
      clock.advance(-5000);
    }
    await undelete(ada, 'a/x.md');
    assert.equal((await ada.get('/v1/documents/a/x.md')).json.content, 'second');
    await remove('a/x.md');
    clock.advance(60_000);
    await undelete(ada, 'a/x.md');
    assert.equal((await ada.get('/v1/documents/a/x.md')).json.content, 'second');
  });

  it('makes the folders again that were removed with the document', async () => {
    await ada.create('a/b/c/x.md');
    await remove('a/b/c/x.md');
    assert.deepEqual((await ada.get('/v1/folders')).json.items, []);
    assert.equal((await undelete(ada, 'a/b/c/x.md')).status, 200);
    assert.equal((await ada.get('/v1/folders?location=a')).json.items[0].location, 'a/b');
  });

  it('finds nothing where nothing was deleted, or where it is back', async () => {
    await ada.create('a/live.md');
    await ada.create('a/x.md');
    await remove('a/x.md');
    await undelete(ada, 'a/x.md');
    for (const location of ['a/never.md', 'a/live.md', 'a', 'a/x.md']) {
      assert.equal((await undelete(ada, location)).refusal, 'NOT_FOUND', location);
    }
  });

  it('finds nothing that the caller could never reach, or may not edit: the same answer as for an absent one', async () => {
    await ada.create('a/x.md');
    await remove('a/x.md');
    const callers = [await server.person('reader', 'a'), await server.person('editor', 'b', 'stranger')];
    const texts = new Set<string>();
    for (const who of callers) {
      for (const location of ['a/x.md', 'a/never.md']) {
        const { status, text, json } = await undelete(who, location);
        texts.add(`${status} ${text.replace(json.error.request_id, '')}`);
      }
    }
    assert.equal(texts.size, 1);
  });

  it('is refused while another document is in the place, and not when that is gone', async () => {
    await ada.create('a/x', 'first');
    await remove('a/x');
    const occupants: [make: () => Promise<unknown>, clear: () => Promise<unknown>][] = [
      [() => ada.create('a/x'), () => ada.post('/v1/renames', { location: 'a/x', name: 'y' })],
      [() => ada.create('a/x/below.md'), () => ada.post('/v1/renames', { location: 'a/x', name: 'z' })],
    ];
    for (const [make, clear] of occupants) {
      await make();
      const { head } = server;
      const refused = await undelete(ada, 'a/x');
      assert.equal(refused.refusal, 'CONFLICT location_occupied');
      assert.equal(refused.json.error.details.location, 'a/x');
      assert.equal(server.head, head);
      await clear();
    }
    assert.equal((await undelete(ada, 'a/x')).status, 200);
    assert.equal((await ada.get('/v1/documents/a/x')).json.content, 'first');
  });

  it('is refused where one of its folders would be a document now, or a grant on a folder waits', async () => {
    await ada.create('a/b/x.md');
    await remove('a/b/x.md');
    await ada.create('a/b');
    assert.equal((await undelete(ada, 'a/b/x.md')).refusal, 'CONFLICT location_occupied');
    await ada.create('g/x.md');
    await remove('g/x.md');
    const rita = { type: 'principal', id: await server.host.principal('Rita') } as const;
    await server.host.grant('reader', rita, 'g/x.md/below');
    assert.equal((await undelete(ada, 'g/x.md')).refusal, 'CONFLICT location_occupied');
  });

  it('goes back one deletion at a time', async () => {
    for (const text of ['one', 'two', 'three']) {
      await ada.create('a/x.md', text);
      await remove('a/x.md');
    }
    for (const text of ['three', 'two', 'one']) {
      assert.equal((await undelete(ada, 'a/x.md')).status, 200);
      assert.equal((await ada.get('/v1/documents/a/x.md')).json.content, text);
      await ada.post('/v1/moves', { location: 'a/x.md', to_folder: `was-${text}` });
    }
    assert.equal((await undelete(ada, 'a/x.md')).refusal, 'NOT_FOUND');
  });

  it('knows the document’s place of deletion, whatever happened to the folder since', async () => {
    await ada.create('a/f/x.md');
    await ada.create('a/f/stays.md');
    await remove('a/f/x.md');
    await ada.post('/v1/moves', { location: 'a/f', to_folder: 'b' });
    assert.equal((await undelete(ada, 'b/f/x.md')).refusal, 'NOT_FOUND');
    assert.equal((await undelete(ada, 'a/f/x.md')).status, 200);
    assert.equal((await ada.get('/v1/documents/a/f/x.md')).status, 200);
    assert.equal((await ada.get('/v1/documents/a/f/stays.md')).status, 404);
  });

  it('into a folder that is now a mirror is refused', async () => {
    await ada.create('a/x.md');
    await ada.create('a/y.md');
    await remove('a/x.md');
    await mirror(server.host, 'a');
    assert.equal((await undelete(ada, 'a/x.md')).refusal, 'INVALID_REQUEST read_only_source');
  });

  it('repeated with its key gives the first answer; with another key it finds nothing more to undelete', async () => {
    await ada.create('a/x.md');
    await remove('a/x.md');
    const key = { 'Idempotency-Key': 'back' };
    const first = await undelete(ada, 'a/x.md', key);
    const { head } = server;
    const again = await undelete(ada, 'a/x.md', key);
    assert.deepEqual([again.status, again.text, again.etag], [200, first.text, first.etag]);
    assert.equal(again.headers['idempotent-replayed'], 'true');
    assert.equal((await undelete(ada, 'a/x.md')).refusal, 'NOT_FOUND');
    assert.equal(server.head, head);
  });

  it('repeated at the same moment under many keys is done once', async () => {
    await ada.create('a/x.md');
    await remove('a/x.md');
    const answers = await Promise.all(Array.from({ length: 8 }, () => undelete(ada, 'a/x.md')));
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    assert.ok(answers.every(({ status }) => status === 200 || status === 404));
  });

  const undelete = (who: HttpClient, location: string, headers?: Record<string, string>): Promise<HttpAnswer> =>
    who.post('/v1/undeletes', { location }, headers);

  const remove = async (location: string): Promise<void> => {
    assert.equal((await ada.delete(`/v1/documents/${location}`)).status, 200);
  };
});
