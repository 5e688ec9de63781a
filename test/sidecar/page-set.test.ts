import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync, inflateSync } from 'node:zlib';
import { applyPageSets } from '../../lib/sidecar/apply-page-sets.js';
import { encodePageSet, PageSetDamaged, readPageSet, type PageSetHead } from '../../lib/sidecar/page-set.js';
import { gather } from '../support/gather.js';
import { makeFolder, tidyUp, timeout } from '../support/processes/run-program.js';
import { piecesOf } from './followed.js';

const size = 512;
const pageSize = size;
const digestLength = 32;

interface Made {
  readonly first: number;
  readonly last: number;
  readonly pages: number;
  /** What fills each page, by its number. */
  readonly filled: Readonly<Record<number, number>>;
}

async function make({ first, last, pages, filled }: Made, pageSize = size): Promise<Buffer> {
  const numbers = Uint32Array.from(Object.keys(filled), Number);
  const head: PageSetHead = { pageSize, pages, first, last, at: 1_700_000_000_000, numbers };
  async function* batches(): AsyncGenerator<{ numbers: Uint32Array; bytes: Buffer }> {
    for (const number of numbers) {
      yield { numbers: Uint32Array.of(number), bytes: Buffer.alloc(pageSize, filled[number]) };
    }
  }
  const chunks: Buffer[] = [];
  for await (const chunk of encodePageSet(head, batches())) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Reads all of it. @returns the numbers and the first byte of each page */
async function readAll(bytes: Uint8Array, pieces?: number): Promise<(readonly [number, number | undefined])[]> {
  const { pages } = await readPageSet(piecesOf(bytes, pieces));
  const read: (readonly [number, number | undefined])[] = [];
  for await (const page of pages) read.push([page.number, page.bytes[0]]);
  return read;
}

const seal = (plain: Buffer): Buffer => {
  createHash('sha256')
    .update(plain.subarray(0, -digestLength))
    .digest()
    .copy(plain, plain.length - digestLength);
  return deflateSync(plain);
};

describe('A page set', function () {
  this.timeout(timeout);

  after(tidyUp);

  const whole: Made = { first: 0, last: 4, pages: 3, filled: { 1: 11, 2: 12, 3: 13 } };

  it('is read as it was written, in pieces of any length', async () => {
    const bytes = await make({ first: 5, last: 9, pages: 900, filled: { 1: 7, 3: 8, 900: 9 } });
    const read = [
      [1, 7],
      [3, 8],
      [900, 9],
    ];
    for (const pieces of [1, 7, 100_000]) assert.deepEqual(await readAll(bytes, pieces), read);
    const { head, pages } = await readPageSet(piecesOf(bytes));
    assert.deepEqual(
      { ...head, numbers: [...head.numbers] },
      {
        pageSize,
        pages: 900,
        first: 5,
        last: 9,
        at: 1_700_000_000_000,
        numbers: [1, 3, 900],
      },
    );
    for await (const page of pages) assert.equal(page.bytes.length, pageSize);
  });

  it('is not written with other pages than it names', async () => {
    const head: PageSetHead = { pageSize, pages: 3, first: 1, last: 1, at: 0, numbers: Uint32Array.of(1, 2) };
    async function* batch(
      numbers: Uint32Array,
      length: number,
    ): AsyncGenerator<{ numbers: Uint32Array; bytes: Buffer }> {
      yield { numbers, bytes: Buffer.alloc(length) };
    }
    await assert.rejects(gather(encodePageSet(head, batch(Uint32Array.of(1), pageSize))), /Pages are missing/);
    await assert.rejects(gather(encodePageSet(head, batch(Uint32Array.of(2), pageSize))), /out of its order/);
    await assert.rejects(gather(encodePageSet(head, batch(Uint32Array.of(1, 2), pageSize))), /another length/);
  });

  it('is refused with any byte changed, or read as it was where the byte has no meaning', async () => {
    const bytes = await make(whole);
    const same: number[] = [];
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
      try {
        assert.deepEqual(await readAll(changed), await readAll(bytes), `byte ${at}`);
        same.push(at);
      } catch (error) {
        assert.ok(error instanceof PageSetDamaged, `byte ${at}: ${String(error)}`);
      }
    }
    // Bits of a deflated block can be left unused.
    assert.ok(same.length <= 2, `bytes ${same.join()} have no meaning`);
    const plain = inflateSync(bytes);
    for (let at = 0; at < plain.length; at++) {
      const changed = Buffer.from(plain);
      changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
      await assert.rejects(readAll(deflateSync(changed)), PageSetDamaged, `plain byte ${at}`);
    }
  });

  it('is refused cut off anywhere, and with bytes behind its end', async () => {
    const bytes = await make(whole);
    for (let length = 0; length < bytes.length; length++) {
      await assert.rejects(readAll(bytes.subarray(0, length)), PageSetDamaged, `${length} bytes`);
    }
    await assert.rejects(readAll(Buffer.concat([bytes, Buffer.from('x')])), PageSetDamaged);
    const plain = inflateSync(bytes);
    for (const length of [0, 39, 40, 44, 52, 52 + pageSize, plain.length - digestLength, plain.length - 1]) {
      await assert.rejects(readAll(deflateSync(plain.subarray(0, length))), PageSetDamaged, `${length} plain bytes`);
    }
    await assert.rejects(readAll(deflateSync(Buffer.concat([plain, Buffer.from('x')]))), PageSetDamaged);
  });

  it('is refused where its head cannot be, whatever its digest says', async () => {
    const plain = inflateSync(await make(whole));
    const changes: Record<string, (bytes: Buffer) => void> = {
      'page size 0': (bytes) => bytes.writeUInt32BE(0, 4),
      'page size 256': (bytes) => bytes.writeUInt32BE(256, 4),
      'page size 513': (bytes) => bytes.writeUInt32BE(513, 4),
      'page size 131072': (bytes) => bytes.writeUInt32BE(131072, 4),
      'no pages': (bytes) => bytes.writeUInt32BE(0, 8),
      'fewer pages than it has': (bytes) => bytes.writeUInt32BE(2, 8),
      'a whole file without all pages': (bytes) => bytes.writeUInt32BE(4, 8),
      'groups that end before they begin': (bytes) => bytes.writeBigUInt64BE(5n, 12),
      'a group beyond all numbers': (bytes) => bytes.writeBigUInt64BE(2n ** 60n, 20),
      'very many pages': (bytes) => {
        bytes.writeBigUInt64BE(1n, 12);
        bytes.writeUInt32BE(0xffff_ffff, 8);
        bytes.writeUInt32BE(0xffff_fff0, 36);
      },
      'page 0': (bytes) => bytes.writeUInt32BE(0, 40),
      'a page twice': (bytes) => bytes.writeUInt32BE(1, 44),
      'descending pages': (bytes) => bytes.writeUInt32BE(1, 48),
      'a page beyond its end': (bytes) => bytes.writeUInt32BE(4, 48),
    };
    for (const [name, change] of Object.entries(changes)) {
      const changed = Buffer.from(plain);
      change(changed);
      await assert.rejects(readAll(seal(changed)), PageSetDamaged, name);
    }
    assert.equal((await readAll(seal(plain))).length, 3);
    for (const pageSize of [256, 1000, 131_072]) {
      await assert.rejects(async () => readAll(await make(whole, pageSize)), PageSetDamaged, `pages of ${pageSize}`);
    }
  });

  it('is inflated no further than its head says', async () => {
    let given = 0;
    const bomb = deflateSync(Buffer.concat([inflateSync(await make(whole)), Buffer.alloc(200_000_000)]));
    async function* count(): AsyncGenerator<Uint8Array> {
      for await (const piece of piecesOf(bomb, 1000)) {
        given += piece.length;
        yield piece;
      }
    }
    const { pages } = await readPageSet(count());
    await assert.rejects(async () => {
      for await (const page of pages) assert.ok(page.number < 4);
    }, PageSetDamaged);
    assert.ok(given < bomb.length / 2, `${given} of ${bomb.length} bytes were asked for`);
  });

  it('passes on an error of its source', async () => {
    const bytes = await make(whole);
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield bytes.subarray(0, 30);
      throw new Error('The line is broken.');
    }
    await assert.rejects(async () => {
      const { pages } = await readPageSet(broken());
      for await (const page of pages) assert.ok(page.number < 4);
    }, /The line is broken/);
  });

  it('is joined with others as if they were written in turn, also where the file was shorter between', async () => {
    const sets = await Promise.all([
      make(whole),
      make({ first: 5, last: 5, pages: 6, filled: { 2: 22, 4: 24, 5: 25, 6: 26 } }),
      make({ first: 6, last: 8, pages: 2, filled: { 1: 31 } }),
      make({ first: 9, last: 9, pages: 5, filled: { 1: 41, 4: 44 } }),
    ]);
    const folder = await makeFolder();
    const read = (from: number, to: number) =>
      Promise.all(sets.slice(from, to).map((bytes) => readPageSet(piecesOf(bytes))));
    const turns = join(folder, 'turns');
    const head = await applyPageSets(turns, await read(0, 4));
    assert.deepEqual([head.last, head.pages], [9, 5]);
    const expected = Buffer.concat([41, 22, 0, 44, 0].map((byte) => Buffer.alloc(pageSize, byte)));
    assert.deepEqual(readFileSync(turns), expected);
  });

  it('makes no file where one is missing, damaged, or there already', async () => {
    const next = { pages: 3, filled: { 2: 22 } };
    const bytes = [
      await make(whole),
      await make({ first: 6, last: 6, ...next }),
      await make({ first: 5, last: 5, ...next }),
    ];
    const read = (places: readonly number[]) =>
      Promise.all(places.map((place) => readPageSet(piecesOf(bytes[place] as Buffer))));
    const file = join(await makeFolder(), 'made');
    for (const places of [[0, 1], [2], [2, 1], [0, 0]]) {
      await assert.rejects(applyPageSets(file, await read(places)), PageSetDamaged, places.join());
      assert.equal(existsSync(file), false);
    }
    await applyPageSets(file, await read([0, 2, 1]));
    await assert.rejects(applyPageSets(file, await read([0])), { code: 'EEXIST' });
    assert.equal(readFileSync(file).length, 3 * pageSize);
  });

  it('is refused in a run when one of them is damaged behind its last page', async () => {
    const plain = inflateSync(await make(whole));
    plain[plain.length - 1] = (plain[plain.length - 1] ?? 0) ^ 1;
    const next = await make({ first: 5, last: 5, pages: 3, filled: { 1: 21, 2: 22, 3: 23 } });
    const sets = await Promise.all([deflateSync(plain), next].map((bytes) => readPageSet(piecesOf(bytes))));
    await assert.rejects(applyPageSets(join(await makeFolder(), 'made'), sets), PageSetDamaged);
  });
});
