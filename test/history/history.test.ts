import assert from 'node:assert/strict';
import { parseLocation, rootLocation } from '../../lib/domain/location.js';
import { importDocuments } from '../../lib/operations/folders/import-documents.js';
import { outcomeOf } from '../support/store/actor.js';
import { addClient, versionOf, type Client } from '../support/store/client.js';
import { openTestService, type TestService } from '../support/store/service.js';

describe('the history of a document', () => {
  let service: TestService;
  let ada: Client;

  beforeEach(async () => {
    service = await openTestService();
    ada = await addClient({ service, workspace: service.workspace }, 'Ada', 'approver');
  });
  afterEach(() => service.close());

  it('lists versions, the newest first, each with who, when and why', async () => {
    await ada.create('a.md', 'one');
    service.clock.advance(5000);
    await ada.update('a.md', 'two');
    const { items, next } = await ada.history('a.md');
    assert.equal(next, null);
    assert.deepEqual(
      items.map((entry) => [entry.type, entry.author.displayName, entry.at - Date.UTC(2026, 0, 5, 9)]),
      [
        ['version', 'Ada', 5000],
        ['version', 'Ada', 0],
      ],
    );
    assert.deepEqual(await ada.historyLines('a.md'), ['update a.md', 'create a.md']);
  });

  it('goes through renames and moves of the document and of its folders, on one tick of the clock', async () => {
    await ada.create('a/b/x.md', '1');
    await ada.rename('a/b/x.md', 'y.md');
    await ada.rename('a', 'c');
    await ada.update('c/b/y.md', '2');
    await ada.move('c/b', 'd');
    await ada.rename('d/b', 'b2');
    await ada.rename('d/b2', 'b');
    await ada.move('d/b/y.md', '');
    await ada.update('y.md', '3');
    const historyLines = [
      'update y.md',
      'move document d/b/y.md > y.md',
      'rename folder d/b2/y.md > d/b/y.md',
      'rename folder d/b/y.md > d/b2/y.md',
      'move folder c/b/y.md > d/b/y.md',
      'update c/b/y.md',
      'rename folder a/b/y.md > c/b/y.md',
      'rename document a/b/x.md > a/b/y.md',
      'create a/b/x.md',
    ];
    assert.deepEqual(await ada.historyLines('y.md'), historyLines);
    assert.deepEqual(await ada.historyLines('y.md', 1), historyLines);
    assert.deepEqual(await ada.historyLines('y.md', 2), historyLines);
  });

  it('shows a passing folder only while the document lay in it', async () => {
    await ada.create('a/x.md');
    await ada.delete('a/x.md');
    await ada.create('b/other.md');
    await ada.rename('b', 'a');
    await ada.rename('a', 'b');
    await ada.rename('b', 'a');
    await ada.undelete('a/x.md');
    assert.deepEqual(await ada.historyLines('a/x.md'), [
      'undelete a/x.md',
      'deletion document a/x.md',
      'create a/x.md',
    ]);
    assert.deepEqual((await ada.historyLines('a/other.md')).length, 4);
  });

  it('keeps undone deletions, also of folders, and restores and reverts', async () => {
    await ada.create('a/x.md', '1');
    const first = await versionOf(ada, 'a/x.md');
    await ada.update('a/x.md', '2');
    await ada.delete('a/x.md');
    await ada.undelete('a/x.md');
    await ada.deleteFolder('a');
    await ada.undeleteFolder('a');
    await ada.restore('a/x.md', first);
    const historyLines = [
      'restore a/x.md',
      'undelete a/x.md',
      'deletion folder a/x.md',
      'undelete a/x.md',
      'deletion document a/x.md',
      'update a/x.md',
      'create a/x.md',
    ];
    assert.deepEqual(await ada.historyLines('a/x.md'), historyLines);
    assert.deepEqual(await ada.historyLines('a/x.md', 1), historyLines);
  });

  it('belongs to the document and not to its name', async () => {
    await ada.create('a.md', 'old');
    await ada.rename('a.md', 'b.md');
    await ada.create('a.md', 'new');
    assert.deepEqual(await ada.historyLines('a.md'), ['create a.md']);
    assert.deepEqual(await ada.historyLines('b.md'), ['rename document a.md > b.md', 'create a.md']);
  });

  it('shows an old location only where it is reached now', async () => {
    await ada.create('secret/x.md');
    await ada.rename('secret', 'secret-2');
    await ada.move('secret-2/x.md', 'open', true);
    const ben = await someone('reader', 'open');
    assert.deepEqual(await ben.historyLines('open/x.md'), [
      'move document ? > open/x.md',
      'rename folder ? > ?',
      'create ?',
    ]);
    await service.grant('reader', { type: 'principal', id: ben.id }, 'secret');
    assert.deepEqual(await ben.historyLines('open/x.md'), [
      'move document ? > open/x.md',
      'rename folder secret/x.md > ?',
      'create secret/x.md',
    ]);
  });

  it('seals positions of one length, for any name of the hidden place', async () => {
    const lengths = new Set<number>();
    for (const folder of ['s', 'a-long-name/of/several/segments-éé']) {
      await ada.create(`${folder}/x.md`);
      await ada.move(`${folder}/x.md`, 'open', true);
      const { next } = await ada.history('open/x.md', 1);
      lengths.add(Buffer.byteLength(next ?? ''));
      await ada.delete('open/x.md');
    }
    assert.equal(lengths.size, 1);
  });

  it('refuses a position that belongs to another document', async () => {
    await ada.create('a.md');
    await ada.update('a.md', '2');
    await ada.create('b.md');
    const { next } = await ada.history('a.md', 1);
    assert.equal(await outcomeOf(ada.history('b.md', 1, next ?? '')), 'INVALID_REQUEST bad_cursor');
    assert.equal(await outcomeOf(ada.history('b.md', 1, 'nonsense')), 'INVALID_REQUEST bad_cursor');
  });

  it('is for readers; absent and out of reach are the same', async () => {
    await ada.create('a/x.md');
    await ada.create('b/y.md');
    const [reader, stranger] = [await someone('reader', 'a'), await someone()];
    assert.equal(await outcomeOf(reader.history('a/x.md')), 'done');
    assert.equal(await outcomeOf(reader.history('b/y.md')), 'NOT_FOUND');
    assert.equal(await outcomeOf(stranger.history('a/x.md')), 'NOT_FOUND');
    assert.equal(await outcomeOf(reader.history('a/absent.md')), 'NOT_FOUND');
    await ada.delete('a/x.md');
    assert.equal(await outcomeOf(reader.history('a/x.md')), 'NOT_FOUND');
  });

  it('of an imported document starts with the import', async () => {
    const files = [{ location: parseLocation('a.md'), content: { bytes: Buffer.from('1') } }];
    await ada.perform(importDocuments, { into: rootLocation, files, message: null });
    await ada.update('a.md', '2');
    assert.deepEqual(await ada.historyLines('a.md'), ['update a.md', 'import a.md']);
  });

  const someone = (role?: 'reader' | 'editor' | 'approver', folder = ''): Promise<Client> =>
    addClient({ service, workspace: service.workspace }, 'Ben', role, folder);
});

describe('restoring a version', () => {
  let service: TestService;
  let ada: Client;

  beforeEach(async () => {
    service = await openTestService();
    ada = await addClient({ service, workspace: service.workspace }, 'Ada', 'approver');
  });
  afterEach(() => service.close());

  it('adds the old text as the newest version and keeps the later ones', async () => {
    const first = (await ada.create('a.md', 'one')).current.id;
    const second = (await ada.update('a.md', 'two')).current.id;
    const restored = await ada.restore('a.md', first);
    assert.equal(await ada.read('a.md'), 'one');
    assert.equal(await ada.read('a.md', second), 'two');
    assert.notEqual(restored.current.id, first);
    assert.equal(restored.current.sequence, 3);
    assert.equal(restored.current.author.displayName, 'Ada');
  });

  it('asks for the version that the writer knew, if it names one', async () => {
    const first = (await ada.create('a.md', 'one')).current.id;
    const second = (await ada.update('a.md', 'two')).current.id;
    assert.equal(await outcomeOf(ada.restore('a.md', first, first)), 'CONFLICT stale_if_match');
    assert.equal(await outcomeOf(ada.restore('a.md', first, second)), 'done');
  });

  it('needs an editor, and a version of this very document', async () => {
    const first = (await ada.create('a.md', 'one')).current.id;
    const other = (await ada.create('b.md', 'other')).current.id;
    const reader = await addClient({ service, workspace: service.workspace }, 'Ben', 'reader');
    assert.equal(await outcomeOf(reader.restore('a.md', first)), 'NOT_FOUND');
    assert.equal(await outcomeOf(ada.restore('a.md', other)), 'NOT_FOUND');
    assert.equal(await outcomeOf(ada.restore('absent.md', first)), 'NOT_FOUND');
  });
});
