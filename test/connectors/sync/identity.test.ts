import assert from 'node:assert/strict';
import { UnreadableFile } from '../../../lib/connectors/source.js';
import { MirrorWorld } from './mirror-world.js';
import type { ScriptedSource } from './scripted-source.js';

/** Which file is which: by ids, places and versions, in listings of everything and of changes. */
describe('a sync of files that take places of others', () => {
  let world: MirrorWorld;
  let id: string;
  let source: ScriptedSource;

  beforeEach(async () => {
    world = await MirrorWorld.open();
    ({ id, source } = await world.connect());
  });
  afterEach(() => world.close());

  for (const listsChanges of [false, true]) {
    describe(listsChanges ? 'by its changes' : 'by everything it holds', () => {
      beforeEach(async () => {
        source.listsChanges = listsChanges;
        await fill();
      });

      it('keeps a file that was renamed over another', async () => {
        source.move('a.md', 'b.md');
        assert.equal((await world.sync(id)).outcome, 'changed');
        assert.deepEqual(await world.mirrored(), { 'b.md': 'text of a', 'c.md': 'text of c', 'other.md': 'other' });
        assert.equal((await world.sync(id)).outcome, 'unchanged');
      });

      it('keeps two files that changed places', async () => {
        source.move('a.md', 'x');
        source.move('b.md', 'a.md');
        source.move('x', 'b.md');
        await world.sync(id);
        const texts = { 'a.md': 'text of b', 'b.md': 'text of a', 'c.md': 'text of c', 'other.md': 'other' };
        assert.deepEqual(await world.mirrored(), texts);
        source.oldestCursor = Number.POSITIVE_INFINITY;
        source.note({ type: 'removed', path: 'nothing' });
        assert.equal((await world.sync(id)).outcome, 'unchanged', 'everything is there');
      });

      it('keeps each document when several files are renamed in a chain', async () => {
        source.move('b.md', 'd.md');
        source.move('a.md', 'b.md');
        await world.sync(id);
        const texts = { 'b.md': 'text of a', 'c.md': 'text of c', 'd.md': 'text of b', 'other.md': 'other' };
        assert.deepEqual(await world.mirrored(), texts);
      });

      it('reads a file with another id that has the version of the one before', async () => {
        source.remove('a.md');
        source.put('a.md', 'a new file', 'id-new');
        await world.sync(id);
        assert.equal((await world.mirrored())['a.md'], 'a new file');
      });
    });
  }

  describe('by their ids', () => {
    const names = ['a.md', 'b.md', 'c.md'];

    beforeEach(fill);

    it('a sync detects two swapped files by id, without reading them', async () => {
      const [a, b, c] = documents();
      swap();
      const asked = source.asked.length;
      const run = await world.sync(id);
      assert.deepEqual(documents(), [b, a, c]);
      assert.deepEqual([run.counts.moved, run.counts.updated, run.counts.deleted], [2, 0, 0]);
      assert.deepEqual(source.asked.slice(asked), ['open', 'probe', 'list']);
      assert.equal((await world.sync(id)).outcome, 'unchanged');
    });

    it('a sync of two files that swapped places and contents leaves each place reading as before', async () => {
      const [a, b, c] = documents();
      swap();
      source.put('a.md', 'text of a', 'id-b');
      source.put('b.md', 'text of b', 'id-a');
      await world.sync(id);
      assert.deepEqual(documents(), [b, a, c]);
      const texts = { 'a.md': 'text of a', 'b.md': 'text of b', 'c.md': 'text of c', 'other.md': 'other' };
      assert.deepEqual(await world.mirrored(), texts);
      assert.equal((await world.sync(id)).outcome, 'unchanged');
    });

    it('follows a chain to a free place', async () => {
      const [a, b] = documents();
      source.move('b.md', 'd.md');
      source.move('a.md', 'b.md');
      const { counts } = await world.sync(id);
      assert.deepEqual([world.documentId('b.md'), world.documentId('d.md')], [a, b]);
      assert.deepEqual([counts.moved, counts.created, counts.updated, counts.deleted], [2, 0, 0, 0]);
      assert.equal((await world.sync(id)).outcome, 'unchanged');
    });

    it('leaves each document in its place where a copy is kept at every save, under one name or several', async () => {
      const [a, b, c] = documents();
      for (const text of ['second', 'third', 'fourth']) {
        source.move('b.md', 'c.md');
        source.move('a.md', 'b.md');
        source.put('a.md', text, `id-${text}`);
        const { counts } = await world.sync(id);
        assert.deepEqual(documents(), [a, b, c]);
        assert.deepEqual([counts.moved, counts.created, counts.updated, counts.deleted], [0, 0, 3, 0]);
        assert.equal((await world.sync(id)).outcome, 'unchanged');
      }
      const texts = { 'a.md': 'fourth', 'b.md': 'third', 'c.md': 'second', 'other.md': 'other' };
      assert.deepEqual(await world.mirrored(), texts);
      source.move('c.md', 'd.md');
      source.move('b.md', 'c.md');
      source.move('a.md', 'b.md');
      source.put('a.md', 'fifth', 'id-fifth');
      const { counts } = await world.sync(id);
      assert.deepEqual([...documents(), counts.created, counts.deleted], [a, b, c, 1, 0]);
    });

    it('leaves the document at its place where its copy is renamed back', async () => {
      const [a] = documents();
      source.move('a.md', 'a.md.bak');
      source.put('a.md', 'a worse text', 'id-worse');
      await world.sync(id);
      source.move('a.md.bak', 'a.md');
      const { counts } = await world.sync(id);
      assert.equal(world.documentId('a.md'), a);
      assert.deepEqual([counts.moved, counts.updated, counts.deleted], [0, 1, 1]);
      assert.equal((await world.mirrored())['a.md'], 'text of a');
    });

    it('follows a ring of three beside a chain that is none', async () => {
      const [a, b, c] = documents();
      source.move('a.md', 'x');
      source.move('c.md', 'a.md');
      source.move('b.md', 'c.md');
      source.move('x', 'b.md');
      source.move('other.md', 'other.md.1');
      source.put('other.md', 'new', 'id-new');
      const other = world.documentId('other.md');
      const { counts } = await world.sync(id);
      assert.deepEqual([...documents(), world.documentId('other.md')], [c, a, b, other]);
      assert.deepEqual([counts.moved, counts.created, counts.updated, counts.deleted], [3, 1, 1, 0]);
    });

    it('deletes the document of a file that was renamed over another, and the guard counts it', async () => {
      const [, b] = documents();
      source.move('a.md', 'b.md');
      const run = await world.sync(id);
      assert.deepEqual([world.documentId('b.md'), world.documentId('a.md')], [b, undefined]);
      assert.equal((await world.mirrored())['b.md'], 'text of a');
      assert.deepEqual([run.counts.moved, run.counts.updated, run.counts.deleted], [0, 1, 1]);
      for (let index = 0; index < 50; index += 1) {
        source.put(`from ${index}`, `from ${index}`, `from ${index}`);
        source.put(`to ${index}`, `to ${index}`, `to ${index}`);
      }
      await world.sync(id);
      for (let index = 0; index < 50; index += 1) source.move(`from ${index}`, `to ${index}`);
      assert.equal((await world.sync(id)).outcome, 'held');
    });

    it('leaves the document of a new file in the place of another as it is', async () => {
      const [a] = documents();
      source.remove('a.md');
      source.put('a.md', 'a new file', 'id-new');
      await world.sync(id);
      assert.equal(world.documentId('a.md'), a);
    });

    it('deletes the document of a file that moved and can be mirrored no more', async () => {
      source.move('a.md', 'd.md');
      source.put('d.md', 'sealed', 'id-a');
      source.unreadable.set('d.md', new UnreadableFile('restricted', 'It is encrypted for others.'));
      await world.sync(id);
      assert.deepEqual(Object.keys(await world.mirrored()), ['b.md', 'c.md', 'other.md']);
      assert.deepEqual(world.skipped(id), { 'd.md': 'restricted' });
    });

    const documents = (): (string | undefined)[] => names.map((name) => world.documentId(name));

    function swap(): void {
      source.move('a.md', 'x');
      source.move('b.md', 'a.md');
      source.move('x', 'b.md');
    }
  });

  it('deletes a document whose file could not be seen for a while, and then went away', async () => {
    source.listsChanges = true;
    await fill();
    source.note({ type: 'unreadable', path: 'a.md', detail: 'It is locked.' });
    assert.equal((await world.sync(id)).outcome, 'partial');
    assert.deepEqual(world.skipped(id), { 'a.md': 'unreadable' });
    assert.equal((await world.mirrored())['a.md'], 'text of a');
    source.remove('a.md');
    await world.sync(id);
    assert.deepEqual(Object.keys(await world.mirrored()), ['b.md', 'c.md', 'other.md']);
    assert.deepEqual(world.skipped(id), {});
  });

  it('deletes a document whose file was listed twice, once as one that cannot be seen', async () => {
    await fill();
    source.others = [{ type: 'unreadable', path: 'a.md', detail: 'It is locked.' }];
    source.put('b.md', 'second', 'id-b');
    await world.sync(id);
    assert.equal((await world.mirrored())['a.md'], 'text of a');
    source.others = [];
    source.remove('a.md');
    await world.sync(id);
    assert.deepEqual(Object.keys(await world.mirrored()), ['b.md', 'c.md', 'other.md']);
  });

  it('forgets by its id a file that is left out for its content', async () => {
    source.listsChanges = true;
    await fill();
    source.put('a.md', 'large', 'id-a');
    source.unreadable.set('a.md', new UnreadableFile('restricted', 'It is encrypted for others.'));
    await world.sync(id);
    assert.deepEqual(world.skipped(id), { 'a.md': 'restricted' });
    source.note({ type: 'removed', id: 'id-a' });
    await world.sync(id);
    assert.deepEqual(world.skipped(id), {});
  });

  it('forgets by its path a file that had no id, when the source names it by an id as well', async () => {
    source.listsChanges = true;
    source.put('plain.md', 'without an id');
    await fill();
    source.note({ type: 'removed', id: 'id-of-now', path: 'plain.md' });
    await world.sync(id);
    assert.equal((await world.mirrored())['plain.md'], undefined);
  });

  describe('under other settings', () => {
    it('believes no version of the earlier ones', async () => {
      await fill();
      const { version } = source.files.get('a.md') ?? { version: '' };
      source.files.set('a.md', { content: Buffer.from('of another source'), version, id: 'id-a' });
      await change();
      await world.sync(id);
      assert.equal((await world.mirrored())['a.md'], 'of another source');
      const asked = source.asked.length;
      source.put('b.md', 'second', 'id-b');
      await world.sync(id);
      assert.deepEqual(source.asked.slice(asked), ['open', 'probe', 'list', 'read b.md'], 'and then its own');
    });

    it('believes no id of the earlier ones', async () => {
      await fill();
      const document = world.documentId('a.md');
      source.files.clear();
      source.put('new.md', 'an unrelated text', 'id-a');
      source.put('other.md', 'other', 'id-b');
      await change();
      await world.sync(id);
      assert.notEqual(world.documentId('new.md'), document);
    });

    it('believes neither after a folder that could not be seen', async () => {
      source.put('away/a.md', 'first', 'id-a');
      source.put('b.md', 'b', 'id-b');
      await world.sync(id);
      source.files.delete('away/a.md');
      source.others = [{ type: 'unreadable', path: 'away', detail: 'It is locked.' }];
      await change();
      await world.sync(id);
      assert.equal((await world.mirrored())['away/a.md'], 'first');
      source.others = [];
      source.files.set('away/a.md', { content: Buffer.from('of another source'), version: 'v1', id: 'id-a' });
      await world.sync(id);
      assert.equal((await world.mirrored())['away/a.md'], 'of another source');
    });

    async function change(): Promise<void> {
      await world.service.workspace.journal.write({
        run: ({ tables }) => tables.connectors.setSettings(id, { id }, 'another source'),
      });
    }
  });

  async function fill(): Promise<void> {
    for (const name of ['a', 'b', 'c']) source.put(`${name}.md`, `text of ${name}`, `id-${name}`);
    source.put('other.md', 'other', 'id-other');
    await world.sync(id);
  }
});
