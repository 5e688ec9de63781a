import assert from 'node:assert/strict';
import { verifyWorkspace } from '../../lib/integrity/verify-workspace.js';
import { rebuild } from '../../lib/operations/workspaces/rebuild.js';
import { operator } from '../support/store/service.js';
import { entryOf } from '../support/store/test-mirror.js';
import { MirrorWorld } from './sync/mirror-world.js';

describe('A mirror whose rows and documents differ', () => {
  let world: MirrorWorld;
  beforeEach(async () => (world = await MirrorWorld.open({ store: 'disk' })));
  afterEach(() => world.close());

  it('is found by a verification, and right again after a rebuild and a sync', async () => {
    const { id, source } = await world.connect();
    for (const path of ['a.md', 'below/b.md', 'c.md']) source.put(path, `text of ${path}`);
    await world.sync(id);
    assert.deepEqual(await problems(), []);
    // The source has moved on, and the connector does not know of either file.
    source.remove('below/b.md');
    source.put('lost.md', 'text of lost.md');
    await world.service.workspace.journal.write({
      run({ tables: { mirrorEntries } }) {
        mirrorEntries.remove(id, 'below/b.md');
        mirrorEntries.put(id, entryOf('lost.md', { version: source.files.get('lost.md')?.version ?? '' }));
      },
    });
    assert.deepEqual(await problems(), [
      ['mirrors', 'docs/below/b.md', 'is in a mirror, and its connector does not know that it mirrored it.'],
      ['mirrors', 'docs/lost.md', 'has no document, and its connector takes it for mirrored.'],
    ]);
    await rebuild(world.service.workspace, operator);
    assert.deepEqual(await problems(), []);
    await world.sync(id);
    assert.deepEqual(await world.mirrored(), {
      'a.md': 'text of a.md',
      'c.md': 'text of c.md',
      'lost.md': 'text of lost.md',
    });
    assert.deepEqual(await problems(), []);
  });

  async function problems(): Promise<unknown[]> {
    const dataFolder = world.service.dataFolder ?? '';
    const found = await verifyWorkspace({ dataFolder, name: 'acme', git: 'auto' }, () => undefined);
    return found.problems.map(({ part, location, message, remedy }) => {
      assert.match(remedy, /cartulary rebuild/);
      return [part, location, message];
    });
  }
});
