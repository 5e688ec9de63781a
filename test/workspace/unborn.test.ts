import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeSystemRandomness, systemClock } from '../../lib/app/real-world.js';
import { Service } from '../../lib/app/service.js';
import { Actor, outcomeOf } from '../support/store/actor.js';
import { operator } from '../support/store/service.js';
import { Sqlite } from '../support/store/sqlite.js';

describe('a workspace whose creation was interrupted', () => {
  let dataFolder: string;

  beforeEach(async () => {
    dataFolder = await mkdtemp(join(tmpdir(), 'cartulary-unborn-'));
  });
  afterEach(() => rm(dataFolder, { recursive: true, force: true }));

  it('can be added again, and works', async () => {
    await forget(false);
    const service = await open();
    assert.deepEqual(service.names(), []);
    await new Actor(await service.addWorkspace('acme'), operator.principalId).create('a.md', 'text');
    await service.close();
    const again = await open();
    const workspace = again.find('acme') ?? assert.fail();
    assert.equal(await new Actor(workspace, operator.principalId).read('a.md'), 'text');
    await again.close();
  });

  it('is left alone when it has content', async () => {
    await forget(true);
    const service = await open();
    assert.equal(await outcomeOf(service.addWorkspace('acme')), 'CONFLICT name_taken');
    assert.deepEqual(service.names(), []);
    await service.close();
  });

  const open = (): Promise<Service> =>
    Service.open({
      dataFolder,
      git: 'auto',
      clock: systemClock,
      randomness: makeSystemRandomness(),
      onFault: (what, cause) => assert.fail(`${what}: ${String(cause)}`),
    });

  /** The disk's state when the process ends between the making of the files and the row. */
  async function forget(write: boolean): Promise<void> {
    const service = await open();
    const workspace = await service.addWorkspace('acme');
    if (write) await new Actor(workspace, operator.principalId).create('a.md');
    await service.close();
    const file = new Sqlite(join(dataFolder, 'service.sqlite'));
    file.prepare("DELETE FROM workspace WHERE name = 'acme'").run();
    file.close();
  }
});
