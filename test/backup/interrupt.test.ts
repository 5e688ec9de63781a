import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Service } from '../../lib/app/service.js';
import { backUpWorkspace } from '../../lib/operations/back-up.js';
import { perform } from '../../lib/operations/perform.js';
import { makeTestRandomness, openTestService, operator, type TestService } from '../harness/service.js';
import { dumpContent, makeHistory } from './history.js';

const program = fileURLToPath(new URL('../../bin/cartulary.js', import.meta.url));

describe('a restore that is killed', () => {
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

  it('leaves the whole workspace or none of it, whenever that was, and can be done again', async () => {
    const backup = join(work, 'backup');
    await perform(test.workspace, operator, backUpWorkspace, { folder: backup, passphrase: 'words', cost: 1024 });
    const expected = dumpContent(test.dataFolder ?? '');
    const data = join(work, 'data');
    const stage = join(data, '.acme.restoring');
    let killed = 0;
    for (let round = 0; round < 6; round += 1) {
      await rm(data, { recursive: true, force: true });
      const child = spawn(process.execPath, [program, 'restore', backup, '--data', data, '--json'], {
        env: { ...process.env, CARTULARY_PASSPHRASE: 'words' },
        stdio: 'ignore',
      });
      const closed = once(child, 'close');
      // From the moment at which it begins to make something, so that each round ends elsewhere in the work.
      while (!existsSync(stage) && child.exitCode === null) await delay(1);
      await delay(round * 25);
      child.kill('SIGKILL');
      const [, signal] = (await closed) as [number | null, string | null];
      if (signal === 'SIGKILL') killed += 1;
      const service = await Service.open({
        dataFolder: data,
        git: 'auto',
        clock: test.clock,
        randomness: makeTestRandomness(`round ${round}`),
        onFault: () => undefined,
      });
      try {
        if (service.find('acme') === undefined) await service.restore({ backup, passphrase: 'words' }, operator);
        assert.deepEqual(dumpContent(data), expected);
        assert.equal(existsSync(stage), false);
      } finally {
        await service.close();
      }
    }
    assert.ok(killed >= 3, `${killed} of the rounds were killed`);
  }).timeout(30_000);
});
