import assert from 'node:assert/strict';
import { type AxiosResponse } from 'axios';
import { OpenAPIClientAxios, type Document, type OpenAPIClient } from 'openapi-client-axios';
import { parse } from 'yaml';
import { openTestServer, type TestServer } from '../support/http/server.js';

describe('a client generated from /v1/openapi.yaml by a foreign program', () => {
  let server: TestServer;
  let client: OpenAPIClient;
  let operations: string[];
  const called = new Set<string>();

  before(async () => {
    server = await openTestServer();
    const { key } = await server.host.person('approver');
    const { text } = await server.as().get('/v1/openapi.yaml');
    const definition = parse(text, { maxAliasCount: -1 }) as Document;
    const api = new OpenAPIClientAxios({
      definition,
      withServer: { url: server.rest.url },
      axiosConfigDefaults: { headers: { Authorization: `Bearer ${key}` }, validateStatus: null },
    });
    client = await api.init();
    operations = api.getOperations().map(({ operationId }) => operationId ?? '');
  });
  after(() => server.close());

  it('can do everything, with the names and fields of the description', async () => {
    const key = (text: string): object => ({ 'Idempotency-Key': text });
    const location = 'team/a b/naïve #1!.md';
    const made = await call('createDocument', key('1'), { location, content: 'A wombat.' });
    assert.deepEqual([made.status, made.data.location], [201, location]);
    const read = await call('readDocument', { location });
    assert.deepEqual([read.status, read.data.content, read.headers['etag']], [200, 'A wombat.', made.data.etag]);
    assert.equal((await call('headDocument', { location })).headers['etag'], made.data.etag);
    const put = await call('updateDocument', { location, 'If-Match': made.data.etag }, { content: 'Two wombats.' });
    assert.equal(put.status, 200);
    const stale = await call('updateDocument', { location, 'If-Match': made.data.etag }, { content: 'x' });
    assert.deepEqual([stale.status, stale.data.error.details.current_etag], [409, put.data.etag]);

    const bytes = { headers: { 'Content-Type': 'text/csv' } };
    const file = await call('writeFile', { location: 'team/dates.csv', 'If-None-Match': '*' }, 'Oslo', bytes);
    assert.deepEqual([file.status, file.data.media_type], [201, 'text/csv']);
    assert.equal((await call('readFile', { location: 'team/dates.csv' })).data, 'Oslo');
    assert.equal((await call('readText', { location: 'team/dates.csv' })).data, 'Oslo');
    const retried = await call('retryText', { location: 'team/dates.csv', ...key('text') });
    assert.deepEqual([retried.status, retried.data.error.details.reason], [400, 'no_text']);
    await call('deleteDocument', { location: 'team/dates.csv', 'If-Match': file.data.etag });

    const history = await call('listHistory', { location, limit: 1 });
    assert.deepEqual(
      [history.data.items[0].operation, history.data.items[0].version.id],
      ['update', put.data.version.id],
    );
    const diff = await call('diffVersions', { location, from: made.data.version.id });
    assert.deepEqual([diff.data.diff.added, diff.data.diff.removed], [1, 1]);
    assert.deepEqual((await call('setLabels', { location }, { labels: ['b'] })).data.labels, ['b']);
    assert.deepEqual((await call('addLabels', key('l'), { location, labels: ['a'] })).data.labels, ['a', 'b']);
    assert.deepEqual((await call('removeLabel', { location, label: 'b' })).data.labels, ['a']);
    assert.deepEqual((await call('readLabels', { location })).data, { location, labels: ['a'] });
    const claim = await call('takeClaim', key('c'), { location, ttl_seconds: 600 });
    assert.equal((await call('listClaims')).data.items[0].id, claim.data.id);
    assert.equal((await call('releaseClaim', { id: claim.data.id })).data.released, true);
    const other = await call('takeClaim', key('c2'), { location });
    const broken = await call('breakClaim', key('b'), { location, id: other.data.id });
    assert.deepEqual([broken.data.broken, broken.data.holder.display_name], [true, other.data.holder.display_name]);
    const comment = await call('addComment', key('w'), { location, text: 'Two?', passage: { quote: 'Two' } });
    const named = { location, id: comment.data.id };
    assert.equal((await call('editComment', named, { text: 'Two!' })).data.text, 'Two!');
    const thread = { location, id: comment.data.thread_id };
    assert.equal((await call('resolveThread', thread, { resolved: true })).data.id, comment.data.thread_id);
    assert.equal((await call('listComments', { location })).data.items[0].anchor.line, 1);
    assert.equal((await call('deleteComment', named)).data.deleted, true);

    const restored = await call('restoreVersion', key('r'), { location, version: made.data.version.id });
    assert.deepEqual([restored.status, restored.data.sha256], [200, made.data.sha256]);
    const again = await call('restoreVersion', key('r2'), { location, version: put.data.version.id });
    const deleted = await call('deleteFolder', key('d'), { location: 'team' });
    assert.deepEqual([deleted.data.deleted, deleted.data.documents], [true, 1]);
    const back = await call('undeleteFolder', key('u'), { location: 'team' });
    assert.deepEqual([back.data.documents, back.data.version_id === again.data.version.id], [1, false]);

    const junk = await call('createDocument', key('j'), { location: 'junk/x.md', content: 'x' });
    const doings = {
      location: 'junk',
      principal_id: junk.data.version.author.id,
      since: '2000-01-01T00:00:00Z',
    };
    const preview = await call('previewRevert', { ...doings, limit: 1 });
    assert.deepEqual([preview.status, preview.data.items[0].action], [200, 'delete']);
    const reverted = await call('revertChanges', key('v'), { ...doings, preview: preview.data.preview });
    assert.deepEqual([reverted.status, reverted.data.documents], [200, 1]);

    const folder = await call('createFolder', key('2'), { location: 'team/empty' });
    assert.equal(folder.status, 201);
    const folders = await call('listFolders', { location: 'team', limit: 1 });
    assert.deepEqual(folders.data.items[0].location, 'team/a b');
    const rest = await call('listFolders', { location: 'team', limit: 1, cursor: folders.data.next_cursor });
    assert.deepEqual([rest.data.items[0].location, rest.data.next_cursor], ['team/empty', null]);
    assert.equal((await call('listDocuments', { location: 'team/a b' })).data.items.length, 1);
    assert.equal((await call('search', { q: 'wombat', kind: 'text' })).data.items[0].location, location);
    const lines = await call('searchLines', { q: 'wombat', match: 'exact' });
    assert.equal(lines.data.items[0].document.location, location);
    const zip = await call('exportFolder', { location: 'team' }, undefined, { responseType: 'arraybuffer' });
    assert.equal(
      Buffer.from(zip.data as ArrayBuffer)
        .subarray(0, 2)
        .toString(),
      'PK',
    );

    const subject = { type: 'principal', id: await server.host.principal('Rita') };
    const grant = { scope_type: 'folder', scope_id: 'public', subject, role: 'reader' };
    assert.equal((await call('createGrant', key('3'), grant)).status, 201);
    assert.equal((await call('listGrants', { scope_type: 'folder', scope_id: 'public' })).data.items.length, 1);
    assert.equal((await call('renameItem', key('4'), { location, name: 'b.md' })).status, 200);
    const moving = { location: 'team/a b/b.md', to_folder: 'public' };
    const refused = await call('moveItem', key('5'), moving);
    const { reason, report } = refused.data.error.details as { reason: string; report: string };
    assert.equal(reason, 'access_would_widen');
    const acknowledged = { ...moving, acknowledge_access_change: true, access_report: report };
    assert.equal((await call('moveItem', key('5'), acknowledged)).data.location, 'public/b.md');
    const gone = await call('deleteDocument', { location: 'public/b.md', 'If-Match': `"${back.data.version_id}"` });
    assert.equal(gone.data.deleted, true);
    assert.equal((await call('undeleteDocument', key('6'), { location: 'public/b.md' })).status, 200);
    const granted = { scope_type: 'folder', scope_id: 'public', subject_type: 'principal', subject_id: subject.id };
    assert.equal((await call('revokeGrant', { ...granted, role: 'reader' })).data.revoked, true);
    await connect(key);
    await hear(key);
    await keep(key);
    await ask(key);
    for (const id of operations.filter((name) => /Health|Index|Openapi|Ready/.test(name))) {
      assert.equal((await call(id)).status, 200, id);
    }

    assert.deepEqual([...called].toSorted(), operations.toSorted(), 'every operation was called');
  });

  async function call(id: string, parameters?: object, body?: unknown, options?: object): Promise<AxiosResponse> {
    called.add(id);
    const operation = (client as unknown as Record<string, Call>)[id] ?? assert.fail(`no operation ${id}`);
    return operation(parameters ?? null, body, options);
  }

  /** Everything that can be asked of a connector. Its folder may not be mirrored, so the tests say so. */
  async function connect(key: (text: string) => object): Promise<void> {
    const kinds = await call('listConnectorKinds');
    assert.ok(kinds.data.items.length > 0);
    const source = { location: 'mirror', kind: 'folder', settings: { path: '/srv/none' } };
    const tested = await call('testConnection', key('m1'), source);
    assert.deepEqual([tested.status, tested.data.works], [200, false]);
    const made = await call('connectSource', key('m2'), { ...source, name: 'Files' });
    assert.equal(made.status, 201);
    const { id } = made.data;
    assert.equal((await call('getConnector', { id })).data.name, 'Files');
    assert.equal((await call('changeConnector', { id }, { interval_seconds: 600 })).data.interval_seconds, 600);
    assert.equal((await call('testConnector', { id, ...key('m3') })).data.fault, 'denied_egress');
    assert.equal((await call('setConnectorSecret', { id }, { secret: null })).data.has_secret, false);
    assert.equal((await call('syncConnector', { id, ...key('m4') })).status, 202);
    for (const list of ['listConnectorRuns', 'listSkippedFiles']) {
      assert.deepEqual((await call(list, { id, limit: 1 })).data.items, []);
    }
    const held = await call('approveHeldChange', { id, ...key('m5') }, { change: 'none' });
    assert.equal(held.data.error.details.reason, 'connector_state');
    const { secret } = (await call('setConnectorWebhook', { id })).data;
    const proof = { headers: { 'X-Gitlab-Token': secret } };
    assert.equal((await call('receiveHook', { workspace: 'acme', id }, {}, proof)).status, 202);
    assert.equal((await call('removeConnectorWebhook', { id })).data.has_webhook, false);
    assert.equal((await call('pauseConnector', { id })).data.state, 'paused');
    assert.equal((await call('resumeConnector', { id })).data.state, 'active');
    assert.equal((await call('listConnectors', { location: 'mirror' })).data.items.length, 1);
    assert.equal((await call('disconnectSource', { id, documents: 'keep' })).data.disconnected, true);
  }

  /** Everything that can be asked of a webhook. Its receiver may not be reached, so nothing is sent. */
  async function hear(key: (text: string) => object): Promise<void> {
    const url = 'https://receiver.invalid/in';
    const made = await call('createWebhook', key('h1'), { name: 'Chat', location: 'public', url });
    assert.equal(made.status, 201, JSON.stringify(made.data));
    const { id } = made.data;
    assert.equal((await call('getWebhook', { id })).data.name, 'Chat');
    assert.equal((await call('listWebhooks', { location: 'public' })).data.items.length, 1);
    assert.equal((await call('changeWebhook', { id }, { enabled: false })).data.enabled, false);
    assert.match((await call('rotateWebhookSecret', { id, ...key('h2') })).data.secret, /^whsec_/);
    assert.equal((await call('testWebhook', { id, ...key('h3') })).status, 200);
    const { items } = (await call('listDeliveries', { id, limit: 1 })).data;
    const delivery = items[0]?.id ?? 'none';
    const replayed = await call('replayDeliveries', { id, ...key('h4') }, { delivery });
    assert.ok([200, 400, 404, 409].includes(replayed.status));
    assert.equal((await call('removeWebhook', { id })).data.removed, true);
  }

  /** Everything that can be asked of keys. The client's own was made by the operator for a person. */
  async function keep(key: (text: string) => object): Promise<void> {
    const { items } = (await call('listKeys', { limit: 1 })).data;
    assert.equal(items[0].is_of_request, true);
    const made = await call('mintKey', key('k1'), { name: 'Clone', interfaces: ['rest'] });
    assert.equal(made.data.error.details.reason, 'not_with_this_key');
    assert.equal((await call('rotateKey', { id: 'none', ...key('k2') })).data.error.code, 'NOT_FOUND');
    assert.equal((await call('revokeKey', { id: 'none' })).data.error.code, 'NOT_FOUND');
  }

  /** Everything that can be asked of the audit log. */
  async function ask(key: (text: string) => object): Promise<void> {
    assert.equal((await call('listChanges', { limit: 1 })).data.items[0].kind, 'entered');
    assert.equal((await call('listAudit', { action: 'document.create', limit: 1 })).data.items.length, 1);
    const started = await call('startAuditVerification', key('a1'));
    assert.equal((await call('readAuditVerification', { id: started.data.id })).data.id, started.data.id);
    assert.match(String((await call('exportAudit')).data), /"seq":1/);
    assert.match((await call('readAuditKey')).data.public_key, /BEGIN PUBLIC KEY/);
  }
});

/** Operations of a client generated by a foreign program out of the served description, by their ids there. */
type Call = (parameters?: object | null, body?: unknown, options?: object) => Promise<AxiosResponse>;
