import assert from 'node:assert/strict';
import { parseFolderLocation, parseLocation } from '../../lib/domain/location.js';
import type { Page } from '../../lib/domain/page.js';
import { operatorId } from '../../lib/domain/principal.js';
import { listTrash, type ListTrashInput, type Trashed } from '../../lib/operations/documents/list-trash.js';
import { undeleteDocument } from '../../lib/operations/documents/undelete-document.js';
import { deleteFolder } from '../../lib/operations/folders/delete-folder.js';
import { undeleteFolder } from '../../lib/operations/folders/undelete-folder.js';
import { perform } from '../../lib/operations/perform.js';
import { Actor, outcomeOf } from '../support/store/actor.js';
import { openTestService, type TestService } from '../support/store/service.js';

describe('The trash', () => {
  let test: TestService;
  let admin: Actor;

  beforeEach(async () => {
    test = await openTestService();
    admin = new Actor(test.workspace, operatorId);
  });
  afterEach(() => test.close());

  it('lists what was deleted, the last first, with who deleted it and when', async () => {
    await discard('a.md', 'f/b.md');
    const person = await test.person('editor', '', 'Ada');
    await new Actor(test.workspace, person.id).create('c.md', 'long text');
    test.clock.advance(5000);
    await new Actor(test.workspace, person.id).delete('c.md');
    const [newest, ...rest] = await list(operatorId);
    assert.deepEqual([newest?.location, newest?.deletedAt], ['c.md', test.clock.now()]);
    assert.deepEqual(newest?.deletedBy, { id: person.id, kind: 'person', displayName: 'Ada' });
    assert.equal(newest?.document?.last.size, 9);
    assert.deepEqual(rest.map(show), ['f/b.md', 'a.md']);
    await admin.undelete('f/b.md');
    assert.deepEqual(await names(operatorId), ['c.md', 'a.md']);
  });

  it('shows each person what they may bring back, and nothing else', async () => {
    await admin.create('shut/mine.md');
    const id = await test.principal('Ada');
    const subject = { type: 'principal', id } as const;
    await test.grant('editor', subject, 'open');
    await test.grant('editor', subject, 'open/inner');
    await test.grant('reader', subject, 'read');
    await test.grant('editor', subject, 'shut/mine.md', 'document');
    await discard('shut/a.md', 'read/b.md', 'open/c.md', 'open/inner/d.md', 'openly/e.md', 'open-too.md');
    test.clock.advance(1000);
    await admin.delete('shut/mine.md');
    const all = ['shut/mine.md', 'open/inner/d.md', 'open/c.md'];
    for (const limit of [1, 2, 200]) assert.deepEqual(await names(id, null, limit), all);
    assert.deepEqual(await names(id, 'open/inner'), ['open/inner/d.md']);
    assert.deepEqual(await names(id, 'shut'), ['shut/mine.md']);
    assert.deepEqual(await names(id, 'read'), []);
    assert.deepEqual(await names(id, 'absent'), []);
    assert.deepEqual(await names(await test.principal('Nobody')), []);
    for (const location of all) await new Actor(test.workspace, id).undelete(location);
    assert.deepEqual(await names(id), []);
  });

  it('shows a folder deleted as one as one item, and its documents below it', async () => {
    await discard('first.md');
    await discardFolder('f/g', 'a.md', 'b.md', 'deep/c.md');
    await discard('f/last.md');
    for (const limit of [1, 2, 3, 200]) {
      assert.deepEqual(await names(operatorId, null, limit), ['f/last.md', 'f/g/', 'first.md']);
      assert.deepEqual((await names(operatorId, 'f/g', limit)).toSorted(), ['f/g/a.md', 'f/g/b.md', 'f/g/deep/c.md']);
    }
    const inner = await test.person('editor', 'f/g/deep', 'Ada');
    assert.deepEqual(await names(inner.id), ['f/g/deep/c.md'], 'the folder is not theirs to bring back');
    const outer = await test.person('editor', 'f', 'Bob');
    for (const limit of [1, 200]) assert.deepEqual(await names(outer.id, null, limit), ['f/last.md', 'f/g/']);
    await perform(test.workspace, admin.caller, undeleteFolder, { location: parseLocation('f/g') });
    assert.deepEqual(await names(operatorId), ['f/last.md', 'first.md']);
  });

  it('shows the documents of an earlier deletion of the same folder singly', async () => {
    await discardFolder('g', 'old.md');
    await discardFolder('g', 'new.md');
    assert.deepEqual(await names(operatorId), ['g/', 'g/old.md']);
    await perform(test.workspace, admin.caller, undeleteFolder, { location: parseLocation('g') });
    assert.deepEqual(await names(operatorId), ['g/'], 'now the earlier deletion is the one to undo');
  });

  it('finds many folders deleted in a row, page after page', async () => {
    const folders = Array.from({ length: 45 }, (_, index) => `f/${String(index).padStart(2, '0')}`);
    for (const folder of folders) await discardFolder(folder, 'a.md', 'b.md');
    const { id } = await test.person('editor', 'f', 'Ada');
    const expected = folders.toReversed().map((folder) => `${folder}/`);
    for (const limit of [7, 200]) {
      assert.deepEqual(await names(operatorId, null, limit), expected);
      assert.deepEqual(await names(id, null, limit), expected);
    }
  });

  it('brings back the one of several documents deleted at a place that is named', async () => {
    await admin.create('a.md', 'first');
    await admin.delete('a.md');
    test.clock.advance(1000);
    await admin.create('a.md', 'second');
    await admin.delete('a.md');
    const [, first] = await list(operatorId);
    const input = { location: parseLocation('a.md'), documentId: first?.document?.id };
    await perform(test.workspace, admin.caller, undeleteDocument, input);
    assert.equal(await admin.read('a.md'), 'first');
    const reader = await test.person('reader', '', 'Ada');
    const refused = perform(test.workspace, new Actor(test.workspace, reader.id).caller, undeleteDocument, input);
    assert.equal(await outcomeOf(refused), 'NOT_FOUND');
    const other = { location: parseLocation('a.md'), documentId: 'doc_absent' };
    assert.equal(await outcomeOf(perform(test.workspace, admin.caller, undeleteDocument, other)), 'NOT_FOUND');
  });

  it('names what is at the place now, if the caller can see it', async () => {
    await admin.create('shut/a.md', 'granted');
    const id = await test.principal('Ada');
    await test.grant('editor', { type: 'principal', id }, 'shut/a.md', 'document');
    await admin.delete('shut/a.md');
    await discard('b', 'c.md');
    assert.deepEqual(
      (await list(operatorId)).map(({ occupant }) => occupant),
      [null, null, null],
    );
    await admin.create('shut/a.md', 'another');
    await admin.create('b/inside.md');
    const seen = (await list(operatorId)).map((item) => [show(item), item.occupant]);
    assert.deepEqual(seen, [
      ['c.md', null],
      ['b', 'folder'],
      ['shut/a.md', 'document'],
    ]);
    assert.equal(await outcomeOf(admin.undelete('shut/a.md')), 'CONFLICT location_occupied');
    const [own] = await list(id);
    assert.deepEqual([own?.location, own?.occupant], ['shut/a.md', null], 'the other document is hidden');
    assert.equal(await outcomeOf(new Actor(test.workspace, id).undelete('shut/a.md')), 'NOT_FOUND');
  });

  it('shows a folder that was deleted as one before any number of others there of which nothing is left', async () => {
    await discardFolder('f', 'old.md');
    for (let round = 0; round < 25; round += 1) {
      await discardFolder('f', 'x.md');
      await admin.undelete('f/x.md');
      await admin.delete('f/x.md');
    }
    const folders = (await names(operatorId)).filter((name) => name.endsWith('/'));
    assert.deepEqual(folders, ['f/']);
  });

  const show = ({ location, document }: Trashed): string => (document === null ? `${location}/` : location);

  const names = async (...question: Parameters<typeof list>): Promise<string[]> => (await list(...question)).map(show);

  async function list(id: string, folder: string | null = null, limit = 200): Promise<Trashed[]> {
    const { workspace, caller } = new Actor(test.workspace, id);
    const found: Trashed[] = [];
    for (let after: string | null = ''; after !== null;) {
      const input: ListTrashInput = { folder: folder === null ? null : parseFolderLocation(folder), after, limit };
      const { result }: { result: Page<Trashed> } = await perform(workspace, caller, listTrash, input);
      assert.ok(result.items.length <= limit);
      found.push(...result.items);
      after = result.next;
    }
    return found;
  }

  async function discard(...locations: readonly string[]): Promise<void> {
    for (const location of locations) {
      test.clock.advance(1000);
      await admin.create(location);
      await admin.delete(location);
    }
  }

  async function discardFolder(folder: string, ...documents: readonly string[]): Promise<void> {
    for (const name of documents) await admin.create(`${folder}/${name}`);
    test.clock.advance(1000);
    await perform(test.workspace, admin.caller, deleteFolder, { location: parseLocation(folder) });
  }
});
