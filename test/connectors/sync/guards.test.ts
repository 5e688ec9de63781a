import assert from 'node:assert/strict';
import { SourceFault, UnreadableFile } from '../../../lib/connectors/source.js';
import { syncLimits } from '../../../lib/connectors/sync/limits.js';
import { changePolicy } from '../../../lib/operations/workspaces/change-policy.js';
import { perform } from '../../../lib/operations/perform.js';
import { operator } from '../../support/store/service.js';
import { hour, MirrorWorld } from './mirror-world.js';
import type { ScriptedSource } from './scripted-source.js';

describe('the guards of a sync', () => {
  let world: MirrorWorld;
  let id: string;
  let source: ScriptedSource;

  beforeEach(async () => {
    world = await MirrorWorld.open();
    ({ id, source } = await world.connect());
  });
  afterEach(() => world.close());

  it('hold an empty listing after a full one', async () => {
    fill(3);
    await world.sync(id);
    for (const path of source.files.keys()) source.remove(path);
    const run = await world.sync(id);
    assert.equal(run.outcome, 'held');
    const { state, stateReason, nextRunAt, held } = world.connector(id);
    assert.deepEqual([state, nextRunAt], ['held', null]);
    assert.match(stateReason ?? '', /^The source holds no file any more\. All 3 mirrored documents would be deleted\./);
    assert.match(held ?? '', /^[0-9a-f]{64}$/);
    assert.equal(Object.keys(await world.mirrored()).length, 3);
    assert.ok(world.log.some(({ level, message }) => level === 'warn' && message.includes('approval')));
  });

  it('hold many removals with everything else, until they are approved', async () => {
    fill(60);
    await world.sync(id);
    for (let index = 0; index < 30; index += 1) source.remove(`${index}.md`);
    source.put('new.md');
    assert.equal((await world.sync(id)).outcome, 'held');
    assert.equal((await world.mirrored())['new.md'], undefined);
    const run = await world.approve(id);
    assert.equal(run.outcome, 'changed');
    assert.deepEqual([run.counts.deleted, run.counts.created], [30, 1]);
    assert.equal(Object.keys(await world.mirrored()).length, 31);
    assert.equal(world.connector(id).state, 'active');
  });

  it('hold again when another removal came instead of the approved one', async () => {
    fill(60);
    await world.sync(id);
    for (let index = 0; index < 30; index += 1) source.remove(`${index}.md`);
    await world.sync(id);
    const first = world.connector(id).held;
    source.remove('59.md');
    assert.equal((await world.approve(id)).outcome, 'held');
    assert.notEqual(world.connector(id).held, first);
    assert.equal(Object.keys(await world.mirrored()).length, 60);
  });

  it('use an approval for one sync and not for the next', async () => {
    fill(60);
    await world.sync(id);
    const restore = [...source.files.keys()].slice(0, 30);
    for (const path of restore) source.remove(path);
    await world.sync(id);
    await world.approve(id);
    for (const path of restore) source.put(path);
    await world.sync(id);
    for (const path of restore) source.remove(path);
    assert.equal((await world.sync(id)).outcome, 'held');
  });

  it('forget an approval when the source is as before again', async () => {
    fill(60);
    await world.sync(id);
    const { cursor } = source;
    const files = new Map(source.files);
    const removeHalf = (): void => {
      for (const path of [...files.keys()].slice(0, 30)) source.remove(path);
    };
    removeHalf();
    await world.sync(id);
    for (const [path, file] of files) source.files.set(path, file);
    source.cursor = cursor;
    assert.equal((await world.approve(id)).outcome, 'unchanged');
    removeHalf();
    assert.equal((await world.sync(id)).outcome, 'held');
  });

  it('count what was removed in the last 24 hours, until it is approved or long ago', async () => {
    fill(100);
    await world.sync(id);
    const removeSome = (from: number): void => {
      for (let index = from; index < from + 10; index += 1) source.remove(`${index}.md`);
    };
    for (const from of [0, 10, 20]) {
      removeSome(from);
      assert.equal((await world.sync(id)).outcome, 'changed', `from ${from}`);
      world.service.clock.advance(hour);
    }
    removeSome(30);
    const held = await world.sync(id);
    assert.equal(held.outcome, 'held');
    assert.match(held.message ?? '', /^10 of 70 .* In the last 24 hours 30 were deleted already\./);
    assert.equal((await world.approve(id)).outcome, 'changed');
    removeSome(40);
    assert.equal((await world.sync(id)).outcome, 'changed', 'the approval was for all of them');
    world.service.clock.advance(25 * hour);
    removeSome(50);
    assert.equal((await world.sync(id)).outcome, 'changed', 'they are long ago');
  });

  it('remember removals through many runs', async () => {
    fill(100);
    await world.sync(id);
    for (let index = 0; index < 30; index += 1) source.remove(`${index}.md`);
    await world.sync(id);
    await world.service.workspace.journal.write({
      run({ tables, now }) {
        for (let count = 0; count < 300; count += 1) tables.connectorRuns.begin(id, 'webhook', now);
      },
    });
    source.remove('50.md');
    assert.equal((await world.sync(id)).outcome, 'held');
  });

  it('hold moves that the mirror cannot follow, since they would be removals', async () => {
    for (let index = 0; index < 60; index += 1) source.put(`${index}.md`, `text ${index}`, `id ${index}`);
    source.put('x', 'a file', 'id x');
    await world.sync(id);
    const before = await world.mirrored();
    for (let index = 0; index < 60; index += 1) source.move(`${index}.md`, `x/${index}.md`);
    source.files.delete('x');
    source.others = [{ type: 'unreadable', path: 'x', detail: 'It is locked.' }];
    const run = await world.sync(id);
    assert.equal(run.outcome, 'held');
    assert.match(run.message ?? '', /^60 of 61 mirrored documents would be deleted/);
    assert.deepEqual(await world.mirrored(), before);
    assert.deepEqual(world.skipped(id), {});
    const approved = await world.approve(id);
    assert.deepEqual([approved.outcome, approved.counts.deleted], ['partial', 60]);
    assert.deepEqual(await world.mirrored(), { x: 'a file' });
  });

  it('count a moved folder as no removal', async () => {
    fill(60);
    await world.sync(id);
    const paths = [...source.files.keys()];
    for (const path of paths) {
      source.put(`moved/${path}`, source.files.get(path)?.content);
      source.remove(path);
    }
    const run = await world.sync(id);
    assert.deepEqual([run.outcome, run.counts.moved], ['changed', 60]);
  });

  it('end a listing of too many files, and change nothing', async () => {
    world.limits = { ...syncLimits, entries: 10 };
    fill(11);
    const run = await world.sync(id);
    assert.deepEqual([run.outcome, run.fault, world.connector(id).state], ['failed', 'limit', 'stopped']);
    assert.match(run.message ?? '', /more than 10 files/);
    assert.deepEqual(await world.mirrored(), {});
  });

  it('end a listing whose paths are too long in all', async () => {
    world.limits = { ...syncLimits, pathBytes: 100 };
    fill(30);
    assert.equal((await world.sync(id)).fault, 'limit');
  });

  it('end a listing whose versions are too long in all', async () => {
    fill(30);
    world.limits = { ...syncLimits, otherBytes: 50 };
    assert.equal((await world.sync(id)).fault, 'limit');
  });

  it('end a listing whose files lie in too many folders', async () => {
    source.put('a/b/c/d.md', 'x');
    world.limits = { ...syncLimits, folders: 2 };
    assert.equal((await world.sync(id)).fault, 'limit');
    assert.deepEqual(await world.mirrored(), {});
  });

  it('leave out a file that turns out to be too large, with a size listed or without', async () => {
    world.limits = { ...syncLimits, fileBytes: 100_000 };
    source.put('large.bin', Buffer.alloc(200_000));
    source.put('lies.bin', Buffer.alloc(100));
    source.put('small.md', 'x');
    source.before = (question, path) => {
      if (question !== 'read' || path !== 'lies.bin') return;
      source.files.set('lies.bin', { content: Buffer.alloc(200_000), version: 'v2' });
    };
    await world.sync(id);
    assert.deepEqual(Object.keys(await world.mirrored()), ['small.md']);
    assert.deepEqual(world.skipped(id), { 'large.bin': 'too_large', 'lies.bin': 'too_large' });
  });

  it('leave out a pointer of Git LFS by its content, and delete the document that was there', async () => {
    source.put('a.psd', 'the picture');
    source.put('b.md');
    await world.sync(id);
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 12345\n`;
    source.put('a.psd', pointer);
    const run = await world.sync(id);
    assert.deepEqual([run.counts.deleted, run.counts.skipped], [1, 1]);
    assert.deepEqual(world.skipped(id), { 'a.psd': 'lfs_pointer' });
    const asked = source.asked.length;
    source.put('b.md', 'other');
    await world.sync(id);
    assert.deepEqual(
      source.asked.slice(asked),
      ['open', 'probe', 'list', 'read b.md'],
      'the pointer is not read again',
    );
  });

  it('delete a document whose file is restricted now', async () => {
    source.put('a.md');
    source.put('b.md');
    await world.sync(id);
    source.put('a.md', 'secret');
    source.unreadable.set('a.md', new UnreadableFile('restricted', 'It is encrypted for others.'));
    const run = await world.sync(id);
    assert.equal(run.outcome, 'changed');
    assert.deepEqual(Object.keys(await world.mirrored()), ['b.md']);
  });

  it('end a run without a fault of the source when the quota is full', async () => {
    await perform(world.service.workspace, operator, changePolicy, { storageQuota: 1000 });
    source.put('a.md', 'x'.repeat(5000));
    const run = await world.sync(id);
    assert.deepEqual([run.outcome, run.fault, world.connector(id).state], ['failed', null, 'active']);
    assert.match(run.message ?? '', /no room left.*quota/);
    assert.deepEqual(await world.mirrored(), {});
  });

  it('never report success when a read ends the run', async () => {
    fill(20);
    source.before = (question, path) => {
      if (question === 'read' && path === '11.md') throw new SourceFault('network', 'The connection was lost.');
    };
    const run = await world.sync(id);
    assert.deepEqual([run.outcome, run.fault, run.message], ['failed', 'network', 'The connection was lost.']);
    assert.deepEqual(await world.mirrored(), {});
    source.before = () => undefined;
    assert.equal((await world.sync(id)).outcome, 'changed');
  });

  function fill(count: number): void {
    for (let index = 0; index < count; index += 1) source.put(`${index}.md`);
  }
});

describe('a sync on a disk without room', () => {
  it('is refused before anything is read, and says so', async () => {
    let free = 10 * 1024 ** 3;
    const world = await MirrorWorld.open({
      store: 'disk',
      measureDisk: () => Promise.resolve({ free, total: 20 * 1024 ** 3 }),
    });
    try {
      const { id, source } = await world.connect();
      source.put('a.md');
      free = 1024;
      world.service.clock.advance(5000);
      const run = await world.sync(id);
      assert.deepEqual([run.outcome, run.fault], ['failed', null]);
      assert.match(run.message ?? '', /disk of the service has no room/);
      assert.deepEqual(source.asked, ['open']);
    } finally {
      await world.close();
    }
  });
});
