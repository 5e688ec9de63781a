import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { openForReading } from '../../lib/sidecar/database.js';
import type { Connection } from '../../lib/sidecar/driver.js';
import { startThread } from '../../lib/scheduling/start-thread.js';
import { makeFolder, tidyUp, timeout } from '../support/processes/run-program.js';
import { noteState, openFollowed, pinWhole, readSets, requireSame, send, type Followed } from './followed.js';

/** Numbers that are the same in each run. */
function makeDice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

const rounds = 14;
const sizes = [10, 60, 400, 3000, 30_000];

/** One history by chance of a file that a copy follows. */
class History {
  readonly #dice: (sides: number) => number;
  readonly #file: string;
  #open: Followed;
  #reader: Connection;
  #isHeld = false;
  #threads: Promise<void>[] = [];

  constructor(file: string, seed: number) {
    this.#dice = makeDice(seed);
    this.#file = file;
    this.#open = this.#start();
    this.#reader = openForReading(file);
  }

  get open(): Followed {
    return this.#open;
  }

  /** A write that is not committed yet, and of which the log has pages. */
  beginLong(): void {
    this.#open.transaction.begin();
    this.#edit(40);
  }

  change(): void {
    this.#endLong();
    for (let count = 1 + this.#dice(4); count > 0; count--) this.#transact();
    this.#tend();
  }

  async reopen(): Promise<void> {
    await this.end();
    this.#open = this.#start();
    this.#reader = openForReading(this.#file);
  }

  isTime(sides: number): boolean {
    return this.#dice(sides) === 0;
  }

  async end(): Promise<void> {
    this.#endLong();
    await Promise.all(this.#threads);
    this.#threads = [];
    this.#reader.close();
    this.#isHeld = false;
    this.#open.close();
  }

  #start(): Followed {
    const settings = ['cache_size = 12', `wal_autocheckpoint = ${20 + this.#dice(150)}`];
    return openFollowed(this.#file, settings, 512 << this.#dice(5));
  }

  #endLong(): void {
    if (!this.#open.transaction.isOpen) return;
    if (this.isTime(2)) this.#open.transaction.commit();
    else this.#open.transaction.rollback();
  }

  #transact(): void {
    const { transaction, connection } = this.#open;
    transaction.begin();
    this.#edit(1 + this.#dice(6));
    if (this.isTime(3)) {
      transaction.savepoint();
      this.#edit(1 + this.#dice(12));
      if (this.isTime(2)) transaction.rollbackToSavepoint();
      else transaction.release();
    }
    // More than the connection's cache holds: pages are written into the log before the commit.
    if (this.isTime(4)) this.#edit(40);
    if (this.isTime(5)) connection.pragma(`incremental_vacuum(${1 + this.#dice(60)})`);
    if (this.isTime(5)) transaction.rollback();
    else transaction.commit();
  }

  #edit(count: number): void {
    const { connection, put } = this.#open;
    for (let edit = 0; edit < count; edit++) {
      const id = this.#dice(300);
      if (this.isTime(3)) connection.prepare('DELETE FROM item WHERE id BETWEEN ? AND ?').run(id, id + this.#dice(20));
      else put(id, this.#dice(sizes[this.#dice(sizes.length)] as number));
    }
  }

  #tend(): void {
    const { connection } = this.#open;
    const modes = ['PASSIVE', 'FULL', 'RESTART', 'TRUNCATE'];
    if (this.isTime(6)) {
      connection.pragma('busy_timeout = 0');
      connection.pragma(`wal_checkpoint(${modes[this.#dice(modes.length)]})`);
    }
    if (this.isTime(8)) this.#threads.push(carryInThread(this.#file));
    if (this.#isHeld && this.isTime(2)) {
      this.#reader.exec('COMMIT');
      this.#isHeld = false;
    } else if (!this.#isHeld && this.isTime(5)) {
      this.#reader.exec('BEGIN');
      this.#reader.prepare('SELECT count(*) FROM item').get();
      this.#isHeld = true;
    }
  }
}

const carryInThread = (file: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const thread = startThread(new URL('../../lib/sidecar/log-worker.js', import.meta.url), { workerData: file });
    thread.on('error', reject);
    thread.on('exit', () => resolve());
  });

const now = 1_700_000_000_000;

describe('A file that a copy follows', function () {
  this.timeout(timeout);

  after(tidyUp);

  it('is made again from its page sets, to the byte, whatever was written and carried meanwhile', async () => {
    const occurred = { logGone: 0, wholes: 0, sets: 0 };
    for (let seed = 1; seed <= 6; seed++) {
      const folder = await makeFolder();
      const history = new History(join(folder, 'a.sqlite'), seed);
      let sets: Buffer[] = [];
      for (let round = 0; round < rounds; round++) {
        for (let count = 0; count < 4; count++) history.change();
        const isReopened = history.isTime(10);
        if (isReopened) await history.reopen();
        const whole = history.open.followed.isLost;
        assert.equal(whole, isReopened || round === 0, `seed ${seed}, round ${round}`);
        if (whole) sets = [];
        if (history.isTime(3)) history.beginLong();
        const noted = noteState(history.open, folder, `${round}`);
        const pinned = whole ? pinWhole(history.open) : history.open.followed.cut(now);
        if (pinned === undefined) continue;
        sets.push(await send(pinned, () => history.change()));
        occurred.wholes += Number(whole);
        occurred.sets += 1;
        occurred.logGone += Number(pinned.isLogGone);
        const what = `seed ${seed}, round ${round}`;
        await requireSame(await readSets(sets), noted, what);
      }
      await history.end();
    }
    assert.ok(occurred.logGone > 0 && occurred.wholes > 6 && occurred.sets > 60, JSON.stringify(occurred));
  });

  it('is read from its log as of a moment, as long as the file has not everything', async () => {
    const folder = await makeFolder();
    const open = openFollowed(join(folder, 'a.sqlite'));
    open.write(() => fill(open, 0, 200));
    const noted = noteState(open, folder, 'noted');
    const pinned = pinWhole(open);
    const bytes = await send(pinned, () => {
      open.write(() => fill(open, 0, 200));
      const [outcome] = open.connection.pragma('wal_checkpoint(PASSIVE)') as { log: number; checkpointed: number }[];
      // The pin keeps later frames out of the file.
      assert.ok(outcome !== undefined && outcome.checkpointed < outcome.log);
    });
    assert.equal(pinned.isLogGone, false);
    await requireSame(await readSets([bytes]), noted, 'the whole file');
    open.close();
  });

  it('is read from the file as of a moment, once the log was begun again', async () => {
    const folder = await makeFolder();
    const open = openFollowed(join(folder, 'a.sqlite'));
    const whole = await send(pinWhole(open));
    open.write(() => fill(open, 0, 200));
    open.connection.pragma('wal_checkpoint(PASSIVE)');
    const noted = noteState(open, folder, 'noted');
    const changed = open.followed.cut(now);
    assert.ok(changed !== undefined);
    const frames = open.followed.logged;
    const bytes = await send(changed, () => {
      open.write(() => fill(open, 0, 30));
      open.connection.pragma('wal_checkpoint(PASSIVE)');
    });
    assert.ok(open.followed.logged < frames);
    assert.equal(changed.isLogGone, true);
    await requireSame(await readSets([whole, bytes]), noted, 'whole file and changes');
    open.close();
  });

  it('has no beginning where its state could not be pinned', async () => {
    const open = openFollowed(join(await makeFolder(), 'a.sqlite'));
    renameSync(open.file, `${open.file}-away`);
    assert.throws(() => open.followed.cutWhole(now), /unable to open|does not exist/);
    renameSync(`${open.file}-away`, open.file);
    assert.equal(open.followed.isLost, true);
    assert.deepEqual(pinWhole(open).groups, { first: 0, last: 0 });
    open.close();
    assert.equal(open.followed.cutWhole(now), undefined);
  });

  it('gives back what was not sent, and begins again after a whole file that was not', async () => {
    const open = openFollowed(join(await makeFolder(), 'a.sqlite'));
    assert.equal(open.followed.cut(now), undefined);
    open.write(() => fill(open, 0, 50));
    pinWhole(open).release();
    open.write(() => open.put(1, 20_000));
    const first = open.followed.cut(now);
    assert.ok(first !== undefined);
    assert.throws(() => open.followed.cut(now), /another moment is pinned/);
    assert.equal(open.followed.changed, 0);
    open.followed.giveBack(first);
    open.write(() => open.connection.exec('UPDATE item SET body = zeroblob(9) WHERE id = 49'));
    const second = open.followed.cut(now);
    assert.deepEqual(second?.groups, { first: 1, last: 2 });
    assert.ok(second !== undefined && [...first.numbers].every((number) => second.numbers.includes(number)));
    second.release();
    assert.equal(open.followed.cut(now), undefined);
    const whole = open.followed.cutWhole(now);
    assert.deepEqual(whole?.groups, { first: 0, last: 2 });
    assert.ok(whole !== undefined);
    open.followed.giveBack(whole);
    assert.equal(open.followed.isLost, true);
    const again = pinWhole(open);
    assert.deepEqual(again.groups, { first: 0, last: 0 });
    open.close();
    assert.equal(open.followed.isClosed, true);
  });
});

function fill(open: Followed, from: number, to: number): void {
  for (let id = from; id < to; id++) open.put(id, 3000);
}
