import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Service } from '../../lib/app/service.js';
import { backUpWorkspace } from '../../lib/operations/workspaces/back-up-workspace.js';
import { perform } from '../../lib/operations/perform.js';
import { makeTestRandomness, openTestService, operator, type TestService } from '../support/store/service.js';
import { until } from '../support/until.js';
import { dumpContent, makeHistory } from '../support/store/history.js';
import { countOf } from '../support/counts.js';

const program = fileURLToPath(new URL('../../bin/cartulary.js', import.meta.url));

const kills = countOf('RESTORE_KILLS', { usual: 2, campaign: 60 });

describe('a killed restore', () => {
  let test: TestService;
  let work: string;

  before(async () => {
    work = await mkdtemp(join(tmpdir(), 'cartulary-interrupt-'));
    test = await openTestService({ store: 'disk' });
    await makeHistory(test);
  });

  after(async () => {
    await test.close();
    await rm(work, { recursive: true, force: true });
  });

  it('leaves the whole workspace or none of it at any moment of the kill, and can be repeated', async () => {
    const backup = join(work, 'backup');
    await perform(test.workspace, operator, backUpWorkspace, { folder: backup, passphrase: 'words', cost: 1024 });
    const expected = dumpContent(test.dataFolder ?? '');
    const data = join(work, 'data');
    const stage = join(data, '.acme.restoring');
    /** Restores, and is killed that many milliseconds after its first file. @returns the milliseconds that it lived */
    const restore = async (life: number): Promise<{ readonly lived: number; readonly isKilled: boolean }> => {
      await rm(data, { recursive: true, force: true });
      const child = spawn(process.execPath, [program, 'restore', backup, '--data', data, '--json'], {
        env: { ...process.env, CARTULARY_PASSPHRASE: 'words' },
        stdio: 'ignore',
      });
      const closed = once(child, 'close');
      await until('it begins to make something', () => existsSync(stage) || child.exitCode !== null);
      const began = performance.now();
      const killing = setTimeout(() => child.kill('SIGKILL'), life);
      const [, signal] = (await closed) as [number | null, string | null];
      clearTimeout(killing);
      return { lived: performance.now() - began, isKilled: signal === 'SIGKILL' };
    };
    // The length of an undisturbed run on this machine, so that each round ends elsewhere in the work.
    let { lived } = await restore(60_000);
    let killed = 0;
    for (let round = 0; killed < kills; round += 1) {
      assert.ok(round < 14 + kills, `${killed} of the rounds were killed`);
      const { isKilled } = await restore((lived * killed) / kills);
      if (isKilled) killed += 1;
      else lived /= 2;
      const service = await Service.open({
        dataFolder: data,
        git: 'auto',
        clock: test.clock,
        randomness: makeTestRandomness(`round ${round}`),
        onFault: () => undefined,
      });
      try {
        assert.equal(existsSync(stage), false, 'a start takes away what was left');
        if (service.find('acme') === undefined) await service.restore({ backup, passphrase: 'words' }, operator);
        assert.deepEqual(dumpContent(data), expected);
        assert.equal(existsSync(stage), false);
      } finally {
        await service.close();
      }
    }
  }).timeout(60_000 + kills * 10_000);
});
