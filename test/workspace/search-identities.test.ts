import assert from 'node:assert/strict';
import { cpSync, existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Service } from '../../lib/app/service.js';
import { parseFolderLocation, parseLocation } from '../../lib/domain/location.js';
import { verifyWorkspace } from '../../lib/integrity/verify-workspace.js';
import { setLabels } from '../../lib/operations/documents/change-labels.js';
import { deleteFolder } from '../../lib/operations/folders/delete-folder.js';
import { undeleteFolder } from '../../lib/operations/folders/undelete-folder.js';
import { importDocuments } from '../../lib/operations/folders/import-documents.js';
import { perform } from '../../lib/operations/perform.js';
import { SearchIndex } from '../../lib/search/search-index.js';
import type { Workspace } from '../../lib/workspace/workspace.js';
import { countOf, seedOf } from '../support/counts.js';
import { makeRandom } from '../support/faults/load.js';
import { Actor, outcomeOf } from '../support/store/actor.js';
import { makeTestRandomness, openTestService, TestClock, type TestService } from '../support/store/service.js';
import { until } from '../support/until.js';
import { find } from './find.js';
import { allDocuments, choose } from './search-histories.js';

const everything = { everything: true, folders: [], documents: [] };

describe('the search index: which document is which', function () {
  this.timeout(60_000);
  let test: TestService;
  let second: Service | undefined;

  afterEach(async () => {
    await closeAgain();
    await rm(test.dataFolder ?? '', { recursive: true, force: true });
  });

  it('finds what was deleted and made again with the same content, and equal documents that changed places', async () => {
    test = await openTestService({ store: 'disk-without-git' });
    const { id } = await test.person('editor');
    const editor = new Actor(test.workspace, id);
    const names = ['again.md', 'a.md', 'b.md', 'c/one.md', 'd/one.md'];
    for (const name of [...names, 'gone.md']) await editor.create(name, 'vellum');
    await test.workspace.search.settled();
    await test.workspace.search.store();
    await editor.delete('again.md');
    await editor.create('again.md', 'vellum');
    await perform(test.workspace, editor.caller, setLabels, { location: parseLocation('again.md'), labels: ['new'] });
    for (const [from, to] of ['a b', 'c d'].map((pair) => pair.split(' ') as [string, string])) {
      const ending = from === 'a' ? '.md' : '';
      await editor.rename(`${from}${ending}`, `x${ending}`);
      await editor.rename(`${to}${ending}`, `${from}${ending}`);
      await editor.rename(`x${ending}`, `${to}${ending}`);
    }
    await editor.delete('gone.md');
    await closeWithoutStoring();
    const workspace = await reopen();
    assert.deepEqual((await find(workspace, id, 'vellum')).toSorted(), names.toSorted());
    assert.deepEqual(await find(workspace, id, 'vellum', '', ['new']), ['again.md']);
    await closeAgain();
    assert.deepEqual(await verify(), []);
    assert.deepEqual((await find(await reopen(), id, 'vellum')).toSorted(), names.toSorted());
  });

  it('finds every document again at the next start where the stored index of the present commit names others', async () => {
    test = await openTestService({ store: 'disk-without-git' });
    const { id } = await test.person('editor');
    const editor = new Actor(test.workspace, id);
    // More than are compared in one step.
    const files = Array.from({ length: 505 }, (_, number) => ({
      location: parseLocation(`many/${number}.md`),
      content: { bytes: Buffer.from(`leaf ${number}`) },
    }));
    const into = parseFolderLocation('many');
    await perform(test.workspace, editor.caller, importDocuments, { into, files, message: null });
    for (const name of ['a.md', 'b.md', 'c.md']) await editor.create(name, 'vellum');
    await test.service.close();
    assert.deepEqual(await verify(), []);
    const stored = SearchIndex.open({ folder: indexFolder(), readText: () => null });
    const commit = stored.commit ?? '';
    for (const [place, name] of ['a.md', 'many/7.md', 'nowhere.md', 'many/500.md'].entries()) {
      const analysis = stored.analyze({ location: parseLocation(name), text: 'vellum', kind: 'text', labels: [] });
      stored.apply({ commit, upserts: [{ analysis, keys: [5000 + place] }] });
    }
    stored.apply({ commit, removals: [parseLocation('b.md')] });
    await stored.save();
    await stored.close();
    const other = 'is in the search index as another document than the one there.';
    const missing = ['a.md', 'b.md', 'many/500.md', 'many/7.md'].map((name) => `${name} is not in the search index.`);
    const strange = ['a.md', 'many/500.md', 'many/7.md', 'nowhere.md'].map((name) => `${name} ${other}`);
    assert.deepEqual(await verify(), [...missing, ...strange].map((line) => `search: ${line}`).toSorted());
    const workspace = await reopen();
    assert.equal(workspace.search.index.dropped, null);
    assert.deepEqual((await find(workspace, id, '+vellum')).toSorted(), ['a.md', 'b.md', 'c.md']);
    assert.deepEqual(await find(workspace, id, '+leaf +7'), ['many/7.md']);
    assert.deepEqual(await find(workspace, id, '+leaf +500'), ['many/500.md']);
    assert.deepEqual([...workspace.search.index.placesBetween(4000, 9000)], []);
    await closeAgain();
    assert.deepEqual(await verify(), []);
  });

  it('says nothing of an older stored index, which catches up by itself', async () => {
    test = await openTestService({ store: 'disk-without-git' });
    const { id } = await test.person('editor');
    const editor = new Actor(test.workspace, id);
    await editor.create('a.md', 'vellum');
    await test.workspace.search.store();
    await editor.delete('a.md');
    await editor.create('b.md', 'vellum');
    await closeWithoutStoring();
    assert.deepEqual(await verify(), []);
  });

  it('is stored within the hour, so that little is left to catch up with after a crash', async () => {
    test = await openTestService({ store: 'disk-without-git' });
    const { id } = await test.person('editor');
    const editor = new Actor(test.workspace, id);
    const manifest = join(indexFolder(), 'manifest.json');
    await test.workspace.searchCaughtUp();
    await rm(manifest, { force: true });
    await editor.create('a.md', 'vellum');
    await test.workspace.search.settled();
    assert.equal(existsSync(manifest), false);
    test.clock.advance(60 * 60 * 1000);
    await editor.create('b.md', 'vellum');
    await test.workspace.search.settled();
    await until('the index is stored', () => existsSync(manifest));
    await test.service.close();
  });

  const first = seedOf(1);
  const seeds = Array.from({ length: countOf('SEARCH_IDENTITIES', { usual: 1, campaign: 60 }) }, (_, at) => first + at);
  for (const seed of seeds) {
    it(`finds exactly the present documents after a crash, where most have equal content (${seed})`, async () => {
      test = await openTestService({ store: 'disk-without-git' });
      const { id } = await test.person('approver');
      const editor = new Actor(test.workspace, id);
      const chance = makeRandom(`identities ${seed}`);
      const kept = join(test.dataFolder ?? '', 'kept');
      await test.workspace.searchCaughtUp();
      for (let step = 0; step < 120; step += 1) {
        if (step === 40) {
          await test.workspace.search.store();
          cpSync(indexFolder(), kept, { recursive: true });
        }
        await doSomethingAlike(test.workspace, editor, chance);
      }
      await test.service.close();
      await rm(indexFolder(), { recursive: true });
      cpSync(kept, indexFolder(), { recursive: true });
      await rm(kept, { recursive: true });
      const workspace = await reopen();
      // The oracle names documents by their numbers, and reads their words from their bytes.
      const documents = allDocuments(workspace);
      assert.ok(documents.length > 0);
      for (const word of contents) {
        const { hits } = await workspace.search.search({ reach: everything, query: word, limit: 200 });
        const holders: [number, string][] = [];
        for (const { number, location, blobOid } of documents) {
          const text = (await workspace.objects.readBlob(blobOid)).toString();
          if (text === word) holders.push([number, location]);
        }
        const found = hits.map(({ key, location }) => [key, location] as [number, string]);
        const byNumber = (a: [number, string], b: [number, string]): number => a[0] - b[0];
        assert.deepEqual(found.toSorted(byNumber), holders.toSorted(byNumber), word);
        assert.equal((await find(workspace, id, word)).length, holders.length);
      }
    });
  }

  const indexFolder = (): string => join(test.dataFolder ?? '', 'acme', 'search');

  /** As after a crash: the stored index still names the commit at which it was stored. */
  async function closeWithoutStoring({ workspace, service } = test): Promise<void> {
    workspace.search.store = () => Promise.reject(new Error('The process has ended.'));
    await service.close();
  }

  async function reopen(): Promise<Workspace> {
    second = await Service.open({
      dataFolder: test.dataFolder,
      git: 'never',
      clock: new TestClock(),
      randomness: makeTestRandomness('second'),
      onFault: (what, cause) => assert.fail(`${what}: ${String(cause)}`),
    });
    const workspace = second.find('acme');
    assert.ok(workspace);
    await workspace.searchCaughtUp();
    return workspace;
  }

  async function closeAgain(): Promise<void> {
    await second?.close();
    second = undefined;
  }

  async function verify(): Promise<readonly string[]> {
    const options = { dataFolder: test.dataFolder ?? '', name: 'acme', git: 'never', isQuick: true } as const;
    const { problems } = await verifyWorkspace(options, () => undefined);
    return problems.map(({ part, location, message }) => `${part}: ${location ?? ''} ${message}`).toSorted();
  }
});

const contents = ['vellum', 'parchment'];

/** One request among few places and two contents; many are refused. */
async function doSomethingAlike(workspace: Workspace, actor: Actor, chance: () => number): Promise<void> {
  const names = ['one.md', 'two.md', 'three.md'];
  const folders = ['a', 'b', 'c'];
  const place = (): string => `${choose(chance, folders)}/${choose(chance, names)}`;
  const folder = { location: parseLocation(choose(chance, folders)) };
  const content = choose(chance, contents);
  const requests: readonly (() => Promise<unknown>)[] = [
    () => actor.create(place(), content),
    () => actor.create(place(), content),
    () => actor.create(place(), content),
    () => actor.create(place(), content),
    () => actor.create(place(), content),
    () => actor.update(place(), content),
    () => actor.delete(place()),
    () => actor.delete(place()),
    () => actor.undelete(place()),
    () => actor.rename(place(), choose(chance, [...names, 'x.md']), true),
    () => actor.rename(choose(chance, [...folders, 'x']), choose(chance, [...folders, 'x']), true),
    () => actor.move(place(), choose(chance, folders), true),
    () => perform(workspace, actor.caller, deleteFolder, folder),
    () => perform(workspace, actor.caller, undeleteFolder, folder),
  ];
  await outcomeOf(choose(chance, requests)());
}
