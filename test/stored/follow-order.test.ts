import assert from 'node:assert/strict';
import { join } from 'node:path';
import { openSidecar } from '../../lib/sidecar/sidecar.js';
import { WorkspaceLeftOut } from '../../lib/stored/followed-shards.js';
import { sweepBucket } from '../../lib/stored/sweep-bucket.js';
import { TemporaryFolders } from '../support/git/fixture.js';
import { never, startS3rver, type ServedStore } from './bucket-world.js';
import { makeCopyKey, restoreSound, type CopyKey } from './follow-world.js';
import { eraseAt } from '../support/store/erase-at.js';
import { until } from '../support/until.js';
import { readRestored } from './read-restored.js';
import { Hold, StoredShards } from './shards-world.js';

describe('the order in which copies are stored', () => {
  const folders = new TemporaryFolders();
  let store: ServedStore;
  let key: CopyKey;
  let open: StoredShards | undefined;

  before(async function () {
    store = await startS3rver(this);
    key = await makeCopyKey();
  });
  afterEach(async () => {
    store.proxy.recover();
    await open?.bucket.delete(await open.list(), { signal: never });
    await open?.close();
    open = undefined;
  });
  after(async () => {
    await folders.remove();
    await store?.close();
  });

  const begin = async (change: Partial<Parameters<typeof StoredShards.open>[0]> = {}): Promise<StoredShards> => {
    open = await StoredShards.open({ dataFolder: await folders.make(), store, key, ...change });
    return open;
  };
  const restored = async (at?: number): Promise<string> => {
    const target = join(await folders.make(), 'restored');
    await restoreSound(store, key, target, at);
    return target;
  };

  it('has no workspace in the service’s file that is stored later, however slow the bucket is', async () => {
    const stored = await begin();
    await stored.store(true);
    await stored.actor().create('one.md', 'one');
    const hold = new Hold(store, /^PUT .*\/acme\/.*\.set$/);
    const round = stored.store(true);
    await hold.reached;
    await stored.service.addWorkspace('made-meanwhile');
    hold.release();
    await round;
    const at = Date.now();
    await restored();
    await restored(at);
    await stored.store(true);
    await restored();
    await restored(at);
  }).timeout(30_000);

  it('goes on from the copy that an erase began, where the bucket failed in the middle of it', async () => {
    const stored = await begin();
    await stored.actor().create('one.md', 'one');
    await stored.store(true);
    store.proxy.judge = (asked) =>
      /^PUT .*\/acme\/.*\/points\//.test(asked) ? { what: 'status', status: 403, body: '' } : undefined;
    await assert.rejects(stored.shards.forgetPast('acme', never));
    store.proxy.recover();
    await stored.actor().create('acknowledged.md', 'after the fault');
    await stored.store();
    const target = await restored();
    const { documents } = await readRestored(target);
    assert.deepEqual(documents, ['acknowledged.md', 'one.md']);
  }).timeout(30_000);

  it('leaves the copy of a machine alone that takes over while this one erases', async () => {
    const stored = await begin();
    await stored.actor().create('one.md', 'one');
    await stored.store(true);
    const target = await restored();
    const hold = new Hold(store, /^GET .*list-type.*acme/);
    const erasing = stored.shards.forgetPast('acme', never);
    await hold.reached;
    const second = await StoredShards.open({ dataFolder: target, store, key, takesOver: true });
    try {
      await second.actor().create('of-the-second.md', 'acknowledged there');
      await second.store(true);
      hold.release();
      await assert.rejects(erasing, /taken over/);
      assert.deepEqual((await readRestored(await restored())).documents, ['of-the-second.md', 'one.md']);
    } finally {
      await second.close();
    }
  }).timeout(30_000);

  it('sweeps nothing once another machine has taken over', async () => {
    const stored = await begin();
    await stored.store(true);
    const second = await StoredShards.open({ dataFolder: await restored(), store, key, takesOver: true });
    try {
      await second.service.addWorkspace('new-there');
      await second.store(true);
      const inTwoMonths = Date.now() + 60 * 24 * 60 * 60 * 1000;
      const before = await stored.list();
      await assert.rejects(sweepBucket(stored.bucket, stored.shards, inTwoMonths, never), /taken over/);
      assert.deepEqual(await stored.list(), before);
    } finally {
      await second.close();
    }
  }).timeout(30_000);

  it('keeps of each workspace what a moment of the service’s file that stays is restored with', async () => {
    const hour = 60 * 60 * 1000;
    const began = Math.floor(Date.now() / hour) * hour;
    let now = began;
    const stored = await begin({ clock: { now: () => now, elapsed: () => performance.now() } });
    await stored.store(true);
    now = began + hour / 3;
    await stored.service.addWorkspace('second');
    await stored.store(true);
    const moment = now;
    now = began + hour / 2;
    await stored.actor('second').create('later.md', 'later in that hour');
    await stored.store(true);
    await sweepBucket(stored.bucket, stored.shards, now + 48 * hour, never);
    const { documents } = await readRestored(await restored(moment + 1000), 'second');
    assert.deepEqual(documents, []);
  }).timeout(30_000);

  it('goes on without a workspace that cannot be read, and restores it as it last was', async () => {
    let isDamaged = false;
    const openings: NonNullable<Parameters<typeof StoredShards.open>[0]['service']> = {
      openSidecar: (...given) => {
        if (isDamaged && given[0].includes('damaged')) throw new Error('The file is damaged.');
        return openSidecar(...given);
      },
    };
    const stored = await begin({ service: openings });
    await stored.service.addWorkspace('damaged');
    await stored.actor('damaged').create('kept.md', 'kept');
    await stored.store(true);
    isDamaged = true;
    stored.service.find('damaged')?.journal.sidecar.close();
    await stored
      .actor('damaged')
      .create('fails.md', 'fails')
      .catch(() => undefined);
    await stored.service.addWorkspace('made-later');
    await stored.actor().create('one.md', 'one');
    await assert.rejects(stored.store(true));
    await assert.rejects(stored.store(true), WorkspaceLeftOut);
    const { workspaces, documents } = await readRestored(await restored());
    assert.deepEqual(workspaces, ['acme', 'damaged', 'made-later']);
    assert.deepEqual(documents, ['one.md']);
    await stored.close();
    open = await StoredShards.open({ dataFolder: stored.dataFolder, store, key, service: openings });
    await open.actor().create('two.md', 'two');
    await open.store(true);
    const target = await restored();
    assert.deepEqual((await readRestored(target)).documents, ['one.md', 'two.md']);
    assert.deepEqual((await readRestored(target, 'damaged')).documents, ['kept.md']);
  }).timeout(30_000);

  it('restores a moment before the last points, where the service’s file has not got its own', async () => {
    const stored = await begin();
    await stored.store(true);
    const first = await stored.list('acme/');
    await stored.actor().create('one.md', 'one');
    await stored.service.addWorkspace('second');
    await stored.store();
    const passing = (await stored.list('acme/')).filter((name) => name.endsWith('.set') && !first.includes(name));
    const moment = Date.now();
    await stored.actor().create('two.md', 'two');
    await stored.service.addWorkspace('third');
    store.proxy.judge = (asked) =>
      /^PUT .*\/_service\//.test(asked) ? { what: 'status', status: 403, body: '' } : undefined;
    await assert.rejects(stored.store(true));
    store.proxy.recover();
    const { workspaces, documents } = await readRestored(await restored(moment));
    assert.deepEqual({ workspaces, documents }, { workspaces: ['acme', 'second'], documents: ['one.md'] });
    await stored.store(true);
    const left = await stored.list('acme/');
    assert.ok(passing.length > 0 && !passing.some((name) => left.includes(name)));
  }).timeout(30_000);

  it('restores each moment with what was before it, also when the clock was set back', async () => {
    const hour = 60 * 60 * 1000;
    let now = Date.now();
    const stored = await begin({ clock: { now: () => now, elapsed: () => performance.now() } });
    await stored.store(true);
    now += 2 * hour;
    await stored.actor().create('one.md', 'one');
    await stored.store(true);
    now -= hour;
    await stored.actor().create('two.md', 'two');
    await stored.service.addWorkspace('second');
    await stored.store(true);
    for (let later = 0; later <= 3; later++) {
      const { workspaces, documents } = await readRestored(await restored(now + later * hour));
      assert.ok(!workspaces.includes('second') || documents.includes('two.md'), `after ${later} hours`);
    }
  }).timeout(30_000);

  it('has the moments before the bucket lost the name of the current life', async () => {
    const stored = await begin();
    await stored.actor().create('one.md', 'one');
    await stored.store(true);
    const moment = Date.now();
    await stored.bucket.delete(['current.json'], { signal: never });
    await stored.close();
    open = await StoredShards.open({ dataFolder: stored.dataFolder, store, key });
    await open.store(true);
    assert.deepEqual((await readRestored(await restored(moment))).documents, ['one.md']);
  }).timeout(30_000);

  it('restores a removed workspace, though one of its name has the same large content since', async () => {
    const large = 'Many words stand here. '.repeat(90_000);
    const stored = await begin();
    await stored.service.addWorkspace('second');
    await stored.actor('second').create('large.txt', large);
    await stored.store(true);
    const moment = Date.now();
    await stored.service.removeWorkspace('second');
    await stored.service.addWorkspace('second');
    await stored.actor('second').create('again.txt', large);
    await stored.store(true);
    assert.deepEqual((await readRestored(await restored(), 'second')).documents, ['again.txt']);
    assert.deepEqual((await readRestored(await restored(moment), 'second')).documents, ['large.txt']);
  }).timeout(30_000);

  it('stores what is changed in other workspaces while one has a large file on its way', async () => {
    const stored = await begin();
    await stored.service.addWorkspace('second');
    await stored.store(true);
    await stored.actor().create('large.txt', 'Many words stand here. '.repeat(90_000));
    const hold = new Hold(store, /^PUT .*\/acme\/.*\/blobs\//);
    const round = stored.store();
    await hold.reached;
    await stored.actor('second').create('quick.md', 'quick');
    await until('the other one is stored', async () => {
      return (await readRestored(await restored(), 'second')).documents.includes('quick.md');
    });
    hold.release();
    await round;
  }).timeout(30_000);

  it('has no key of a file that is gone by the time that deleted bytes are overwritten', async () => {
    const stored = await begin();
    const { actor, workspace } = { actor: stored.actor(), workspace: stored.actor().workspace };
    await actor.create('secret.md', 'the secret');
    await actor.create('kept.md', 'kept');
    await workspace.checkpointer.run();
    await stored.store(true);
    const before = workspace.journal.reader.storedObjects.after('packs/', 100).map(({ name }) => name);
    const { id } = await eraseAt(workspace, 'secret.md');
    const left: string[][] = [];
    await workspace.eraser.finished(id, (step) => {
      if (step === 'overwritten')
        left.push(workspace.journal.reader.storedObjects.after('', 100).map(({ name }) => name));
    });
    assert.equal(left.length, 1);
    assert.deepEqual(
      left[0]?.filter((name) => before.includes(name)),
      [],
    );
  }).timeout(30_000);
});
