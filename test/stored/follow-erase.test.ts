import assert from 'node:assert/strict';
import { join } from 'node:path';
import { makeSystemRandomness, systemClock } from '../../lib/app/real-world.js';
import { findUnreachedCopies } from '../../lib/app/open-service.js';
import { Service } from '../../lib/app/service.js';
import type { Bucket } from '../../lib/stored/bucket.js';
import { git, TemporaryFolders } from '../support/git/fixture.js';
import { Actor } from '../support/store/actor.js';
import { eraseAt } from '../support/store/erase-at.js';
import { operator } from '../support/store/service.js';
import { until } from '../support/until.js';
import { never, startS3rver, type ServedStore } from './bucket-world.js';
import { bucketOf, Followed, makeCopyKey, restoreSound, type CopyKey } from './follow-world.js';

const word = 'xylographsecret';

describe('an erase of a service with a copy', () => {
  const folders = new TemporaryFolders();
  let store: ServedStore;
  let bucket: Bucket;
  let key: CopyKey;
  let followed: Followed;
  let actor: Actor;

  beforeEach(async function () {
    store = await startS3rver(this);
    bucket = bucketOf(store);
    key = await makeCopyKey();
    followed = await Followed.open({ dataFolder: await folders.make(), store, key });
    actor = new Actor(followed.workspace, operator.principalId);
    await actor.create('kept.md', 'this stays');
    await actor.create('secret.md', `the ${word} stands here`);
    await followed.workspace.checkpointer.run();
    await followed.stored();
  });
  afterEach(async () => {
    store.proxy.recover();
    await followed.close();
    await store.close();
    await folders.remove();
  });

  const readObjects = async (): Promise<Map<string, Buffer>> => {
    const objects = new Map<string, Buffer>();
    for await (const { name } of bucket.list('', { signal: never })) {
      const found = await bucket.getBytes(name, { maxBytes: 2 ** 24, signal: never });
      if (found !== undefined) objects.set(name, found.bytes);
    }
    return objects;
  };
  const erase = async (): Promise<string> => {
    await actor.delete('secret.md');
    return (await eraseAt(followed.workspace, 'secret.md', { isDeleted: true })).id;
  };
  const hasWord = (dataFolder: string): boolean =>
    git(join(dataFolder, 'acme', 'content.git'), ['cat-file', '--batch-all-objects', '--batch']).includes(word);

  it('leaves nothing that could be read, though somebody kept all objects but the keys', async () => {
    const before = await readObjects();
    const moment = Date.now();
    for (const [name, bytes] of before) assert.equal(bytes.includes(word), false, `${name} is sealed`);
    await followed.workspace.eraser.finished(await erase());
    await followed.stored();
    const after = await readObjects();
    const gone = [...before].filter(([name]) => name.startsWith('acme/') && !after.has(name));
    const isKey = (name: string): boolean => name.includes('/keys/');
    assert.equal(gone.filter(([name]) => isKey(name)).length, 1);
    for (const [name, bytes] of gone) if (!isKey(name)) await bucket.putBytes(name, bytes, { signal: never });
    const target = join(await folders.make(), 'restored');
    await assert.rejects(
      restoreSound(store, key, target, moment),
      /keys\/1 is missing: an erase may have destroyed it/,
    );
    // What this test would miss otherwise: with the key, everything could be read.
    for (const [name, bytes] of gone) if (isKey(name)) await bucket.putBytes(name, bytes, { signal: never });
    await restoreSound(store, key, target, moment);
    assert.equal(hasWord(target), true);
  }).timeout(60_000);

  it('is not final before the bucket has forgotten it', async () => {
    store.proxy.always({ what: 'status', status: 503 });
    const id = await erase();
    const steps: string[] = [];
    await assert.rejects(followed.workspace.eraser.finished(id, (step) => steps.push(step)));
    assert.equal(steps.at(-1), 'overwritten');
    assert.notEqual(followed.workspace.journal.reader.erasures.find(id)?.phase, 'final');
    await actor.create('meanwhile.md', 'others go on');
    store.proxy.recover();
    await until('it is final', () => {
      followed.workspace.eraser.wake();
      return followed.workspace.journal.reader.erasures.find(id)?.phase === 'final';
    });
    const target = join(await folders.make(), 'restored');
    await followed.stored();
    await restoreSound(store, key, target);
    assert.equal(hasWord(target), false);
  }).timeout(60_000);

  it('waits where the data is opened without following, and goes on when it is followed again', async () => {
    await followed.close();
    const { dataFolder } = followed;
    const faults: string[] = [];
    const alone = await Service.open({
      dataFolder,
      git: 'auto',
      clock: systemClock,
      randomness: makeSystemRandomness(),
      onFault: (_, cause) => faults.push(String(cause)),
      copies: findUnreachedCopies(dataFolder),
    });
    let id = '';
    try {
      const workspace = alone.find('acme');
      assert.ok(workspace !== undefined);
      assert.equal(alone.file.followed, undefined, 'nobody would copy its log into the file');
      assert.equal(workspace.journal.sidecar.followed, undefined);
      const other = new Actor(workspace, operator.principalId);
      await other.delete('secret.md');
      ({ id } = await eraseAt(workspace, 'secret.md', { isDeleted: true }));
      await assert.rejects(workspace.eraser.finished(id));
      assert.match(faults.join('\n'), /Start the service with its setting follow/);
    } finally {
      await alone.close();
    }
    followed = await Followed.open({ dataFolder, store, key });
    actor = new Actor(followed.workspace, operator.principalId);
    await until('it is final', () => followed.workspace.journal.reader.erasures.find(id)?.phase === 'final');
    for (const name of (await readObjects()).keys())
      assert.equal(
        name.endsWith('keys/1') && name.startsWith('acme/') && !name.includes(followed.follower.status.life ?? ''),
        false,
        name,
      );
  }).timeout(60_000);
});
