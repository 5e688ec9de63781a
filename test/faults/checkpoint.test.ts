import assert from 'node:assert/strict';
import { nodeFileSystem } from '../../lib/git/file-system.js';
import { FailingFileSystem } from '../support/git/failing-file-system.js';
import { outcomeOf } from '../support/store/actor.js';
import { checkSelf, Evidence } from './check.js';
import { findLags, ReadinessProbe } from '../../lib/app/check-readiness.js';
import { TestClock } from '../support/store/service.js';
import { until } from '../support/until.js';
import { makeWorkbench, type Workbench } from '../support/faults/workbench.js';

const mebibyte = 1024 * 1024;

describe('a checkpoint that keeps failing', () => {
  let bench: Workbench;
  let fs: FailingFileSystem;
  beforeEach(async () => {
    fs = new FailingFileSystem(nodeFileSystem);
    bench = await makeWorkbench({ fs });
    await bench.actor.create('first.md', 'first');
    fs.arm(1, 'ENOSPC', true);
  });
  afterEach(() => bench.remove());

  it('holds up no write, is not tried on each of them, and is reported once', async () => {
    const { actor, workspace } = bench;
    workspace.checkpointer.noteAdded(5 * mebibyte); // enough to press
    for (let i = 0; i < 30; i++) {
      await actor.create(`${i}.md`, `text ${i}`);
      workspace.checkpointer.noteAdded(5 * mebibyte - 1);
    }
    assert.equal(fs.calls, 1, 'one attempt, which ended at its first call');
    assert.equal(bench.reported.length, 1);
    assert.match(bench.reported[0]?.what ?? '', /A checkpoint failed and will be tried again/);
    fs.disarm();
    await workspace.checkpointer.run();
    assert.deepEqual(workspace.journal.reader.objects.pendingTotals(), { bytes: 0, objects: 0 });
    assert.equal(await workspace.repository.head(), workspace.journal.state.head);
  });

  it('is told to those who run the service, with its reason, and after a minute the service is not ready', async () => {
    const { actor, workspace } = bench;
    const parts = { dataFolder: null, disk: null, opened: () => [workspace], countFaulty: () => 0 };
    const isBehind = async (milliseconds: number): Promise<string> => {
      const clock = new TestClock();
      clock.milliseconds = workspace.clock.now() + milliseconds;
      return (await new ReadinessProbe({ ...parts, clock }).read()).repository;
    };
    await actor.create('waits.md', 'text');
    workspace.checkpointer.noteAdded(5 * mebibyte);
    await until('the checkpoint has failed', async () => workspace.checkpointer.failing !== undefined);
    const [lag] = findLags([workspace]);
    assert.deepEqual([lag?.workspace, lag?.reason], [workspace.name, 'ENOSPC: made to fail, open']);
    assert.ok((lag?.objects ?? 0) > 0);
    assert.deepEqual([await isBehind(0), await isBehind(60_000)], ['ok', 'behind']);
    fs.disarm();
    await workspace.checkpointer.run();
    assert.deepEqual([findLags([workspace]), await isBehind(60_000)], [[], 'ok']);
  });

  it('makes writes fail when too much is waiting; reads go on', async () => {
    const { actor, workspace } = bench;
    workspace.checkpointer.noteAdded(300 * mebibyte);
    assert.equal(await outcomeOf(actor.create('refused.md', 'x')), 'UNAVAILABLE storage_full');
    assert.equal(await outcomeOf(actor.create('refused.md', 'x')), 'UNAVAILABLE storage_full');
    assert.equal(await actor.read('first.md'), 'first');
    fs.disarm();
    await workspace.checkpointer.run();
    await actor.create('refused.md', 'x');
    await bench.reopen();
    const evidence = new Evidence(bench.paths.folder);
    await checkSelf(evidence, bench.workspace);
    evidence.close();
  });

  it('at closing is reported, and the next opening does it', async () => {
    await bench.close();
    assert.match(bench.reported.map(({ what }) => what).join('\n'), /The last checkpoint failed/);
    await assert.rejects(bench.open(), /made to fail/);
    fs.disarm();
    await bench.open();
    assert.equal(await bench.actor.read('first.md'), 'first');
    assert.equal(await bench.workspace.repository.head(), bench.workspace.journal.state.head);
  });
});
