import assert from 'node:assert/strict';
import { compareText, parseFolderLocation } from '../../lib/domain/location.js';
import { operatorId } from '../../lib/domain/principal.js';
import {
  browseFolder,
  entryOrders,
  type BrowsedFolder,
  type Entry,
  type EntryOrder,
} from '../../lib/operations/folders/browse-folder.js';
import { perform } from '../../lib/operations/perform.js';
import { Actor, outcomeOf } from '../support/store/actor.js';
import { openTestService, type TestService } from '../support/store/service.js';

describe('Browsing a folder', () => {
  let test: TestService;
  let admin: Actor;

  beforeEach(async () => {
    test = await openTestService();
    admin = new Actor(test.workspace, operatorId);
  });
  afterEach(() => test.close());

  it('lists folders before documents in each order, the same with pages of any size', async () => {
    const names = await fill('f');
    const reader = (await test.person('reader', 'f')).id;
    const folders = names.map((name) => `f/${name}/`).toSorted(compareText);
    const byName = names.map((name) => `f/${name}.md`).toSorted(compareText);
    const age = (name: string): number => Math.floor(names.indexOf(name.slice(2, -3)) / 2);
    const newest = byName.toSorted((a, b) => age(b) - age(a) || compareText(a, b));
    const expected: Record<EntryOrder, string[]> = {
      name: [...folders, ...byName],
      'name-down': [...folders.toReversed(), ...byName.toReversed()],
      newest: [...folders, ...newest],
      oldest: [...folders, ...newest.toReversed()],
    };
    for (const order of entryOrders) {
      for (const limit of [1, 2, 3, 7, 8, 9, 200]) {
        assert.deepEqual(await browseAll(reader, 'f', order, limit), expected[order], `${order}, ${limit} a page`);
      }
    }
  });

  it('orders what grants below the folder show as the whole folder is ordered', async () => {
    const names = await fill('f');
    const id = await test.principal('Ada');
    const subject = { type: 'principal', id } as const;
    for (const name of names) {
      await test.grant('reader', subject, `f/${name}.md`, 'document');
      await test.grant('reader', subject, `f/${name}`);
    }
    const reader = (await test.person('reader', 'f')).id;
    for (const order of entryOrders) {
      const whole = await browseAll(reader, 'f', order, 200);
      for (const limit of [1, 3, 200]) assert.deepEqual(await browseAll(id, 'f', order, limit), whole, order);
    }
  });

  it('goes by the time of the last version, also after an undelete and with a clock that was set back', async () => {
    for (const name of ['a', 'b', 'c']) {
      test.clock.advance(1000);
      await admin.create(`f/${name}.md`);
    }
    test.clock.advance(1000);
    await admin.update('f/a.md', 'new');
    assert.deepEqual(namesOf(await browse(operatorId, 'f', 'newest')), ['f/a.md', 'f/c.md', 'f/b.md']);
    await admin.delete('f/b.md');
    test.clock.advance(1000);
    await admin.undelete('f/b.md');
    assert.deepEqual(namesOf(await browse(operatorId, 'f', 'newest')), ['f/b.md', 'f/a.md', 'f/c.md']);
    test.clock.advance(-3_600_000);
    await admin.update('f/b.md', 'with the clock set back');
    assert.deepEqual(namesOf(await browse(operatorId, 'f', 'oldest')), ['f/b.md', 'f/c.md', 'f/a.md']);
  });

  it('begins at the root for readers of everything, else at the topmost places in reach', async () => {
    await admin.create('team/plans/a.md');
    await admin.create('team/notes/b.md');
    await admin.create('other/c.md');
    await admin.create('other/hidden.md');
    const start = await browse(operatorId, null);
    assert.equal(start.folder?.location, '');
    assert.deepEqual(namesOf(start), ['other/', 'team/']);
    const id = await test.principal('Ada');
    const subject = { type: 'principal', id } as const;
    await test.grant('editor', subject, 'team/plans');
    await test.grant('reader', subject, 'team/plans/below');
    await test.grant('reader', subject, 'team/plans/a.md', 'document');
    await test.grant('reader', subject, 'other/c.md', 'document');
    await test.grant('editor', subject, 'comes/later');
    const own = await browse(id, null);
    assert.equal(own.folder, null);
    assert.deepEqual(namesOf(own), ['comes/later/', 'team/plans/', 'other/c.md']);
    assert.deepEqual(
      own.items.map(({ role }) => role),
      ['editor', 'editor', 'reader'],
    );
    assert.deepEqual(await browseAll(id, null, 'newest', 1), ['comes/later/', 'team/plans/', 'other/c.md']);
    assert.deepEqual(namesOf(await browse(await test.principal('Nobody'), null)), []);
  });

  it('shows a trail from the highest folder in reach, and the role in each place', async () => {
    await admin.create('team/plans/2026/a.md');
    const { id } = await test.person('editor', 'team/plans', 'Ada');
    await test.grant('approver', { type: 'principal', id }, 'team/plans/2026/a.md', 'document');
    assert.deepEqual((await browse(operatorId, 'team/plans')).trail, ['', 'team', 'team/plans']);
    const folder = await browse(id, 'team/plans/2026');
    assert.deepEqual(folder.trail, ['team/plans', 'team/plans/2026']);
    assert.equal(folder.role, 'editor');
    assert.deepEqual(
      folder.items.map(({ role }) => role),
      ['approver'],
    );
    const above = await browse(id, 'team');
    assert.deepEqual([above.role, above.trail, namesOf(above)], [undefined, ['team'], ['team/plans/']]);
  });

  it('answers the same for a hidden folder and for an absent one', async () => {
    await admin.create('shut/a.md');
    const { id } = await test.person('reader', 'open');
    const ask = (folder: string) => outcomeOf(browse(id, folder));
    assert.equal(await ask('shut'), 'NOT_FOUND');
    assert.equal(await ask('absent'), 'NOT_FOUND');
    assert.equal(await ask('open/absent'), 'NOT_FOUND');
    assert.equal(await ask('open'), 'done', 'a granted folder that comes later is empty');
    assert.deepEqual(namesOf(await browse(id, '')), []);
  });

  const nameOf = (entry: Entry): string =>
    entry.type === 'folder' ? `${entry.folder.location}/` : entry.document.location;

  const namesOf = ({ items }: BrowsedFolder): string[] => items.map(nameOf);

  async function browse(id: string, folder: string | null, order: EntryOrder = 'name', after = '', limit = 200) {
    const { workspace, caller } = new Actor(test.workspace, id);
    const location = folder === null ? null : parseFolderLocation(folder);
    return (await perform(workspace, caller, browseFolder, { location, order, after, limit })).result;
  }

  /** All names, page by page; each page but the last must be full. */
  async function browseAll(id: string, folder: string | null, order: EntryOrder, limit: number): Promise<string[]> {
    const names: string[] = [];
    for (let after: string | null = ''; after !== null;) {
      const page: BrowsedFolder = await browse(id, folder, order, after, limit);
      if (page.next !== null) assert.equal(page.items.length, limit);
      names.push(...namesOf(page));
      after = page.next;
    }
    return names;
  }

  /** Documents and folders with odd names; pairs of documents have the same time. */
  async function fill(folder: string): Promise<string[]> {
    const names = ['b', '\uffee', '\u{10000}', 'Z', 'a', 'é', '!', 'aa'];
    for (const [index, name] of names.entries()) {
      if (index % 2 === 0) test.clock.advance(1000);
      await admin.create(`${folder}/${name}.md`);
    }
    for (const name of names) await admin.create(`${folder}/${name}/inside.md`);
    return names;
  }
});
