import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeLog, makeSystemRandomness, systemClock } from '../../lib/app/real-world.js';
import { startService, type RunningService } from '../../lib/app/serve.js';
import { Service } from '../../lib/app/service.js';
import { loadConfig } from '../../lib/config.js';
import { formatTime } from '../../lib/domain/clock.js';
import { addPrincipal } from '../../lib/operations/principals/add-principal.js';
import { perform } from '../../lib/operations/perform.js';
import type { Parsed } from '../support/http/server.js';
import { operator } from '../support/store/service.js';

/** What a client would like to stand in the log as a line of its own. */
const forged = '","level":"error","msg":"forged"}\n{"level":"error"\u001B[2J';

describe('the log of a running service', () => {
  let folder: string;
  let lines: string[];
  let running: RunningService | undefined;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cartulary-log-'));
    lines = [];
  });
  afterEach(async () => {
    await running?.close(0);
    running = undefined;
    await rm(folder, { recursive: true, force: true });
  });

  it('has a line at the start and at the stop, times of ISO 8601, and levels in words', async () => {
    await serve();
    await running?.close(0);
    running = undefined;
    const [started] = said(/^The service is up$/);
    assert.equal(started.data, join(folder, 'data'));
    assert.deepEqual([started.workspaces, started.level], [0, 'info']);
    assert.match(started.version, /^\d+\.\d+\.\d+/);
    assert.equal(said(/^The service has stopped$/).length, 1);
    for (const { time } of entries()) assert.equal(formatTime(Date.parse(time)), time);
  });

  it('has a line for each request, with the client’s address and the bytes sent', async () => {
    const port = await serve();
    assert.equal(await send(port, '/v1/health'), 200);
    const [line] = said(/^request$/);
    assert.deepEqual([line.remote, line.method, line.route, line.status], ['127.0.0.1', 'GET', '/v1/health', 200]);
    assert.ok(line.bytes > 100 && line.bytes < 2000, String(line.bytes));
  });

  it('takes the address from the trusted proxy, and nothing that is no address', async () => {
    const port = await serve({ trust_proxy: '2' });
    await send(port, '/v1/health', { 'X-Forwarded-For': '203.0.113.7, 10.0.0.1' });
    await send(port, '/v1/health', { 'X-Forwarded-For': 'forged, 10.0.0.1' });
    assert.deepEqual(
      said(/^request$/).map(({ remote }) => remote),
      ['203.0.113.7', null],
    );
    assert.equal(said(/X-Forwarded-For/).length, 0);
  });

  it('says once that X-Forwarded-For came and no proxy is trusted', async () => {
    const port = await serve();
    for (let sent = 0; sent < 3; sent += 1) await send(port, '/v1/health', { 'X-Forwarded-For': '203.0.113.7' });
    const [line, ...more] = said(/X-Forwarded-For/);
    assert.deepEqual([line.level, more], ['warn', []]);
    assert.match(line.msg, /trust_proxy/);
  });

  it('says once for each host that signing in was refused there, and what to set', async () => {
    const port = await serve();
    for (const host of ['files.example.org', 'files.example.org', 'other.example.org']) {
      assert.equal(await send(port, '/signin', { Host: host }), 421);
    }
    assert.deepEqual(
      said(/Signing in was refused/).map(({ host, level, msg }) => [host, level, /set public_url/.test(msg)]),
      [
        ['files.example.org', 'warn', true],
        ['other.example.org', 'warn', true],
      ],
    );
    for (let serial = 0; serial < 100; serial += 1) await send(port, '/signin', { Host: `h${serial}.example` });
    assert.equal(said(/Signing in was refused/).length, 50, 'a stranger cannot fill the log with hosts');
  });

  it('keeps what a client sends within its line, and holds no key and no path', async () => {
    const port = await serve({ trust_proxy: '1' });
    const secret = 'ck_acme_secretsecretsecret';
    const hostile = Buffer.from(forged)
      .toString('latin1')
      .replace(/[\n\u001B]/g, '');
    await send(port, `/v1/documents/${secret}`, { Authorization: `Bearer ${secret}`, 'X-Forwarded-For': hostile });
    await send(port, `/signin/link/${secret}`, { Host: hostile.slice(0, 40) });
    assert.equal(entries().filter(({ level }) => level === 'error').length, 0);
    for (const line of lines) {
      assert.equal(line.indexOf('\n'), line.length - 1);
      assert.ok(!line.includes(secret), line);
    }
  });

  it('is short for a person at a terminal, and as safe', () => {
    const short: string[] = [];
    const log = makeLog('info', 'short', { write: (line: string) => void short.push(line) });
    log.info({ id: 'req_1', method: 'GET', route: '/v1/health', status: 200, ms: 3.1 }, 'request');
    log.warn({ host: forged }, 'Refused');
    assert.match(short[0] ?? '', /^\d\d:\d\d:\d\d info GET \/v1\/health 200 in 3\.1 ms\n$/);
    assert.equal(short[1]?.indexOf('\n'), (short[1]?.length ?? 0) - 1);
    assert.ok(!(short[1] ?? '').includes('\u001B'));
  });

  it('says loudly at the start that the clock is behind the data; the order of the records stays', async () => {
    const data = join(folder, 'data');
    const ahead = { now: () => systemClock.now() + 400 * 24 * 60 * 60_000, elapsed: () => systemClock.elapsed() };
    const options = {
      dataFolder: data,
      git: 'never',
      randomness: makeSystemRandomness(),
      onFault: () => undefined,
    } as const;
    const later = await Service.open({ ...options, clock: ahead });
    await perform(await later.addWorkspace('acme'), operator, addPrincipal, { displayName: 'Ada', kind: 'person' });
    await later.close();
    await serve();
    const [line] = said(/clock is behind the data/);
    assert.equal(line.level, 'error');
    const workspace = running?.service.find('acme');
    assert.ok(workspace);
    const { seq } = workspace.journal.state.chain;
    await perform(workspace, operator, addPrincipal, { displayName: 'Bea', kind: 'person' });
    assert.equal(workspace.journal.state.chain.seq, seq + 1);
  });

  const serve = async (flags: Readonly<Record<string, string>> = {}): Promise<number> => {
    const config = loadConfig({ flags: { data: join(folder, 'data'), ...flags }, file: undefined, environment: {} });
    const log = makeLog('info', 'json', { write: (line: string) => void lines.push(line) });
    running = await startService(config, log, { ports: [0] });
    return Number(new URL(entries().find(({ msg }) => msg === 'The service is up')?.url ?? 'http://x:1').port);
  };

  const entries = (): Parsed[] => lines.map((line) => JSON.parse(line));

  const said = (words: RegExp): Parsed[] => entries().filter(({ msg }) => words.test(msg));

  function send(port: number, path: string, headers: Readonly<Record<string, string>> = {}): Promise<number> {
    return new Promise((resolve, reject) => {
      const outgoing = request({ host: '127.0.0.1', port, path, headers, agent: false }, (response) => {
        response.resume().on('close', () => setImmediate(() => resolve(response.statusCode ?? 0)));
      });
      outgoing.on('error', reject).end();
    });
  }
});
