import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { makeSystemRandomness } from '../../lib/app/real-world.js';
import { Service } from '../../lib/app/service.js';
import { startServer } from '../../lib/api/rest/server.js';
import { openTestServer, TestServer } from '../support/http/server.js';
import { noLog } from '../support/http/log.js';
import { TestClock, TestService } from '../support/store/service.js';
import { addSubject, isReplayed, retriedPosts } from './retried-posts.js';

describe('a service that is killed after it committed and before it answered', () => {
  it('gives the retries of every POST the lost answer, and does nothing twice', async function () {
    this.timeout(60_000);
    const first = await openTestServer({ store: 'disk-without-git' });
    const dataFolder = first.host.dataFolder ?? '';
    try {
      const { key } = await first.host.person('approver');
      const subject = await addSubject(first);
      const made: (string | void)[] = [];
      for (const [index, { prepare }] of retriedPosts.entries()) made.push(await prepare(first.as(key), `p/${index}`));
      await first.rest.close(1000);
      await first.host.service.close();

      const script = fileURLToPath(new URL('serve-mute.js', import.meta.url));
      const child = spawn(process.execPath, [script, dataFolder, String(retriedPosts.length)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const ended = once(child, 'exit');
      const [port] = (await once(child.stdout, 'data')) as [Buffer];
      await Promise.all(
        retriedPosts.map(({ path, body }, index) =>
          sendInVain(Number(port.toString()), key, path, body(`p/${index}`, subject, made[index])),
        ),
      );
      assert.deepEqual(await ended, [null, 'SIGKILL']);

      const second = await serveAgain(dataFolder);
      try {
        const { head } = second;
        for (const [index, { path, body, status }] of retriedPosts.entries()) {
          const answer = await second
            .as(key)
            .post(path, body(`p/${index}`, subject, made[index]), { 'Idempotency-Key': 'once' });
          assert.deepEqual([answer.status, isReplayed(answer)], [status, true], path);
        }
        assert.equal(second.head, head);
      } finally {
        await second.close();
      }
    } finally {
      await rm(dataFolder, { recursive: true, force: true });
    }
  });
});

/** Sends a request and never hears of it again. */
async function sendInVain(port: number, key: string, path: string, body: object): Promise<void> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', 'Idempotency-Key': 'once' };
  const sent = request({ host: '127.0.0.1', port, method: 'POST', path, headers, agent: false });
  sent.end(JSON.stringify(body));
  await assert.rejects(once(sent, 'response'), /ECONNRESET|hang up/);
}

async function serveAgain(dataFolder: string): Promise<TestServer> {
  const clock = new TestClock();
  const service = await Service.open({
    dataFolder,
    git: 'never',
    clock,
    randomness: makeSystemRandomness(),
    onFault: () => undefined,
  });
  const build = { version: '0.0.0', commit: null };
  const options = {
    host: '127.0.0.1',
    port: 0,
    build,
    log: noLog,
    trustProxy: 0,
    corsOrigins: [],
    validateResponses: true,
  };
  const workspace = service.find('acme') ?? assert.fail('The workspace is gone.');
  return new TestServer(
    new TestService(service, workspace, clock, dataFolder),
    await startServer(service, options),
    [],
  );
}
