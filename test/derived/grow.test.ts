import assert from 'node:assert/strict';
import { parseFolderLocation, parseLocation } from '../../lib/domain/location.js';
import { importDocuments } from '../../lib/operations/folders/import-documents.js';
import type { Client } from '../support/store/client.js';
import { eraseAt } from '../support/store/erase-at.js';
import { TestMirror } from '../support/store/test-mirror.js';
import { assertAgrees, git, openDerivedWorld, readFiles, readLog, type DerivedWorld } from './derived-world.js';
import type { Derived } from '../../lib/derived/derive.js';

describe('a derived repository between two fetches', function () {
  let world: DerivedWorld;
  let admin: Client;
  let ada: Client;
  let before: Derived;

  beforeEach(async () => {
    world = await openDerivedWorld();
    admin = await world.person('Admin', '');
    ada = await world.person('Ada', 'shared');
    await admin.create('shared/a.md', 'text of a');
    await admin.create('shared/b.md', 'text of b');
    await admin.create('shared/sub/c.md', 'text of c');
    await admin.create('hidden/d.md', 'text of d');
    before = await world.derive(ada.id);
  });

  afterEach(() => world.close());

  it('gets new versions and new documents', async () => {
    await admin.update('shared/a.md', 'two');
    await ada.create('shared/new.md', 'three');
    assert.deepEqual(await grown(), ['Update shared/a.md M shared/a.md', 'Create shared/new.md A shared/new.md']);
  });

  it('stays as it is when only hidden things happen', async () => {
    await admin.update('hidden/d.md', 'more');
    await admin.rename('hidden/d.md', 'e.md', true);
    await admin.delete('hidden/e.md');
    await admin.create('hidden/shared/a.md', 'x');
    const again = await world.derive(ada.id);
    assert.equal(again.head, before.head);
    assert.equal(again.commits, 0);
  });

  it('shows a move as a rename by its mover, and where the document is now alone', async () => {
    await admin.rename('shared/a.md', 'between.md', true);
    world.test.clock.advance(60_000);
    await ada.move('shared/between.md', 'shared/sub', true);
    assert.deepEqual(await grown(), [
      'Move shared/a.md to shared/sub/between.md R100 shared/a.md shared/sub/between.md',
    ]);
    const signed = git(before.repository, 'log', '-1', '--format=%an <%ae> %at', 'main');
    assert.equal(signed, `Ada <${ada.id}@acme> ${world.test.clock.now() / 1000}`);
  });

  it('shows the rename of a folder as one commit', async () => {
    await admin.rename('shared/sub', 'other', true);
    await admin.update('shared/other/c.md', 'text of c, longer');
    assert.deepEqual(await grown(), [
      'Move shared/sub/c.md to shared/other/c.md R100 shared/sub/c.md shared/other/c.md',
      'Update shared/other/c.md M shared/other/c.md',
    ]);
  });

  it('puts documents that changed their places with each other into one commit', async () => {
    await admin.rename('shared/a.md', 'x.md', true);
    await admin.rename('shared/b.md', 'a.md', true);
    await admin.rename('shared/x.md', 'b.md', true);
    const log = await grown();
    assert.equal(log.length, 1);
    assert.match(log[0] ?? '', /^Move 2 documents/);
  });

  it('shows a chain of moves in its order', async () => {
    await admin.rename('shared/b.md', 'c.md', true);
    await admin.rename('shared/a.md', 'b.md', true);
    assert.deepEqual(await grown(), [
      'Rename shared/b.md to shared/c.md R100 shared/b.md shared/c.md',
      'Rename shared/a.md to shared/b.md R100 shared/a.md shared/b.md',
    ]);
  });

  it('puts a folder in the place of a document, and a document in the place of a folder', async () => {
    await admin.rename('shared/a.md', 'old.md', true);
    await admin.create('shared/a.md/inside.md', 'inside');
    await admin.move('shared/sub/c.md', 'shared/a.md', true);
    await admin.create('shared/sub', 'no folder any more');
    assert.deepEqual(await grown(), [
      'Rename shared/a.md to shared/old.md R100 shared/a.md shared/old.md',
      'Move shared/sub/c.md to shared/a.md/c.md R100 shared/sub/c.md shared/a.md/c.md',
      'Create shared/a.md/inside.md A shared/a.md/inside.md',
      'Create shared/sub A shared/sub',
    ]);
  });

  it('deletes what was deleted, and puts another document at its place', async () => {
    const gone = blobAt('shared/a.md');
    await ada.delete('shared/a.md');
    await admin.create('shared/a.md', 'another document');
    assert.deepEqual(await grown([gone]), ['Delete shared/a.md D shared/a.md', 'Create shared/a.md A shared/a.md']);
    assert.equal(git(before.repository, 'log', '-1', '--skip=1', '--format=%an', 'main'), 'Ada');
  });

  it('brings back what was deleted, also when it has shown the deletion', async () => {
    await admin.delete('shared/a.md');
    await admin.undelete('shared/a.md');
    assert.deepEqual(await grown(), ['Undelete shared/a.md']);
    await admin.delete('shared/a.md');
    before = await world.derive(ada.id);
    assert.equal(readFiles(before)['shared/a.md'], undefined);
    await admin.undelete('shared/a.md');
    await admin.update('shared/a.md', 'and changed');
    assert.deepEqual(await grown(), ['Undelete shared/a.md A shared/a.md', 'Update shared/a.md M shared/a.md']);
  });

  it('brings back what was moved, deleted and undeleted at its new place', async () => {
    await admin.rename('shared/a.md', 'z.md', true);
    await admin.delete('shared/z.md');
    await admin.undelete('shared/z.md');
    assert.deepEqual(await grown(), [
      'Rename shared/a.md to shared/z.md R100 shared/a.md shared/z.md',
      'Undelete shared/z.md',
    ]);
  });

  it('deletes a folder, and brings it back, as one commit each', async () => {
    await admin.create('shared/sub/more.md', 'more');
    before = await world.derive(ada.id);
    const gone = [blobAt('shared/sub/more.md'), blobAt('shared/sub/c.md')];
    await admin.deleteFolder('shared/sub');
    assert.deepEqual(await grown(gone), ['Delete 2 documents D shared/sub/c.md D shared/sub/more.md']);
    before = await world.derive(ada.id);
    await admin.undeleteFolder('shared/sub');
    assert.deepEqual(await grown(), ['Undelete 2 documents A shared/sub/c.md A shared/sub/more.md']);
  });

  it('shows a restored version, a revert and an import', async () => {
    const [first] = (await ada.history('shared/a.md')).items;
    const since = world.test.clock.now();
    await admin.update('shared/a.md', 'vandalised');
    await ada.restore('shared/a.md', first?.type === 'version' ? first.version.id : '');
    await admin.update('shared/b.md', 'vandalised too');
    const preview = await ada.previewRevert(admin.id, 'shared/b.md', since);
    assert.ok(preview.digest);
    const files = ['one.md', 'two.md'].map((name) => ({
      location: parseLocation(`shared/imported/${name}`),
      content: { bytes: Buffer.from(name) },
    }));
    await admin.perform(importDocuments, { into: parseFolderLocation('shared/imported'), files, message: null });
    assert.deepEqual(await grown(), [
      'Update shared/a.md M shared/a.md',
      'Restore shared/a.md M shared/a.md',
      'Update shared/b.md M shared/b.md',
      'Import 2 documents A shared/imported/one.md A shared/imported/two.md',
    ]);
  });

  it('follows a mirror that moves, changes and deletes files in one commit', async () => {
    const mirror = await TestMirror.open(world.test.workspace, 'shared/mirror');
    await mirror.sync({ written: { 'one.md': 'text one', 'two.md': 'text two', 'three.md': 'text three' } });
    before = await world.derive(ada.id);
    const gone = blobAt('shared/mirror/three.md');
    await mirror.sync({
      moved: { 'one.md': 'two.md', 'two.md': 'one.md' },
      written: { 'two.md': 'text one, changed' },
      deleted: ['three.md'],
    });
    const log = await grown([gone]);
    assert.equal(log.length, 2, log.join('\n'));
    assert.match(log[0] ?? '', /^Move 2 documents and delete 1 document/);
  });

  it('takes in all versions of what enters the reach, at once and later', async () => {
    await admin.update('hidden/d.md', 'second text of d');
    await world.test.grant('reader', { type: 'principal', id: ada.id }, 'hidden');
    assert.deepEqual(await grown(), ['Create hidden/d.md A hidden/d.md', 'Update hidden/d.md M hidden/d.md']);
    before = await world.derive(ada.id);
    await admin.create('deep/e.md', 'e');
    await admin.move('deep/e.md', 'shared', true);
    assert.deepEqual(await grown(), ['Create shared/e.md A shared/e.md']);
  });

  it('follows a single document wherever it goes', async () => {
    await world.test.grant('reader', { type: 'principal', id: ada.id }, 'hidden/d.md', 'document');
    before = await world.derive(ada.id);
    await admin.move('hidden/d.md', 'shared', true);
    await admin.create('hidden/beside.md', 'unseen');
    await admin.move('shared/d.md', 'hidden', true);
    await admin.rename('hidden', 'elsewhere', true);
    assert.deepEqual(await grown(), ['Move hidden/d.md to elsewhere/d.md R100 hidden/d.md elsewhere/d.md']);
  });

  it('is made again when the reach narrows, also by a group, and when a document leaves it', async () => {
    const group = await world.test.group('Team', { type: 'principal', id: ada.id });
    await world.test.grant('reader', { type: 'group', id: group }, 'hidden');
    const wide = await world.derive(ada.id);
    await assertAgrees(wide, ada);
    await world.test.leave(group, { type: 'principal', id: ada.id });
    const narrow = await world.derive(ada.id);
    assert.equal(narrow.madeAnew, 'narrowed');
    await assertAgrees(narrow, ada);
    assert.equal(narrow.head, before.head, 'as one that never was wider');
    await admin.move('shared/b.md', 'hidden', true);
    const left = await world.derive(ada.id);
    assert.equal(left.madeAnew, 'moved');
    await assertAgrees(left, ada);
    await world.test.revoke('editor', { type: 'principal', id: ada.id }, 'shared');
    const nothing = await world.derive(ada.id);
    assert.deepEqual([nothing.madeAnew, nothing.head, nothing.documents], ['narrowed', null, 0]);
    await assertAgrees(nothing, ada);
  });

  it('grows on when a reach has narrowed and widened again between two fetches', async () => {
    await world.test.revoke('editor', { type: 'principal', id: ada.id }, 'shared');
    await admin.update('shared/a.md', 'meanwhile');
    await world.test.grant('reader', { type: 'principal', id: ada.id }, 'shared');
    assert.deepEqual(await grown(), ['Update shared/a.md M shared/a.md']);
  });

  it('is made again when a place that its history names leaves the reach', async () => {
    await world.test.grant('reader', { type: 'principal', id: ada.id }, 'other');
    await admin.createFolder('other');
    await admin.create('other/keep.md', 'keep');
    await admin.delete('other/keep.md');
    await admin.move('shared/a.md', 'other', true);
    await admin.update('other/a.md', 'two');
    before = await world.derive(ada.id);
    await admin.move('other/a.md', 'shared', true);
    assert.equal((await world.derive(ada.id)).madeAnew, null);
    await world.test.revoke('reader', { type: 'principal', id: ada.id }, 'other');
    const derived = await world.derive(ada.id);
    assert.equal(derived.madeAnew, 'narrowed');
    assert.equal(git(derived.repository, 'log', '--format=', '--name-only', 'main', '--', 'other'), '');
  });

  it('is made again when a document that it ever showed is being erased', async () => {
    await admin.delete('shared/b.md');
    await world.derive(ada.id);
    await world.test.grant('approver', { type: 'principal', id: admin.id }, '');
    await eraseAt(world.test.workspace, 'shared/b.md', { isDeleted: true });
    const derived = await world.derive(ada.id);
    assert.equal(derived.madeAnew, 'erased');
    await assertAgrees(derived, ada);
    assert.deepEqual(Object.keys(readFiles(derived)), ['shared/a.md', 'shared/sub/c.md']);
  });

  it('grows on after an erase that did not concern it', async () => {
    await world.test.grant('approver', { type: 'principal', id: admin.id }, '');
    const { id } = await eraseAt(world.test.workspace, 'hidden/d.md');
    await world.test.workspace.eraser.finished(id);
    await admin.update('shared/a.md', 'after the erase');
    assert.deepEqual(await grown(), ['Update shared/a.md M shared/a.md']);
  });

  const blobAt = (place: string): string => git(before.repository, 'rev-parse', `${before.head}:${place}`);

  /** Derives again. @returns the log of what came on top of the earlier head */
  async function grown(mayHoldMore: readonly string[] = []): Promise<string[]> {
    const derived = await world.derive(ada.id);
    assert.equal(derived.madeAnew, null);
    await assertAgrees(derived, ada, mayHoldMore);
    const log = readLog(derived);
    assert.deepEqual(log.slice(0, readLog(before).length), readLog(before), 'a fast-forward');
    assert.equal(derived.commits, log.length - readLog(before).length);
    return log.slice(readLog(before).length);
  }
});
