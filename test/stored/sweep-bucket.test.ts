import assert from 'node:assert/strict';
import { readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { makeSystemRandomness } from '../../lib/app/real-world.js';
import { Service } from '../../lib/app/service.js';
import { schemaPath } from '../../lib/app/upgrade.js';
import type { Copies } from '../../lib/journal/copies.js';
import { systemTimers } from '../../lib/scheduling/timers.js';
import type { Bucket } from '../../lib/stored/bucket.js';
import { followFolder, prepareFollowFolder } from '../../lib/stored/follow-folder.js';
import { FollowedShards } from '../../lib/stored/followed-shards.js';
import { parseObjectName, type ObjectName } from '../../lib/stored/object-names.js';
import { restoreService } from '../../lib/stored/restore-service.js';
import { sweepBucket } from '../../lib/stored/sweep-bucket.js';
import { Actor } from '../support/store/actor.js';
import { operator, TestClock } from '../support/store/service.js';
import { s3rverKey, ServedByS3rver } from '../support/stored/serve-with-s3rver.js';
import { TemporaryFolders } from '../support/git/fixture.js';
import { never, openBucketAt } from './bucket-world.js';
import { makeCopyKey, type CopyKey } from './follow-world.js';

const hour = 60 * 60 * 1000;
const day = 24 * hour;
const life = 'a'.repeat(32);

/** Follows by hand: a test stores and sweeps when it wants. */
const byHand: Copies = {
  areKept: true,
  status: undefined,
  refusal: () => undefined,
  forgetKeys: () => Promise.resolve(),
  forgetPast: () => Promise.resolve(),
};

describe('the sweep of a bucket', () => {
  const folders = new TemporaryFolders();
  const randomness = makeSystemRandomness();
  let store: ServedByS3rver;
  let objects: string;
  let bucket: Bucket;
  let key: CopyKey;
  let clock: TestClock;
  let service: Service;
  let shards: FollowedShards;
  let actor: Actor;

  beforeEach(async () => {
    objects = await folders.make();
    store = await ServedByS3rver.start(objects);
    bucket = openBucketAt(store.host, s3rverKey);
    key = await makeCopyKey();
    clock = new TestClock();
    const dataFolder = await folders.make();
    service = await Service.open({
      dataFolder,
      git: 'auto',
      clock,
      randomness,
      onFault: () => undefined,
      copies: byHand,
    });
    await prepareFollowFolder(followFolder(dataFolder));
    const workspace = await service.addWorkspace('acme');
    actor = new Actor(workspace, operator.principalId);
    const requireCurrent = (): Promise<void> => Promise.resolve();
    shards = new FollowedShards({
      life,
      service,
      bucket,
      dataFolder,
      recipients: [key.recipient],
      clock,
      randomness,
      interval: 1000,
      timers: systemTimers,
      requireCurrent,
    });
    await bucket.putBytes(
      'current.json',
      Buffer.from(JSON.stringify({ format: 1, life, before: null, since: '2026-01-01T00:00:00.000Z' })),
      { signal: never },
    );
  });
  afterEach(async () => {
    shards.close();
    await service.close();
    await store.stop();
    await folders.remove();
  });

  const list = async (): Promise<ObjectName[]> => {
    const found: ObjectName[] = [];
    for await (const { name } of bucket.list('', { signal: never })) {
      const parsed = parseObjectName(name);
      if (parsed !== undefined) found.push(parsed);
    }
    return found;
  };
  const momentsOf = async (shard: string): Promise<number[]> =>
    (await list()).flatMap((each) => (each.kind === 'point' && each.shard === shard ? [each.at] : []));
  /** As if the store had had everything for two days. */
  const ageObjects = (): void => {
    const then = new Date(Date.now() - 2 * day);
    for (const name of readdirSync(objects, { recursive: true, encoding: 'utf8' })) {
      if (name.includes('_S3rver_')) utimesSync(join(objects, name), then, then);
    }
  };
  const restoreAt = async (at: number): Promise<Record<string, string>> => {
    const dataFolder = join(await folders.make(), 'restored');
    const signal = never;
    const onProgress = (): void => undefined;
    const identities = [key.identity];
    const whole = { only: undefined, serviceMigrations: schemaPath('service') };
    await restoreService({
      bucket,
      identities,
      at,
      life: undefined,
      ...whole,
      dataFolder,
      git: 'auto',
      signal,
      onProgress,
    });
    const restored = await Service.open({ dataFolder, git: 'auto', clock, randomness, onFault: () => undefined });
    try {
      const workspace = restored.find('acme');
      assert.ok(workspace !== undefined);
      return { kept: await new Actor(workspace, operator.principalId).read('kept.md') };
    } finally {
      await restored.close();
    }
  };

  it('keeps what each moment that stays needs, and nothing else for longer than a day', async () => {
    await actor.create('kept.md', 'step 0');
    await shards.store(true, never);
    const written = new Map([[clock.now(), 'step 0']]);
    // Two days with a change every twenty minutes, and eight with one every six hours.
    for (let step = 1; step <= 176; step++) {
      clock.advance(step <= 144 ? hour / 3 : 6 * hour);
      await actor.update('kept.md', `step ${step}`);
      if (step % 4 === 0) await service.find('acme')?.checkpointer.run();
      if (step % 50 === 0) await service.find('acme')?.maintainer.run();
      await shards.store(step % 2 === 0, never);
      if (step % 2 === 0) written.set(clock.now(), `step ${step}`);
    }
    const before = await list();
    ageObjects();
    // Whatever is new has a time of now.
    await actor.update('kept.md', 'the end');
    clock.advance(1000);
    await shards.store(true, never);
    await sweepBucket(bucket, shards, clock.now(), never);
    const after = await list();
    const count = (names: readonly ObjectName[], kind: ObjectName['kind']): number =>
      names.filter((each) => each.kind === kind).length;
    assert.ok(count(after, 'set') < count(before, 'set'));
    assert.ok(count(after, 'point') < count(before, 'point'));
    const moments = await momentsOf('acme');
    const ages = moments.map((at) => clock.now() - at);
    assert.ok(ages.filter((age) => age > 7 * day).length <= 5, 'one a day behind a week');
    assert.ok(moments.length > 10);
    for (const at of [0, 2, 4, 7, 9].map((index) => moments.toSorted((a, b) => a - b)[index] ?? 0)) {
      assert.deepEqual(await restoreAt(at), { kept: written.get(at) });
    }
    const files = after.filter((each) => each.kind === 'file');
    assert.equal(new Set(files.map((each) => ('file' in each ? each.file : ''))).size, files.length);
  }).timeout(60_000);

  it('removes everything of a workspace a month after it was removed', async () => {
    const other = await service.addWorkspace('other');
    await new Actor(other, operator.principalId).create('a.md', 'a');
    await shards.store(true, never);
    await service.removeWorkspace('other');
    await actor.create('kept.md', 'kept');
    clock.advance(20 * day);
    await shards.store(true, never);
    ageObjects();
    await actor.update('kept.md', 'kept yet');
    await shards.store(true, never);
    await sweepBucket(bucket, shards, clock.now(), never);
    assert.equal((await momentsOf('other')).length, 1, 'it can be restored as it was before');
    clock.advance(11 * day);
    await sweepBucket(bucket, shards, clock.now(), never);
    const left = (await list()).filter((each) => 'shard' in each && each.shard === 'other');
    assert.deepEqual(left, []);
  }).timeout(30_000);

  it('touches nothing that has another name', async () => {
    await shards.store(true, never);
    await bucket.putBytes('somebody/else.txt', Buffer.from('theirs'), { signal: never });
    await bucket.putBytes('acme/notes.txt', Buffer.from('theirs'), { signal: never });
    clock.advance(100 * day);
    await sweepBucket(bucket, shards, clock.now(), never);
    assert.notEqual(await bucket.getBytes('somebody/else.txt', { maxBytes: 100, signal: never }), undefined);
    assert.notEqual(await bucket.getBytes('acme/notes.txt', { maxBytes: 100, signal: never }), undefined);
  }).timeout(30_000);
});
