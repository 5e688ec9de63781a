import assert from 'node:assert/strict';
import { closeSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { openForCarrying } from '../../lib/sidecar/database.js';
import { LogReader } from '../../lib/sidecar/read-log.js';
import { makeFolder, tidyUp, timeout } from '../support/processes/run-program.js';
import { noteState, openFollowed, pinWhole, readSets, requireSame, send, type Followed } from './followed.js';

const logHead = 32;
const frameSize = 24 + 4096;

const now = 1_700_000_000_000;

describe('The reader of a log', function () {
  this.timeout(timeout);

  let open: Followed;
  let reader: LogReader;

  beforeEach(async () => {
    open = openFollowed(join(await makeFolder(), 'a.sqlite'));
    reader = new LogReader(open.file);
    assert.equal(reader.catchUp(), true);
  });

  afterEach(() => {
    open.close();
    reader.close();
  });

  after(tidyUp);

  it('counts commits, and names the pages that each changed', () => {
    const pages = new Set<number>();
    assert.equal(reader.read(pages), 0);
    open.write(() => open.put(1, 20_000));
    assert.equal(reader.read(pages), 1);
    assert.ok(pages.has(1) && pages.size >= 6);
    for (const page of pages) assert.ok((reader.offsetOf(page) ?? 0) >= logHead);
    assert.equal(reader.pages, open.connection.pragma('page_count', { simple: true }));
    for (let count = 0; count < 3; count++) open.write(() => open.put(count, 10));
    open.write(() => undefined);
    assert.equal(reader.read(new Set()), 3);
  });

  it('takes no page of what was rolled back, though it lies in the log', () => {
    open.connection.pragma('cache_size = 10');
    open.write(() => open.put(1, 10));
    const pages = new Set<number>();
    reader.read(pages);
    pages.clear();
    open.transaction.begin();
    for (let id = 0; id < 50; id++) open.put(id, 10_000);
    assert.equal(reader.read(pages), 0);
    open.transaction.rollback();
    assert.equal(reader.read(pages), 0);
    assert.equal(pages.size, 0);
    open.write(() => open.put(1, 20));
    assert.equal(reader.read(pages), 1);
    assert.ok(pages.size > 0 && pages.size < 12);
  });

  it('goes on when the log was begun again and is shorter than before', () => {
    open.write(() => open.put(1, 200_000));
    reader.read(new Set());
    const { frames } = reader;
    open.connection.pragma('wal_checkpoint(PASSIVE)');
    open.write(() => open.put(2, 10));
    const pages = new Set<number>();
    assert.equal(reader.read(pages), 1);
    assert.ok(reader.frames < frames && pages.size === reader.frames);
    open.connection.pragma('wal_checkpoint(TRUNCATE)');
    assert.equal(reader.read(pages), 0);
    assert.equal(reader.frames, 0);
    open.write(() => open.put(3, 10));
    assert.equal(reader.read(pages), 1);
    assert.equal(reader.isLost, false);
  });

  it('reads while a write goes on that has begun the log again', () => {
    open.connection.pragma('cache_size = 10');
    open.write(() => open.put(1, 10));
    reader.read(new Set());
    open.connection.pragma('wal_checkpoint(PASSIVE)');
    open.transaction.begin();
    for (let id = 0; id < 50; id++) open.put(id, 10_000);
    assert.equal(reader.read(new Set()), 0);
    assert.equal(reader.frames, 0);
    open.transaction.commit();
    assert.equal(reader.read(new Set()), 1);
    assert.equal(reader.isLost, false);
  });

  it('is lost when the log was begun again before it had read everything', () => {
    open.write(() => open.put(1, 10));
    open.connection.pragma('wal_checkpoint(PASSIVE)');
    open.write(() => open.put(1, 10));
    assert.equal(reader.read(new Set()), 0);
    assert.equal(reader.isLost, true);
    assert.equal(reader.catchUp(), true);
    assert.equal(reader.isLost, false);
    open.write(() => open.put(2, 10));
    assert.equal(reader.read(new Set()), 1);
  });

  it('is lost after a commit too large to be read at once, and catches up in steps', () => {
    open.connection.pragma('wal_autocheckpoint = 0');
    open.write(() => open.put(1, 40_000_000));
    assert.equal(reader.read(new Set()), 0);
    assert.equal(reader.isLost, true);
    let steps = 0;
    while (!reader.catchUp()) steps += 1;
    assert.ok(steps >= 4);
    assert.equal(reader.isLost, false);
  });

  it('begins again with the log between two steps', () => {
    open.connection.pragma('wal_autocheckpoint = 0');
    open.write(() => open.put(1, 40_000_000));
    reader.read(new Set());
    assert.equal(reader.catchUp(), false);
    open.connection.pragma('wal_checkpoint(PASSIVE)');
    open.write(() => open.put(2, 10));
    assert.equal(reader.catchUp(), true);
    assert.ok(reader.frames < 20);
  });

  it('is lost, and names no wrong page, whichever byte of a commit is damaged', () => {
    const descriptor = openSync(`${open.file}-wal`, 'r+');
    const places = [...Array.from({ length: 24 }, (_, at) => at), 24, 25, 500, 2048, 4000, frameSize - 1];
    for (const place of [...places, ...places.map((at) => at + frameSize)]) {
      open.write(() => open.put(1, 10));
      const offset = logHead + reader.frames * frameSize + place;
      flip(descriptor, offset);
      assert.equal(reader.read(new Set()), 0, `byte ${place}`);
      assert.equal(reader.isLost, true, `byte ${place}`);
      assert.equal(reader.catchUp(), false, `byte ${place}`);
      flip(descriptor, offset);
      assert.equal(reader.catchUp(), true);
    }
    for (let place = 0; place < logHead; place++) {
      // SQLite itself reads the form's number (4 to 7) and the counter (12 to 15) only in the checksum.
      flip(descriptor, place);
      reader.lose();
      assert.equal(reader.catchUp(), false, `byte ${place} of the head`);
      flip(descriptor, place);
      assert.equal(reader.catchUp(), true);
    }
    closeSync(descriptor);
  });

  it('is lost when a frame fits the others, and is not the one that SQLite wrote', () => {
    open.write(() => open.put(1, 10));
    reader.read(new Set());
    open.write(() => open.put(1, 10_000));
    const descriptor = openSync(`${open.file}-wal`, 'r+');
    const frames = Buffer.alloc(statSync(`${open.file}-wal`).size - logHead);
    readSync(descriptor, frames, 0, frames.length, logHead);
    const last = frames.subarray(frames.length - frameSize);
    last[frameSize - 1] = (last[frameSize - 1] ?? 0) ^ 1;
    const before = frames.subarray(frames.length - 2 * frameSize);
    let sums = [before.readUInt32BE(16), before.readUInt32BE(20)] as const;
    for (let at = 0; at < frameSize; at = at === 0 ? 24 : at + 8) {
      const one = (sums[0] + last.readUInt32LE(at) + sums[1]) >>> 0;
      sums = [one, (sums[1] + last.readUInt32LE(at + 4) + one) >>> 0];
    }
    last.writeUInt32BE(sums[0], 16);
    last.writeUInt32BE(sums[1], 20);
    writeSync(descriptor, frames, 0, frames.length, logHead);
    closeSync(descriptor);
    assert.equal(reader.read(new Set()), 0);
    assert.equal(reader.isLost, true);
  });

  it('is not lost when frames of an older log lie behind the end', () => {
    open.write(() => open.put(1, 100_000));
    reader.read(new Set());
    const other = openForCarrying(open.file);
    other.pragma('wal_checkpoint(PASSIVE)');
    other.close();
    open.write(() => open.put(1, 10));
    assert.equal(reader.read(new Set()), 1);
    assert.equal(reader.isLost, false);
  });

  it('lets a copy begin again where a frame of its moment is damaged', async () => {
    pinWhole(open).release();
    open.write(() => open.put(1, 10));
    const pinned = open.followed.cut(now);
    assert.ok(pinned !== undefined);
    const descriptor = openSync(`${open.file}-wal`, 'r+');
    const last = logHead + (open.followed.logged - 1) * frameSize;
    flip(descriptor, last + 8);
    await assert.rejects(send(pinned), { name: 'PinLost' });
    open.followed.giveBack(pinned);
    assert.equal(open.followed.isLost, true);
    assert.equal(open.followed.cut(now), undefined);
    flip(descriptor, last + 8);
    closeSync(descriptor);
    const noted = noteState(open, await makeFolder(), 'noted');
    await requireSame(await readSets([await send(pinWhole(open))]), noted, 'the new beginning');
  });
});

function flip(descriptor: number, offset: number): void {
  const byte = Buffer.alloc(1);
  readSync(descriptor, byte, 0, 1, offset);
  byte[0] = (byte[0] ?? 0) ^ (1 << (offset % 8));
  writeSync(descriptor, byte, 0, 1, offset);
}
