import assert from 'node:assert/strict';
import type { Location } from '../../lib/domain/location.js';
import { everything, folders, forget, IndexOf } from './index-of.js';
import { wordVectors } from './tiny-vectors.js';

describe('search: while a worker merges', () => {
  it('an emptied index stays empty', async () => {
    const of = makeIndex();
    // The worker has been asked, and has not answered.
    for (let turns = 0; turns < 3; turns += 1) await new Promise(setImmediate);
    of.index.startRebuild();
    await of.index.settle();
    assert.deepEqual(await of.find('ladder'), []);
    of.write('g/one.md', 'ladder');
    of.write('g/two.md', 'ladder');
    of.index.endRebuild('anew');
    await of.index.settle();
    assert.equal(await countDocuments(of), 2);
    await of.index.close();
  });

  it('no document occurs twice when words are forgotten and others are written', async () => {
    const of = new IndexOf({}, { firstTier: 4_000 });
    for (let number = 0; number < 12; number += 1) of.write(`f/${number}.md`, 'ladder');
    // Each version stands in another small segment, dead but for the last.
    for (let version = 0; version < 3; version += 1) {
      const document = (location: string) =>
        ({ location: location as Location, text: `ladder quagmire ${version}`, kind: 'text', labels: [] }) as const;
      const analysis = of.index.analyze(document('f/secret.md'), document(`f/beside-${version}.md`));
      of.index.apply({ commit: 'c', upserts: [{ analysis, keys: [700 + version, 900] }] });
    }
    of.index.apply({ commit: 'c', removals: ['f/secret.md' as Location] });
    const forgetting = forget(of.index, 900);
    // The small segments become one while the worker has the first of them.
    for (let number = 0; number < 10; number += 1) {
      await new Promise(setImmediate);
      of.write(`g/${number}.md`, 'ladder');
    }
    await forgetting;
    await of.index.settle();
    assert.equal(await countDocuments(of), 25);
    assert.equal(new Set(await of.find('ladder', { limit: 100 })).size, 25);
    assert.equal((await of.find('ladder', { limit: 100 })).length, 25);
    await of.index.close();
  });
});

describe('search: reach', () => {
  it('of a folder is its content, also where a document was moved to the place of that name', async () => {
    const of = makeIndex();
    await of.index.settle();
    of.rename('f/7.md', 'g/7.md');
    assert.deepEqual(await of.find('ladder', { reach: folders('g/7.md') }), []);
    const filters = { folder: 'g/7.md' as Location };
    assert.deepEqual(await of.find('ladder', { filters, reach: everything }), []);
    assert.deepEqual(await of.find('ladder', { reach: folders('g') }), ['g/7.md']);
    await of.index.close();
  });
});

describe('search: a revision for meaning', () => {
  it('includes documents renamed or labelled meanwhile', async () => {
    const of = new IndexOf({ 'a.md': 'ada', 'b.md': 'ada', 'c.md': 'ada' });
    of.index.useVectors(wordVectors);
    of.index.startRevision();
    of.index.apply({ commit: 'c', relabels: [{ location: 'a.md' as Location, labels: ['draft'] }] });
    of.rename('b.md', 'd.md');
    for (const location of ['a.md', 'd.md', 'c.md']) {
      const document = { location: location as Location, text: 'ada', kind: 'text', labels: [] } as const;
      const key = { 'a.md': 1, 'd.md': 2, 'c.md': 3 }[location] ?? 0;
      of.index.revise({ analysis: of.index.analyze(document), keys: [key] });
    }
    of.index.endRevision();
    assert.deepEqual(await of.find('bell'), ['a.md', 'c.md', 'd.md']);
    await of.index.close();
  });
});

/** Documents enough that a worker merges. */
function makeIndex(): IndexOf {
  const of = new IndexOf({}, { firstTier: 100 });
  for (let number = 0; number < 60; number += 1) of.write(`f/${number}.md`, `ladder ${'rung '.repeat(number % 5)}`);
  return of;
}

/** The number of live documents, as scores count them. */
async function countDocuments(of: IndexOf): Promise<number | undefined> {
  return (await of.page('ladder', { limit: 1 })).position?.statistics.entries;
}
