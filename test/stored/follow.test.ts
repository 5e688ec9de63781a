import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { makeSystemRandomness, systemClock } from '../../lib/app/real-world.js';
import { Service } from '../../lib/app/service.js';
import { makeRandom } from '../support/faults/load.js';
import { fsck, git, TemporaryFolders } from '../support/git/fixture.js';
import { Actor } from '../support/store/actor.js';
import { eraseAt } from '../support/store/erase-at.js';
import { operator } from '../support/store/service.js';
import { until } from '../support/until.js';
import { never, storeKinds, type ServedStore } from './bucket-world.js';
import { bucketOf, emptyBucket, Followed, makeCopyKey, restoreSound, type CopyKey } from './follow-world.js';

/** A state of a service, to be compared with a restored one. */
interface Noted {
  readonly at: number;
  /** Of the sidecar's pages behind the file's head, in which SQLite counts its own writes. */
  readonly pages: string;
  readonly main: string;
}

const headLength = 100;
const large = 'Many words stand here. '.repeat(90_000);

function digestPages(file: string): string {
  return createHash('sha256').update(readFileSync(file).subarray(headLength)).digest('hex');
}

async function noteState({ workspace, dataFolder }: Followed, copy: string): Promise<Noted> {
  const snapshot = workspace.journal.sidecar.openSnapshot();
  try {
    await snapshot.copyTo(copy);
  } finally {
    snapshot.close();
  }
  const main = git(join(dataFolder, 'acme', 'content.git'), ['rev-parse', 'main']).toString();
  return { at: Date.now(), pages: digestPages(copy), main };
}

function packsOf(dataFolder: string): string[] {
  return readdirSync(join(dataFolder, 'acme', 'content.git', 'objects', 'pack')).filter((name) =>
    name.endsWith('.pack'),
  );
}

const lastOf = (name: string): number => Number(/-([0-9]+)\.set$/.exec(name)?.[1]);

for (const { title, start } of storeKinds) {
  describe(`a copy of a service in ${title}`, () => {
    const folders = new TemporaryFolders();
    let store: ServedStore;
    let key: CopyKey;
    let open: Followed | undefined;

    before(async function () {
      this.timeout(60_000);
      store = await start(this);
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

    const begin = async (change: Partial<Parameters<typeof Followed.open>[0]> = {}): Promise<Followed> => {
      open = await Followed.open({ dataFolder: await folders.make(), store, key, ...change });
      return open;
    };

    it('is restored as it was at each of ten moments, byte for byte', async () => {
      const followed = await begin();
      const actor = new Actor(followed.workspace, operator.principalId);
      const draw = makeRandom('moments');
      const below = (count: number): number => Math.floor(draw() * count);
      const noted: Noted[] = [];
      await actor.create('large.txt', large);
      for (let moment = 0; moment < 10; moment++) {
        for (let step = 0; step < 6; step++) {
          const name = `team-${below(3)}/note-${moment}-${step}.md`;
          await actor.create(name, `# Note\n\n${'words '.repeat(below(400))}${moment} ${step}`);
          if (below(2) === 0) await actor.update(name, `changed in ${moment}`);
          if (below(4) === 0) await actor.delete(name);
        }
        if (moment === 5) await actor.update('large.txt', large.replaceAll('words', 'terms'));
        if (moment === 7) await followed.workspace.maintainer.run();
        await followed.workspace.checkpointer.run();
        await followed.stored();
        noted.push(await noteState(followed, join(await folders.make(), 'copy')));
      }
      for (const [moment, { at, pages, main }] of noted.entries()) {
        const target = join(await folders.make(), 'restored');
        const restored = await restoreSound(store, key, target, at);
        assert.ok(restored.at <= at);
        assert.equal(digestPages(join(target, 'acme', 'sidecar.sqlite')), pages, `the sidecar of moment ${moment}`);
        const repository = join(target, 'acme', 'content.git');
        assert.equal(git(repository, ['rev-parse', 'main']).toString(), main);
        fsck(repository);
      }
    }).timeout(120_000);

    it('has the newest state after the last point, and its service goes on when it is restored', async () => {
      const followed = await begin({ change: { pointInterval: 3_600_000 } });
      const actor = new Actor(followed.workspace, operator.principalId);
      await followed.stored();
      await actor.create('after.md', 'after the last point');
      await followed.stored();
      await actor.create('later.md', 'later yet');
      await followed.stored();
      const target = join(await folders.make(), 'restored');
      await restoreSound(store, key, target);
      await followed.close();
      open = await Followed.open({ dataFolder: target, store, key });
      // It was restored, and nobody has said that it is to take over.
      assert.equal(open.follower.status.state, 'superseded');
      await open.close();
      open = await Followed.open({ dataFolder: target, store, key, takesOver: true });
      const again = new Actor(open.workspace, operator.principalId);
      assert.equal(await again.read('later.md'), 'later yet');
      await again.create('goes-on.md', 'it goes on');
      await open.stored();
      const second = join(await folders.make(), 'restored');
      await restoreSound(store, key, second);
      assert.equal(packsOf(second).length >= packsOf(target).length - 1, true);
    }).timeout(60_000);

    it('tells a machine within a second that another has taken over, and keeps what both wrote', async () => {
      const first = await begin({ change: { interval: 1000 } });
      const actor = new Actor(first.workspace, operator.principalId);
      await actor.create('mine.md', 'mine');
      await first.stored();
      const target = join(await folders.make(), 'restored');
      await restoreSound(store, key, target);
      const second = await Followed.open({ dataFolder: target, store, key, takesOver: true });
      try {
        const takenAt = performance.now();
        await until('the first machine refuses', async () => {
          const refusal = await actor
            .create(`racing-${performance.now()}.md`, 'racing')
            .catch((error: unknown) => error);
          return (refusal as { details?: { reason?: string } }).details?.reason === 'superseded';
        });
        const within = performance.now() - takenAt;
        assert.ok(within < 1500, `it took ${Math.round(within)} ms`);
        await assert.rejects(actor.read('mine.md'), /taken over/, 'a read leaves a record');
        assert.equal((await first.service.readiness()).copy, 'superseded');
        assert.equal((await first.service.readiness()).isReady, false);
        assert.equal(await new Actor(second.workspace, operator.principalId).read('mine.md'), 'mine');
      } finally {
        await second.close();
      }
      await first.close();
      open = await Followed.open({ dataFolder: first.dataFolder, store, key });
      assert.equal(open.follower.status.state, 'superseded', 'a start does not take over by itself');
    }).timeout(60_000);

    it('is made complete again when the bucket was away, and refuses nobody meanwhile', async () => {
      const followed = await begin();
      const actor = new Actor(followed.workspace, operator.principalId);
      await followed.stored();
      store.proxy.always({ what: 'status', status: 503 });
      for (let count = 0; count < 20; count++)
        await actor.create(`away-${count}.md`, `written while it is away ${count}`);
      await actor.create('large.txt', large);
      await followed.workspace.checkpointer.run();
      await until('it says why', () => followed.follower.status.obstacle !== null);
      assert.equal((await followed.service.readiness()).copy, 'behind');
      assert.equal((await followed.service.readiness()).isReady, true);
      store.proxy.recover();
      await followed.stored();
      assert.equal(followed.follower.status.obstacle, null);
      const target = join(await folders.make(), 'restored');
      await restoreSound(store, key, target);
      assert.equal(packsOf(target).length > 0, true);
    }).timeout(60_000);

    it('is sound whatever becomes of single requests', async () => {
      const draw = makeRandom('faults');
      const below = (count: number): number => Math.floor(draw() * count);
      const followed = await begin();
      const actor = new Actor(followed.workspace, operator.principalId);
      const troubles = [
        { what: 'status', status: 503 },
        { what: 'status', status: 500 },
        { what: 'drop' },
        { what: 'lost answer' },
        { what: 'cut request', bytes: 40 },
        { what: 'cut answer', bytes: 10 },
        { what: 'slow', milliseconds: 50 },
      ] as const;
      for (let round = 0; round < 12; round++) {
        for (let count = below(6); count >= 0; count--) {
          const trouble = troubles[below(troubles.length)];
          if (trouble !== undefined) store.proxy.next(trouble);
        }
        await actor.create(`round-${round}.md`, `round ${round}`);
        if (round % 4 === 3) await followed.workspace.maintainer.run();
        await followed.stored();
      }
      store.proxy.recover();
      const target = join(await folders.make(), 'restored');
      await restoreSound(store, key, target);
      await followed.close();
      open = undefined;
      open = await Followed.open({ dataFolder: target, store, key, takesOver: true });
      const again = new Actor(open.workspace, operator.principalId);
      for (let round = 0; round < 12; round++) assert.equal(await again.read(`round-${round}.md`), `round ${round}`);
    }).timeout(90_000);

    it('has nothing of an erased document, and cannot go back to before the erase', async () => {
      const followed = await begin();
      const actor = new Actor(followed.workspace, operator.principalId);
      await actor.create('kept.md', 'this stays');
      await actor.create('large.txt', large);
      await actor.create('secret.md', 'the erasedsecret');
      await followed.workspace.checkpointer.run();
      await followed.stored();
      const before = Date.now();
      const bucket = bucketOf(store);
      const list = async (): Promise<string[]> => {
        const names: string[] = [];
        for await (const { name } of bucket.list('acme/', { signal: never })) names.push(name);
        return names;
      };
      const old = await list();
      await actor.delete('secret.md');
      const { id } = await eraseAt(followed.workspace, 'secret.md', { isDeleted: true });
      await followed.workspace.eraser.finished(id);
      const left = await list();
      const still = old.filter((name) => left.includes(name));
      assert.ok(
        still.every((name) => /\/blobs\//.test(name)),
        `these are left: ${still.join(', ')}`,
      );
      assert.equal(left.filter((name) => name.includes('/keys/')).length, 1);
      await followed.stored();
      await assert.rejects(
        restoreSound(store, key, join(await folders.make(), 'restored'), before),
        /acme can be restored from .* an erase removed/,
      );
      const target = join(await folders.make(), 'restored');
      await restoreSound(store, key, target);
      const objects = git(join(target, 'acme', 'content.git'), ['cat-file', '--batch-all-objects', '--batch']);
      assert.equal(objects.includes('erasedsecret'), false);
      assert.equal(readFileSync(join(target, 'acme', 'sidecar.sqlite')).includes('erasedsecret'), false);
      assert.equal(objects.includes('this stays'), true);
    }).timeout(60_000);

    it('of a workspace that is removed and made anew is that of the new one', async () => {
      const followed = await begin();
      const other = await followed.service.addWorkspace('other');
      await new Actor(other, operator.principalId).create('old.md', 'of the old one');
      await followed.stored();
      await followed.service.removeWorkspace('other');
      const made = await followed.service.addWorkspace('other');
      await new Actor(made, operator.principalId).create('new.md', 'of the new one');
      await made.checkpointer.run();
      await followed.stored();
      const target = join(await folders.make(), 'restored');
      const { workspaces } = await restoreSound(store, key, target);
      assert.deepEqual(
        workspaces.map(({ workspace }) => workspace),
        ['acme', 'other'],
      );
      const objects = git(join(target, 'other', 'content.git'), ['cat-file', '--batch-all-objects', '--batch']);
      assert.equal(objects.includes('of the new one'), true);
      assert.equal(objects.includes('of the old one'), false);
    }).timeout(60_000);

    it('is restored for one workspace alone, also where another cannot go back as far', async () => {
      const followed = await begin();
      const other = await followed.service.addWorkspace('other');
      await new Actor(other, operator.principalId).create('wanted.md', 'as it was');
      const actor = new Actor(followed.workspace, operator.principalId);
      await actor.create('secret.md', 'secret');
      await followed.stored();
      const moment = Date.now();
      await new Actor(other, operator.principalId).update('wanted.md', 'changed by mistake');
      await actor.delete('secret.md');
      const { id } = await eraseAt(followed.workspace, 'secret.md', { isDeleted: true });
      await followed.workspace.eraser.finished(id);
      await followed.stored();
      const target = join(await folders.make(), 'restored');
      await assert.rejects(restoreSound(store, key, target, moment), /or another workspace with --workspace/);
      await assert.rejects(
        restoreSound(store, key, target, moment, 'none'),
        /There was no workspace none .* acme, other/,
      );
      const { workspaces } = await restoreSound(store, key, target, moment, 'other');
      assert.deepEqual(
        workspaces.map(({ workspace }) => workspace),
        ['other'],
      );
      const service = await Service.open({
        dataFolder: target,
        git: 'auto',
        clock: systemClock,
        randomness: makeSystemRandomness(),
        onFault: () => undefined,
      });
      try {
        assert.deepEqual(service.names(), ['other']);
        const restored = service.find('other');
        assert.ok(restored !== undefined);
        assert.equal(await new Actor(restored, operator.principalId).read('wanted.md'), 'as it was');
      } finally {
        await service.close();
      }
    }).timeout(60_000);

    it('is not restored to an older state than its points say, where the bucket has lost a part', async () => {
      const followed = await begin();
      const actor = new Actor(followed.workspace, operator.principalId);
      for (let count = 0; count < 3; count++) {
        await actor.create(`note-${count}.md`, `note ${count}`);
        await followed.stored();
      }
      const bucket = bucketOf(store);
      const sets: string[] = [];
      for await (const { name } of bucket.list('acme/', { signal: never })) if (name.endsWith('.set')) sets.push(name);
      const newest = sets.toSorted((a, b) => lastOf(a) - lastOf(b)).at(-1) ?? '';
      await bucket.delete([newest], { signal: never });
      const target = join(await folders.make(), 'restored');
      await assert.rejects(restoreSound(store, key, target), /A part of the workspace acme is missing in the bucket/);
      await assert.rejects(restoreSound(store, key, target, Date.now()), /is missing in the bucket/);
    }).timeout(60_000);

    it('says that the bucket is away also while nothing is written, and says it once', async () => {
      const followed = await begin();
      await followed.stored();
      store.proxy.always({ what: 'status', status: 503 });
      await until('it says why', () => followed.follower.status.obstacle !== null);
      const first = followed.faults.length;
      await delay(300);
      assert.notEqual(followed.follower.status.obstacle, null);
      assert.equal(followed.faults.length, first);
      store.proxy.recover();
      await until('it is reached again', () => followed.follower.status.obstacle === null);
    }).timeout(30_000);

    it('opens with its own key alone', async () => {
      const followed = await begin({ clock: systemClock });
      await followed.stored();
      const target = join(await folders.make(), 'restored');
      await assert.rejects(restoreSound(store, await makeCopyKey(), target), /does not open/);
      assert.equal(readdirSync(join(target, '..')).length, 0, 'nothing of it stays');
    }).timeout(60_000);
  });
}
