import assert from 'node:assert/strict';
import { openTestServer, type HttpAnswer, type HttpClient, type TestServer } from '../support/http/server.js';

describe('the resources of the REST API', () => {
  let service: TestServer;
  let server: TestServer;
  let ada: HttpClient;
  let bob: { readonly id: string; readonly key: string };
  let asBob: HttpClient;

  before(async () => {
    service = await openTestServer();
  });
  beforeEach(async () => {
    server = await service.addWorkspace();
    ada = await server.person('approver');
    const id = await server.host.principal('Bob');
    bob = { id, key: await server.host.key(id) };
    asBob = server.as(bob.key);
    await ada.create('team/notes/a.md');
    await ada.create('team/b.md');
  });
  after(() => service.close());

  it('Resources: one location addresses one document, and a folder is no more than the beginning of locations', async () => {
    assert.equal((await ada.create('team/b.md')).refusal, 'CONFLICT name_taken');
    assert.equal((await ada.get('/v1/folders')).json.items[0].location, 'team');
    await ada.delete('/v1/documents/team/b.md');
    await ada.delete('/v1/documents/team/notes/a.md');
    assert.deepEqual((await ada.get('/v1/folders')).json.items, []);
  });

  it('Resources: roles contain each other: an approver edits, an editor reads, and neither way round', async () => {
    const can = async (role: string): Promise<boolean[]> => {
      const folder = `roles/${role}`;
      await ada.create(`${folder}/a.md`);
      await give(role, folder);
      const target = `/v1/documents/${folder}/a.md`;
      const body = {
        scope_type: 'folder',
        scope_id: folder,
        subject: { type: 'principal', id: bob.id },
        role: 'reader',
      };
      const answers = [
        await asBob.get(target),
        await asBob.put(target, { content: 'x' }),
        await asBob.post('/v1/grants', body),
      ];
      return answers.map((answer) => answer.status < 300);
    };
    assert.deepEqual(await can('reader'), [true, false, false]);
    assert.deepEqual(await can('editor'), [true, true, false]);
    assert.deepEqual(await can('approver'), [true, true, true]);
  });

  it('Grants 1: a grant adds, and there is no way to say no in one', async () => {
    await give('reader', 'team');
    for (const role of ['none', 'denied', '', '-reader']) {
      const body = { scope_type: 'folder', scope_id: 'team/notes', subject: { type: 'principal', id: bob.id }, role };
      assert.equal((await ada.post('/v1/grants', body)).refusal, 'INVALID_REQUEST bad_field');
    }
    await give('reader', 'team/notes');
    await ada.send(
      'DELETE',
      `/v1/grants?scope_type=folder&scope_id=team/notes&subject_type=principal&subject_id=${bob.id}&role=reader`,
    );
    assert.equal(await status('team/notes/a.md'), 200, 'what the folder gives is not taken away below');
  });

  it('Grants 2: a grant on a folder reaches what comes into it later', async () => {
    await give('reader', 'team');
    await ada.create('team/later/c.md');
    assert.equal(await status('team/later/c.md'), 200);
  });

  it('Grants 3: a grant on a file reaches that file alone', async () => {
    await give('reader', 'team/b.md', 'document');
    await ada.create('team/b.md.copy');
    assert.deepEqual([await status('team/b.md'), await status('team/b.md.copy')], [200, 404]);
    assert.deepEqual(
      (await asBob.get('/v1/documents?location=team')).json.items.map((item: { name: string }) => item.name),
      ['b.md'],
    );
  });

  it('Grants 4: a grant inside a folder widens what the folder gives and never narrows it', async () => {
    await give('editor', 'team');
    await give('reader', 'team/notes');
    assert.equal((await asBob.put('/v1/documents/team/notes/a.md', { content: 'x' })).status, 200);
    await give('approver', 'team/notes');
    assert.equal((await asBob.get('/v1/grants?scope_type=folder&scope_id=team/notes')).status, 200);
    assert.equal((await asBob.get('/v1/grants?scope_type=folder&scope_id=team')).status, 404);
  });

  it('Grants 5: a grant to a group reaches its members as they are now, at any depth', async () => {
    let inner = await server.host.group('level 0');
    const innermost = inner;
    for (let level = 1; level <= 12; level += 1) {
      inner = await server.host.group(`level ${level}`, { type: 'group', id: inner });
    }
    await give('reader', 'team', 'folder', { type: 'group', id: inner });
    assert.equal(await status('team/b.md'), 404);
    await server.host.join(innermost, { type: 'principal', id: bob.id });
    assert.equal(await status('team/b.md'), 200);
    await server.host.leave(innermost, { type: 'principal', id: bob.id });
    assert.equal(await status('team/b.md'), 404);
  });

  it('Grants 6: labels narrow a search and open nothing', async () => {
    await ada.post('/v1/documents', { location: 'hidden/x.md', content: 'wombat', labels: ['public'] });
    await ada.post('/v1/documents', { location: 'team/x.md', content: 'wombat', labels: ['secret'] });
    await give('reader', 'team');
    const found = async (query: string): Promise<string[]> =>
      (await asBob.get(`/v1/search?q=wombat${query}`)).json.items.map((item: { name: string }) => item.name);
    assert.deepEqual(await found(''), ['x.md']);
    assert.deepEqual([await found('&label=secret'), await found('&label=public')], [['x.md'], []]);
    assert.deepEqual([await status('hidden/x.md'), await status('team/x.md')], [404, 200]);
  });

  it('Operations 6: a search ranks what the key reaches and nothing else, so that the rest moves no hit', async () => {
    await give('reader', 'team');
    for (const [name, text] of [
      ['one', 'wombat wombat'],
      ['two', 'wombat and more'],
      ['three', 'a long way to a wombat'],
    ]) {
      await ada.create(`team/${name}.md`, text);
    }
    const ask = async (): Promise<unknown> => (await asBob.get('/v1/search?q=wombat+way')).json.items;
    const before = await ask();
    for (let index = 0; index < 20; index += 1) await ada.create(`hidden/${index}.md`, 'way way wombat '.repeat(index));
    assert.deepEqual(await ask(), before);
    assert.equal((before as unknown[]).length, 3);
  });

  it('Conventions 7: a page of hits or grants has items and a cursor too, and no total', async () => {
    await give('reader', 'team');
    const targets = ['/v1/search?q=text', '/v1/grants?scope_type=folder&scope_id=team'];
    for (const target of targets) {
      assert.deepEqual(Object.keys((await ada.get(target)).json), ['items', 'next_cursor'], target);
    }
  });

  it('Conventions 8: renames, moves, undeletes and revocations answer 200; folders and grants that are made 201', async () => {
    const answers: HttpAnswer[] = [
      await ada.post('/v1/folders', { location: 'made' }),
      await ada.post('/v1/renames', { location: 'made', name: 'renamed' }),
      await ada.post('/v1/moves', { location: 'renamed', to_folder: 'in' }),
    ];
    await ada.delete('/v1/documents/team/b.md');
    answers.push(await ada.post('/v1/undeletes', { location: 'team/b.md' }));
    const body = { scope_type: 'folder', scope_id: 'team', subject: { type: 'principal', id: bob.id }, role: 'reader' };
    answers.push(await ada.post('/v1/grants', body), await ada.post('/v1/grants', body));
    const query = `scope_type=folder&scope_id=team&subject_type=principal&subject_id=${bob.id}&role=reader`;
    answers.push(await ada.send('DELETE', `/v1/grants?${query}`));
    assert.deepEqual(
      answers.map((answer) => answer.status),
      [201, 200, 200, 200, 201, 200, 200],
    );
  });

  it('Operations 8: an export and a list of grants know hidden and absent apart as little', async () => {
    const text = ({ status: code, text: body, json }: HttpAnswer): string =>
      `${code} ${body.replace(json.error.request_id, '')}`;
    for (const ask of ['/v1/folders/export?location=', '/v1/grants?scope_type=folder&scope_id=']) {
      assert.equal(text(await asBob.get(`${ask}team`)), text(await asBob.get(`${ask}none`)), ask);
    }
  });

  it('Operations 9: what a key cannot reach is not exported or found either', async () => {
    await give('reader', 'team/notes');
    const { bytes } = await asBob.get('/v1/folders/export?location=team');
    // Names stand in an archive as they are.
    assert.ok(bytes.includes('notes/a.md') && !bytes.includes('b.md'));
    assert.deepEqual(
      (await asBob.get('/v1/search?q=text')).json.items.map((item: { location: string }) => item.location),
      ['team/notes/a.md'],
    );
  });

  it('Authentication 7: health and the description answer without a key, and with any', async () => {
    for (const target of ['/v1/health', '/v1/openapi.yaml']) {
      for (const who of [server.as(), server.as('nonsense'), ada]) assert.equal((await who.get(target)).status, 200);
    }
  });

  it('Authentication 12: an agent with a principal of its own reaches less than whoever runs it, until its key expires', async () => {
    const agent = await server.host.principal('Helper of Ada', 'agent');
    await give('reader', 'team/notes', 'folder', { type: 'principal', id: agent });
    const key = await server.host.key(agent, ['rest'], server.host.clock.now() + 1000);
    assert.equal((await server.as(key).get('/v1/documents/team/notes/a.md')).status, 200);
    assert.equal((await server.as(key).get('/v1/documents/team/b.md')).status, 404);
    server.host.clock.advance(1000);
    assert.equal((await server.as(key).get('/v1/documents/team/notes/a.md')).status, 401);
  });

  const give = async (role: string, scope_id: string, scope_type = 'folder', subject?: object): Promise<void> => {
    const body = { scope_type, scope_id, subject: subject ?? { type: 'principal', id: bob.id }, role };
    assert.equal((await ada.post('/v1/grants', body)).status, 201);
  };

  const status = async (location: string): Promise<number> => (await asBob.get(`/v1/documents/${location}`)).status;
});
