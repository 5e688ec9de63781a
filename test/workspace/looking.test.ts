import assert from 'node:assert/strict';
import { parseFolderLocation, parseLocation } from '../../lib/domain/location.js';
import { View } from '../../lib/view/view.js';
import { openActors, type Actors, type Person } from '../support/model/actors.js';
import type { Tables } from '../../lib/sidecar/tables.js';

describe('The lookups of a view', () => {
  let actors: Actors;

  beforeEach(async () => {
    actors = await openActors();
    await actors.write('hidden/a/b/c/d.md', 'own/x.md', 'granted/y.md');
    for (let index = 0; index < 30; index += 1) await actors.write(`hidden/wide/${index}.md`);
  });
  afterEach(() => actors.service.close());

  const places: Readonly<Record<string, (view: View, folder: string) => unknown>> = {
    'a listing': (view, folder) => [
      view.documents(parseFolderLocation(`${folder}/wide`), '', 50),
      view.folders(parseFolderLocation(folder), '', 50),
      view.folder(parseFolderLocation(`${folder}/a/b`)),
      [...view.walk(parseFolderLocation(folder))],
    ],
    'a document': (view, folder) => [
      view.roleAt(parseLocation(`${folder}/wide/1.md`)),
      view.document(parseLocation(`${folder}/wide/2.md`)),
      view.document(parseLocation(`${folder}/a/b/c/d.md`)),
    ],
  };

  it('are the same for hidden places as for absent ones, when only folders are granted', async () => {
    const person = await actors.person('editor', 'own');
    for (const [what, look] of Object.entries(places)) {
      const hidden = countLookUps(person, (view) => look(view, 'hidden'));
      assert.deepEqual(
        hidden,
        countLookUps(person, (view) => look(view, 'absent')),
        what,
      );
      assert.deepEqual(hidden, {}, what);
    }
  });

  it('take as many statements in listings when documents are granted, and on the way to a document', async () => {
    const person = await actors.person('editor', 'granted/y.md', 'document');
    const listing = places['a listing'] ?? assert.fail();
    assert.deepEqual(
      countLookUps(person, (view) => listing(view, 'hidden')),
      countLookUps(person, (view) => listing(view, 'absent')),
    );
    const looking = places['a document'] ?? assert.fail();
    const [hidden, absent] = ['hidden', 'absent'].map((folder) =>
      countLookUps(person, (view) => looking(view, folder)),
    );
    assert.ok(hidden !== undefined && absent !== undefined);
    assert.deepEqual([hidden['folders'], hidden['documents']], [absent['folders'], absent['documents']]);
    // For an absent row the tables read another one, which is invisible from here.
  });

  it('start from the grants: other content of a folder costs nothing', async () => {
    const person = await actors.person('reader', 'hidden/wide/7.md', 'document');
    const look = (view: View): unknown => view.documents(parseFolderLocation('hidden/wide'), '', 50);
    const before = countLookUps(person, look);
    for (let index = 100; index < 130; index += 1) await actors.write(`hidden/wide/${index}.md`);
    assert.deepEqual(countLookUps(person, look), before);
    assert.deepEqual(await person.list('hidden/wide'), ['7.md']);
  });

  /** The statements of the work and the number of their rows: its time consists of these. */
  function countLookUps(person: Person, work: (view: View) => unknown): Readonly<Record<string, number>> {
    const { tables, reach } = actors.service.workspace.view(person.caller);
    const counts: Record<string, number> = {};
    const watch = <Table extends object>(table: Table, name: string): Table =>
      new Proxy(table, {
        get(target, method) {
          const member: unknown = Reflect.get(target, method, target);
          if (typeof member !== 'function') return member;
          return (...input: unknown[]): unknown => {
            const found: unknown = Reflect.apply(member, target, input);
            const rows = Array.isArray(found) ? found.length : Number(found !== undefined);
            counts[name] = (counts[name] ?? 0) + 1;
            counts[`${name} rows`] = (counts[`${name} rows`] ?? 0) + rows;
            return found;
          };
        },
      });
    const watched = Object.fromEntries(Object.entries(tables).map(([name, table]) => [name, watch(table, name)]));
    work(new View(watched as unknown as Tables, reach, actors.service.clock.now()));
    return counts;
  }
});
