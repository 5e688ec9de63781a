import assert from 'node:assert/strict';
import { ReadinessProbe } from '../../lib/app/check-readiness.js';
import { parseLocation } from '../../lib/domain/location.js';
import { Refusal } from '../../lib/domain/refusal.js';
import { importDocuments } from '../../lib/operations/folders/import-documents.js';
import { createGrant } from '../../lib/operations/grants/change-grant.js';
import { addPrincipal } from '../../lib/operations/principals/add-principal.js';
import { perform } from '../../lib/operations/perform.js';
import type { Workspace } from '../../lib/workspace/workspace.js';
import { Actor, outcomeOf } from '../support/store/actor.js';
import { operator, TestClock } from '../support/store/service.js';
import { until } from '../support/until.js';
import { FailingSidecars } from './failing-sidecar.js';
import { makeWorkbench, type Workbench } from '../support/faults/workbench.js';
import { Sqlite } from '../support/store/sqlite.js';

const fault = new Sqlite.SqliteError('made to fail', 'SQLITE_FULL');

describe('the journal, during faults', () => {
  let bench: Workbench;
  afterEach(() => bench.remove());

  it('imports documents of many folders that no write has touched for long', async () => {
    bench = await makeWorkbench();
    const files = (round: string) =>
      Array.from({ length: 150 }, (_, i) => ({
        location: parseLocation(`folder-${i}/below/${round}.md`),
        content: { bytes: Buffer.from(`${round} ${i}`) },
      }));
    const input = { into: parseLocation('folder-0'), message: null };
    const { result: first } = await perform(bench.workspace, operator, importDocuments, {
      ...input,
      files: files('first'),
    });
    assert.equal(first.created.length, 150);
    await bench.reopen(); // no tree is in memory now
    const { result } = await perform(bench.workspace, operator, importDocuments, { ...input, files: files('second') });
    assert.equal(result.created.length, 150);
    assert.equal(await bench.actor.read('folder-149/below/second.md'), 'second 149');
  });

  it('writes below a path of many levels that no write has touched for long', async () => {
    bench = await makeWorkbench();
    const deep = Array.from({ length: 100 }, (_, i) => `d${i}`).join('/');
    await bench.actor.create(`${deep}/a.md`, 'a');
    await bench.reopen();
    await bench.actor.create(`${deep}/b.md`, 'b');
    assert.equal(await bench.actor.read(`${deep}/b.md`), 'b');
  });

  it('does not run later a write that it has reported as impossible', async () => {
    bench = await makeWorkbench();
    await bench.actor.create('cold/old.md', 'old');
    await bench.reopen();
    const { workspace } = bench;
    // The first finds its tree missing and leaves the transaction; the second breaks the group of both.
    const waiting = bench.actor.create('cold/new.md', 'new');
    await untilItWaits();
    const breaking = outcomeOf(
      workspace.journal.write({
        run: () => {
          throw fault;
        },
      }),
    );
    assert.equal(await breaking, 'UNAVAILABLE storage_full');
    const created = await waiting;
    assert.equal(await bench.actor.read('cold/new.md', created.current.id), 'new');
  });

  it('forgets a caller’s reach by a grant that its group lost', async () => {
    bench = await makeWorkbench();
    const { workspace, actor } = bench;
    await actor.create('hidden/a.md', 'secret');
    const { result: reader } = await perform(workspace, operator, addPrincipal, {
      displayName: 'Ada',
      kind: 'person',
    });
    const ada = new Actor(workspace, reader.id);
    const granting = perform(workspace, operator, createGrant, {
      scopeType: 'folder',
      location: parseLocation('hidden'),
      subject: { type: 'principal', id: reader.id },
      role: 'editor',
    });
    await untilItWaits();
    // In the same group: uses the grant, as a write of hers would, and then the disk fails.
    const failing = workspace.journal.write({
      run: (transaction) => {
        assert.equal(workspace.reachIn(transaction, reader.id).holds('editor', parseLocation('hidden')), true);
        throw fault;
      },
    });
    assert.equal(await outcomeOf(granting), 'UNAVAILABLE storage_full');
    assert.equal(await outcomeOf(failing), 'UNAVAILABLE storage_full');
    assert.equal(await outcomeOf(ada.read('hidden/a.md')), 'NOT_FOUND');
  });

  it('lets an impossible record fail its own caller alone', async () => {
    bench = await makeWorkbench();
    const { workspace, actor } = bench;
    const [bad, good] = await Promise.all([
      outcomeOf(
        workspace.journal.write({
          run: () => {
            throw new Error('an error of the program');
          },
          refused: () => {
            throw new Error('another one');
          },
        }),
      ),
      actor.create('a.md', 'a'),
    ]);
    assert.equal(bad, 'INTERNAL');
    assert.equal(good.current.sequence, 1);
    assert.deepEqual(bench.reported, []);
  });

  it('answers UNAVAILABLE while the file cannot be opened, and continues when it can', async () => {
    const sidecars = new FailingSidecars();
    bench = await makeWorkbench({ openSidecar: sidecars.open });
    const { actor } = bench;
    await actor.create('a.md', 'one');
    sidecars.arm(1, 'SQLITE_IOERR_WRITE', { mayOpen: false });
    assert.equal(await outcomeOf(actor.update('a.md', 'two')), 'UNAVAILABLE');
    assert.equal(await outcomeOf(actor.read('a.md')), 'UNAVAILABLE');
    const refusal: unknown = await actor.read('a.md').catch((error: unknown) => error);
    assert.ok(refusal instanceof Refusal && (refusal.retryAfter ?? 0) > 0);
    assert.ok(sidecars.opened < 3, 'it is not opened again for each request');
    sidecars.disarm();
    await until('reading is answered again', async () => (await outcomeOf(actor.read('a.md'))) === 'done');
    assert.equal(await actor.read('a.md'), 'one');
    await actor.update('a.md', 'two');
    assert.equal(await actor.read('a.md'), 'two');
  });

  it('finds by itself that its file takes writes again, when it is asked whether the service is ready', async () => {
    const sidecars = new FailingSidecars();
    bench = await makeWorkbench({ openSidecar: sidecars.open });
    const { actor, workspace } = bench;
    const clock = new TestClock();
    const opened = (): Workspace[] => [workspace];
    const probe = new ReadinessProbe({ dataFolder: null, disk: null, clock, opened, countFaulty: () => 0 });
    const ask = async (): Promise<string> => {
      clock.milliseconds += 1000;
      return (await probe.read()).journal;
    };
    sidecars.arm(1, 'SQLITE_FULL', { mayOpen: false });
    assert.notEqual(await outcomeOf(actor.create('a.md', 'one')), 'done');
    assert.deepEqual([await ask(), await ask()], ['failed', 'failed']);
    sidecars.disarm();
    await until('it is ready without a write of anybody', async () => (await ask()) === 'ok');
    await actor.create('a.md', 'one');
  });
});

/** Runs started writes up to their wait for a transaction; the transaction itself does not begin meanwhile. */
async function untilItWaits(): Promise<void> {
  for (let step = 0; step < 50; step++) await Promise.resolve();
}
