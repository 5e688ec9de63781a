import assert from 'node:assert/strict';
import { makeWorkbench, type Workbench } from '../support/faults/workbench.js';
import { eraseAt } from '../support/store/erase-at.js';
import { findTraces } from '../support/store/evidence.js';

describe('one step of an erase', function () {
  this.timeout(60_000);
  let bench: Workbench;
  let isClearing = false;

  beforeEach(async () => {
    isClearing = false;
    bench = await makeWorkbench({
      onEraseStep: (step) => {
        if (step === 'repointed') isClearing = true;
        if (step === 'cleared') isClearing = false;
      },
    });
  });
  afterEach(() => bench.remove());

  it('is shorter the more names it has to find: other requests run in between', async () => {
    const { actor, workspace } = bench;
    const names = Array.from({ length: 120 }, (_, index) => `quokka-dossier-${index}.md`);
    await actor.create(names[0] ?? '');
    for (const [index, name] of names.entries()) {
      if (index > 0) await actor.rename(names[index - 1] ?? '', name);
    }
    await Promise.all(names.flatMap(() => Array.from({ length: 10 }, () => actor.list())));
    const texts = workspace.journal.reader.audit.after(0, 10_000).length;
    const { write } = workspace.journal;
    let turns = 0;
    workspace.journal.write = (work) => {
      if (isClearing) turns += 1;
      return write.call(workspace.journal, work) as never;
    };
    const { id } = await eraseAt(workspace, names.at(-1) ?? '');
    await workspace.eraser.finished(id);
    // For each erase: a location, which is also the name, and its stem.
    const most = Math.ceil(50_000 / (names.length * 3));
    assert.ok(texts > 10 * most, `${texts} texts`);
    assert.ok(turns > texts / most, `${turns} turns`);
    assert.deepEqual(findTraces(bench.files.dataFolder ?? '', ['quokka-dossier']), []);
  });

  it('searches everything with a name a few rows at a time, also for earlier names', async () => {
    const { actor, workspace } = bench;
    for (const name of ['a/one.md', 'b/two.md', 'c/three.md', 'd/one.md', 'e/four.md']) await actor.create(name);
    await actor.rename('b/two.md', 'renamed.md');
    await actor.rename('b/renamed.md', 'again.md');
    await actor.rename('d', 'carried');
    await actor.delete('c/three.md');
    const stretches = [...workspace.journal.reader.eraseRows.namedPlaces(2)];
    assert.ok(stretches.length >= 8, `${stretches.length} stretches`);
    // Two rows, and a row of a rename has two places.
    assert.ok(stretches.every(({ length }) => length <= 4));
    const found = stretches
      .flat()
      .map(({ document, place }) => `${document === null ? 'folder' : 'document'} ${place}`);
    for (const expected of [
      'document one.md',
      'document b/renamed.md',
      'document c/three.md',
      'folder d',
      'folder e',
    ]) {
      assert.ok(found.includes(expected), `${expected} in ${found.join(', ')}`);
    }
  });
});
