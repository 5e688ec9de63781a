import assert from 'node:assert/strict';
import { syncLimits } from '../../../lib/connectors/sync/limits.js';
import { requireSound } from '../../support/store/evidence.js';
import { MirrorWorld } from './mirror-world.js';
import type { ScriptedSource } from './scripted-source.js';

const filesInCommit = 10;

describe('a sync of more new files than one commit takes', () => {
  let world: MirrorWorld;
  let id: string;
  let source: ScriptedSource;

  beforeEach(async () => {
    world = await MirrorWorld.open({ store: 'disk' });
    world.limits = { ...syncLimits, filesInCommit };
    ({ id, source } = await world.connect());
  });
  afterEach(() => world.close());

  function putMany(count: number, name = 'file'): void {
    for (let number = 0; number < count; number += 1) source.put(`${name}-${String(number).padStart(3, '0')}.md`);
  }

  const writeBeside = (): Promise<void> => world.service.workspace.journal.write({ run: () => undefined });

  it('adds them by several commits, each file once, and the last one names the state of the source', async () => {
    putMany(35);
    const before = world.commits;
    const run = await world.sync(id);
    assert.equal(world.commits, before + 4);
    assert.deepEqual([run.outcome, run.counts.created, run.counts.updated], ['changed', 35, 0]);
    assert.equal(Object.keys(await world.mirrored()).length, 35);
    assert.equal(run.versionId, world.service.workspace.journal.state.head);
    assert.notEqual(world.connector(id).syncedAt, null);
    assert.equal((await world.sync(id)).outcome, 'unchanged');
    assert.equal(world.commits, before + 4);
    await requireSound(world.service.workspace, world.service.dataFolder ?? '');
  });

  it('has one commit where they fit into it', async () => {
    putMany(filesInCommit);
    const before = world.commits;
    await world.sync(id);
    assert.equal(world.commits, before + 1);
  });

  it('has one commit where something is moved or removed, too', async () => {
    putMany(3);
    await world.sync(id);
    for (const change of [() => source.remove('file-000.md'), () => source.move('file-001.md', 'moved.md')]) {
      change();
      putMany(25, `more-${world.commits}`);
      const before = world.commits;
      assert.equal((await world.sync(id)).outcome, 'changed');
      assert.equal(world.commits, before + 1);
    }
  });

  it('changes all files that were there before by the last commit', async () => {
    putMany(15);
    await world.sync(id);
    const { head } = world.service.workspace.journal.state;
    putMany(15);
    for (let number = 0; number < 15; number += 1) source.put(`file-${String(number).padStart(3, '0')}.md`, 'changed');
    putMany(25, 'more');
    const before = world.commits;
    const run = await world.sync(id);
    assert.equal(world.commits, before + 3);
    assert.deepEqual([run.counts.created, run.counts.updated], [25, 15]);
    const { documents } = world.service.workspace.journal.reader;
    const changed = new Set<string>();
    for (let number = 0; number < 15; number += 1) {
      const found = world.documentId(`file-${String(number).padStart(3, '0')}.md`);
      const current = found === undefined ? undefined : documents.byId(found)?.current;
      if (current !== undefined) changed.add(current.id);
    }
    assert.deepEqual([...changed], [run.versionId]);
    assert.notEqual(head, run.versionId);
  });

  it('lets a write of somebody else come between any two of its commits', async () => {
    putMany(60);
    const seen = new Set<number>();
    const before = world.commits;
    const run = world.sync(id);
    const state = { isOver: false };
    void run.finally(() => (state.isOver = true)).catch(() => undefined);
    while (!state.isOver) {
      await writeBeside();
      seen.add(world.commits - before);
    }
    await run;
    assert.ok(seen.size > 3, `seen after ${[...seen].join(', ')} commits`);
  });

  it('keeps what it has added when it ends between, and the next run adds the others', async () => {
    putMany(60);
    const { workspace } = world.service;
    const before = world.commits;
    world.start();
    while (world.commits < before + 2) await writeBeside();
    await workspace.journal.write({ run: ({ tables }) => tables.connectors.setState(id, 'paused', null) });
    const ended = await world.ended(id, 1);
    assert.notEqual(ended.outcome, 'changed');
    const some = Object.keys(await world.mirrored());
    assert.ok(some.length >= 2 * filesInCommit && some.length < 60, `${some.length} of them`);
    assert.equal(ended.counts.created, some.length);
    const ids = new Map(some.map((path) => [path, world.documentId(path)]));
    assert.deepEqual(workspace.journal.reader.objects.stagedPacks(), []);
    await requireSound(workspace, world.service.dataFolder ?? '');
    await workspace.journal.write({ run: ({ tables }) => tables.connectors.setState(id, 'active', null) });
    const next = await world.sync(id);
    assert.deepEqual([next.outcome, next.counts.created], ['changed', 60 - some.length]);
    assert.equal(Object.keys(await world.mirrored()).length, 60);
    for (const [path, document] of ids) assert.equal(world.documentId(path), document, path);
    await requireSound(workspace, world.service.dataFolder ?? '');
  });
});
