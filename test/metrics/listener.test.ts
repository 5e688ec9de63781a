import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { MetricsUnserved } from '../../lib/app/serve.js';
import { openRunning, sendTo, type RunningTest } from '../support/http/running.js';
import { until } from '../support/until.js';

describe('the port of the metrics', () => {
  let test: RunningTest;
  let port: number;
  before(async () => {
    test = await openRunning({ metrics_port: '0' });
    port = portOf(test);
  });
  after(() => test.close());

  it('is not open where none is set, and /metrics is nowhere on the port of the faces', async () => {
    const usual = await openRunning();
    try {
      assert.equal(usual.running.metricsUrl, null);
      assert.equal((await usual.send('/metrics')).status, 404);
      assert.equal((await test.send('/metrics')).status, 404);
    } finally {
      await usual.close();
    }
  });

  it('serves the text form of Prometheus at /metrics, to be stored by no cache', async () => {
    const { status, headers, text } = await sendTo(port, '/metrics?any=parameter');
    assert.equal(status, 200);
    assert.match(String(headers['content-type']), /^text\/plain; version=0\.0\.4/);
    assert.equal(headers['cache-control'], 'no-store');
    assert.match(text, /^cartulary_build_info\{version="\d+\.\d+\.\d+",commit="[0-9a-f]*"\} 1$/m);
    assert.ok(
      test.lines.some(({ metrics }) => metrics === test.running.metricsUrl),
      'the log says where',
    );
  });

  it('serves nothing else, and no face', async () => {
    for (const path of ['/', '/metrics/', '/v1/health', '/console', '/mcp', '//metrics', '/metrics%00']) {
      assert.equal((await sendTo(port, path)).status, 404, path);
    }
    const { status, headers } = await sendTo(port, '/metrics', { method: 'POST' });
    assert.deepEqual([status, headers['allow']], [405, 'GET, HEAD']);
  });

  it('has one text for everyone who asks within a second', async () => {
    const texts = await Promise.all(Array.from({ length: 20 }, () => sendTo(port, '/metrics')));
    assert.ok(new Set(texts.map(({ text }) => text)).size <= 2, 'no more than one text for each second');
  });

  it('refuses bodies, long queries and long headers unread', async () => {
    const { status } = await sendTo(port, '/metrics', { method: 'POST', body: 'x'.repeat(100_000) });
    assert.equal(status, 413);
    assert.equal((await sendTo(port, `/metrics?${'x'.repeat(2000)}`)).status, 414);
    assert.equal((await sendTo(port, '/metrics', { headers: { Authorization: 'x'.repeat(7000) } })).status, 431);
    assert.equal((await sendTo(port, '/metrics', { headers: { X: 'x'.repeat(40_000) } })).status, 400);
  });

  it('refuses a page whose own name leads to this machine', async () => {
    assert.equal((await sendTo(port, '/metrics', { headers: { Host: 'page.example:9464' } })).status, 403);
    for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`]) {
      assert.equal((await sendTo(port, '/metrics', { headers: { Host: host } })).status, 200, host);
    }
  });

  it('closes connections beyond its bound, and the faces go on', async () => {
    const open = new Set<Socket>();
    let closed = 0;
    try {
      for (let index = 0; index < 40; index += 1) {
        const socket = connect(port, '127.0.0.1');
        open.add(socket);
        socket.on('error', () => undefined).on('close', () => (closed += 1));
        socket.resume();
        await once(socket, 'connect');
        socket.write('GET /metrics HTTP/1.1\r\nHost: local');
      }
      await until('the connections beyond the bound are closed', () => closed >= 8);
      assert.equal((await test.send('/v1/health')).status, 200);
    } finally {
      for (const socket of open) socket.destroy();
    }
    await until('scrapers are let in again', async () => {
      const answer = await sendTo(port, '/metrics').catch(() => undefined);
      return answer?.status === 200;
    });
  });

  it('asks for the token where one is set, by any name', async () => {
    const closed = await openRunning({ metrics_port: '0', metrics_token: 'a-token-of-some-length' });
    try {
      const ask = (headers: Readonly<Record<string, string>>) => sendTo(portOf(closed), '/metrics', { headers });
      const right = { Authorization: 'Bearer a-token-of-some-length' };
      assert.equal((await ask({ ...right, Host: 'cartulary:9464' })).status, 200);
      for (const headers of [{}, { Authorization: 'Bearer a-token-of-some-lengt' }, { Authorization: 'Bearer ' }]) {
        const { status, headers: said, text } = await ask(headers);
        assert.deepEqual([status, said['www-authenticate']], [401, 'Bearer']);
        assert.ok(!text.includes('cartulary_'), 'nothing is told');
      }
    } finally {
      await closed.close();
    }
  });

  it('keeps the service from starting where it is taken, and names the address', async () => {
    const { message, code } = await openRunning({ metrics_port: String(port) }).then(
      () => assert.fail('it started'),
      (error: unknown) => error as MetricsUnserved,
    );
    assert.equal(code, 'EADDRINUSE');
    assert.match(message, new RegExp(`127\\.0\\.0\\.1:${port}`));
  });
});

const portOf = (test: RunningTest): number => Number(new URL(test.running.metricsUrl ?? 'http://x:1').port);
