import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Service } from '../../lib/app/service.js';
import { backUpWorkspace } from '../../lib/operations/workspaces/back-up-workspace.js';
import { perform } from '../../lib/operations/perform.js';
import { rebuild } from '../../lib/operations/workspaces/rebuild.js';
import { verifyWorkspace, type Problem } from '../../lib/integrity/verify-workspace.js';
import { makeWorld, type FullWorkspace } from '../support/store/full-world.js';
import { eraseAt } from '../support/store/erase-at.js';
import { makeTestRandomness, openTestService, operator, type TestService } from '../support/store/service.js';

describe('verification of a workspace with every kind of history', () => {
  let test: TestService;
  let world: FullWorkspace;
  let dataFolder: string;
  let work: string;
  let other: Service | undefined;

  beforeEach(async () => {
    work = await mkdtemp(join(tmpdir(), 'cartulary-verify-'));
    other = undefined;
    test = await openTestService({ store: 'disk' });
    dataFolder = test.dataFolder ?? '';
    world = await makeWorld(test);
  });

  afterEach(async () => {
    await other?.close();
    await test.close();
    await rm(work, { recursive: true, force: true });
  });

  it('finds it sound, before and after a rebuild, and while an erase is under way', async () => {
    assert.deepEqual(await problemsOf(dataFolder), []);
    await rebuild(test.workspace, operator);
    assert.deepEqual(await problemsOf(dataFolder), []);
    const { ada } = world;
    await ada.create('team/soon gone.md', 'nothing of this stays');
    await ada.update('team/soon gone.md', 'nor of this');
    await ada.update('plan.md', 'written in between');
    const { id } = await eraseAt(test.workspace, 'team/soon gone.md');
    assert.deepEqual(await problemsOf(dataFolder), [], 'while it is under way');
    await test.workspace.eraser.finished(id);
    assert.deepEqual(await problemsOf(dataFolder), [], 'when it is final');
    await rebuild(test.workspace, operator);
    assert.deepEqual(await problemsOf(dataFolder), [], 'after a rebuild');
    await ada.update('plan.md', 'written after it');
    assert.deepEqual(await problemsOf(dataFolder), []);
  });

  it('finds it sound after a restore from a backup', async () => {
    const folder = join(work, 'backup');
    await perform(test.workspace, operator, backUpWorkspace, { folder, passphrase: 'words', cost: 1024 });
    await (await openOther()).restore({ backup: folder, passphrase: 'words' }, operator);
    assert.deepEqual(await problemsOf(work), []);
  });

  it('finds it sound after a restore from a clone alone', async () => {
    await test.workspace.checkpointer.run();
    const clone = join(work, 'clone');
    execFileSync('git', ['clone', '-q', join(dataFolder, 'acme', 'content.git'), clone]);
    await (await openOther()).restore({ clone, name: 'acme' }, operator);
    assert.deepEqual(await problemsOf(work), []);
  });

  async function openOther(): Promise<Service> {
    const { clock } = test;
    const randomness = makeTestRandomness('other');
    other = await Service.open({ dataFolder: work, git: 'auto', clock, randomness, onFault: () => undefined });
    return other;
  }
});

/** All findings, also where writes wait for the checkpoint. */
async function problemsOf(dataFolder: string): Promise<readonly Problem[]> {
  const { problems, versions } = await verifyWorkspace({ dataFolder, name: 'acme', git: 'auto' }, () => undefined);
  assert.ok(versions > 30, 'all versions were read');
  return problems;
}
