import assert from 'node:assert/strict';
import { join } from 'node:path';
import { until } from '../support/until.js';
import { operator } from '../support/store/service.js';
import { Actor } from '../support/store/actor.js';
import { TemporaryFolders } from '../support/git/fixture.js';
import { never, startS3rver, type ServedStore } from './bucket-world.js';
import { emptyBucket, Followed, makeCopyKey, restoreSound, type CopyKey } from './follow-world.js';
import { Hold } from './shards-world.js';

describe('what keeps a copy', () => {
  const folders = new TemporaryFolders();
  let store: ServedStore;
  let key: CopyKey;
  let open: Followed | undefined;

  before(async function () {
    store = await startS3rver(this);
    key = await makeCopyKey();
  });
  afterEach(async () => {
    store.proxy.recover();
    await open?.close();
    open = undefined;
    await emptyBucket(store);
  });
  after(async () => {
    await folders.remove();
    await store?.close();
  });

  const begin = async (): Promise<Followed> => {
    open = await Followed.open({ dataFolder: await folders.make(), store, key });
    return open;
  };

  it('stores changes while a sweep lists the bucket', async () => {
    const hold = new Hold(store, /^GET .*list-type.*_service/);
    try {
      const followed = await begin();
      await hold.reached;
      await new Actor(followed.workspace, operator.principalId).create('one.md', 'one');
      await followed.stored();
    } finally {
      hold.release();
    }
  }).timeout(30_000);

  it('ends soon when an erase waits for the bucket', async () => {
    const followed = await begin();
    await followed.stored();
    const hold = new Hold(store, /^GET .*list-type.*acme/);
    const erasing = followed.follower.forgetPast('acme', never);
    erasing.catch(() => undefined);
    await hold.reached;
    await followed.follower.stop();
    hold.release();
    await assert.rejects(erasing);
  }).timeout(15_000);

  it('refuses changes of people and of the list of workspaces, too, once another machine has taken over', async () => {
    const followed = await begin();
    await followed.stored();
    const target = join(await folders.make(), 'restored');
    await restoreSound(store, key, target);
    const second = await Followed.open({ dataFolder: target, store, key, takesOver: true });
    try {
      await until('the first machine knows', () => followed.follower.status.state === 'superseded');
      const { service } = followed;
      assert.throws(() => service.journal.change(() => undefined), /taken over/);
      await assert.rejects(service.addWorkspace('made-here'), /taken over/);
      await assert.rejects(service.removeWorkspace('acme'), /taken over/);
    } finally {
      await second.close();
    }
  }).timeout(30_000);
});
