import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { pathsOf } from '../../lib/journal/workspace-files.js';
import { readSchemaNumber } from '../../lib/sidecar/schema-number.js';
import { verifyData } from '../../lib/commands/operator/inspect.js';
import { skipBecause } from '../support/skip.js';
import { readAnswers } from './answers.js';
import { getFrom, serveUnpacked, unpack, type Unpacked } from './unpack.js';

const child = fileURLToPath(new URL('./upgrading-child.js', import.meta.url));

describe('an upgrade that does not get to its end', () => {
  let folder: string;
  let old: Unpacked;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cartulary-upgrade-'));
    old = unpack('16.5', folder);
    file = pathsOf(old.data, 'acme').sidecar;
  });
  afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));

  it('goes on at the next start where its process was killed, as often as it takes', async () => {
    for (const step of [17, 19, 21, 23, 24]) {
      const running = spawn(process.execPath, [child, file], { stdio: ['ignore', 'pipe', 'inherit'] });
      const closed = once(running, 'close');
      for await (const line of createInterface({ input: running.stdout })) {
        if (line === `step ${step}`) running.kill('SIGKILL');
      }
      await closed;
      const reached = readSchemaNumber(file) ?? 0;
      assert.ok(reached >= step - 1, `the steps before ${step} were kept, and it is at ${reached}`);
    }
    await requireUpgrade();
  }).timeout(60_000);

  it('leaves the file at its last step when the disk is full, and goes on once there is room', async function () {
    if (spawnSync('prlimit', ['--version']).status !== 0) skipBecause(this, 'there is no prlimit program');
    const before = statSync(file).size;
    const reached: number[] = [];
    // The write-ahead log grows with each step, so each limit ends the upgrade at another one.
    for (const room of [40_000, 90_000, 160_000]) {
      const limit = [`--fsize=${Math.min(room, before)}:unlimited`, process.execPath, child, file];
      const { status, stderr } = spawnSync('prlimit', limit, { encoding: 'utf8' });
      assert.notEqual(status, 0, `${room} bytes are not enough`);
      assert.match(stderr, /disk I\/O error|database or disk is full/);
      reached.push(readSchemaNumber(file) ?? 0);
    }
    assert.ok(reached.at(-1)! < 24, `it has steps left: ${reached.join(', ')}`);
    await requireUpgrade();
  }).timeout(60_000);

  it('reads the number of a file from its bytes alone, and what is torn in the log does not count', () => {
    const number = readSchemaNumber(file);
    assert.equal(number, 16);
    const bytes = statSync(file).size;
    appendFileSync(`${file}-wal`, Buffer.alloc(5000, 7));
    assert.equal(readSchemaNumber(file), number);
    assert.equal(statSync(file).size, bytes);
    assert.equal(readSchemaNumber(join(folder, 'kept.json')), undefined);
    assert.equal(readSchemaNumber(join(folder, 'absent')), undefined);
  });

  /** The next start upgrades what is left, and everything is there. */
  async function requireUpgrade(): Promise<void> {
    const faults: string[] = [];
    const server = await serveUnpacked(old, {
      onFault: (what, cause) => void faults.push(`${what}: ${String(cause)}`),
    });
    try {
      assert.deepEqual(await readAnswers(getFrom(server), old.keys.admin), old.answers.admin);
      assert.deepEqual(faults, []);
    } finally {
      await server.close();
    }
    const options = { dataFolder: old.data, workspace: null, git: 'auto', isQuick: false } as const;
    const { service, workspaces } = await verifyData(options, () => undefined);
    assert.deepEqual(
      [service, ...workspaces].flatMap(({ problems }) => problems),
      [],
    );
  }
});
