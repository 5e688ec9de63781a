import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import * as fc from 'fast-check';
import { compareText, parseFolderLocation, parseLocation } from '../../lib/domain/location.js';
import { operatorId } from '../../lib/domain/principal.js';
import { Actor } from '../support/store/actor.js';
import { openTestService, type TestService } from '../support/store/service.js';

describe('A view', () => {
  let test: TestService;
  let admin: Actor;

  beforeEach(async () => {
    test = await openTestService();
    admin = new Actor(test.workspace, operatorId);
  });
  afterEach(() => test.close());

  it('throws when it is used after its turn of the event loop', async () => {
    await admin.create('a.md');
    const location = parseLocation('a.md');
    const view = test.workspace.view(admin.caller);
    await Promise.resolve();
    assert.notEqual(view.document(location), undefined, 'no turn has ended yet');
    await nextTurn();
    await nextTurn();
    for (const use of [() => view.document(location), () => view.tables, () => view.reach]) {
      assert.throws(use, /^Error: This view is over/);
    }
    assert.notEqual(test.workspace.view(admin.caller).document(location), undefined);
  });

  it('is the same one until something changes or time passes, and another at once then', async () => {
    await admin.create('a.md', 'one');
    const location = parseLocation('a.md');
    const reader = new Actor(test.workspace, (await test.person('reader', 'f')).id);
    const look = () => test.workspace.view(admin.caller);
    const first = look();
    const shown = first.document(location);
    assert.equal(look(), first);
    assert.equal(look().document(location), shown);
    assert.notEqual(test.workspace.view(reader.caller), first);

    // The commit, what follows it here, and the look before it are in one turn of the event loop, or in two.
    const before = shown?.current.id;
    const [, seen] = await Promise.all([
      admin.update('a.md', 'two').then(() => look().document(location)?.current.id),
      admin.update('a.md', 'three').then(() => look().document(location)?.current.id),
    ]);
    assert.notEqual(seen, before);
    assert.equal(look().document(location)?.current.id, seen);

    const timed = look();
    test.clock.advance(1);
    assert.notEqual(look(), timed);
    assert.equal(look().now, timed.now + 1);
  });

  it('of a principal without its grant shows nothing right after the grant ended', async () => {
    await admin.create('f/a.md');
    const { id } = await test.person('reader', 'f');
    const reader = new Actor(test.workspace, id);
    const look = () => test.workspace.view(reader.caller).document(parseLocation('f/a.md'));
    assert.notEqual(look(), undefined);
    const ended = test.revoke('reader', { type: 'principal', id }, 'f').then(look);
    assert.notEqual(look(), undefined);
    assert.equal(await ended, undefined);
  });

  const odd = ['\uffee', '\u{10000}', 'Z', 'a', 'é', '!', '~', 'a b', 'a.b', 'aa'];

  it('lists by the order of UTF-8 bytes, each once, with pages of any size', async () => {
    for (const name of odd) await admin.create(`f/${name}.md`);
    for (const name of odd) await admin.create(`f/${name}/x.md`);
    const reader = (await test.person('reader', 'f')).id;
    const sorted = odd.toSorted(compareText);
    for (const limit of [1, 2, 3, 7, 10, 11, 200]) {
      const documents = odd.map((name) => `${name}.md`).toSorted(compareText);
      assert.deepEqual(listAll(reader, 'f', limit, 'documents'), documents);
      assert.deepEqual(listAll(reader, 'f', limit, 'folders'), sorted);
    }
  });

  it('fills every page for those with reach in a part of a folder', async () => {
    const names = Array.from({ length: 24 }, (_, index) => `n${String(index).padStart(2, '0')}`);
    for (const name of names) {
      await admin.create(`f/${name}.md`);
      await admin.create(`f/${name}/deep/x.md`);
    }
    const shown = names.filter((_, index) => index % 5 === 0);
    const id = await test.principal('Ada');
    for (const name of shown) {
      await test.grant('reader', { type: 'principal', id }, `f/${name}.md`, 'document');
      await test.grant('reader', { type: 'principal', id }, `f/${name}/deep`);
    }
    for (const limit of [1, 2, 4, 5, 6]) {
      assert.deepEqual(
        listAll(id, 'f', limit, 'documents'),
        shown.map((name) => `${name}.md`),
      );
      assert.deepEqual(listAll(id, 'f', limit, 'folders'), shown);
      assert.deepEqual(listAll(id, '', limit, 'folders'), ['f']);
    }
  });

  it('continues where it was when entries are added or removed between two pages', async () => {
    for (const name of ['b', 'd', 'f', 'h']) await admin.create(`x/${name}`);
    const view = () => test.workspace.view(admin.caller);
    const first = view().documents(parseFolderLocation('x'), '', 2);
    assert.equal(first.next, 'd');
    for (const name of ['a', 'c', 'e']) await admin.create(`x/${name}`);
    await admin.delete('x/d');
    const second = view().documents(parseFolderLocation('x'), first.next ?? '', 10);
    assert.deepEqual(
      second.items.map(({ name }) => name),
      ['e', 'f', 'h'],
    );
  });

  it('walks each document below once, a folder before what is in it', async () => {
    const locations = ['a', 'b/a', 'b/b/a', 'b/b/b', 'b/c', 'c/x/y/z', 'd'];
    for (const location of locations) await admin.create(location);
    const walked = [...test.workspace.view(admin.caller).walk(parseFolderLocation(''))].map(({ location }) => location);
    assert.deepEqual(walked, ['a', 'd', 'b/a', 'b/c', 'b/b/a', 'b/b/b', 'c/x/y/z']);
  });

  it('shows the same whether it is read in one page or in many', async () => {
    const name = fc.string({ minLength: 1, maxLength: 3, unit: fc.constantFrom('a', 'B', '-', 'é', '\u{1f600}') });
    for (const one of fc.sample(name, { numRuns: 40, seed: 1 })) {
      if (!(await admin.list('f')).includes(one)) await admin.create(`f/${one}`);
    }
    const all = listAll(operatorId, 'f', 200, 'documents');
    assert.ok(all.length > 10);
    for (const limit of [1, 2, 3, 5]) assert.deepEqual(listAll(operatorId, 'f', limit, 'documents'), all);
    assert.deepEqual(all, all.toSorted(compareText));
  });

  /** The principal's whole list of the folder, page by page; each page but the last must be full. */
  function listAll(principalId: string, folder: string, limit: number, kind: 'documents' | 'folders'): string[] {
    const view = test.workspace.view(new Actor(test.workspace, principalId).caller);
    const names: string[] = [];
    for (let after: string | null = ''; after !== null;) {
      const page: { items: readonly { name: string }[]; next: string | null } = view[kind](
        parseFolderLocation(folder),
        after,
        limit,
      );
      if (page.next !== null) {
        assert.equal(page.items.length, limit);
        assert.equal(page.next, page.items.at(-1)?.name);
      }
      names.push(...page.items.map(({ name }) => name));
      after = page.next;
    }
    return names;
  }
});
