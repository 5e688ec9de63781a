import assert from 'node:assert/strict';
import { rm, writeFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseLocation } from '../../lib/domain/location.js';
import { Service } from '../../lib/app/service.js';
import { perform } from '../../lib/operations/perform.js';
import type { SearchProgress } from '../../lib/indexing/search-keeper.js';
import type { Workspace } from '../../lib/workspace/workspace.js';
import { setLabels } from '../../lib/operations/documents/change-labels.js';
import { changePolicy } from '../../lib/operations/workspaces/change-policy.js';
import { rebuild } from '../../lib/operations/workspaces/rebuild.js';
import { Actor } from '../support/store/actor.js';
import {
  makeTestRandomness,
  openTestService,
  operator,
  TestClock,
  type TestService,
} from '../support/store/service.js';
import { find } from './find.js';
import { Sqlite } from '../support/store/sqlite.js';

describe('the search index across starts', () => {
  let test: TestService;
  let second: Service | undefined;

  afterEach(async () => {
    await second?.close();
    second = undefined;
    if (test.dataFolder !== null) await rm(test.dataFolder, { recursive: true, force: true });
  });

  it('is loaded as it was, and catches up with writes after it was stored', async () => {
    test = await openTestService({ store: 'disk' });
    const { id } = await test.person('editor');
    const editor = new Actor(test.workspace, id);
    await editor.create('a/one.md', 'parchment');
    await editor.create('a/two.md', 'vellum');
    await test.workspace.search.store();
    const stored = test.workspace.search.index.commit;
    await editor.update('a/one.md', 'paper');
    await editor.delete('a/two.md');
    await editor.create('b/three.md', 'papyrus');
    await closeWithoutStoring();
    const workspace = await reopen();
    assert.notEqual(workspace.search.index.commit, stored);
    assert.deepEqual(await find(workspace, id, '+parchment'), []);
    assert.deepEqual(await find(workspace, id, '+vellum'), []);
    assert.deepEqual(await find(workspace, id, '+paper'), ['a/one.md']);
    assert.deepEqual(await find(workspace, id, '+papyrus'), ['b/three.md']);
  });

  it('catches up with the state at its end, with any writes, renames and deletions while it reads', async () => {
    test = await openTestService({ store: 'disk' });
    const { id } = await test.person('editor');
    const editor = new Actor(test.workspace, id);
    for (const name of ['a/one.md', 'a/two.md', 'c/kept.md']) await editor.create(name, 'parchment');
    await test.workspace.search.settled();
    await test.workspace.search.store();
    await editor.update('a/one.md', 'paper');
    await editor.update('a/two.md', 'paper');
    await editor.create('b/three.md', 'papyrus');
    await editor.create('c/four.md', 'papyrus');
    await closeWithoutStoring();
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    /** @returns whether it is halted in the middle; the catch-up of a quick machine may be over before */
    const haltCatchUp = async (workspace: Workspace): Promise<boolean> => {
      const { objects } = workspace;
      const readTree = objects.readTree.bind(objects);
      let read = 0;
      const halted = new Promise<boolean>((resolve) => {
        // The trees of the top and of `a` have been compared by then, before and after.
        objects.readTree = async (oid) => {
          read += 1;
          if (read === 5) {
            resolve(true);
            await released;
          }
          return readTree(oid);
        };
      });
      return Promise.race([halted, workspace.searchCaughtUp().then(() => false)]);
    };
    let workspace = await open();
    for (let attempt = 0; !(await haltCatchUp(workspace)); attempt += 1) {
      assert.ok(attempt < 20, 'every catch-up was over before it could be halted');
      workspace.search.store = () => Promise.resolve();
      await second?.close();
      workspace = await open();
    }
    const again = new Actor(workspace, id);
    await again.update('a/one.md', 'silk');
    await again.delete('a/two.md');
    await again.create('a/five.md', 'silk');
    await again.rename('c', 'd');
    release();
    await workspace.searchCaughtUp();
    assert.deepEqual(await find(workspace, id, '+parchment'), ['d/kept.md']);
    assert.deepEqual(await find(workspace, id, '+paper'), []);
    assert.deepEqual((await find(workspace, id, '+silk')).toSorted(), ['a/five.md', 'a/one.md']);
    assert.deepEqual((await find(workspace, id, '+papyrus')).toSorted(), ['b/three.md', 'd/four.md']);
    assert.equal(workspace.search.index.commit, workspace.journal.state.head);
    await again.update('d/kept.md', 'linen');
    assert.deepEqual(await find(workspace, id, '+linen'), ['d/kept.md']);
  });

  it('continues to answer when the policy on meaning changes while writes wait to be indexed', async () => {
    test = await openTestService({ store: 'disk' });
    const { id } = await test.person('editor');
    const editor = new Actor(test.workspace, id);
    for (const name of ['one.md', 'three.md']) await editor.create(name, 'parchment');
    assert.equal((await find(test.workspace, id, 'parchment')).length, 2);
    await perform(test.workspace, operator, changePolicy, { searchByMeaning: true });
    await test.workspace.searchCaughtUp();
    const { index } = test.workspace.search;
    let rebuilds = 0;
    const startRebuild = index.startRebuild.bind(index);
    index.startRebuild = () => {
      rebuilds += 1;
      startRebuild();
    };
    await Promise.all([
      editor.create('two.md', 'parchment'),
      editor.delete('three.md'),
      perform(test.workspace, operator, changePolicy, { searchByMeaning: false }),
    ]);
    await test.workspace.searchCaughtUp();
    assert.equal(rebuilds, 0);
    assert.equal((await find(test.workspace, id, 'parchment')).length, 2);
    await test.service.close();
  });

  it('filters by the present labels, although labels are no part of the history that it catches up with', async () => {
    test = await openTestService({ store: 'disk' });
    const { id } = await test.person('editor');
    const editor = new Actor(test.workspace, id);
    const label = (name: string, ...labels: string[]): Promise<unknown> =>
      perform(test.workspace, editor.caller, setLabels, { location: parseLocation(name), labels });
    for (const name of ['a.md', 'b.md', 'c.md']) await editor.create(name, 'parchment');
    await label('a.md', 'old', 'kept');
    await label('b.md', 'old');
    await test.workspace.search.settled();
    await test.workspace.search.store();
    await label('a.md', 'kept', 'new');
    await label('b.md');
    await label('c.md', 'new');
    await closeWithoutStoring();
    const workspace = await reopen();
    const withLabel = (name: string): Promise<string[]> => find(workspace, id, 'parchment', '', [name]);
    assert.deepEqual(await withLabel('old'), []);
    assert.deepEqual(await withLabel('kept'), ['a.md']);
    assert.deepEqual(await withLabel('new'), ['a.md', 'c.md']);
  });

  it('compares meaning after a start without a revision, and after it was filled again', async () => {
    test = await openTestService({ store: 'disk' });
    const { id } = await test.person('editor');
    await new Actor(test.workspace, id).create('a.md', 'Boats leave the harbour with timber and grain.');
    await perform(test.workspace, operator, changePolicy, { searchByMeaning: true });
    await test.workspace.searchCaughtUp();
    await test.service.close();
    const workspace = await reopen();
    assert.deepEqual(await find(workspace, id, 'cargo'), ['a.md']);
    await second?.close();
    await rm(join(test.dataFolder ?? '', 'acme', 'search'), { recursive: true });
    assert.deepEqual(await find(await reopen(), id, 'cargo'), ['a.md']);
  });

  it('is built again from the documents when a stored file is damaged', async () => {
    test = await openTestService({ store: 'disk' });
    const { id } = await test.person('editor');
    await new Actor(test.workspace, id).create('a/one.md', 'parchment');
    await test.service.close();
    const folder = join(test.dataFolder ?? '', 'acme', 'search');
    for (const name of await readdir(folder)) await writeFile(join(folder, name), 'damaged');
    const workspace = await reopen();
    assert.ok(workspace.search.index.dropped);
    assert.deepEqual(await find(workspace, id, '+parchment'), ['a/one.md']);
  });

  it('is built again when the rows were, at the next start if the process ends before that', async () => {
    test = await openTestService({ store: 'disk' });
    const { id } = await test.person('editor');
    const editor = new Actor(test.workspace, id);
    for (const name of ['one.md', 'two.md', 'three.md']) await editor.create(name, 'parchment');
    await test.workspace.search.settled();
    await test.workspace.search.store();
    const spoilt = new Sqlite(join(test.dataFolder ?? '', 'acme', 'sidecar.sqlite'));
    spoilt.exec(
      'PRAGMA foreign_keys = OFF; DELETE FROM version WHERE document = 2; DELETE FROM document WHERE number = 2',
    );
    spoilt.close();
    await rebuild(test.workspace, operator);
    await closeWithoutStoring();
    const workspace = await reopen();
    assert.deepEqual((await find(workspace, id, 'parchment')).toSorted(), ['one.md', 'three.md', 'two.md']);
    await rebuild(workspace, operator);
    await assert.rejects(find(workspace, id, 'parchment'), /is being built/);
    await workspace.searchCaughtUp();
    assert.equal((await find(workspace, id, 'parchment')).length, 3);
    let builds = 0;
    await workspace.search.store();
    await second?.close();
    const last = await open((what) => (builds += what === 'The search index is being worked on' ? 1 : 0));
    await last.searchCaughtUp();
    assert.equal(builds, 0, 'it is trusted from then on');
  });

  it('is in the languages of the policy after a start, whether they were named before it or while nothing ran', async () => {
    test = await openTestService({ store: 'disk' });
    const { id } = await test.person('editor');
    await new Actor(test.workspace, id).create('a.md', 'Alte Häuser');
    await perform(test.workspace, operator, changePolicy, { searchLanguages: ['de'] });
    await test.workspace.searchCaughtUp();
    await test.service.close();
    const workspace = await reopen();
    assert.equal(workspace.search.index.dropped, null);
    assert.deepEqual(await find(workspace, id, 'haus'), ['a.md']);
    // The stored index is the old one: as if the process had died with the change.
    workspace.search.store = () => Promise.resolve();
    await perform(workspace, operator, changePolicy, { searchLanguages: ['en', 'fr'] });
    await second?.close();
    const again = await reopen();
    assert.deepEqual(again.search.index.languages.codes, ['en', 'fr']);
    assert.deepEqual(await find(again, id, 'alte'), ['a.md']);
  });

  it('refuses searches until it is built, and reports how far it is', async () => {
    test = await openTestService({ store: 'disk' });
    const { id } = await test.person('editor');
    const editor = new Actor(test.workspace, id);
    for (let number = 0; number < 400; number += 1) await editor.create(`${number}.md`, `leaf ${number}`);
    await test.service.close();
    await rm(join(test.dataFolder ?? '', 'acme', 'search'), { recursive: true });
    const news: [string, unknown][] = [];
    const workspace = await open((what, figures) => news.push([what, figures]));
    const seen: SearchProgress[] = [];
    const outcomes = new Set<string>();
    for (let isDone = false; !isDone; await new Promise(setImmediate)) {
      const { progress } = workspace.search;
      if (progress !== null) {
        seen.push(progress);
        const asked = find(workspace, id, 'leaf');
        outcomes.add(await asked.then(() => 'done', String));
      }
      isDone = workspace.search.isReady;
    }
    assert.ok(seen.every(({ task, documents }) => task === 'build' && documents === 400));
    assert.ok(new Set(seen.map(({ done }) => done)).size > 1, 'it goes on');
    assert.match([...outcomes][0] ?? '', /The search index is being built.*Everything else can be used/);
    await workspace.searchCaughtUp();
    assert.equal(workspace.search.progress, null);
    assert.equal((await find(workspace, id, 'leaf')).length, 50);
    assert.deepEqual(news.at(-1), [
      'Work on the search index has ended',
      { workspace: 'acme', task: 'build', done: 400, documents: 400 },
    ]);
  });

  it('is built again where there is none', async () => {
    test = await openTestService({ store: 'disk' });
    const { id } = await test.person('editor');
    const editor = new Actor(test.workspace, id);
    for (let number = 0; number < 300; number += 1)
      await editor.create(`f${number % 7}/${number}.md`, `leaf ${number}`);
    await test.service.close();
    await rm(join(test.dataFolder ?? '', 'acme', 'search'), { recursive: true });
    const workspace = await reopen();
    assert.equal((await find(workspace, id, 'leaf')).length, 50);
    assert.deepEqual(await find(workspace, id, '+leaf +299'), ['f5/299.md']);
  });

  /** As after a crash: the stored index still names the commit at which it was stored. */
  async function closeWithoutStoring(): Promise<void> {
    // A store that counts as done would make what is stored trusted again.
    test.workspace.search.store = () => Promise.reject(new Error('The process has ended.'));
    await test.service.close();
  }

  async function reopen(): Promise<Workspace> {
    const workspace = await open();
    await workspace.searchCaughtUp();
    return workspace;
  }

  /** Catching up goes on after this. */
  async function open(onNews?: (what: string, figures: unknown) => void): Promise<Workspace> {
    second = await Service.open({
      dataFolder: test.dataFolder,
      git: 'auto',
      clock: new TestClock(),
      randomness: makeTestRandomness('second'),
      onFault: () => undefined,
      ...(onNews === undefined ? {} : { onNews }),
    });
    const workspace = second.find('acme');
    assert.ok(workspace);
    return workspace;
  }
});
