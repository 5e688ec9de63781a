import assert from 'node:assert/strict';
import { git, openDerivedWorld, readFiles, readLog, type DerivedWorld } from './derived-world.js';

describe('a derived repository', function () {
  let world: DerivedWorld;

  beforeEach(async () => {
    world = await openDerivedWorld();
  });

  afterEach(() => world.close());

  it('has a commit for each version of what its principal may read, and nothing else', async () => {
    const admin = await world.person('Admin', '');
    const ada = await world.person('Ada', 'handbook');
    await admin.create('handbook/a.md', 'one');
    await admin.create('secret/b.md', 'hidden');
    await ada.update('handbook/a.md', 'two');
    await admin.create('handbook/sub/c.md', 'three');
    const derived = await world.derive(ada.id);
    assert.deepEqual(readFiles(derived), { 'handbook/a.md': 'two', 'handbook/sub/c.md': 'three' });
    assert.deepEqual(readLog(derived), [
      'Create handbook/a.md A handbook/a.md',
      'Update handbook/a.md M handbook/a.md',
      'Create handbook/sub/c.md A handbook/sub/c.md',
    ]);
    assert.equal(derived.madeAnew, 'first');
    assert.equal(git(derived.repository, 'fsck', '--strict', '--full'), '');
    const again = await world.derive(ada.id);
    assert.deepEqual({ ...again, commits: 3, madeAnew: 'first' }, derived);
  });
});
