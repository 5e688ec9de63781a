import assert from 'node:assert/strict';
import { rename } from 'node:fs/promises';
import { DiskRoom, type DiskSpace } from '../../lib/disk/disk-room.js';
import { runCommand } from '../../lib/commands/carrier/run-command.js';
import { openMcpServer, type McpTestServer } from '../support/http/open-mcp.js';
import { type HttpClient } from '../support/http/server.js';
import { openTestServer } from '../support/http/server.js';
import { TestClock } from '../support/store/service.js';

const mebibyte = 1024 ** 2;
const plenty: DiskSpace = { free: 1000 * mebibyte, total: 2000 * mebibyte };

describe('a disk that becomes low', () => {
  let space: DiskSpace | undefined;
  let faults: string[];
  let server: McpTestServer;
  let editor: { readonly id: string; readonly rest: HttpClient };

  beforeEach(async () => {
    space = plenty;
    faults = [];
    server = await openMcpServer({
      store: 'disk-without-git',
      measureDisk: () => (space === undefined ? Promise.reject(new Error('no measure')) : Promise.resolve(space)),
      onFault: (what) => faults.push(what),
    });
    const { id, key } = await server.host.person('editor');
    editor = { id, rest: server.as(key) };
  });
  afterEach(() => server.close());

  it('refuses writes on every face with one reason, and says it once in the log', async () => {
    assert.equal((await editor.rest.create('a.md', 'first')).status, 201);
    const agent = await server.agent('editor');
    setFree(63 * mebibyte);
    const refused = await editor.rest.create('b.md');
    assert.deepEqual([refused.status, refused.refusal], [503, 'UNAVAILABLE storage_full']);
    assert.equal(refused.headers['retry-after'], '30');
    assert.equal((await editor.rest.put('/v1/documents/a.md', { content: 'second' })).refusal, refused.refusal);
    const said = await agent.client.call('write_org_doc', { location: 'c.md', content: 'text' });
    assert.equal(said.refusal, 'UNAVAILABLE storage_full');
    assert.deepEqual(faults.length, 1, faults.join('\n'));
    assert.match(
      faults[0] ?? '',
      /^The disk of .* is low \(63\.0 MiB of 2\.0 GiB free\): writes are refused until more/,
    );
  });

  it('names what a small disk keeps free, and not what a large one would', async () => {
    space = { free: 2 * mebibyte, total: 24 * mebibyte };
    server.host.clock.advance(1000);
    assert.equal((await editor.rest.create('b.md')).refusal, 'UNAVAILABLE storage_full');
    assert.match(faults[0] ?? '', /is low \(2\.0 MiB of 24\.0 MiB free\): .* more than 3\.0 MiB are free/);
  });

  it('lets reads go on, with their records, and whatever takes content or access away', async () => {
    const created = await editor.rest.create('a.md', 'first');
    setFree(0);
    const before = server.host.workspace.journal.state.chain.seq;
    assert.equal((await editor.rest.get('/v1/documents/a.md')).status, 200);
    assert.equal(server.host.workspace.journal.state.chain.seq, before + 1);
    const gone = await editor.rest.delete('/v1/documents/a.md', { 'If-Match': created.etag });
    assert.equal(gone.status, 200);
    await server.host.revoke('editor', { type: 'principal', id: editor.id }, '');
    assert.equal((await editor.rest.create('a.md')).refusal, 'NOT_FOUND', 'rights come first');
  });

  it('takes the same write once there is room, without a restart', async () => {
    setFree(10);
    const key = { 'Idempotency-Key': 'once' };
    assert.equal((await editor.rest.create('a.md', 'text', key)).refusal, 'UNAVAILABLE storage_full');
    setFree(65 * mebibyte);
    assert.equal((await editor.rest.create('a.md', 'text', key)).status, 201);
    setFree(10);
    const again = await editor.rest.create('a.md', 'text', key);
    assert.deepEqual([again.status, again.headers['idempotent-replayed']], [201, 'true'], 'an answered one stays so');
  });

  it('gives the same answer about places that a key cannot reach', async () => {
    await editor.rest.create('hidden/there.md');
    const { key } = await server.host.person('editor', 'mine');
    const stranger = server.as(key);
    setFree(10);
    const shape = async (location: string): Promise<string> => {
      const { status, refusal } = await stranger.create(location);
      return `${status} ${refusal}`;
    };
    assert.equal(await shape('hidden/there.md'), await shape('hidden/absent.md'));
  });

  it('answers an operator in a sentence without headers', async () => {
    setFree(10);
    const { service } = server.host;
    const answer = await runCommand(
      { command: 'principal.add', fields: { name: 'Bea', kind: 'person' } },
      {
        host: service,
        server: null,
        address: 'http://127.0.0.1',
        onProgress: async () => undefined,
        signal: new AbortController().signal,
        onFault: (what) => faults.push(what),
      },
    );
    assert.ok('error' in answer);
    assert.deepEqual([answer.error.code, answer.error.details?.['reason']], ['UNAVAILABLE', 'storage_full']);
    assert.match(answer.error.message, /^The disk of the data folder is full\. .* Make room, then try again\.$/);
  });

  it('is not assumed where the disk cannot be measured', async () => {
    space = undefined;
    server.host.clock.advance(1000);
    assert.equal((await editor.rest.create('a.md')).status, 201);
  });

  const setFree = (free: number): void => {
    space = { ...plenty, free };
    server.host.clock.advance(1000);
  };
});

describe('the measure of a disk', () => {
  it('is taken once a second at most, however many ask', async () => {
    const clock = new TestClock();
    const still = { elapsed: () => clock.milliseconds };
    let measures = 0;
    const room = new DiskRoom({
      folder: '/',
      reserve: mebibyte,
      clock: still,
      measure: async () => {
        measures += 1;
        return plenty;
      },
      onChange: () => undefined,
    });
    await Promise.all(Array.from({ length: 1000 }, () => room.look()));
    assert.equal(measures, 1);
    clock.advance(1000);
    await Promise.all(Array.from({ length: 1000 }, () => room.look()));
    assert.equal(measures, 2);
  });

  it('does not call a disk that refuses writes well at once, such as one with a limit for an account', async () => {
    const clock = new TestClock();
    const states: string[] = [];
    const room = new DiskRoom({
      folder: '/',
      reserve: 0,
      clock: { elapsed: () => clock.milliseconds },
      measure: async () => plenty,
      onChange: (state) => states.push(state),
    });
    for (let second = 0; second < 9; second += 1) {
      room.noteFull();
      clock.advance(1000);
      assert.equal(await room.look(), 'full');
    }
    assert.equal(room.isLow, false, 'a write may try');
    clock.advance(10_000);
    assert.equal(await room.look(), 'ok');
    assert.deepEqual(states, ['full', 'ok'], 'the log has two lines');
  });
});

describe('GET /v1/ready', () => {
  const ready = { status: 'ready', journal: 'ok', disk: 'ok', repository: 'ok', workspaces: 'ok', copy: 'off' };

  it('says in words what is wrong, without a key', async () => {
    let free = plenty.free;
    const server = await openTestServer({
      store: 'disk-without-git',
      measureDisk: () => Promise.resolve({ ...plenty, free }),
    });
    const { host } = server;
    const stranger = server.as();
    const ask = async (): Promise<unknown> => {
      host.clock.advance(1000);
      const { status, json } = await stranger.get('/v1/ready');
      assert.equal(status, json.status === 'ready' ? 200 : 503);
      assert.equal((await stranger.head('/v1/ready')).status, status);
      return json;
    };
    try {
      assert.deepEqual(await ask(), ready);
      free = 1;
      assert.deepEqual(await ask(), { ...ready, status: 'not_ready', disk: 'low' });
      free = plenty.free;
      const folder = host.dataFolder ?? '';
      await rename(folder, `${folder}-away`);
      assert.deepEqual(await ask(), { ...ready, status: 'not_ready', disk: 'moved' });
      assert.equal((await stranger.get('/v1/health')).status, 200, 'health stays liveness');
      await rename(`${folder}-away`, folder);
      assert.deepEqual(await ask(), ready);
    } finally {
      await server.close();
    }
  });

  it('says nothing about workspaces, and is worked out once a second at most', async () => {
    const server = await openTestServer();
    try {
      const stranger = server.as();
      const before = (await stranger.get('/v1/ready')).text;
      await server.host.service.addWorkspace('another-one');
      server.host.clock.advance(1000);
      assert.equal((await stranger.get('/v1/ready')).text, before);
      const answers = [server.host.service.readiness(), server.host.service.readiness()];
      assert.equal(answers[0], answers[1], 'one promise for both');
      await Promise.all(answers);
    } finally {
      await server.close();
    }
  });
});
