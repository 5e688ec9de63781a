import assert from 'node:assert/strict';
import { openTestServer, type HttpAnswer, type HttpClient, type TestServer } from '../support/http/server.js';

describe('grants over REST', () => {
  let service: TestServer;
  let server: TestServer;
  let ada: HttpClient;
  let adaId: string;
  let rita: { readonly id: string; readonly key: string };

  before(async () => {
    service = await openTestServer();
  });
  beforeEach(async () => {
    server = await service.addWorkspace();
    const person = await server.host.person('approver', '', 'Ada');
    ada = server.as(person.key);
    adaId = person.id;
    const id = await server.host.principal('Rita');
    rita = { id, key: await server.host.key(id) };
    await ada.create('team/a.md');
  });
  after(() => service.close());

  it('are made with all their known fields, and work at the next request', async () => {
    const made = await grant(ada, forRita('team'));
    assert.equal(made.status, 201);
    const { id, created_at: at, ...rest } = made.json;
    assert.match(id, /^grt_/);
    assert.equal(Date.parse(at), server.host.clock.now());
    assert.deepEqual(rest, {
      scope_type: 'folder',
      scope_id: 'team',
      subject: { type: 'principal', id: rita.id, display_name: 'Rita' },
      role: 'reader',
      granted_by: { id: adaId, kind: 'person', display_name: 'Ada' },
    });
    assert.equal(made.headers.location, '/v1/grants?scope_type=folder&scope_id=team');
    assert.deepEqual((await ada.get(made.headers.location)).json.items, [made.json]);
    assert.equal((await server.as(rita.key).get('/v1/documents/team/a.md')).status, 200);
  });

  it('given again, by any key or person, stay the first one: 200 and that grant', async () => {
    const first = await grant(ada, forRita('team'));
    const bob = await server.person('approver', 'team', 'Bob');
    for (const who of [ada, bob]) {
      const same = await grant(who, forRita('team'));
      assert.deepEqual([same.status, same.text, same.headers.location], [200, first.text, undefined]);
    }
    assert.equal(
      (await list(ada, 'team')).json.items.filter(({ id }: { id: string }) => id === first.json.id).length,
      1,
    );
    const repeated = { 'Idempotency-Key': 'again' };
    assert.equal((await grant(ada, forRita('team'), repeated)).status, 200);
    assert.equal((await grant(ada, forRita('team'), repeated)).headers['idempotent-replayed'], 'true');
  });

  it('of another role to the same subject stand beside each other, and each is revoked separately', async () => {
    await grant(ada, forRita('team', 'reader'));
    assert.equal((await grant(ada, forRita('team', 'editor'))).status, 201);
    const reader = server.as(rita.key);
    assert.equal((await reader.put('/v1/documents/team/a.md', { content: 'x' })).status, 200);
    const gone = await revoke(ada, forRita('team', 'editor'));
    assert.deepEqual(gone.json, {
      revoked: true,
      ...forRita('team', 'editor'),
      subject: { type: 'principal', id: rita.id, display_name: 'Rita' },
    });
    assert.equal((await reader.put('/v1/documents/team/a.md', { content: 'x' })).refusal, 'NOT_FOUND');
    assert.equal((await reader.get('/v1/documents/team/a.md')).status, 200);
  });

  it('that do not exist cannot be revoked: NOT_FOUND, every time', async () => {
    await grant(ada, forRita('team'));
    const absent = [
      forRita('team', 'editor'),
      forRita('team/sub'),
      forRita('team/a.md', 'reader', 'document'),
      forRita('team/none.md', 'reader', 'document'),
      { ...forRita('team'), subject: { type: 'group', id: rita.id } } as const,
      { ...forRita('team'), subject: { type: 'principal', id: 'prn_00000000000000000000' } } as const,
    ];
    for (const triple of absent) assert.equal((await revoke(ada, triple)).refusal, 'NOT_FOUND', queryOf(triple));
    assert.equal((await revoke(ada, forRita('team'))).status, 200);
    assert.equal((await revoke(ada, forRita('team'))).refusal, 'NOT_FOUND');
  });

  it('are given and seen only by approvers of the place or above', async () => {
    const below = await server.person('approver', 'team/sub', 'Below');
    const editor = await server.person('editor', 'team', 'Ed');
    const scopes = ['team', '', 'other'];
    for (const who of [below, editor]) {
      for (const scope of scopes) {
        assert.equal((await grant(who, forRita(scope))).refusal, 'NOT_FOUND');
        assert.equal((await list(who, scope)).refusal, 'NOT_FOUND');
        assert.equal((await revoke(who, forRita(scope))).refusal, 'NOT_FOUND');
      }
    }
    assert.equal((await grant(below, forRita('team/sub', 'approver'))).status, 201);
    assert.equal((await grant(server.as(rita.key), forRita('team/sub/deeper'))).status, 201);
  });

  it('need an existing subject: a principal or group by its own type', async () => {
    const group = await server.host.group('Crew');
    const subjects = [
      { type: 'principal', id: 'prn_00000000000000000000' },
      { type: 'group', id: 'grp_00000000000000000000' },
      { type: 'group', id: rita.id },
      { type: 'principal', id: group },
      { type: 'principal', id: 'operator' },
    ] as const;
    for (const subject of subjects) {
      const refused = await grant(ada, { ...forRita('team'), subject });
      assert.equal(refused.refusal, 'NOT_FOUND', JSON.stringify(subject));
    }
  });

  it('on a folder can wait for it, and on a document need the document', async () => {
    assert.equal((await grant(ada, forRita('future'))).status, 201);
    assert.equal((await grant(ada, forRita('team/none.md', 'reader', 'document'))).refusal, 'NOT_FOUND');
    assert.deepEqual((await server.as(rita.key).get('/v1/folders')).json.items, []);
    await ada.create('future/a.md');
    assert.equal((await server.as(rita.key).get('/v1/documents/future/a.md')).status, 200);
  });

  it('on a folder are refused where a document lives, or below one', async () => {
    for (const scope of ['team/a.md', 'team/a.md/below']) {
      const refused = await grant(ada, forRita(scope));
      assert.equal(refused.refusal, 'CONFLICT name_taken');
      assert.equal(refused.json.error.details.location, 'team/a.md');
    }
  });

  it('on a document follow it and are listed at its new place', async () => {
    await grant(ada, forRita('team/a.md', 'reader', 'document'));
    await ada.post('/v1/moves', { location: 'team/a.md', to_folder: 'moved' });
    const listed = await ada.get('/v1/grants?scope_type=document&scope_id=moved/a.md');
    assert.deepEqual(
      listed.json.items.map((item: Triple) => [item.scope_id, item.role]),
      [['moved/a.md', 'reader']],
    );
    assert.equal((await revoke(ada, forRita('moved/a.md', 'reader', 'document'))).status, 200);
    assert.equal((await server.as(rita.key).get('/v1/documents/moved/a.md')).status, 404);
  });

  it('to groups of groups reach all members at that moment', async () => {
    const member = { type: 'principal', id: rita.id } as const;
    const inner = await server.host.group('Inner', member);
    const middle = await server.host.group('Middle', { type: 'group', id: inner });
    const outer = await server.host.group('Outer', { type: 'group', id: middle });
    const triple = { ...forRita('team'), subject: { type: 'group', id: outer } } as const;
    const made = await grant(ada, triple);
    assert.deepEqual(made.json.subject, { type: 'group', id: outer, display_name: 'Outer' });
    const reader = server.as(rita.key);
    const status = async (): Promise<number> => (await reader.get('/v1/documents/team/a.md')).status;
    assert.equal(await status(), 200);
    await server.host.leave(middle, { type: 'group', id: inner });
    assert.equal(await status(), 404);
    await server.host.join(outer, { type: 'group', id: inner });
    assert.equal(await status(), 200);
    await assert.rejects(server.host.join(inner, { type: 'group', id: outer }), /circle/);
    assert.equal(await status(), 200);
    await revoke(ada, triple);
    assert.equal(await status(), 404);
  });

  it('leave the root with its last approver, who cannot be revoked, and with a second one can', async () => {
    const { id, key } = await server.host.person('approver', '', 'Second');
    const rootOf = (who: string): Triple => ({ ...forRita('', 'approver'), subject: { type: 'principal', id: who } });
    assert.equal((await revoke(server.as(key), rootOf(adaId))).status, 200);
    const { head } = server;
    const last = await revoke(server.as(key), rootOf(id));
    assert.equal(last.refusal, 'CONFLICT last_approver');
    assert.equal(server.head, head);
    assert.equal((await list(server.as(key), '')).json.items.length, 1);
  });

  it('are listed page by page; with inherited=true those above come first, each with its origin', async () => {
    for (const scope of ['', 'team', 'team/sub']) await grant(ada, forRita(scope));
    await grant(ada, forRita('team/sub', 'editor'));
    const seen: [string, string, string | undefined][] = [];
    let cursor = '';
    for (let pages = 0; pages < 9; pages += 1) {
      const page = await list(ada, 'team/sub', `&inherited=true&limit=2${cursor}`);
      assert.ok(page.json.items.length <= 2);
      for (const item of page.json.items) seen.push([item.scope_id, item.role, item.inherited_from]);
      if (page.json.next_cursor === null) break;
      cursor = `&cursor=${page.json.next_cursor}`;
    }
    assert.deepEqual(
      seen.map(([scope, , from]) => [scope, from]),
      [
        ['', ''],
        ['', ''],
        ['team', 'team'],
        ['team/sub', undefined],
        ['team/sub', undefined],
      ],
    );
    assert.equal((await list(ada, 'team/sub')).json.items.length, 2);
  });

  it('name the missing or wrong field', async () => {
    const right = forRita('team');
    const wrong: [object, string, string][] = [
      [{ ...right, role: 'owner' }, 'bad_field', 'role'],
      [{ ...right, scope_type: 'workspace' }, 'bad_field', 'scope_type'],
      [{ ...right, scope_id: 'team//x' }, 'bad_location', 'scope_id'],
      [{ ...right, scope_id: '', scope_type: 'document' }, 'bad_location', 'scope_id'],
      [{ ...right, subject: { type: 'principal' } }, 'missing_field', 'subject.id'],
      [{ ...right, subject: { ...right.subject, name: 'x' } }, 'unknown_field', 'subject.name'],
      [{ ...right, expires_at: 'never' }, 'unknown_field', 'expires_at'],
    ];
    for (const [body, reason, field] of wrong) {
      const { json } = await ada.post('/v1/grants', body);
      assert.deepEqual([json.error.details.reason, json.error.details.field], [reason, field]);
    }
    const query = new URLSearchParams(queryOf(right));
    for (const name of query.keys()) {
      const rest = new URLSearchParams([...query].filter(([each]) => each !== name));
      const refused = await ada.send('DELETE', `/v1/grants?${rest.toString()}`);
      assert.deepEqual([refused.json.error.details.reason, refused.json.error.details.field], ['missing_field', name]);
    }
  });

  const forRita = (scope_id: string, role: Triple['role'] = 'reader', scope_type: Triple['scope_type'] = 'folder') =>
    ({ scope_type, scope_id, subject: { type: 'principal', id: rita.id }, role }) satisfies Triple;

  const list = (who: HttpClient, scope: string, more = ''): Promise<HttpAnswer> =>
    who.get(`/v1/grants?scope_type=folder&scope_id=${scope}${more}`);
});

const grant = (who: HttpClient, triple: Triple, headers?: Record<string, string>): Promise<HttpAnswer> =>
  who.post('/v1/grants', triple, headers);

const revoke = (who: HttpClient, triple: Triple): Promise<HttpAnswer> =>
  who.send('DELETE', `/v1/grants?${queryOf(triple)}`);

interface Triple {
  readonly scope_type: 'folder' | 'document';
  readonly scope_id: string;
  readonly subject: { readonly type: 'principal' | 'group'; readonly id: string };
  readonly role: 'reader' | 'editor' | 'approver';
}

function queryOf({ scope_type, scope_id, subject, role }: Triple): string {
  const query = { scope_type, scope_id, subject_type: subject.type, subject_id: subject.id, role };
  return new URLSearchParams(query).toString();
}
