import assert from 'node:assert/strict';
import { eraseAt } from '../../support/store/erase-at.js';
import { until } from '../../support/until.js';
import { MirrorWorld } from './mirror-world.js';
import type { ScriptedSource } from './scripted-source.js';

const text = 'what nobody may read again\n';

describe('a sync after an erase', () => {
  let world: MirrorWorld;
  let id: string;
  let source: ScriptedSource;

  beforeEach(async () => {
    world = await MirrorWorld.open();
    ({ id, source } = await world.connect());
    source.put('stays.md');
    source.put('plans/erased.md', 'an older version\n');
    await world.sync(id);
    source.put('plans/erased.md', text);
    await world.sync(id);
  });
  afterEach(() => world.close());

  it('leaves the file out under every other name, with each of its contents, and when it changes there', async () => {
    await erase('plans/erased.md');
    source.move('plans/erased.md', 'archive/renamed.md');
    source.put('older.md', 'an older version\n');
    assert.equal((await world.sync(id)).counts.skipped, 2);
    assert.deepEqual(await mirrored(), ['stays.md']);
    assert.deepEqual(world.skipped(id), {});
    source.put('archive/renamed.md', 'changed since\n');
    await world.sync(id);
    assert.deepEqual(await mirrored(), ['stays.md']);
  });

  it('leaves it out when its name returns in other letters, or one of its former names does', async () => {
    source.files.clear();
    source.put('stays.md');
    source.put('first.md', text, 'file 7');
    await world.approve(id);
    source.move('first.md', 'second.md');
    await world.sync(id);
    assert.deepEqual(await mirrored(), ['second.md', 'stays.md']);
    await erase('second.md');
    source.remove('second.md');
    source.put('first.md', 'something else', 'file 8');
    source.put('Second.MD', 'another thing', 'file 9');
    source.put('third.md', 'a third thing', 'file 7');
    await world.sync(id);
    assert.deepEqual(await mirrored(), ['stays.md']);
  });

  it('keeps a document as it was that gets an erased content, and takes its next one', async () => {
    await erase('plans/erased.md');
    source.put('stays.md', text);
    await world.sync(id);
    assert.deepEqual(await world.mirrored(), { 'stays.md': 'text of stays.md\n' });
    assert.deepEqual(world.skipped(id), { 'stays.md': 'unreadable' });
    source.put('stays.md', 'free again\n');
    await world.sync(id);
    assert.deepEqual(await world.mirrored(), { 'stays.md': 'free again\n' });
  });

  it('leaves it out where it replaces another file, also after it changed there', async () => {
    source.put('erased.md', text, 'file 1');
    source.put('page.md', 'the page\n', 'file 2');
    await world.sync(id);
    await erase('erased.md');
    source.move('erased.md', 'page.md');
    source.put('page.md', `${text}and more of it\n`, 'file 1');
    await world.sync(id);
    assert.equal((await world.mirrored())['page.md'], 'the page\n');
    assert.deepEqual(world.skipped(id), { 'page.md': 'unreadable' });
    await world.sync(id);
    assert.equal((await world.mirrored())['page.md'], 'the page\n');
    source.put('page.md', 'the next page\n', 'file 3');
    await world.sync(id);
    assert.equal((await world.mirrored())['page.md'], 'the next page\n');
    assert.deepEqual(world.skipped(id), {});
  });

  it('leaves it out where it replaces a file that could not be mirrored', async () => {
    source.put('erased.md', text, 'file 1');
    source.put(
      'page.md',
      `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 5\n`,
      'file 2',
    );
    await world.sync(id);
    assert.deepEqual(world.skipped(id), { 'page.md': 'lfs_pointer' });
    await erase('erased.md');
    source.move('erased.md', 'page.md');
    source.put('page.md', `${text}and more of it\n`, 'file 1');
    await world.sync(id);
    assert.equal((await world.mirrored())['page.md'], undefined);
  });

  it('mirrors empty files although one of them was erased', async () => {
    source.put('empty.md', '');
    await world.sync(id);
    await erase('empty.md');
    source.put('another.md', '');
    await world.sync(id);
    assert.ok((await mirrored()).includes('another.md'));
  });

  it('names the file nowhere, whatever the source makes of it', async () => {
    await erase('plans/erased.md');
    source.remove('plans/erased.md');
    source.others = [{ type: 'skipped', path: 'plans/erased.md', version: '1', reason: 'symlink' }];
    source.put('plans/ERASED.md', 'another file\n');
    await world.sync(id);
    source.others = [{ type: 'unreadable', path: 'plans/erased.md', detail: 'nobody may list it' }];
    await world.sync(id);
    const { mirrorEntries } = world.service.workspace.journal.reader;
    assert.deepEqual(
      mirrorEntries.list(id, '', 10).map(({ path }) => path),
      ['stays.md'],
    );
  });

  it('holds a change again, whose fingerprint no path of the erased document is part of', async () => {
    source.files.clear();
    source.put('new.md');
    assert.equal((await world.sync(id)).outcome, 'held');
    const before = world.connector(id).held;
    await erase('plans/erased.md');
    await until('the next run holds it again', () => {
      const { state, held } = world.connector(id);
      return state === 'held' && held !== null && held !== before;
    });
  });

  const erase = async (path: string): Promise<void> => {
    const { workspace } = world.service;
    const { id: erasure } = await eraseAt(workspace, `docs/${path}`);
    await workspace.eraser.finished(erasure);
  };

  const mirrored = async (): Promise<string[]> => Object.keys(await world.mirrored()).toSorted();
});
