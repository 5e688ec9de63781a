import assert from 'node:assert/strict';
import { nodeFileSystem } from '../../lib/git/file-system.js';
import { FailingFileSystem, type Fault } from '../support/git/failing-file-system.js';
import { outcomeOf, type Actor } from '../support/store/actor.js';
import { until } from '../support/until.js';
import { checkSelf, Evidence } from './check.js';
import { FailingSidecars, type SqliteFault } from './failing-sidecar.js';
import { makeWorkbench, readAll, type Workbench } from '../support/faults/workbench.js';
import { countOf, requireSeen } from '../support/counts.js';

const wayOfFailing = /^(?:done|INTERNAL|UNAVAILABLE(?: storage_full)?)$/;

/** One call in so many is made to fail. */
const step = countOf('DISK_FAULT_STEP', { usual: 7, campaign: 1 });

describe('a disk that fails', () => {
  let bench: Workbench;
  afterEach(() => bench.remove());

  for (const [git, fault, isDead, from] of [
    ['auto', 'ENOSPC', false, 1],
    ['auto', 'EIO', true, 2],
    ['never', 'torn', false, 3],
  ] as readonly [git: 'auto' | 'never', fault: Fault, isDead: boolean, from: number][]) {
    it(`under the repository, at one call in ${step} (${fault}${isDead ? ' from there on' : ''}, git: ${git})`, async () => {
      const fs = new FailingFileSystem(nodeFileSystem);
      bench = await makeWorkbench({ git, fs });
      const disk = {
        arm: (failAt: number) => fs.arm(failAt, fault, isDead),
        disarm: () => fs.disarm(),
        get failed() {
          return fs.failed;
        },
      };
      const failedAt = await failAtEachCall(bench, disk, { from: Math.min(from, step), step });
      requireSeen(['open', 'write', 'sync', 'rename', 'syncFolder'], failedAt, { count: 1, enough: step });
      await checkWhole(bench);
    }).timeout(120_000);
  }

  it('under the repository, writing a little at a time, is carried on with', async () => {
    const fs = new FailingFileSystem(nodeFileSystem);
    bench = await makeWorkbench({ fs });
    fs.arm(1, 'short', true);
    await bench.actor.create('large.md', large('text'));
    await bench.actor.create('small.md', 'small');
    await bench.workspace.checkpointer.run();
    fs.disarm();
    assert.equal(fs.failed, 'write');
    assert.equal(await readAll(bench.actor, 'large.md'), large('text'));
    await checkWhole(bench);
  });

  for (const [fault, when, from] of [
    ['SQLITE_FULL', 'before', 1],
    ['SQLITE_IOERR_WRITE', 'before', 2],
    ['SQLITE_IOERR_FSYNC', 'after', 3],
    ['SQLITE_BUSY', 'before', 4],
  ] as readonly [fault: SqliteFault, when: 'before' | 'after', from: number][]) {
    it(`under the sidecar, at one statement in ${5 * step} (${fault}, told ${when} it is done)`, async () => {
      const sidecars = new FailingSidecars();
      bench = await makeWorkbench({ openSidecar: sidecars.open });
      const failedAt = await failAtEachCall(
        bench,
        {
          arm: (failAt) => sidecars.arm(failAt, fault, { when }),
          disarm: () => sidecars.disarm(),
          get failed() {
            return sidecars.failed;
          },
        },
        { from, step: 5 * step },
      );
      assert.ok(failedAt.size * step > 10, [...failedAt].join(', '));
      await checkWhole(bench);
    }).timeout(120_000);
  }

  it('under the sidecar at its commit: the group gets UNAVAILABLE storage_full, is gone, and can be sent again', async () => {
    const sidecars = new FailingSidecars();
    bench = await makeWorkbench({ openSidecar: sidecars.open });
    const { actor } = bench;
    for (const when of ['before', 'after'] as const) {
      sidecars.armFor('sidecar.sqlTransaction.commit', 'SQLITE_FULL', { when });
      const locations = ['a', 'b', 'c'].map((name) => `${when}/${name}.md`);
      const group = await Promise.all(
        locations.map((location) => outcomeOf(actor.create(location, location, location))),
      );
      assert.deepEqual(group, Array(3).fill('UNAVAILABLE storage_full'));
      assert.equal(sidecars.failed, 'sidecar.sqlTransaction.commit');
      // A commit that was durable before its reported failure counts.
      assert.deepEqual(await actor.list(when), when === 'before' ? [] : ['a.md', 'b.md', 'c.md']);
      for (const location of locations) await actor.create(location, location, location);
      assert.deepEqual(await actor.list(when), ['a.md', 'b.md', 'c.md']);
    }
    await checkWhole(bench);
  });

  it('never answers a read without a durable record', async () => {
    const sidecars = new FailingSidecars();
    bench = await makeWorkbench({ openSidecar: sidecars.open });
    const { actor } = bench;
    await actor.create('a.md', 'secret');
    sidecars.armFor('sidecar.writer.audit.insert', 'SQLITE_FULL', { when: 'before' });
    assert.equal(await outcomeOf(actor.read('a.md')), 'UNAVAILABLE storage_full');
    assert.equal(await actor.read('a.md'), 'secret');
    // A refusal without a durable record is not given either, on all faces.
    sidecars.armFor('sidecar.writer.audit.insert', 'SQLITE_FULL', { when: 'before' });
    assert.equal(await outcomeOf(actor.read('b.md')), 'UNAVAILABLE storage_full');
    assert.equal(await outcomeOf(actor.read('b.md')), 'NOT_FOUND');
    sidecars.armFor('sidecar.writer.audit.insert', 'SQLITE_FULL', { when: 'before' });
    assert.equal(await outcomeOf(actor.create('b.md', 'b')), 'UNAVAILABLE storage_full');
  });
});

/** Binary, since the analysis of a long text for the search index is not under test. */
const large = (text: string): string => `\u0000${`${text} `.repeat(Math.ceil(1_060_000 / (text.length + 1)))}`;

/** Two disks: one below the repository and one below the sidecar. */
interface Disk {
  arm(failAt: number): void;
  disarm(): void;
  readonly failed: string | undefined;
}

/**
 * Every kind of write once. The n-th call to the disk goes wrong, for each n until there is none. The caller gets
 * INTERNAL or UNAVAILABLE, or the failure does no harm. An answered write is there. An unanswered one is there as a
 * whole or not at all, and its repetition under the same key does it once.
 */
async function failAtEachCall(
  bench: Workbench,
  disk: Disk,
  { from = 1, step = 1 }: { readonly from?: number; readonly step?: number } = {},
): Promise<Set<string>> {
  const failedAt = new Set<string>();
  for (let failAt = from; ; failAt += step) {
    const { actor, workspace } = bench;
    const at = `n${failAt}`;
    await actor.create(`${at}/old.md`, 'old');
    await workspace.checkpointer.run();
    disk.arm(failAt);
    const outcomes = {
      small: await outcomeOf(actor.create(`${at}/small.md`, 'small', `${at} small`)),
      large: await outcomeOf(actor.create(`${at}/large.md`, large(at), `${at} large`)),
      checkpoint: await workspace.checkpointer.run().then(
        () => 'done',
        () => 'failed',
      ),
      update: await outcomeOf(actor.update(`${at}/old.md`, 'new')),
      folder: await outcomeOf(actor.createFolder(`${at}/empty`)),
      delete: await outcomeOf(actor.delete(`${at}/old.md`)),
      again: await workspace.checkpointer.run().then(
        () => 'done',
        () => 'failed',
      ),
    };
    const { failed } = disk;
    disk.disarm();
    if (failed === undefined) return failedAt;
    failedAt.add(failed);
    await checkAfter(actor, at, outcomes, `${failed}, call ${failAt}: ${JSON.stringify(outcomes)}`);
    await workspace.checkpointer.run();
  }
}

async function checkAfter(actor: Actor, at: string, outcomes: Record<string, string>, where: string): Promise<void> {
  for (const name of ['small', 'large', 'update', 'folder', 'delete'])
    assert.match(outcomes[name] ?? '', wayOfFailing, where);
  // The service goes on as soon as its disk does, a second after its last look; on a busy machine that is much longer.
  await until(`it goes on: ${where}`, async () => (await outcomeOf(actor.list(at))) !== 'UNAVAILABLE', 60_000);
  for (const [name, text] of [
    ['small', 'small'],
    ['large', large(at)],
  ] as const) {
    const location = `${at}/${name}.md`;
    const first = await outcomeOf(readAll(actor, location));
    if (outcomes[name] === 'done') assert.equal(first, 'done', where);
    else assert.ok(first === 'done' || first === 'NOT_FOUND', `${first}: ${where}`);
    await actor.create(location, text, `${at} ${name}`);
    assert.equal(await readAll(actor, location), text, where);
  }
  const old = `${at}/old.md`;
  const present = await outcomeOf(readAll(actor, old));
  if (outcomes['delete'] === 'done') assert.equal(present, 'NOT_FOUND', where);
  else if (present === 'done') {
    const text = await readAll(actor, old);
    assert.ok(text === 'new' || (outcomes['update'] !== 'done' && text === 'old'), `"${text}": ${where}`);
  }
  if (outcomes['folder'] === 'done') assert.ok((await actor.list(at)).includes('empty/'), where);
}

/** The whole of it once more, closed and opened again, looked at by other means. */
async function checkWhole(bench: Workbench): Promise<void> {
  await bench.reopen();
  const evidence = new Evidence(bench.paths.folder);
  try {
    await checkSelf(evidence, bench.workspace);
  } finally {
    evidence.close();
  }
}
