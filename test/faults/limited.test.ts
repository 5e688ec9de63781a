import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { skipBecause } from '../support/skip.js';

describe('a limit on the size of files', () => {
  it('makes writes fail as documented, without loss; they continue when it is lifted', async function () {
    if (spawnSync('prlimit', ['--version']).status !== 0) skipBecause(this, 'there is no prlimit program');
    const child = spawn(process.execPath, [fileURLToPath(new URL('./limited.js', import.meta.url))], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const ended = new Promise((resolve) => child.on('close', resolve));
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const hear = async (): Promise<string> => String((await lines.next()).value);
    const limit = (bytes: number | 'unlimited'): void => {
      const { status } = spawnSync('prlimit', ['--pid', String(child.pid), `--fsize=${bytes}:unlimited`]);
      assert.equal(status, 0);
    };
    try {
      assert.equal(await hear(), 'ready');
      limit(2_000_000);
      child.stdin.write('write\n');
      const [outcome, , count] = (await hear()).split(' ');
      assert.match(outcome ?? '', /^(?:INTERNAL|UNAVAILABLE(?: storage_full)?)$/);
      assert.ok(Number(count) > 5, `${count} documents were written before`);
      limit('unlimited');
      child.stdin.write('check\n');
      assert.equal(await hear(), 'sound');
    } finally {
      child.stdin.end();
      await ended;
    }
  }).timeout(60_000);
});
