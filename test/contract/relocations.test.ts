import assert from 'node:assert/strict';
import { openTestServer, type HttpAnswer, type HttpClient, type TestServer } from '../support/http/server.js';

describe('the states that moves and undeletes lead to', () => {
  let service: TestServer;
  let server: TestServer;
  let ada: HttpClient;

  before(async () => {
    service = await openTestServer();
  });
  beforeEach(async () => {
    server = await service.addWorkspace();
    ada = await server.person('approver');
    await ada.create('team/a.md', 'text');
  });
  after(() => service.close());

  it('Operations 5: a move that widens is refused with a report and changes nothing; sent again with the acknowledgement it is done', async () => {
    const rita = await server.host.person('reader', 'public', 'Rita');
    const { head } = server;
    const refused = await move();
    assert.deepEqual([refused.status, refused.refusal], [409, 'CONFLICT access_would_widen']);
    assert.equal(refused.json.error.details.gains[0].subject.display_name, 'Rita');
    assert.equal(server.head, head);
    assert.equal((await move({ acknowledge_access_change: false })).status, 409);
    assert.equal((await move({ acknowledge_access_change: true })).status, 200);
    assert.equal((await server.as(rita.key).get('/v1/documents/public/a.md')).json.content, 'text');
  });

  it('Operations 5: a move that only takes access away, or changes nothing, needs no acknowledgement', async () => {
    await server.host.person('reader', 'team', 'Tom');
    const done = await move();
    assert.deepEqual([done.status, done.json.losses.length], [200, 1]);
    assert.equal((await ada.post('/v1/moves', { location: 'public/a.md', to_folder: 'elsewhere' })).status, 200);
  });

  it('Operations 5: a rename that would widen is held to the same', async () => {
    const rita = { type: 'principal', id: await server.host.principal('Rita') } as const;
    await server.host.grant('reader', rita, 'crew');
    const rename = (more: object = {}): Promise<HttpAnswer> =>
      ada.post('/v1/renames', { location: 'team', name: 'crew', ...more });
    assert.equal((await rename()).refusal, 'CONFLICT access_would_widen');
    assert.equal((await rename({ acknowledge_access_change: true })).status, 200);
  });

  it('Operations 4: a rename, move or undelete returns the ETag that the next write takes', async () => {
    const renamed = await ada.post('/v1/renames', { location: 'team/a.md', name: 'b.md' });
    const put = await ada.put('/v1/documents/team/b.md', { content: 'x' }, { 'If-Match': renamed.etag });
    assert.equal(put.status, 200);
    const moved = await ada.post('/v1/moves', { location: 'team/b.md', to_folder: 'x' }, { 'If-Match': put.etag });
    const gone = await ada.delete('/v1/documents/x/b.md', { 'If-Match': moved.etag });
    assert.equal(gone.status, 200);
    const back = await ada.post('/v1/undeletes', { location: 'x/b.md' });
    assert.equal((await ada.put('/v1/documents/x/b.md', { content: 'y' }, { 'If-Match': back.etag })).status, 200);
  });

  it('States: a move or rename changes where content is and nothing else of it', async () => {
    const before = (await ada.get('/v1/documents/team/a.md')).json;
    await ada.post('/v1/renames', { location: 'team/a.md', name: 'b.md' });
    await ada.post('/v1/moves', { location: 'team/b.md', to_folder: 'other/place' });
    const after = (await ada.get('/v1/documents/other/place/b.md')).json;
    assert.deepEqual({ ...after, location: '', name: '' }, { ...before, location: '', name: '' });
    assert.equal((await ada.get('/v1/documents/team/a.md')).status, 404);
  });

  it('States: a deleted document is live again after an undelete, once for each delete', async () => {
    await ada.delete('/v1/documents/team/a.md');
    const back = await ada.post('/v1/undeletes', { location: 'team/a.md' });
    assert.equal(back.status, 200);
    const read = await ada.get('/v1/documents/team/a.md');
    assert.deepEqual([read.json.content, read.etag], ['text', back.etag]);
    assert.equal((await ada.post('/v1/undeletes', { location: 'team/a.md' })).refusal, 'NOT_FOUND');
  });

  it('States: an undelete is for who may write at the location, and for nobody else', async () => {
    await ada.delete('/v1/documents/team/a.md');
    const [reader, editor] = [await server.person('reader', 'team'), await server.person('editor', 'team')];
    assert.equal((await reader.post('/v1/undeletes', { location: 'team/a.md' })).refusal, 'NOT_FOUND');
    assert.equal((await editor.post('/v1/undeletes', { location: 'team/a.md' })).status, 200);
  });

  it('States: an undelete where something else lives now is a conflict, and where nothing was deleted finds nothing', async () => {
    assert.equal((await ada.post('/v1/undeletes', { location: 'team/a.md' })).refusal, 'NOT_FOUND');
    await ada.delete('/v1/documents/team/a.md');
    await ada.create('team/a.md', 'new');
    assert.equal((await ada.post('/v1/undeletes', { location: 'team/a.md' })).refusal, 'CONFLICT location_occupied');
  });

  it('Errors 4: the report of a widening move says from where to where, who gains and loses what by which grant, and its digest', async () => {
    await server.host.person('reader', 'public', 'Rita');
    await server.host.person('editor', 'team', 'Tom');
    const { details } = (await move()).json.error;
    assert.deepEqual(Object.keys(details), ['reason', 'from', 'to', 'gains', 'losses', 'report']);
    assert.deepEqual([details.from, details.to], ['team/a.md', 'public/a.md']);
    const lines = [...details.gains, ...details.losses].map(
      (line: { subject: { display_name: string }; from_role: string; to_role: string; via: { scope_id: string } }) => [
        line.subject.display_name,
        line.from_role,
        line.to_role,
        line.via.scope_id,
      ],
    );
    assert.deepEqual(lines, [
      ['Rita', null, 'reader', 'public'],
      ['Tom', 'editor', null, 'team'],
    ]);
  });

  it('Errors 5: a key that comes again is a replay with the same request and a conflict with another', async () => {
    const key = { 'Idempotency-Key': 'one' };
    const first = await ada.create('team/b.md', 'text', key);
    const same = await ada.create('team/b.md', 'text', key);
    assert.deepEqual([same.status, same.text, same.headers['idempotent-replayed']], [201, first.text, 'true']);
    assert.equal((await ada.create('team/b.md', 'else', key)).refusal, 'CONFLICT idempotency_key_reused');
  });

  const move = (more: object = {}): Promise<HttpAnswer> =>
    ada.post('/v1/moves', { location: 'team/a.md', to_folder: 'public', ...more });
});
