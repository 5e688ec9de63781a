import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bucket } from '../../lib/stored/bucket.js';
import { assertFault } from './assert-fault.js';
import { never, openBucketAt, readAll, realRandomness, storeKinds, type ServedStore } from './bucket-world.js';

for (const { title, start } of storeKinds) {
  describe(`a bucket of ${title}`, () => {
    let store: ServedStore;
    let folder: string;
    const buckets: Bucket[] = [];

    before(async function () {
      store = await start(this);
      folder = await mkdtemp(join(tmpdir(), 'cartulary-bucket-'));
    });
    beforeEach(() => (store.proxy.conditions = 'passed'));
    afterEach(() => {
      for (const bucket of buckets.splice(0)) bucket.close();
    });
    after(async () => {
      await store?.close();
      if (folder !== undefined) await rm(folder, { recursive: true });
    });

    it('gives back what it got, and knows what is absent', async () => {
      const bucket = openBucket();
      for (const size of [0, 1, 70_000]) {
        const bytes = Buffer.from(realRandomness.bytes(size));
        const { etag } = await bucket.putBytes(`bytes/${size}`, bytes, { signal: never });
        assert.equal(etag, `"${createHash('md5').update(bytes).digest('hex')}"`);
        const read = await bucket.getBytes(`bytes/${size}`, { maxBytes: 70_000, signal: never });
        assert.deepEqual(read, { bytes, etag });
        assert.deepEqual(await readAll(bucket.getStream(`bytes/${size}`, { signal: never })), bytes);
      }
      await assertFault(bucket.getBytes('bytes/70000', { maxBytes: 69_999, signal: never }), 'corrupt', /longer than/);
      assert.equal(await bucket.getBytes('bytes/none', { maxBytes: 10, signal: never }), undefined);
      await assertFault(readAll(bucket.getStream('bytes/none', { signal: never })), 'absent', /no such object/);
    });

    it('lists all names below a part of its prefix, and no others', async () => {
      const bucket = openBucket();
      const names = ['list/a', 'list/b/1.set', 'list/b/2.set', 'list/b 3', 'list/c+d', 'list/z%', 'list/ü'];
      for (const name of names) await bucket.putBytes(name, Buffer.from(name), { signal: never });
      await openBucket({ prefix: '' }).putBytes('list/outside', Buffer.from('x'), { signal: never });
      await bucket.putBytes('other', Buffer.from('x'), { signal: never });
      const listed = [];
      for await (const each of bucket.list('list/', { signal: never })) listed.push(each);
      assert.deepEqual(listed.map(({ name }) => name).sort(), [...names].sort());
      for (const { name, bytes, at } of listed) {
        assert.equal(bytes, Buffer.byteLength(name));
        assert.ok(Math.abs(at - Date.now()) < 60_000);
      }
      assert.deepEqual(await readNames(bucket, 'list/b/'), ['list/b/1.set', 'list/b/2.set']);
      assert.deepEqual(await readNames(bucket, 'none/'), []);
    });

    it('deletes many, and one that is not there', async () => {
      const bucket = openBucket();
      const names = Array.from({ length: 9 }, (_, index) => `gone/${index}`);
      for (const name of names) await bucket.putBytes(name, Buffer.from('x'), { signal: never });
      await bucket.delete([...names, 'gone/never'], { signal: never });
      assert.deepEqual(await readNames(bucket, 'gone/'), []);
      await bucket.delete([], { signal: never });
    });

    it('takes a small file, and one in parts', async () => {
      const bucket = openBucket();
      const small = await makeFile('small', 300_001);
      assert.deepEqual(await bucket.putFile('files/small', small.path, { signal: never }), { bytes: 300_001 });
      assert.equal(await hashOf(bucket, 'files/small'), small.sha256);
      const empty = await makeFile('empty', 0);
      await bucket.putFile('files/empty', empty.path, { signal: never });
      assert.equal(await hashOf(bucket, 'files/empty'), empty.sha256);
      const large = await makeFile('large', 70_000_000);
      assert.deepEqual(await bucket.putFile('files/large', large.path, { signal: never }), { bytes: 70_000_000 });
      assert.equal(await hashOf(bucket, 'files/large'), large.sha256);
      await bucket.delete(['files/large'], { signal: never });
      assert.equal(await bucket.getBytes('files/large', { maxBytes: 10, signal: never }), undefined);
    });

    // s3rver runs in this process, and its own memory would count.
    if (title !== 's3rver')
      it('holds little of a long file in memory', async () => {
        const bucket = openBucket();
        const size = 160_000_000;
        const { path } = await makeFile('long', size);
        const before = process.memoryUsage().arrayBuffers;
        let most = 0;
        const timer = setInterval(() => (most = Math.max(most, process.memoryUsage().arrayBuffers - before)), 5);
        try {
          await bucket.putFile('files/long', path, { signal: never });
          for await (const _ of bucket.getStream('files/long', { signal: never }));
        } finally {
          clearInterval(timer);
        }
        // The engine collects what is let go after some 32 MB.
        assert.ok(most < size / 2, `${most} bytes`);
      });

    it('sends what broke off again, in both directions', async () => {
      const bucket = openBucket({}, store.proxy.host);
      const file = await makeFile('broken', 900_000);
      store.proxy.next(
        { what: 'status', status: 503, headers: { 'retry-after': '1' } },
        { what: 'cut request', bytes: 200_000 },
        { what: 'drop' },
        { what: 'lost answer' },
      );
      await bucket.putFile('broken', file.path, { signal: never });
      store.proxy.next(
        { what: 'cut answer', bytes: 100_000 },
        { what: 'status', status: 500 },
        { what: 'cut answer', bytes: 300_000 },
        { what: 'drop' },
      );
      assert.equal(await hashOf(bucket, 'broken'), file.sha256);
    });

    it('puts a file together though each step of it fails once', async () => {
      const bucket = openBucket({}, store.proxy.host);
      const { path, sha256 } = await makeFile('parts', 64 * 1024 * 1024);
      store.proxy.next(
        { what: 'lost answer' },
        { what: 'none' },
        { what: 'cut request', bytes: 5_000_000 },
        { what: 'none' },
        { what: 'status', status: 503 },
        { what: 'none' },
        { what: 'lost answer' },
      );
      await bucket.putFile('parts', path, { signal: never });
      assert.equal(await hashOf(bucket, 'parts'), sha256);
    });

    it('ends an upload in parts that fails for good', async () => {
      const bucket = openBucket({ tries: 1 }, store.proxy.host);
      const { path } = await makeFile('aborted', 64 * 1024 * 1024);
      store.proxy.next({ what: 'none' }, { what: 'status', status: 500 });
      await assertFault(bucket.putFile('aborted', path, { signal: never }), 'away', /status 500/);
      assert.match(store.proxy.asked.at(-1) ?? '', /^DELETE .*uploadId=/);
    });

    it('tells whether conditions of writes are obeyed, and leaves nothing behind', async () => {
      const direct = await openBucket().probe({ isVersioned: false, signal: never });
      assert.deepEqual(direct, { conditions: false, isVersioned: false });
      const bucket = openBucket({}, store.proxy.host);
      store.proxy.conditions = 'ignored';
      assert.equal((await bucket.probe({ isVersioned: false, signal: never })).conditions, false);
      store.proxy.conditions = 'obeyed';
      assert.equal((await bucket.probe({ isVersioned: false, signal: never })).conditions, true);
      assert.deepEqual(await readNames(bucket, 'probe/'), []);
    });

    it('writes under conditions where the store obeys them', async () => {
      const plain = openBucket();
      await plain.putBytes('plain', Buffer.from('1'), { signal: never });
      const second = await plain.putBytes('plain', Buffer.from('2'), { signal: never, ifAbsent: true });
      assert.equal(typeof second === 'string' ? second : 'overwrites', store.onCondition);
      store.proxy.conditions = 'obeyed';
      const bucket = openBucket({}, store.proxy.host);
      const first = await bucket.putBytes('current', Buffer.from('1'), { signal: never, ifAbsent: true });
      assert.ok(typeof first !== 'string');
      assert.equal(await bucket.putBytes('current', Buffer.from('2'), { signal: never, ifAbsent: true }), 'refused');
      const next = await bucket.putBytes('current', Buffer.from('3'), { signal: never, ifMatch: first.etag });
      assert.ok(typeof next !== 'string');
      const late = await bucket.putBytes('current', Buffer.from('4'), { signal: never, ifMatch: first.etag });
      assert.equal(late, 'refused');
      store.proxy.next({ what: 'lost answer' });
      const own = await bucket.putBytes('current', Buffer.from('5'), { signal: never, ifMatch: next.etag });
      assert.ok(typeof own !== 'string', 'its own write, whose answer was lost, is no refusal');
      const read = await bucket.getBytes('current', { maxBytes: 10, signal: never });
      assert.deepEqual([String(read?.bytes), read?.etag], ['5', own.etag]);
      const racing = Array.from({ length: 8 }, (_, index) =>
        bucket.putBytes('raced', Buffer.from(`racer ${index}`), { signal: never, ifAbsent: true }),
      );
      assert.equal((await Promise.all(racing)).filter((outcome) => outcome !== 'refused').length, 1);
    });

    it('says that there is no such bucket, and ends when it is told to', async () => {
      const root = new URL(`http://${store.host}/absent`);
      const absent = openBucket({ root });
      await assertFault(absent.getBytes('x', { maxBytes: 1, signal: never }), 'absent', /no bucket of this name/);
      await assertFault(absent.putBytes('x', Buffer.from('x'), { signal: never }), 'absent', /no bucket of this name/);
      const stopping = new AbortController();
      store.proxy.next({ what: 'slow', milliseconds: 60_000 });
      const waiting = openBucket({}, store.proxy.host).getBytes('x', { maxBytes: 1, signal: stopping.signal });
      stopping.abort(new Error('told to'));
      await assert.rejects(waiting, /told to/);
    });

    function openBucket(change: Parameters<typeof openBucketAt>[2] = {}, host = store.host): Bucket {
      const bucket = openBucketAt(host, store.key, change);
      buckets.push(bucket);
      return bucket;
    }

    async function readNames(bucket: Bucket, under: string): Promise<string[]> {
      const names = [];
      for await (const { name } of bucket.list(under, { signal: never })) names.push(name);
      return names;
    }

    async function hashOf(bucket: Bucket, name: string): Promise<string> {
      const hash = createHash('sha256');
      for await (const piece of bucket.getStream(name, { signal: never })) hash.update(piece);
      return hash.digest('hex');
    }

    async function makeFile(name: string, size: number): Promise<{ readonly path: string; readonly sha256: string }> {
      const path = join(folder, name);
      await writeFile(path, '');
      const hash = createHash('sha256');
      const handle = await open(path, 'a');
      for (let left = size; left > 0; left -= 1_000_000) {
        const piece = realRandomness.bytes(Math.min(left, 1_000_000));
        hash.update(piece);
        await handle.write(piece);
      }
      await handle.close();
      return { path, sha256: hash.digest('hex') };
    }
  });
}
