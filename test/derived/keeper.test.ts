import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { cp, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DiskRoom, type DiskSpace } from '../../lib/disk/disk-room.js';
import { makeWorkLimits } from '../../lib/limits/work-limits.js';
import { Refusal } from '../../lib/domain/refusal.js';
import { git } from '../support/git/fixture.js';
import { until } from '../support/until.js';
import { openTestService } from '../support/store/service.js';
import { DerivedBench } from './derived-bench.js';

describe('The keeper of derived repositories', function () {
  this.timeout(60_000);
  let world: DerivedBench;
  let reader: string;

  beforeEach(async () => {
    world = await DerivedBench.open();
    reader = await world.person('reader', 'pub');
    await world.bench.actor.create('pub/a.md', 'first');
    await world.bench.actor.create('sec/b.md', 'hidden');
  });
  afterEach(() => world.close());

  it('makes a repository once for all requests that wait, closed to other accounts', async () => {
    const [one, two] = await Promise.all([world.derived.prepare(reader), world.derived.prepare(reader)]);
    assert.equal(one, two);
    assert.equal(world.read(one, 'pub/a.md'), 'first');
    assert.deepEqual(await world.findOpen(), []);
    assert.deepEqual(world.bench.reported, []);
  });

  it('shows a request everything that was written before it', async () => {
    const { actor } = world.bench;
    const early = world.derived.prepare(reader);
    for (let n = 0; n < 5; n += 1) {
      await actor.update('pub/a.md', `text ${n}`);
      assert.equal(world.read(await world.derived.prepare(reader), 'pub/a.md'), `text ${n}`);
    }
    await early;
  });

  it('goes on with the work when the only request that waits is gone', async () => {
    const client = new AbortController();
    const gone = new Error('The client is gone.');
    const prepared = world.derived.prepare(reader, { signal: client.signal });
    client.abort(gone);
    await assert.rejects(prepared, (error) => error === gone);
    const next = await world.derived.prepare(reader);
    assert.equal(world.read(next, 'pub/a.md'), 'first');
  });

  it('serves an approver of the root the own repository, and keeps none for it', async () => {
    const { workspace, paths } = world.bench;
    await world.derived.prepare(reader);
    await world.grant(reader, 'approver', '');
    const { path, head, isOwn } = await world.derived.prepare(reader);
    assert.deepEqual(
      { path, head, isOwn },
      { path: paths.repository, head: await workspace.repository.head(), isOwn: true },
    );
    world.bench.clock.advance(60 * 60 * 1000);
    await world.derived.sweep();
    assert.equal(world.has(reader), false);
  });

  it('gives a fetch that goes on what its client was told of, for a while and as long as nothing was taken away', async () => {
    const { actor, clock } = world.bench;
    const goOn = () => world.derived.present(reader, { within: 10_000 });
    const told = await world.derived.prepare(reader);
    await actor.update('pub/a.md', 'second');
    await actor.update('sec/b.md', 'more');
    const next = await goOn();
    assert.equal(next.head, told.head);
    assert.equal(await world.isCurrent(next), true);
    clock.advance(10_001);
    const late = await goOn();
    assert.equal(world.read(late, 'pub/a.md'), 'second');
    await actor.move('pub/a.md', 'sec', true);
    assert.equal(await world.isCurrent(late), false, 'the transaction of its record would see the move');
    assert.notEqual((await goOn()).life, late.life);
  });

  it('takes a repository for current until its principal may read less', async () => {
    const { actor } = world.bench;
    const other = await world.person('reader', 'sec');
    await actor.createFolder('far');
    await actor.create('far/c.md');
    const prepared = await world.derived.prepare(reader);
    await actor.update('pub/a.md', 'second');
    await actor.create('pub/new.md');
    await world.grant(other, 'editor', 'far');
    await actor.move('far/c.md', 'sec', true);
    await actor.delete('sec/c.md');
    assert.equal(await world.isCurrent(prepared), true, 'neither writes nor what is hidden make it old');
    await actor.move('pub/new.md', 'sec', true);
    assert.equal(await world.isCurrent(prepared), false, 'after a move out of the reach');
    const again = await world.derived.prepare(reader);
    assert.equal(await world.isCurrent(again), true);
    await world.revoke(reader, 'reader', 'pub');
    assert.equal(await world.isCurrent(again), false, 'after a revocation');
  });

  it('ends what reads a repository that is made again, since its principal may read less', async () => {
    await world.grant(reader, 'reader', 'sec');
    const wide = await world.derived.prepare(reader);
    const hold = world.derived.hold(wide);
    await world.revoke(reader, 'reader', 'sec');
    const narrow = await world.derived.prepare(reader);
    assert.ok(hold.signal.aborted);
    hold.release();
    assert.notEqual(narrow.head, wide.head);
    assert.equal(await world.isCurrent(wide), false);
    const late = world.derived.hold(wide);
    assert.ok(late.signal.aborted, 'a request that prepared it before cannot read it any more');
    late.release();
    const present = world.derived.hold(narrow);
    assert.equal(present.signal.aborted, false);
    present.release();
  });

  it('makes a damaged repository again, and says so in the log', async () => {
    const { path, head } = await world.derived.prepare(reader);
    const packs = join(path, 'objects', 'pack');
    for (const name of await readdir(packs)) await rm(join(packs, name));
    const again = await world.derived.prepare(reader);
    assert.equal(again.head, head, 'the same reach and history give the same commits');
    assert.equal(world.read(again, 'pub/a.md'), 'first');
    assert.match(world.bench.reported.map(({ what }) => what).join(), /was damaged; it was made again/);
  });

  it('makes a repository again whose state names a lost head, and says so in the log', async () => {
    const { head } = await world.derived.prepare(reader);
    const file = join(world.folder, reader, 'state');
    const state = await readFile(file, 'utf8');
    await writeFile(file, state.replace(head ?? '', 'ab'.repeat(20)));
    const again = await world.derived.prepare(reader);
    assert.equal(again.head, head);
    assert.equal(world.read(again, 'pub/a.md'), 'first');
    assert.match(world.bench.reported.map(({ what }) => what).join(), /was damaged; it was made again/);
  });

  it('keeps a repository while git is ended from outside, and serves it when that is over', async () => {
    const early = await world.derived.prepare(reader);
    const life = await stat(join(early.path, 'HEAD'));
    for (let n = 0; n < 4; n += 1) await world.bench.actor.create(`pub/${n}.txt`, randomBytes(3e6).toString('hex'));
    const killed = new Set<number>();
    const done = { isOver: false };
    const growing = world.derived.prepare(reader).finally(() => (done.isOver = true));
    growing.catch(() => undefined);
    await until('each git that writes was ended', () => {
      for (const id of endImports()) killed.add(id);
      return done.isOver;
    });
    assert.equal(killed.size, 2, 'it is tried once more');
    await assert.rejects(growing, (error) => refused('UNAVAILABLE')(error) && (error as Refusal).retryAfter === 5);
    const grown = await world.derived.prepare(reader);
    assert.equal((await stat(join(grown.path, 'HEAD'))).ino, life.ino);
    assert.equal(grown.life, early.life);
    assert.equal(
      git(grown.path, ['merge-base', `${early.head}`, `${grown.head}`])
        .toString()
        .trim(),
      early.head,
    );
  });

  it('goes on where an earlier process ended', async () => {
    const { head } = await world.derived.prepare(reader);
    await world.reopen('later');
    assert.equal((await world.derived.prepare(reader)).head, head);
    await world.bench.actor.update('pub/a.md', 'second');
    const grown = await world.derived.prepare(reader);
    assert.equal(world.read(grown, 'pub/a.md'), 'second');
    assert.equal(world.count(grown), 2);
  });

  it('makes a repository again where an older copy of the other files was put in place', async () => {
    const { bench } = world;
    await bench.close();
    const older = await mkdtemp(join(tmpdir(), 'cartulary-older-'));
    try {
      await cp(bench.paths.folder, older, { recursive: true });
      await bench.open();
      await bench.actor.update('pub/a.md', 'of another life');
      await world.derived.prepare(reader);
      await bench.close();
      for (const name of ['content.git', 'sidecar.sqlite', 'search']) {
        await rm(join(bench.paths.folder, name), { recursive: true, force: true });
        await cp(join(older, name), join(bench.paths.folder, name), { recursive: true });
      }
      await bench.open();
      await bench.actor.update('pub/a.md', 'of this life');
      assert.equal(world.read(await world.derived.prepare(reader), 'pub/a.md'), 'of this life');
      assert.match(bench.reported.map(({ what }) => what).join(), /is of a later state than the workspace/);
    } finally {
      await rm(older, { recursive: true, force: true });
    }
  });

  it('makes no more derived repositories at a time than the limit allows', async () => {
    await world.close();
    const workLimits = makeWorkLimits({ derivations: { inAll: 1 } });
    world = await DerivedBench.open({ workLimits });
    const people = await Promise.all(['a', 'b', 'c'].map((folder) => world.person('reader', folder)));
    for (const folder of ['a', 'b', 'c']) await world.bench.actor.create(`${folder}/one.md`, folder);
    const all = await Promise.all(people.map((id) => world.derived.prepare(id)));
    assert.deepEqual(
      all.map((each, index) => world.read(each, `${['a', 'b', 'c'][index]}/one.md`)),
      ['a', 'b', 'c'],
    );
  });

  it('bounds what all open pushes have sent together, and counts no more what has ended', async () => {
    const other = await world.person('editor', 'sec');
    const gibibyte = 1024 * 1024 * 1024;
    const one = await world.derived.openQuarantine(await world.derived.prepare(reader));
    const two = await world.derived.openQuarantine(await world.derived.prepare(other));
    one.take(gibibyte);
    two.take(gibibyte);
    assert.throws(() => two.take(1), refused('UNAVAILABLE'));
    await one.drop();
    await one.drop();
    two.take(2 * gibibyte);
    await two.drop();
  });

  it('serves what is unchanged while the disk is low, and makes nothing', async () => {
    const { head } = await world.derived.prepare(reader);
    const other = await world.person('reader', 'sec');
    const space = { free: 900, total: 1000 };
    const disk = new DiskRoom({
      folder: '/',
      reserve: 100,
      clock: world.bench.clock,
      measure: () => Promise.resolve<DiskSpace>(space),
      onChange: () => undefined,
    });
    await world.reopen('low', { disk });
    const low = (): void => {
      space.free = 10;
      world.bench.clock.advance(2000);
    };
    low();
    const again = await world.derived.prepare(reader);
    assert.equal(again.head, head);
    assert.equal(world.read(again, 'pub/a.md'), 'first');
    await assert.rejects(world.derived.prepare(other), refused('UNAVAILABLE', 'storage_full'));
    assert.equal(world.has(other), false);
    space.free = 900;
    world.bench.clock.advance(2000);
    await world.bench.actor.update('pub/a.md', 'second');
    low();
    await assert.rejects(world.derived.prepare(reader), refused('UNAVAILABLE', 'storage_full'));
    space.free = 900;
    world.bench.clock.advance(2000);
    assert.equal(world.read(await world.derived.prepare(reader), 'pub/a.md'), 'second');
    assert.deepEqual(world.bench.reported, []);
  });

  it('ends what reads a repository when the workspace is closed', async () => {
    const prepared = await world.derived.prepare(reader);
    const hold = world.derived.hold(prepared);
    hold.signal.addEventListener('abort', () => hold.release());
    await world.bench.close();
    assert.ok(hold.signal.aborted);
  });

  for (const [store, words] of [
    ['memory', /kept in memory/],
    ['disk-without-git', /without the git program/],
  ] as const) {
    it(`refuses with the remedy (${store})`, async () => {
      const test = await openTestService({ store });
      try {
        const { id } = await test.person('reader', 'pub');
        await assert.rejects(test.workspace.derived.prepare(id), (error) => {
          assert.ok(refused('INVALID_REQUEST', 'git_missing')(error));
          assert.match((error as Error).message, words);
          return true;
        });
      } finally {
        await test.close();
      }
    });
  }
});

const refused = (code: string, reason?: string) => (error: unknown) =>
  error instanceof Refusal && error.code === code && error.details?.reason === reason;

/** Ends the git programs of this process that write repositories. @returns their ids */
function endImports(): number[] {
  return readdirSync('/proc').flatMap((name) => {
    try {
      if (!/^\d+$/.test(name) || !readFileSync(`/proc/${name}/cmdline`, 'latin1').includes('\0fast-import\0'))
        return [];
      const parent = readFileSync(`/proc/${name}/stat`, 'latin1').split(') ')[1]?.split(' ')[1];
      if (parent !== String(process.pid)) return [];
      process.kill(Number(name), 'SIGKILL');
      return [Number(name)];
    } catch {
      return []; // It has ended.
    }
  });
}
