import assert from 'node:assert/strict';
import { UnreadableFile } from '../../../lib/connectors/source.js';
import { MirrorWorld } from './mirror-world.js';
import type { ScriptedSource } from './scripted-source.js';

describe('a sync', () => {
  let world: MirrorWorld;
  let id: string;
  let source: ScriptedSource;

  beforeEach(async () => {
    world = await MirrorWorld.open();
    ({ id, source } = await world.connect());
  });
  afterEach(() => world.close());

  it('mirrors every file of the source by one commit', async () => {
    source.put('a.md');
    source.put('deep/er/b.md');
    const before = world.commits;
    const run = await world.sync(id);
    assert.equal(run.message, null);
    assert.equal(run.outcome, 'changed');
    assert.deepEqual(await world.mirrored(), { 'a.md': 'text of a.md\n', 'deep/er/b.md': 'text of deep/er/b.md\n' });
    assert.equal(world.commits, before + 1);
    assert.equal(run.counts.created, 2);
    assert.equal(run.sourceVersion, world.connector(id).sourceVersion);
  });

  it('neither lists nor commits when the source says that nothing has changed', async () => {
    source.put('a.md');
    await world.sync(id);
    const [before, asked] = [world.commits, source.asked.length];
    const run = await world.sync(id);
    assert.equal(run.outcome, 'unchanged');
    assert.equal(world.commits, before);
    assert.deepEqual(source.asked.slice(asked), ['open', 'probe']);
  });

  it('lists everything and commits nothing when the cursor is lost', async () => {
    source.put('a.md');
    await world.sync(id);
    const before = world.commits;
    source.cursor = null;
    assert.equal((await world.sync(id)).outcome, 'unchanged');
    assert.equal((await world.sync(id)).outcome, 'unchanged');
    assert.equal(world.commits, before);
    assert.deepEqual(source.asked.slice(-2), ['open', 'list']);
  });

  it('reads only what has changed', async () => {
    source.put('a.md');
    source.put('b.md');
    await world.sync(id);
    source.put('b.md', 'second');
    const asked = source.asked.length;
    const run = await world.sync(id);
    assert.deepEqual(source.asked.slice(asked), ['open', 'probe', 'list', 'read b.md']);
    assert.equal(run.counts.updated, 1);
    assert.equal((await world.mirrored())['b.md'], 'second');
  });

  it('commits nothing for a file with another version and the same content', async () => {
    source.put('a.md', 'same');
    await world.sync(id);
    const before = world.commits;
    source.put('a.md', 'same');
    assert.equal((await world.sync(id)).outcome, 'unchanged');
    assert.equal(world.commits, before);
  });

  it('deletes what is gone from the source', async () => {
    source.put('a.md');
    source.put('b/c.md');
    await world.sync(id);
    source.remove('b/c.md');
    const run = await world.sync(id);
    assert.equal(run.counts.deleted, 1);
    assert.deepEqual(Object.keys(await world.mirrored()), ['a.md']);
  });

  it('reads several files at once, and no more than the kind allows', async () => {
    for (let index = 0; index < 20; index += 1) source.put(`${index}.md`);
    source.before = (question) =>
      question === 'read' ? new Promise((resolve) => void setImmediate(resolve)) : undefined;
    await world.sync(id);
    assert.equal(source.readsAtMost, 4);
  });

  describe('with changes since the cursor', () => {
    beforeEach(async () => {
      source.listsChanges = true;
      source.put('a.md', 'one', 'id-a');
      source.put('b.md', 'two', 'id-b');
      source.put('c.md', 'three');
      await world.sync(id);
    });

    it('reads and writes only the files that changed since the cursor', async () => {
      source.put('a.md', 'one, again', 'id-a');
      source.remove('b.md');
      source.remove('c.md');
      source.put('d.md', 'four');
      const asked = source.asked.length;
      await world.sync(id);
      assert.deepEqual(await world.mirrored(), { 'a.md': 'one, again', 'd.md': 'four' });
      assert.deepEqual(source.asked.slice(asked + 3).toSorted(), ['read a.md', 'read d.md']);
    });

    it('takes everything again when the cursor has expired', async () => {
      source.put('a.md', 'one, again', 'id-a');
      source.remove('b.md');
      source.oldestCursor = Number.POSITIVE_INFINITY;
      const run = await world.sync(id);
      assert.equal(run.outcome, 'changed');
      assert.deepEqual(await world.mirrored(), { 'a.md': 'one, again', 'c.md': 'three' });
    });

    it('lets the second of two equal names take the place of the first when that one goes', async () => {
      source.put('A.md', 'upper');
      await world.sync(id);
      assert.deepEqual(await world.mirrored(), { 'A.md': 'upper', 'b.md': 'two', 'c.md': 'three' });
      source.remove('A.md');
      await world.sync(id);
      assert.deepEqual(await world.mirrored(), { 'a.md': 'one', 'b.md': 'two', 'c.md': 'three' });
    });
  });

  it('deletes nothing when the listing ends too early', async () => {
    for (let index = 0; index < 600; index += 1) source.put(`${index}.md`, 'x');
    await world.sync(id);
    source.put('new.md');
    source.truncatedAfter = 550;
    const run = await world.sync(id);
    assert.equal(run.outcome, 'failed');
    assert.equal(run.counts.deleted, 0);
    assert.equal(Object.keys(await world.mirrored()).length, 600);
    source.truncatedAfter = Number.POSITIVE_INFINITY;
    assert.equal((await world.sync(id)).outcome, 'changed');
  });

  describe('with a file that cannot be read', () => {
    beforeEach(async () => {
      source.put('good.md', 'good');
      source.put('bad.md', 'before');
      await world.sync(id);
      source.put('good.md', 'better');
      source.put('bad.md', 'after');
      source.put('new.md', 'new');
      source.unreadable.set('bad.md', new UnreadableFile('unreadable', 'The account may not read it.'));
      source.unreadable.set('new.md', new UnreadableFile('unreadable', 'The account may not read it.'));
    });

    it('mirrors the others, keeps it as it was, and says so', async () => {
      const run = await world.sync(id);
      assert.equal(run.outcome, 'partial');
      assert.match(run.message ?? '', /^2 files or folders could not be read/);
      assert.deepEqual(await world.mirrored(), { 'good.md': 'better', 'bad.md': 'before' });
      assert.deepEqual(world.skipped(id), { 'bad.md': 'unreadable', 'new.md': 'unreadable' });
    });

    it('tries again in the next run, even if the source says that nothing has changed', async () => {
      await world.sync(id);
      source.unreadable.clear();
      const run = await world.sync(id);
      assert.equal(run.outcome, 'changed');
      assert.deepEqual(await world.mirrored(), { 'good.md': 'better', 'bad.md': 'after', 'new.md': 'new' });
      assert.deepEqual(world.skipped(id), {});
    });

    it('deletes it when it goes from the source', async () => {
      await world.sync(id);
      source.remove('bad.md');
      source.remove('new.md');
      await world.sync(id);
      assert.deepEqual(await world.mirrored(), { 'good.md': 'better' });
      assert.deepEqual(world.skipped(id), {});
    });
  });

  it('keeps everything below a folder that cannot be seen', async () => {
    source.put('a.md');
    source.put('secret/b.md');
    source.put('secret/er/c.md');
    await world.sync(id);
    source.files.delete('secret/b.md');
    source.files.delete('secret/er/c.md');
    source.put('d.md');
    source.others = [{ type: 'unreadable', path: 'secret', detail: 'The account may not list it.' }];
    const run = await world.sync(id);
    assert.equal(run.outcome, 'partial');
    assert.deepEqual(Object.keys(await world.mirrored()).toSorted(), ['a.md', 'd.md', 'secret/b.md', 'secret/er/c.md']);
    source.others = [];
    source.put('secret/b.md');
    assert.equal((await world.sync(id)).outcome, 'changed');
    assert.deepEqual(Object.keys(await world.mirrored()).toSorted(), ['a.md', 'd.md', 'secret/b.md']);
  });

  it('reads a file again next time when it changes while it is read', async () => {
    source.put('a.md', 'short');
    source.put('b.md');
    source.before = (question, path) => {
      if (question === 'read' && path === 'a.md')
        source.files.set('a.md', { content: Buffer.from('longer by far'), version: 'other' });
    };
    const run = await world.sync(id);
    assert.equal(run.outcome, 'partial');
    assert.deepEqual(Object.keys(await world.mirrored()), ['b.md']);
    source.before = () => undefined;
    await world.sync(id);
    assert.equal((await world.mirrored())['a.md'], 'longer by far');
  });

  it('follows a file that the source moved, by its id, without reading it', async () => {
    source.put('a.md', 'text', 'id-a');
    await world.sync(id);
    const document = world.documentId('a.md');
    source.move('a.md', 'deep/b.md');
    const run = await world.sync(id);
    assert.equal(run.counts.moved, 1);
    assert.equal(world.documentId('deep/b.md'), document);
    assert.deepEqual(source.asked.slice(-3), ['open', 'probe', 'list']);
    assert.equal((await world.sync(id)).outcome, 'unchanged');
  });

  it('follows a moved file that has changed, too', async () => {
    source.put('a.md', 'text', 'id-a');
    await world.sync(id);
    const document = world.documentId('a.md');
    source.remove('a.md');
    source.put('b.md', 'other text', 'id-a');
    await world.sync(id);
    assert.equal(world.documentId('b.md'), document);
    assert.deepEqual(await world.mirrored(), { 'b.md': 'other text' });
  });

  it('follows a moved file by its content, where no other file has it', async () => {
    source.put('a.md', 'only here');
    source.put('twin-1.md', 'twice');
    source.put('twin-2.md', 'twice');
    source.put('empty.md', '');
    await world.sync(id);
    const ids = ['a.md', 'twin-1.md', 'empty.md'].map((path) => world.documentId(path));
    for (const path of ['a.md', 'twin-1.md', 'twin-2.md', 'empty.md']) {
      source.remove(path);
      source.put(`to/${path}`, { 'a.md': 'only here', 'empty.md': '' }[path] ?? 'twice');
    }
    const run = await world.sync(id);
    assert.equal(run.outcome, 'changed');
    assert.deepEqual(
      ['to/a.md', 'to/twin-1.md', 'to/empty.md'].map((path) => ids.includes(world.documentId(path))),
      [true, false, false],
    );
  });
});
