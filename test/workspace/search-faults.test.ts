import assert from 'node:assert/strict';
import { plainTexts } from '../support/store/plain-texts.js';
import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { Service } from '../../lib/app/service.js';
import { parseLocation } from '../../lib/domain/location.js';
import type { DocumentToIndex } from '../../lib/indexing/index-event.js';
import { SearchKeeper } from '../../lib/indexing/search-keeper.js';
import type { Workspace } from '../../lib/workspace/workspace.js';
import { Actor } from '../support/store/actor.js';
import { makeTestRandomness, openTestService, TestClock } from '../support/store/service.js';
import { find } from './find.js';

const everything = { everything: true, folders: [], documents: [] };

describe('the text index and a document that it cannot take', () => {
  const faults: unknown[] = [];
  let endings: ((worker: Worker) => void)[] = [];

  beforeEach(() => faults.splice(0));
  afterEach(() => {
    for (const ending of endings) process.off('worker', ending);
    endings = [];
  });

  it('finds all others, and the one by its name, where its content is damaged', async () => {
    const keeper = openKeeper(new Map([['sound', 'harbour words']]));
    write(keeper, 'sound', 'lost');
    assert.deepEqual(await findNames(keeper, 'harbour'), ['sound.md']);
    assert.deepEqual(await findNames(keeper, 'lost'), ['lost.md']);
    assert.deepEqual(faults.map(String), ['Error: damaged']);
    await keeper.close();
  });

  it('is not ready where nearly all are damaged, so that searches do not deny what is there', async () => {
    const keeper = openKeeper(new Map([['sound', 'harbour words']]));
    write(keeper, 'sound', ...Array.from({ length: 101 }, (_, index) => `lost-${index}`));
    await assert.rejects(findNames(keeper, 'harbour'), /is being built/);
    assert.ok(faults.includes('behind'));
    await keeper.close();
  });

  it('takes a text again whose thread was ended', async () => {
    const begun = endThreads(1);
    const keeper = openKeeper(new Map([['one', long('harbour')]]));
    write(keeper, 'one');
    assert.deepEqual(await findNames(keeper, 'harbour'), ['one.md']);
    assert.deepEqual(faults, []);
    assert.equal(begun(), 2);
    await keeper.close();
  });

  it('gives a text up that ends each thread, and does not begin them for ever', async () => {
    const begun = endThreads(Number.POSITIVE_INFINITY);
    const keeper = openKeeper(new Map([['one', long('harbour')]]));
    write(keeper, 'one');
    assert.deepEqual(await findNames(keeper, 'one'), ['one.md']);
    assert.match(faults.map(String).join(), /^Error: The search worker ended with code \d\.$/);
    assert.equal(begun(), 2);
    await keeper.close();
  });

  it('reads no more texts at once than a part of memory takes', async () => {
    const asked: string[] = [];
    let arrive: () => void = () => undefined;
    const keeper = new SearchKeeper({
      folder: null,
      languages: ['en'],
      clock: new TestClock(),
      texts: plainTexts((oid) => {
        asked.push(oid);
        return new Promise((resolve) => (arrive = () => resolve(Buffer.from(`words of ${oid}`))));
      }),
      onFault: (_, cause) => faults.push(cause),
      onBehind: () => undefined,
    });
    const size = 9 * 1024 * 1024;
    const analyzed = keeper.analyze(['one', 'two', 'three'].map((name, index) => documentOf(index, name, size)));
    for (let count = 1; count <= 3; count += 1) {
      while (asked.length < count) await new Promise(setImmediate);
      arrive();
    }
    assert.deepEqual(
      (await analyzed).map(({ analysis, keys }) => [analysis.locations, keys]),
      [
        [['one.md'], [0]],
        [['two.md'], [1]],
        [['three.md'], [2]],
      ],
    );
    await keeper.close();
  });

  it('answers after it was built without that text, and is built again at each start until the text is back', async () => {
    const test = await openTestService({ store: 'disk' });
    const { dataFolder } = test;
    assert.ok(dataFolder !== null);
    const { id } = await test.person('editor');
    const editor = new Actor(test.workspace, id);
    await editor.create('a/sound.md', 'harbour');
    await editor.create('a/torn.md', `lantern ${'x'.repeat(1_100_000)}`);
    const blob = test.workspace.view(editor.caller).document(parseLocation('a/torn.md'))?.current.blobOid ?? '';
    await test.service.close();
    const folder = join(dataFolder, 'acme');
    const start = async (work: (workspace: Workspace) => Promise<void>): Promise<void> => {
      const options = { dataFolder, git: 'never', clock: new TestClock(), onFault: () => undefined } as const;
      const service = await Service.open({ ...options, randomness: makeTestRandomness('again') });
      try {
        const workspace = service.find('acme');
        assert.ok(workspace);
        await workspace.searchCaughtUp();
        await work(workspace);
      } finally {
        await service.close();
      }
    };
    const [path] = (await readdir(folder, { recursive: true })).filter((name) =>
      name.endsWith(join(blob.slice(0, 2), blob.slice(2))),
    );
    assert.ok(path !== undefined, 'the long text has a file of its own');
    await rename(join(folder, path), join(folder, 'aside'));
    await rm(join(folder, 'search'), { recursive: true });
    for (let round = 0; round < 2; round += 1) {
      await start(async (workspace) => {
        assert.deepEqual(await find(workspace, id, 'harbour'), ['a/sound.md']);
        assert.deepEqual(await find(workspace, id, 'torn'), ['a/torn.md']);
        assert.deepEqual(await find(workspace, id, '"a torn"'), []);
        assert.deepEqual(await find(workspace, id, 'lantern'), []);
      });
    }
    await rename(join(folder, 'aside'), join(folder, path));
    await start(async (workspace) => assert.deepEqual(await find(workspace, id, 'lantern'), ['a/torn.md']));
    await rm(dataFolder, { recursive: true });
  });

  const documentOf = (number: number, blobOid: string, size = 10): DocumentToIndex => ({
    number,
    location: parseLocation(`${blobOid}.md`),
    blobOid,
    size,
    mediaType: 'text/markdown',
    kind: 'text',
    labels: [],
  });

  const write = (keeper: SearchKeeper, ...names: readonly string[]): void =>
    keeper.follow(
      'c1',
      names.map((name, index) => ({ type: 'upsert', document: documentOf(index + 1, name) })),
    );

  function openKeeper(texts: ReadonlyMap<string, string>): SearchKeeper {
    const keeper = new SearchKeeper({
      folder: null,
      languages: ['en'],
      clock: new TestClock(),
      texts: plainTexts((oid) => {
        const text = texts.get(oid);
        return text === undefined ? Promise.reject(new Error('damaged')) : Promise.resolve(Buffer.from(text));
      }),
      onFault: (_, cause) => faults.push(cause),
      onBehind: () => faults.push('behind'),
    });
    keeper.markReady();
    return keeper;
  }

  async function findNames(keeper: SearchKeeper, query: string): Promise<string[]> {
    const { hits } = await keeper.search({ reach: everything, query, limit: 9 });
    return hits.map(({ location }) => location).sort();
  }

  /** Ends each thread that begins, as far as it is told to. @returns how many have begun */
  function endThreads(most: number): () => number {
    let begun = 0;
    const ending = (worker: Worker): void => {
      begun += 1;
      if (begun <= most) void worker.terminate();
    };
    endings.push(ending);
    process.on('worker', ending);
    return () => begun;
  }
});

const long = (word: string): string => `${word} ${'filler '.repeat(4000)}`;
