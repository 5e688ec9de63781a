import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { request } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HookProof } from '../../lib/api/rest/hook-proof.js';
import { openTestServer, type HttpAnswer, type HttpClient, type TestServer } from '../support/http/server.js';

/** A push as GitHub sends it, cut to its frame. */
const push = Buffer.from('{\n  "ref": "refs/heads/main",\n  "after": "bffeb74224043ba2feb48d137756c8a9331c449a"\n}');

const hex = (secret: string, body: Uint8Array): string => createHmac('sha256', secret).update(body).digest('hex');

/** The headers of each sender, with the names and forms of its documentation. */
const senders = {
  github: (secret: string, body: Uint8Array) => ({
    'User-Agent': 'GitHub-Hookshot/044aadd',
    'X-GitHub-Delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958',
    'X-GitHub-Event': 'push',
    'X-Hub-Signature-256': `sha256=${hex(secret, body)}`,
  }),
  gitea: (secret: string, body: Uint8Array) => ({
    'X-Gitea-Delivery': 'f6266f16-1bf3-46a5-9ea4-602e06ead473',
    'X-Gitea-Event': 'push',
    'X-Gitea-Signature': hex(secret, body),
  }),
  gitlab: (secret: string) => ({
    'X-Gitlab-Event': 'Push Hook',
    'X-Gitlab-Event-UUID': '13792a34-cac6-4fda-95a8-c58e00a3954e',
    'X-Gitlab-Token': secret,
  }),
  standard: (secret: string, body: Uint8Array, seconds: number) => {
    const signed = Buffer.concat([Buffer.from(`msg_2KWPBgLlAfxdpx2AI54pPJ85f4W.${seconds}.`), body]);
    const signature = createHmac('sha256', Buffer.from(secret, 'base64')).update(signed).digest('base64');
    return {
      'webhook-id': 'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W',
      'webhook-timestamp': String(seconds),
      'webhook-signature': `v1,bm90IHRoaXMgb25l v1,${signature}`,
    };
  },
};

describe('a webhook of a source', () => {
  let server: TestServer;
  let ada: HttpClient;
  let stranger: HttpClient;
  let folder: string;
  let id: string;
  let secret: string;
  let path: string;

  const seconds = (): number => Math.floor(server.host.clock.now() / 1000);

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cartulary-hooks-'));
    server = await openTestServer({ connectors: { allowance: { hosts: [], folders: [folder], programs: {} } } });
    ada = await server.person('approver');
    stranger = server.as();
    const body = { name: 'Scans', location: 'scans', kind: 'folder', settings: { path: folder } };
    id = (await ada.post('/v1/connectors', body)).json.id;
    ({ secret, path } = (await ada.send('PUT', `/v1/connectors/${id}/webhook`)).json);
  });
  after(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    const { clock, workspace } = server.host;
    clock.advance(3_600_000);
    const at = clock.now() + 1_800_000;
    await workspace.journal.write({
      run: ({ tables }) => tables.connectors.setNextRun(id, { at, trigger: 'schedule' }),
    });
  });

  for (const [name, headersOf] of Object.entries(senders)) {
    it(`of ${name} sets the next run`, async () => {
      const { status, json } = await send(path, headersOf(secret, push, seconds()));
      assert.deepEqual([status, json], [202, { accepted: true }]);
      const { nextRunAt, nextTrigger } = connectors().byId(id) ?? {};
      assert.deepEqual([nextRunAt, nextTrigger], [server.host.clock.now(), 'webhook']);
      const { record } = server.records().at(-1) ?? assert.fail('no record');
      assert.deepEqual([record.action, record.principal, record.interface], ['connector.notify', id, 'connector']);
    });

    it(`of ${name} is refused with another secret, and for other bytes`, async () => {
      const before = connectors().byId(id);
      const wrong = await send(path, headersOf(`${secret.slice(0, -4)}aaaa`, push, seconds()));
      assert.equal(wrong.refusal, 'NOT_FOUND');
      if (name !== 'gitlab') {
        const other = await send(path, headersOf(secret, push, seconds()), Buffer.from(`${push.toString()} `));
        assert.equal(other.refusal, 'NOT_FOUND');
      }
      assert.deepEqual(connectors().byId(id), before);
    });
  }

  it('a source webhook is verified by the signature that GitHub documents', () => {
    const signature = '757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';
    const proof = new HookProof({ 'x-hub-signature-256': `sha256=${signature}` }, "It's a Secret to Everybody", 0);
    proof.add(Buffer.from('Hello, '));
    proof.add(Buffer.from('World!'));
    assert.ok(proof.holds());
  });

  it('is not taken with an old time, and no other proof mends a bad one', async () => {
    const old = await send(path, senders.standard(secret, push, seconds() - 301));
    assert.equal(old.refusal, 'NOT_FOUND');
    const mixed = { ...senders.gitlab(secret), 'X-Hub-Signature-256': `sha256=${'0'.repeat(64)}` };
    assert.equal((await send(path, mixed)).refusal, 'NOT_FOUND');
    for (const signature of ['', 'sha256=', 'sha1=abc', `sha256=${'g'.repeat(64)}`, 'x'.repeat(8000)]) {
      assert.equal((await send(path, { 'X-Hub-Signature-256': signature })).refusal, 'NOT_FOUND');
    }
    assert.equal((await send(path, {})).refusal, 'NOT_FOUND');
    assert.equal((await send(path, { 'X-Gitlab-Token': '' })).refusal, 'NOT_FOUND');
  });

  it('gets one answer for an unknown workspace, an unknown connector, a bad proof and a paused connector', async () => {
    const strip = ({ status, headers, text }: HttpAnswer) => {
      const { 'x-request-id': _, date: __, ...rest } = headers;
      return { status, rest, text: text.replace(/req_\w+/, 'req') };
    };
    const good = senders.github(secret, push);
    const unknownWorkspace = await send(path.replace('/acme/', '/other/'), good);
    const unknownConnector = await send(`${path}x`, good);
    const badProof = await send(path, senders.github('wrong', push));
    await ada.send('PUT', `/v1/connectors/${id}/pause`);
    const paused = await send(path, good);
    await ada.send('DELETE', `/v1/connectors/${id}/pause`);
    const bare = { name: 'Other', location: 'bare', kind: 'folder', settings: { path: folder } };
    const without = (await ada.post('/v1/connectors', bare)).json.id;
    const noWebhook = await send(path.replace(id, without), good);
    for (const each of [unknownConnector, badProof, paused, noWebhook]) {
      assert.deepEqual(strip(each), strip(unknownWorkspace));
    }
    assert.equal(unknownWorkspace.status, 404);
  });

  it('sets one run however often it comes, and none within 30 seconds of the last one', async () => {
    const good = senders.github(secret, push);
    await send(path, good);
    const first = connectors().byId(id);
    server.host.clock.advance(5000);
    await send(path, good);
    assert.deepEqual(connectors().byId(id), first);
    const { workspace, clock } = server.host;
    await workspace.journal.write({
      run({ tables }) {
        tables.connectorRuns.begin(id, 'webhook', clock.now());
        tables.connectors.setNextRun(id, { at: clock.now() + 3_600_000, trigger: 'schedule' });
      },
    });
    const begun = clock.now();
    clock.advance(10_000);
    await send(path, good);
    assert.equal(connectors().byId(id)?.nextRunAt, begun + 30_000);
  });

  it('may have any body up to 25 MiB, and no query', async () => {
    const form = Buffer.from('payload=%7B%7D');
    const asForm = { ...senders.github(secret, form), 'Content-Type': 'application/x-www-form-urlencoded' };
    assert.equal((await send(path, asForm, form)).status, 202);
    const empty = Buffer.alloc(0);
    assert.equal((await send(path, senders.gitea(secret, empty), empty)).status, 202);
    const large = await tooLarge();
    assert.deepEqual([large.status, large.refusal], [400, 'INVALID_REQUEST body_too_large']);
    assert.equal((await send(`${path}?token=x`, senders.gitlab(secret))).refusal, 'INVALID_REQUEST unknown_field');
    assert.equal((await stranger.get(path)).refusal, 'INVALID_REQUEST method_not_allowed');
  });

  /** Only its length is sent: it is refused before it is read. */
  function tooLarge(): Promise<{ status: number | undefined; refusal: string }> {
    return new Promise((resolve, reject) => {
      const headers = { 'Content-Length': 25 * 1024 * 1024 + 1, ...senders.gitlab(secret) };
      const outgoing = request(
        { host: '127.0.0.1', port: server.rest.port, method: 'POST', path, headers },
        (answer) => {
          let text = '';
          answer.setEncoding('utf8').on('data', (piece: string) => (text += piece));
          answer.on('end', () => {
            const { code, details } = JSON.parse(text).error as { code: string; details: { reason: string } };
            outgoing.destroy();
            resolve({ status: answer.statusCode, refusal: `${code} ${details.reason}` });
          });
        },
      );
      outgoing.on('error', reject);
      outgoing.flushHeaders();
    });
  }

  it('is counted where it is refused, and recorded by the minute', async () => {
    await server.rest.later.flush();
    const before = server.records().length;
    for (let index = 0; index < 5; index += 1) await send(path, senders.github('wrong', push));
    server.host.clock.advance(60_000);
    await server.rest.later.flush();
    const told = server
      .records()
      .slice(before)
      .map(({ record }) => record);
    assert.deepEqual(
      told.map(({ action, interface: face, code }) => [action, face, code]),
      [['authentication.failed', 'connector', 'UNAUTHENTICATED']],
    );
  });

  it('is limited by its address, and by its connector', async () => {
    const good = senders.github(secret, push);
    const toConnector: number[] = [];
    for (let index = 0; index < 20; index += 1) toConnector.push((await send(path, good)).status);
    assert.ok(toConnector.slice(0, 10).every((status) => status === 202));
    assert.equal(toConnector.at(-1), 429);
    const toNobody: number[] = [];
    for (let index = 0; index < 80; index += 1) toNobody.push((await send('/v1/hooks/none/none', {})).status);
    assert.equal(toNobody[0], 404);
    assert.equal(toNobody.at(-1), 429);
  });

  const connectors = () => server.host.workspace.journal.reader.connectors;

  const send = (target: string, headers: Record<string, string>, body: Uint8Array = push): Promise<HttpAnswer> =>
    stranger.send('POST', target, { body, headers: { 'Content-Type': 'application/json', ...headers } });
});
