import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, open, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makePackable } from '../../lib/git/objects/objects.js';
import { RepositoryUnreadable } from '../../lib/git/repositories/repository.js';
import { openForCarrying, openForReading, openForWriting } from '../../lib/sidecar/database.js';
import { WorkspaceUnsound } from '../../lib/journal/recover.js';
import { fsck } from '../support/git/fixture.js';
import { outcomeOf } from '../support/store/actor.js';
import { until } from '../support/until.js';
import { skipBecause } from '../support/skip.js';
import { checkSelf, Evidence } from './check.js';
import { damagePages, makeFilled } from './damaged-pages.js';
import { makeRandom } from '../support/faults/load.js';
import { makeWorkbench, readAll, Workbench } from '../support/faults/workbench.js';
import { Sqlite } from '../support/store/sqlite.js';

/** Text that compresses badly, so that its stored form is long enough to damage. */
const textOf = (seed: string, size: number): string => {
  const random = makeRandom(seed);
  return Array.from({ length: size }, () => String.fromCharCode(33 + Math.floor(random() * 90))).join('');
};

const early = textOf('early', 20_000);
const late = textOf('late', 20_000);

for (const program of ['auto', 'never'] as const) {
  describe(`damage to the repository (${program === 'auto' ? 'with' : 'without'} the git program)`, () => {
    let bench: Workbench;
    /** The pack with early.md; late.md and the newest commit lie in another. */
    let pack: string;

    beforeEach(async () => {
      bench = await makeWorkbench({ git: program });
      await bench.actor.create('early.md', early);
      await bench.workspace.checkpointer.run();
      pack = files('.pack')[0] ?? '';
      await bench.actor.create('late.md', late);
      await bench.reopen(); // nothing is in memory now
    });
    afterEach(() => bench.remove());

    function files(ending: string): string[] {
      const folder = join(bench.paths.repository, 'objects', 'pack');
      return readdirSync(folder)
        .filter((name) => name.endsWith(ending))
        .map((name) => join(folder, name));
    }

    async function flip(file: string, position: number): Promise<void> {
      await chmod(file, 0o644);
      const handle = await open(file, 'r+');
      const byte = Buffer.alloc(1);
      await handle.read(byte, 0, 1, position);
      byte[0] = (byte[0] ?? 0) ^ 0x40;
      await handle.write(byte, 0, 1, position);
      await handle.close();
    }

    /** Reads of damaged objects fail, and all other requests work. After the repair everything is as before. */
    async function failsAlone(damage: () => Promise<void>, mend: () => Promise<void>): Promise<void> {
      await bench.close();
      await damage();
      await bench.open();
      assert.equal(await outcomeOf(bench.actor.read('early.md')), 'INTERNAL');
      assert.equal(await bench.actor.read('late.md'), late);
      await bench.actor.create('new.md', 'new');
      await bench.workspace.checkpointer.run();
      assert.equal(await bench.actor.read('new.md'), 'new');
      assert.notDeepEqual(await bench.workspace.repository.fsck(), []);
      await bench.close();
      await mend();
      await bench.open();
      assert.equal(await bench.actor.read('early.md'), early);
      assert.equal(await bench.actor.read('new.md'), 'new');
      await bench.close();
      assert.equal(fsck(bench.paths.repository), '');
    }

    it('a flipped byte in a pack', () =>
      failsAlone(
        () => flip(pack, 9000),
        () => flip(pack, 9000),
      ));

    it('a shortened pack', async () => {
      const whole = await readFile(pack);
      await failsAlone(
        async () => {
          await chmod(pack, 0o644);
          await truncate(pack, 5000);
        },
        () => writeFile(pack, whole),
      );
    });

    it('a missing pack', () =>
      failsAlone(
        () => rename(pack, `${pack}.away`),
        () => rename(`${pack}.away`, pack),
      ));

    it('a missing index: the right bytes or none, and the next opening makes it again', async () => {
      await rm(pack.replace('.pack', '.idx'));
      const outcome = await outcomeOf(bench.actor.read('early.md'));
      if (outcome === 'done') assert.equal(await bench.actor.read('early.md'), early);
      else assert.equal(outcome, 'INTERNAL');
      await bench.reopen();
      assert.equal(await bench.actor.read('early.md'), early);
      await bench.close();
      assert.equal(fsck(bench.paths.repository), '');
    });

    it('an index that points at other objects: no object is served under a wrong name', async () => {
      const index = pack.replace('.pack', '.idx');
      const { oid } = makePackable('blob', Buffer.from(early));
      await exchangeOffset(index, oid);
      assert.equal(await outcomeOf(bench.actor.read('early.md')), 'INTERNAL');
      assert.equal(await bench.actor.read('late.md'), late);
    });

    it('an index that points at other objects: the next opening makes it again', async () => {
      const { oid } = makePackable('blob', Buffer.from(early));
      await bench.close();
      await exchangeOffset(pack.replace('.pack', '.idx'), oid);
      await bench.open();
      assert.equal(await bench.actor.read('early.md'), early);
      assert.deepEqual(await bench.workspace.repository.fsck(), []);
      await bench.close();
      assert.equal(fsck(bench.paths.repository), '');
    });

    it('an index that points at other objects: a stream ends in an error before the whole wrong object', async function () {
      if (program === 'never') skipBecause(this, 'without git, large blobs keep files of their own');
      const [one, two] = ['1', '2'].map((digit) => digit.repeat(1_200_000));
      await bench.actor.create('one.md', one);
      await bench.actor.create('two.md', two);
      await bench.workspace.checkpointer.run();
      await bench.workspace.maintainer.run();
      // An opening would mend the index.
      await bench.reopen();
      const [index] = files('.idx').filter((file) => !file.startsWith(pack.slice(0, -5)));
      const [oid, other] = [one, two].map((text) => makePackable('blob', Buffer.from(text ?? '')).oid);
      await rm(join(bench.paths.repository, 'objects', 'pack', 'multi-pack-index'), { force: true });
      await exchangeOffset(index ?? '', oid ?? '', other);
      const stream = await bench.workspace.objects.streamBlob(oid ?? '');
      let bytes = 0;
      await assert.rejects(async () => {
        for await (const piece of stream as AsyncIterable<Buffer>) bytes += piece.length;
      }, RepositoryUnreadable);
      assert.ok(bytes < 1_200_000, 'all of another document was handed out');
    });

    it('a damaged newest commit: refused at opening, not served', async () => {
      await bench.close();
      const newest = files('.pack').filter((file) => file !== pack)[0] ?? '';
      const whole = await readFile(newest);
      await chmod(newest, 0o644);
      await truncate(newest, 40);
      await assert.rejects(bench.open());
      await writeFile(newest, whole);
      await bench.open();
      assert.equal(await bench.actor.read('late.md'), late);
    });
  });
}

/** Exchanges the offsets of this object and another, or its neighbour, in the index. */
async function exchangeOffset(file: string, oid: string, neighbour?: string): Promise<void> {
  await chmod(file, 0o644);
  const index = await readFile(file);
  const count = index.readUInt32BE(8 + 255 * 4);
  const names = Array.from({ length: count }, (_, i) => index.toString('hex', 1032 + i * 20, 1052 + i * 20));
  const at = names.indexOf(oid);
  const [mine, other] = [at, neighbour === undefined ? (at + 1) % count : names.indexOf(neighbour)].map(
    (i) => 1032 + count * 24 + i * 4,
  );
  const before = index.readUInt32BE(mine);
  index.writeUInt32BE(index.readUInt32BE(other), mine ?? 0);
  index.writeUInt32BE(before, other ?? 0);
  await writeFile(file, index);
}

describe('damage to the sidecar', () => {
  let bench: Workbench;
  beforeEach(async () => {
    bench = await makeWorkbench();
    for (let i = 0; i < 60; i++) await bench.actor.create(`folder-${i % 7}/${i}.md`, `text ${i}`);
  });
  afterEach(() => bench.remove());

  it('locked by another process: UNAVAILABLE for that time, and as before when it is free', async () => {
    const other = new Sqlite(bench.paths.sidecar);
    other.exec('BEGIN IMMEDIATE');
    const refusals = await Promise.all([
      outcomeOf(bench.actor.update('folder-1/1.md', 'changed')),
      outcomeOf(bench.actor.read('folder-2/2.md')),
    ]);
    assert.deepEqual(refusals, ['UNAVAILABLE', 'UNAVAILABLE']);
    other.close();
    assert.equal(await bench.actor.read('folder-1/1.md'), 'text 1');
    await bench.actor.update('folder-1/1.md', 'changed');
    assert.equal(await bench.actor.read('folder-1/1.md'), 'changed');
  });

  it('locked by another process: no request waits for long, though SQLite waits on the thread of all', () => {
    for (const open of [openForWriting, openForCarrying, openForReading]) {
      const connection = open(bench.paths.sidecar);
      const timeout = connection.pragma('busy_timeout', { simple: true }) as number;
      connection.close();
      assert.ok(timeout <= 250, `${open.name} waits for ${timeout} ms`);
    }
  });

  it('locked when it is opened: it cannot be opened, and can when it is free', async () => {
    await bench.close();
    const other = new Sqlite(bench.paths.sidecar);
    other.pragma('locking_mode = EXCLUSIVE');
    other.exec('BEGIN EXCLUSIVE');
    await assert.rejects(bench.open(), /locked/);
    other.close();
    await bench.open();
    assert.equal(await bench.actor.read('folder-1/1.md'), 'text 1');
  });

  it('overwritten, cut short or emptied: it cannot be opened, and no new one is made in its place', async () => {
    await bench.close();
    const whole = await readFile(bench.paths.sidecar);
    const damages = [Buffer.from('no database '.repeat(1000)), whole.subarray(0, 20_000), whole.subarray(0, 100)];
    for (const damage of damages) {
      await writeFile(bench.paths.sidecar, damage);
      await assert.rejects(bench.open());
    }
    await writeFile(bench.paths.sidecar, '');
    await assert.rejects(bench.open(), WorkspaceUnsound);
    await rm(`${bench.paths.sidecar}-wal`, { force: true });
    await rm(`${bench.paths.sidecar}-shm`, { force: true });
    await writeFile(bench.paths.sidecar, whole);
    await bench.open();
    assert.equal(await bench.actor.read('folder-1/1.md'), 'text 1');
  });

  it('cut anywhere in its write-ahead log: whole groups, or refused because the repository knows of more', async () => {
    const log = `${bench.paths.sidecar}-wal`;
    await bench.workspace.checkpointer.run();
    await bench.workspace.checkpointer.close(); // main stays where it is from here on
    const { size: sizeAtCheckpoint } = await stat(log);
    for (let i = 0; i < 10; i++) await bench.actor.create(`late/${i}.md`, `late ${i}`);
    const { size } = await stat(log);
    const random = makeRandom('cuts');
    const outcomes = { whole: 0, refused: 0 };
    for (let cut = 0; cut < 16; cut++) {
      const dataFolder = await mkdtemp(join(tmpdir(), 'cartulary-faults-'));
      const copy = new Workbench(dataFolder, {});
      await mkdir(copy.paths.folder);
      await cp(bench.paths.folder, copy.paths.folder, {
        recursive: true,
        filter: (source) => !source.endsWith('-shm'),
      });
      // After the checkpoint a power cut can lose groups; before it the repository is ahead.
      const isLate = cut < 8;
      const kept = isLate
        ? sizeAtCheckpoint + Math.floor(random() * (size - sizeAtCheckpoint))
        : Math.floor(random() * sizeAtCheckpoint);
      await truncate(`${copy.paths.sidecar}-wal`, kept);
      try {
        await copy.open();
        const evidence = new Evidence(copy.paths.folder);
        try {
          await checkSelf(evidence, copy.workspace);
          outcomes.whole += 1;
          const late = await copy.actor.list('late');
          assert.deepEqual(
            late,
            Array.from({ length: late.length }, (_, i) => `${i}.md`),
          );
        } finally {
          evidence.close();
        }
      } catch (error) {
        if (isLate || !(error instanceof WorkspaceUnsound)) throw error;
        outcomes.refused += 1;
      } finally {
        await copy.remove();
      }
    }
    assert.ok(outcomes.whole >= 8 && outcomes.refused > 0, JSON.stringify(outcomes));
  }).timeout(60_000);
});

describe('damage to any one page of the sidecar', () => {
  let bench: Workbench;
  beforeEach(async () => {
    bench = await makeFilled();
    await bench.close();
  });
  afterEach(() => bench.remove());

  it('answers of reads, lists, searches and exports are right, or UNAVAILABLE or INTERNAL', async () => {
    const options = { ways: ['head', 'zeros'], every: 5, readEvery: 9 } as const;
    const { wrong, outcomes } = await damagePages(bench, options);
    assert.deepEqual(wrong, []);
    assert.ok(outcomes.has('UNAVAILABLE'), [...outcomes].join(', '));
    await bench.open();
    assert.equal(await bench.actor.read('folder-1/1.md'), 'text 1 everywhere');
  }).timeout(60_000);

  it('where SQLite takes it for sound, and rows are silently gone, the workspace is found unsound', async () => {
    const { wrong } = await damagePages(bench, { ways: ['forget'], readEvery: 9 });
    assert.ok(wrong.length > 0, 'no page was taken for a sound one');
    for (const { page, noticed } of wrong)
      assert.ok(noticed.includes('sidecar'), `page ${page}: ${noticed.join(', ')}`);
  }).timeout(60_000);
});

describe('a disk that is really full, or really read-only', () => {
  let folder: string;
  let isMounted = false;
  before(async function () {
    folder = await mkdtemp(join(tmpdir(), 'cartulary-faults-'));
    isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=12m', 'tmpfs', folder]).status === 0;
    if (!isMounted) skipBecause(this, 'a file system of its own can only be mounted as root');
  });
  after(async () => {
    if (isMounted) spawnSync('umount', ['-l', folder]);
    await rm(folder, { recursive: true, force: true });
  });

  it('refuses writes and keeps its answered ones; continues when there is room; read-only it is not opened', async () => {
    const bench = await makeWorkbench({ dataFolder: folder });
    try {
      const { actor } = bench;
      const kept = new Map<string, string>();
      const fill = async (round: string): Promise<string> => {
        for (let i = 0; i < 400; i++) {
          const location = `${round}/${i}.md`;
          const text = `\u0000${textOf(location, 100_000)}`;
          const outcome = await outcomeOf(actor.create(location, text));
          if (outcome !== 'done') return outcome;
          kept.set(location, text);
        }
        return 'done';
      };
      assert.match(await fill('full'), /^(?:INTERNAL|UNAVAILABLE(?: storage_full)?)$/);
      assert.ok(kept.size > 5);
      spawnSync('mount', ['-o', 'remount,size=40m', folder]);
      await until('listing is answered again', async () => (await outcomeOf(actor.list())) === 'done');
      await bench.workspace.checkpointer.run();
      for (const [location, text] of kept) assert.equal(await readAll(actor, location), text);
      await actor.create('room.md', 'room');

      await bench.close();
      spawnSync('mount', ['-o', 'remount,ro', folder]);
      await assert.rejects(bench.open());
      spawnSync('mount', ['-o', 'remount,rw', folder]);
      await bench.open();
      assert.equal(await bench.actor.read('room.md'), 'room');
      await bench.reopen();
      const evidence = new Evidence(bench.paths.folder);
      await checkSelf(evidence, bench.workspace);
      evidence.close();
    } finally {
      await bench.close();
    }
  }).timeout(60_000);
});
