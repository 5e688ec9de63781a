import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile, mkdtemp, rm } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathsOf } from '../../lib/journal/workspace-files.js';
import { revokeCredential } from '../../lib/operations/credentials/change-credential.js';
import { perform } from '../../lib/operations/perform.js';
import { verifyExport } from '../../lib/commands/operator/inspect.js';
import { openTestServer, type HttpClient, type TestServer } from '../support/http/server.js';
import { operator } from '../support/store/service.js';
import { until } from '../support/until.js';
import { Sqlite } from '../support/store/sqlite.js';

const everything = { head: undefined, clone: undefined, recoveredAt: undefined };

describe('the audit log over REST', () => {
  let server: TestServer;
  let ada: HttpClient;
  let ben: HttpClient;

  before(async () => {
    server = await openTestServer({ store: 'disk-without-git' });
    ada = await server.person('approver');
    ben = server.as((await server.host.person('reader', 'eng', 'Ben')).key);
    await ada.create('eng/plan.md', 'text');
    await ben.get('/v1/documents/eng/plan.md');
  });
  after(() => server.close());

  it('an admin gets every record with its number and hash, the newest first', async () => {
    const { status, json } = await ada.get('/v1/audit?action=document.read');
    assert.equal(status, 200);
    assert.equal(json.items.length, 1);
    const [read] = json.items;
    assert.equal(read.principal.display_name, 'Ben');
    assert.equal(read.target, 'eng/plan.md');
    assert.equal(typeof read.seq, 'number');
    assert.match(read.hash, /^[0-9a-f]{64}$/);
    const numbers = (await ada.get('/v1/audit')).json.items.map(({ seq }: { seq: number }) => seq);
    assert.deepEqual(
      numbers,
      numbers.toSorted((a: number, b: number) => b - a),
    );
  });

  it('each person gets their own actions, without numbers and hashes, and no others', async () => {
    const { json } = await ben.get('/v1/audit');
    assert.ok(json.items.length > 0);
    for (const { principal, seq, hash } of json.items) {
      assert.deepEqual([principal.display_name, seq, hash], ['Ben', null, null]);
    }
    const absent = await ben.get('/v1/audit?location=absent');
    assert.equal(absent.status, 404);
    const other = (await ada.get('/v1/audit?action=document.create')).json.items[0].principal.id;
    const others = await ben.get(`/v1/audit?principal=${other}`);
    assert.equal(others.refusal, absent.refusal);
  });

  it('asking is recorded with its filters', async () => {
    await ada.get('/v1/audit?outcome=refused&from=2020-01-01T00:00:00Z');
    const { json } = await ada.get('/v1/audit?action=audit.list&limit=1');
    assert.deepEqual(json.items[0].detail, { outcome: 'refused', from: '2020-01-01T00:00:00.000Z', isFirstPage: true });
  });

  it('the server checks the whole log and says how far it is, for admins alone', async () => {
    const begun = await ada.post('/v1/audit/verifications', undefined);
    assert.equal(begun.status, 202);
    let check = begun.json;
    await until('the check has ended', async () => {
      check = (await ada.get(`/v1/audit/verifications/${begun.json.id}`)).json;
      return check.state === 'ended';
    });
    assert.equal(check.result.sound, true);
    assert.ok(check.checked >= check.records && check.records > 0);
    assert.equal(check.result.head.seq, check.result.records);
    assert.equal((await ben.post('/v1/audit/verifications', undefined)).status, 404);
    assert.equal((await ben.get(`/v1/audit/verifications/${begun.json.id}`)).status, 404);
  });

  it('names the first record that was changed in the file, and all records before it are sound', async () => {
    const data = server.host.dataFolder ?? assert.fail();
    const { name, journal } = server.host.workspace;
    for (let more = 0; more < 20; more += 1) await ben.get('/v1/documents/eng/plan.md');
    const file = new Sqlite(pathsOf(data, name).sidecar);
    const broken = journal.state.chain.seq - 10;
    const { action } = file
      .prepare<[number], { action: string }>('SELECT action FROM audit_record WHERE seq = ?')
      .get(broken) ?? { action: '' };
    const change = file.prepare('UPDATE audit_record SET action = ? WHERE seq = ?');
    change.run('document.forged', broken);
    try {
      const begun = (await ada.post('/v1/audit/verifications', undefined)).json;
      let check = begun;
      await until('the check has ended', async () => {
        check = (await ada.get(`/v1/audit/verifications/${begun.id}`)).json;
        return check.state === 'ended';
      });
      const { sound, records, first_broken } = check.result;
      assert.deepEqual([sound, records, first_broken.seq], [false, broken - 1, broken]);
      assert.match(first_broken.problem, /hash/);
    } finally {
      change.run(action, broken);
      file.close();
    }
  });

  it('two who ask for a check at once get the same one', async () => {
    const { chainChecks } = server.host.workspace;
    const [first, second] = [chainChecks.start(), chainChecks.start()];
    assert.equal(second.id, first.id);
    await until('the check has ended', () => chainChecks.find(first.id)?.endedAt !== null);
    assert.notEqual(chainChecks.start().id, first.id);
  });

  it('an export ends in sight of the client when its key is revoked, and its end is on record', async () => {
    const { workspace } = server.host;
    const { id, key } = await server.host.person('approver', '', 'Cleo');
    for (let group = 0; group < 20; group += 1) {
      await workspace.journal.write({
        isRecordOnly: true,
        run(transaction) {
          const event = {
            principal: id,
            credential: null,
            interface: 'rest',
            requestId: null,
            outcome: 'done',
          } as const;
          for (let index = 0; index < 500; index += 1) {
            transaction.audit({ ...event, action: 'document.search', target: 'q'.repeat(1000) });
          }
        },
      });
    }
    const { port } = new URL(server.rest.url);
    const headers = { Authorization: `Bearer ${key}` };
    const outgoing = request({ port, path: '/v1/audit/export?with_texts=true', headers });
    outgoing.end();
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
    assert.equal(answer.statusCode, 200);
    await once(answer, 'readable');
    const credential = workspace.journal.reader.credentials.list().find(({ principalId }) => principalId === id);
    await perform(workspace, operator, revokeCredential, { credentialId: credential?.id ?? '' });
    await assert.rejects(async () => {
      for await (const _ of answer as AsyncIterable<Buffer>);
    }, /aborted/);
    await until('the end is on record', () => server.records().at(-1)?.record.action === 'audit.exported');
    assert.deepEqual(
      server
        .records()
        .slice(-2)
        .map(({ record: { action, code } }) => `${action} ${code ?? 'done'}`),
      ['audit.export UNAUTHENTICATED', 'audit.exported done'],
    );
  });

  it('an export is what `audit verify --export` finds sound', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'cartulary-export-'));
    try {
      const file = join(folder, 'audit.jsonl');
      const key = (await ada.get('/v1/audit/key')).json.public_key;
      const { text } = await ada.get('/v1/audit/export?with_texts=false');
      await writeFile(file, text);
      const verdict = await verifyExport({ file, key, ...everything });
      assert.equal(verdict.sound, true);
      assert.equal((await ben.get('/v1/audit/export')).status, 404);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
