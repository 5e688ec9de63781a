import assert from 'node:assert/strict';
import { join } from 'node:path';
import { systemClock } from '../../lib/app/real-world.js';
import { openSidecarReadOnly } from '../../lib/sidecar/sidecar.js';
import { Actor } from '../support/store/actor.js';
import { operator } from '../support/store/service.js';
import { until } from '../support/until.js';
import { TemporaryFolders } from '../support/git/fixture.js';
import { storeKinds, type ServedStore } from './bucket-world.js';
import { Followed, makeCopyKey, restoreSound, type CopyKey } from './follow-world.js';

function countDocuments(dataFolder: string): number {
  const sidecar = openSidecarReadOnly(join(dataFolder, 'acme', 'sidecar.sqlite'));
  try {
    return sidecar.reader.documents.countLive();
  } finally {
    sidecar.close();
  }
}

for (const { title, start } of storeKinds) {
  describe(`a point in ${title}`, () => {
    const folders = new TemporaryFolders();
    let store: ServedStore;
    let key: CopyKey;
    let open: Followed | undefined;

    before(async function () {
      this.timeout(60_000);
      store = await start(this);
      key = await makeCopyKey();
    });
    after(async () => {
      await open?.close();
      await folders.remove();
      await store?.close();
    });

    it('keeps the one set that came before it, and those after it join on', async () => {
      let ahead = 0;
      const clock = { ...systemClock, elapsed: () => systemClock.elapsed() + ahead };
      open = await Followed.open({
        dataFolder: await folders.make(),
        store,
        key,
        clock,
        change: { pointInterval: 60_000 },
      });
      const followed = open;
      const pointAt = (): number =>
        followed.follower.status.shards.find(({ workspace }) => workspace === 'acme')?.pointAt ?? 0;
      const actor = new Actor(followed.workspace, operator.principalId);
      const before = pointAt();
      await actor.create('alone.md', 'one change between two points');
      await followed.stored();
      ahead += 61_000;
      await until('the point is made', () => pointAt() > before);
      const point = pointAt();
      await actor.create('after.md', 'behind the point');
      await followed.stored();
      const puts = store.proxy.asked.filter((each) => each.startsWith('PUT') && each.includes('/sets/'));
      assert.deepEqual(puts, [...new Set(puts)], 'no set is stored twice under one name');
      for (const [at, documents] of [
        [undefined, 2],
        [point, 1],
      ] as const) {
        const target = join(await folders.make(), 'restored');
        await restoreSound(store, key, target, at);
        assert.equal(countDocuments(target), documents);
      }
    }).timeout(60_000);
  });
}
