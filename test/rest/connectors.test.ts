import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseFolderLocation } from '../../lib/domain/location.js';
import { findFolder } from '../../lib/view/locate.js';
import { openTestServer, type HttpAnswer, type HttpClient, type TestServer } from '../support/http/server.js';

const secret = 'glpat-a-secret-of-the-source';

describe('connectors over REST', () => {
  let server: TestServer;
  /** Approver of the workspace. */
  let ada: HttpClient;
  /** Editor of the folder with the mirrors, approver of another. */
  let ben: HttpClient;
  let folder: string;
  let id: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cartulary-connectors-'));
    server = await openTestServer({ connectors: { allowance: { hosts: [], folders: [folder], programs: {} } } });
    ada = await server.person('approver');
    const person = await server.host.person('editor', 'archive', 'Ben');
    await server.host.grant('approver', { type: 'principal', id: person.id }, 'own');
    ben = server.as(person.key);
    id = (await connect(ada, 'archive/scans')).json.id;
  });
  after(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('a connected source is answered with its address, and its folder is a mirror', async () => {
    const made = await connect(ben, 'own/mirror', { interval_seconds: 600 });
    assert.equal(made.status, 201);
    assert.equal(made.headers.location, `/v1/connectors/${made.json.id}`);
    const { name, kind, location, state, interval_seconds, last_run, connected_by } = made.json;
    assert.deepEqual(
      [name, kind, location, state, interval_seconds, last_run, connected_by.display_name],
      ['Scans', 'folder', 'own/mirror', 'active', 600, null, 'Ben'],
    );
    assert.ok(made.json.source.includes(folder));
    assert.deepEqual((await ben.get(`/v1/connectors/${made.json.id}`)).json, made.json);
    const refused = await ben.create('own/mirror/a.md');
    assert.equal(refused.refusal, 'INVALID_REQUEST read_only_source');
    assert.equal(refused.json.error.details.connector.id, made.json.id);
  });

  it('a connection that is sent again is made once', async () => {
    const headers = { 'Idempotency-Key': 'connect-once' };
    const body = { name: 'Once', location: 'once', kind: 'folder', settings: { path: folder } };
    const [first, again] = [
      await ada.post('/v1/connectors', body, headers),
      await ada.post('/v1/connectors', body, headers),
    ];
    assert.deepEqual([again.status, again.headers['idempotent-replayed']], [201, 'true']);
    assert.deepEqual(again.json, first.json);
    const other = await ada.post('/v1/connectors', { ...body, name: 'Twice' }, headers);
    assert.equal(other.refusal, 'CONFLICT idempotency_key_reused');
  });

  it('a secret has no part in what is remembered of a request', async () => {
    const headers = { 'Idempotency-Key': 'connect-secretly' };
    const settings = { url: 'https://git.example/notes.git' };
    const body = { name: 'Secret', location: 'secret', kind: 'git', settings };
    const first = await ada.post('/v1/connectors', { ...body, secret: 'a' }, headers);
    const again = await ada.post('/v1/connectors', { ...body, secret: 'b' }, headers);
    assert.deepEqual([first.status, again.status, again.json], [201, 201, first.json]);
    const none = await ada.post('/v1/connectors', body, headers);
    assert.equal(none.refusal, 'CONFLICT idempotency_key_reused');
  });

  it('a request that is not right is refused, and names the field', async () => {
    const field = (answer: HttpAnswer) => [answer.refusal, answer.json.error.details.field];
    const settings = { path: folder };
    const body = { name: 'x', location: 'wrong', kind: 'folder', settings };
    const post = (more: object) => ada.post('/v1/connectors', { ...body, ...more });
    assert.deepEqual(field(await post({ settings: { path: folder, depth: 1 } })), [
      'INVALID_REQUEST bad_settings',
      'depth',
    ]);
    assert.deepEqual(field(await post({ settings: {} })), ['INVALID_REQUEST bad_settings', 'path']);
    assert.deepEqual(field(await post({ secret })), ['INVALID_REQUEST bad_settings', 'secret']);
    assert.deepEqual(field(await post({ kind: 'ftp' })), ['INVALID_REQUEST bad_field', 'kind']);
    assert.deepEqual(field(await post({ password: secret })), ['INVALID_REQUEST unknown_field', 'password']);
    assert.deepEqual(field(await post({ interval_seconds: 299 })), ['INVALID_REQUEST bad_field', 'interval_seconds']);
    assert.deepEqual(field(await post({ location: '' })), ['INVALID_REQUEST bad_location', 'location']);
    assert.equal((await post({ location: 'archive/scans' })).refusal, 'CONFLICT mirror_nested');
    assert.equal((await post({ location: 'archive' })).refusal, 'CONFLICT mirror_nested');
    await ada.create('full/a.md');
    assert.equal((await post({ location: 'full' })).refusal, 'INVALID_REQUEST folder_not_empty');
    const none = await ada.send('DELETE', `/v1/connectors/${id}`);
    assert.deepEqual(field(none), ['INVALID_REQUEST missing_field', 'documents']);
    const bare = await ada.send('POST', `/v1/connectors/${id}/runs`);
    assert.equal(bare.refusal, 'INVALID_REQUEST missing_idempotency_key');
    assert.deepEqual(field(await ada.send('PATCH', `/v1/connectors/${id}`, { body: {} })), [
      'INVALID_REQUEST bad_field',
      'body',
    ]);
  });

  it('an operator’s leave is needed for a folder, and the test says so without storing anything', async () => {
    const body = { location: 'elsewhere', kind: 'folder', settings: { path: '/etc' } };
    const { status, json } = await ada.post('/v1/connector-tests', body);
    assert.deepEqual([status, json.works, json.fault], [200, false, 'denied_egress']);
    const good = await ada.post('/v1/connector-tests', { ...body, settings: { path: folder } });
    assert.deepEqual([good.json.works, good.json.fault], [true, null]);
    const stored = await ada.post(`/v1/connectors/${id}/tests`, undefined);
    assert.equal(stored.json.works, true);
    assert.equal((await ada.get('/v1/folders?location=elsewhere')).json.items.length, 0);
  });

  it('the kinds are those of this service, with the form of their settings', async () => {
    const { json } = await ben.get('/v1/connector-kinds');
    assert.equal(json.next_cursor, null);
    const kind = json.items.find((each: { kind: string }) => each.kind === 'folder');
    assert.deepEqual([kind.secret, kind.settings_schema.required], [null, ['path']]);
  });

  it('to callers who do not approve there, a connector is like one that does not exist', async () => {
    const requests = (which: string): readonly (readonly [string, string, object?])[] => [
      ['GET', `/v1/connectors/${which}`],
      ['PATCH', `/v1/connectors/${which}`, { name: 'x' }],
      ['DELETE', `/v1/connectors/${which}?documents=keep`],
      ['POST', `/v1/connectors/${which}/tests`],
      ['GET', `/v1/connectors/${which}/runs`],
      ['POST', `/v1/connectors/${which}/runs`],
      ['GET', `/v1/connectors/${which}/skipped`],
      ['PUT', `/v1/connectors/${which}/pause`],
      ['DELETE', `/v1/connectors/${which}/pause`],
      ['POST', `/v1/connectors/${which}/approvals`, { change: 'x' }],
      ['PUT', `/v1/connectors/${which}/secret`, { secret }],
      ['PUT', `/v1/connectors/${which}/webhook`],
      ['DELETE', `/v1/connectors/${which}/webhook`],
    ];
    const rows = requests('prn_none');
    const before = (await ada.get(`/v1/connectors/${id}`)).json;
    for (const [index, [method, target, body]] of requests(id).entries()) {
      const ask = (path: string) =>
        ben.send(method, path, {
          body,
          headers: method === 'POST' ? { 'Idempotency-Key': `${index}-${path.length}` } : {},
        });
      const [hidden, absent] = [await ask(target), await ask(rows[index]?.[1] ?? '')];
      assert.equal(hidden.refusal, 'NOT_FOUND', `${method} ${target}`);
      assert.equal(hidden.text.replace(/req_\w+/, ''), absent.text.replace(/req_\w+/, ''));
    }
    assert.equal((await connect(ben, 'archive/more')).refusal, 'NOT_FOUND');
    const tried = { location: 'archive/more', kind: 'folder', settings: { path: folder } };
    assert.equal((await ben.post('/v1/connector-tests', tried)).refusal, 'NOT_FOUND');
    assert.deepEqual((await ada.get(`/v1/connectors/${id}`)).json, before);
    const listed = await ben.get('/v1/connectors');
    assert.ok(listed.json.items.every(({ location }: { location: string }) => location.startsWith('own')));
    for (const path of ['/v1/connectors/', '/v1/connectors/a%20b', `/v1/connectors/${id}/none`]) {
      assert.equal((await ada.get(path)).refusal, 'NOT_FOUND', path);
    }
  });

  it('a connector is paused, resumed, run, changed and approved', async () => {
    const at = `/v1/connectors/${id}`;
    const paused = await ada.send('PUT', `${at}/pause`);
    assert.deepEqual([paused.json.state, paused.json.next_run_at], ['paused', null]);
    const refused = await ada.post(`${at}/runs`, undefined);
    assert.equal(refused.refusal, 'CONFLICT connector_state');
    const resumed = await ada.send('DELETE', `${at}/pause`);
    assert.equal(resumed.json.state, 'active');
    assert.equal(resumed.json.next_run_at, new Date(server.host.clock.now()).toISOString());
    const due = await ada.post(`${at}/runs`, undefined);
    assert.deepEqual([due.status, due.json.id], [202, id]);
    const changed = await ada.send('PATCH', at, { body: { name: 'Old scans', interval_seconds: 900 } });
    assert.deepEqual([changed.json.name, changed.json.interval_seconds], ['Old scans', 900]);
    await change(({ tables }) => {
      tables.connectors.setState(id, 'held', 'The source has lost 150 of 200 files.');
      tables.connectors.setHeld(id, 'abc123');
    });
    const held = await ada.get(at);
    assert.deepEqual([held.json.state, held.json.held_change], ['held', 'abc123']);
    assert.equal((await ada.post(`${at}/approvals`, { change: 'other' })).refusal, 'CONFLICT held_change_differs');
    const once = { 'Idempotency-Key': 'approved-once' };
    const approved = await ada.post(`${at}/approvals`, { change: 'abc123' }, once);
    assert.deepEqual([approved.status, approved.json.state], [202, 'active']);
    const again = await ada.post(`${at}/approvals`, { change: 'abc123' }, once);
    assert.deepEqual([again.status, again.headers['idempotent-replayed']], [202, 'true']);
    assert.equal((await ada.post(`${at}/approvals`, { change: 'abc123' })).refusal, 'CONFLICT connector_state');
  });

  it('runs and skipped files come in pages', async () => {
    await change(({ tables, now }) => {
      const counts = { listed: 3, created: 1, updated: 0, moved: 0, deleted: 0, skipped: 2, bytes: 10 };
      for (const outcome of ['changed', 'unchanged', 'failed'] as const) {
        const number = tables.connectorRuns.begin(id, 'schedule', now);
        const fault = outcome === 'failed' ? ('network' as const) : null;
        const end = { endedAt: now + 5, outcome, fault, message: null, counts, versionId: null, sourceVersion: null };
        tables.connectorRuns.end(id, { number, ...end });
      }
      for (const path of ['a.bin', 'b/c.bin', 'd.bin']) {
        tables.mirrorEntries.put(id, { path, sourceId: null, version: '1', reason: 'too_large', detail: '30 MB' });
      }
    });
    const pages = async (target: string): Promise<unknown[]> => {
      const items: unknown[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const { json } = await ada.get(`${target}?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
        assert.ok(json.items.length <= 2);
        items.push(...json.items);
        cursor = json.next_cursor;
      }
      return items;
    };
    const runs = (await pages(`/v1/connectors/${id}/runs`)) as { number: number; outcome: string; fault: string }[];
    assert.deepEqual(
      runs.slice(0, 3).map(({ outcome, fault }) => [outcome, fault]),
      [
        ['failed', 'network'],
        ['unchanged', null],
        ['changed', null],
      ],
    );
    const skipped = await pages(`/v1/connectors/${id}/skipped`);
    assert.deepEqual(skipped.at(1), { path: 'b/c.bin', reason: 'too_large', detail: '30 MB' });
    assert.equal(skipped.length, 3);
    assert.equal((await ada.get(`/v1/connectors/${id}`)).json.last_run.outcome, 'failed');
  });

  it('a secret never comes back, and neither does that of a webhook a second time', async () => {
    const settings = { url: 'https://git.example.org/web/site.git', username: 'reader' };
    const made = await ada.post('/v1/connectors', { name: 'Site', location: 'site', kind: 'git', settings, secret });
    assert.deepEqual([made.status, made.json.has_secret], [201, true], made.text);
    const at = `/v1/connectors/${made.json.id}`;
    const rotated = await ada.send('PUT', `${at}/secret`, { body: { secret: `${secret}-2` } });
    const removed = await ada.send('PUT', `${at}/secret`, { body: { secret: null } });
    assert.deepEqual([rotated.json.has_secret, removed.json.has_secret], [true, false]);
    const hook = await ada.send('PUT', `${at}/webhook`);
    assert.equal(hook.json.path, `/v1/hooks/acme/${made.json.id}`);
    assert.match(hook.json.secret, /^[0-9a-z]{40,}$/);
    const shown = [made, rotated, removed, await ada.get(at), await ada.get('/v1/connectors')];
    const records = JSON.stringify(server.records());
    for (const text of [...shown.map((each) => each.text), records]) {
      assert.ok(!text.includes('glpat') && !text.includes(hook.json.secret));
    }
    const off = await ada.send('DELETE', `${at}/webhook`);
    assert.equal(off.json.has_webhook, false);
  });

  it('what a mirror holds says where it comes from, and its state only to readers of all of it', async () => {
    await change(({ tables }) => {
      tables.folders.setMirror(findFolder(tables, parseFolderLocation('own/mirror'))?.row.number ?? 0, null);
    });
    await ada.post('/v1/folders', { location: 'own/mirror/sub' });
    await ada.create('own/mirror/sub/a.md');
    const [mirror] = (await ben.get('/v1/connectors?location=own/mirror')).json.items;
    await change(({ tables, now }) => {
      tables.folders.setMirror(findFolder(tables, parseFolderLocation('own/mirror'))?.row.number ?? 0, mirror.id);
      tables.connectors.setSynced(mirror.id, { cursor: null, sourceVersion: 'v7', at: now });
    });
    const rita = await server.person('reader', 'own/mirror/sub', 'Rita');
    const document = '/v1/documents/own/mirror/sub/a.md';
    const connector = { id: mirror.id, display_name: 'Scans' };
    const known = { connector, kind: 'folder', path: 'sub/a.md' };
    const at = new Date(server.host.clock.now()).toISOString();
    assert.deepEqual((await ben.get(document)).json.source, { ...known, version: 'v7', synced_at: at });
    assert.deepEqual((await rita.get(document)).json.source, { ...known, version: null, synced_at: null });
    const [listed] = (await ben.get('/v1/folders?location=own/mirror')).json.items;
    assert.deepEqual(listed.source, { connector, kind: 'folder', path: 'sub', version: null, synced_at: null });
    assert.equal((await ada.get('/v1/documents/full/a.md')).json.source, null);
  });

  it('a disconnected source leaves its documents, or takes them along', async () => {
    const keep = (await connect(ada, 'kept')).json.id;
    const kept = await ada.send('DELETE', `/v1/connectors/${keep}?documents=keep`);
    assert.deepEqual([kept.json.disconnected, kept.json.location, kept.json.deleted], [true, 'kept', 0]);
    assert.equal((await ada.create('kept/a.md')).status, 201);
    const drop = (await connect(ada, 'dropped')).json.id;
    await ada.send('DELETE', `/v1/connectors/${drop}?documents=delete`);
    const folders = (await ada.get('/v1/folders?location=')).json.items.map(
      (each: { location: string }) => each.location,
    );
    assert.ok(folders.includes('kept') && !folders.includes('dropped'));
    assert.equal((await ada.get(`/v1/connectors/${keep}`)).json.state, 'disconnected');
    assert.equal((await ada.post(`/v1/connectors/${keep}/runs`, undefined)).refusal, 'CONFLICT connector_state');
  });

  const connect = (client: HttpClient, location: string, more: object = {}): Promise<HttpAnswer> =>
    client.post('/v1/connectors', { name: 'Scans', location, kind: 'folder', settings: { path: folder }, ...more });

  /** A change of the rows that a run would make. */
  const change = (run: Parameters<TestServer['host']['workspace']['journal']['write']>[0]['run']): Promise<unknown> =>
    server.host.workspace.journal.write({ run });
});
