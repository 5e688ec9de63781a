import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { SearchIndex, type SearchHit } from '../../lib/search/search-index.js';
import { Child } from '../support/processes/child.js';
import { applyCommit } from './commit-line.js';
import { everything, forget, IndexOf } from './index-of.js';

describe('search: an index on disk', function () {
  this.timeout(60_000);
  let folder = '';

  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cartulary-search-'));
  });
  afterEach(() => {
    fs.rmSync(folder, { recursive: true });
  });

  it('is of the saved commit, and answers as it did', async () => {
    const before = open(folder);
    for (let number = 1; number <= 90; number += 1) applyCommit(before, number);
    const answers = await answersOf(before);
    await before.save();
    applyCommit(before, 91);
    await before.close();
    const after = open(folder);
    assert.equal(after.commit, '90');
    assert.deepEqual(await answersOf(after), answers);
    await after.close();
  });

  it('is dropped and reported when a byte of it is wrong, and can be filled again', async () => {
    const before = open(folder);
    for (let number = 1; number <= 60; number += 1) applyCommit(before, number);
    await before.save();
    await before.close();
    for (const file of fs.readdirSync(folder)) {
      const spoiled = fs.mkdtempSync(path.join(os.tmpdir(), 'cartulary-search-'));
      fs.cpSync(folder, spoiled, { recursive: true });
      const bytes = fs.readFileSync(path.join(spoiled, file));
      const middle = bytes.length >>> 1;
      bytes[middle] = (bytes[middle] ?? 0) ^ 1;
      fs.writeFileSync(path.join(spoiled, file), bytes);
      const index = open(spoiled);
      assert.ok(index.dropped instanceof Error, file);
      assert.equal(index.commit, null);
      assert.deepEqual(fs.readdirSync(spoiled), []);
      await index.close();
      fs.rmSync(spoiled, { recursive: true });
    }
  });

  it('answers like one built again of the same commit, wherever the process is killed', async () => {
    const program = fileURLToPath(new URL('crash-writer.js', import.meta.url));
    let commits = 0;
    for (let round = 0; round < 8; round += 1) {
      const child = new Child(program, folder);
      await child.hear();
      await delay(37 * round);
      assert.ok(await child.kill());
      assert.equal(child.complaints, '');
      const index = open(folder);
      assert.equal(index.dropped, null);
      const anew = SearchIndex.open({ folder: null, readText: () => null });
      for (let number = 1; number <= Number(index.commit); number += 1) applyCommit(anew, number);
      assert.deepEqual(await answersOf(index), await answersOf(anew));
      assert.ok(Number(index.commit) > commits, 'what it had saved is there');
      commits = Number(index.commit);
      await Promise.all([index.close(), anew.close()]);
    }
  });

  it('holds no word of an erased document, in no file and no segment, older versions included', async () => {
    const of = new IndexOf({ 'a.md': 'ladder' }, { folder, firstTier: 400 });
    of.write('b.md', 'xylographer first');
    for (let number = 0; number < 40; number += 1) of.write(`c/${number}.md`, `ladder ${number}`);
    of.write('b.md', 'xylographer second');
    for (let number = 0; number < 40; number += 1) of.write(`d/${number}.md`, `ladder ${number}`);
    await of.index.save();
    const stored = (): boolean =>
      fs.readdirSync(folder).some((file) => fs.readFileSync(path.join(folder, file)).includes('xylograph'));
    assert.ok(stored());
    const key = of.keyOf('b.md');
    of.remove('b.md');
    await forget(of.index, key);
    assert.ok(!stored());
    await of.index.save();
    assert.ok(!stored());
    assert.equal((await of.find('ladder', { limit: 200 })).length, 81);
    await of.index.close();
  });

  it('is filled again while commits go on, which win over the filling', async () => {
    const of = new IndexOf({ 'a.md': 'ladder', 'b.md': 'ladder', 'c.md': 'ladder' });
    const { index } = of;
    const old = (location: string): void => {
      const document = { location, text: 'ladder', kind: 'text', labels: [] } as const;
      const older = { analysis: of.index.analyze(document as never), keys: [of.keyOf(location)] };
      index.backfill(older);
    };
    of.index.startRebuild();
    assert.equal(of.index.commit, null);
    of.write('a.md', 'stairs');
    old('b.md');
    of.remove('b.md');
    old('a.md');
    old('b.md');
    old('c.md');
    of.index.endRebuild('done');
    assert.deepEqual(await of.find('ladder'), ['c.md']);
    assert.deepEqual(await of.find('stairs'), ['a.md']);
  });

  it('takes long documents apart in a worker, with the same result', async () => {
    const of = new IndexOf({});
    const document = {
      location: 'long.md',
      text: `# Long\n\n${'ladder wall '.repeat(20_000)}`,
      kind: 'text',
      labels: ['x'],
    } as never;
    const inWorker = await of.index.analyzeInWorker([document]);
    const here = of.index.analyze(document);
    assert.deepEqual(Buffer.from(inWorker.segment.buffer), Buffer.from(here.segment.buffer));
    assert.deepEqual(inWorker.locations, ['long.md']);
    await of.index.close();
  });
});

function open(folder: string): SearchIndex {
  return SearchIndex.open({ folder, readText: () => null, firstTier: 400 });
}

async function answersOf(index: SearchIndex): Promise<(readonly SearchHit[])[]> {
  const queries = ['ladder', 'wall', 'stair3 wall', '-wall', 'sta*'];
  const pages = queries.map((query) => index.search({ reach: everything, query, limit: 2_000 }));
  return (await Promise.all(pages)).map(({ hits }) => hits);
}
