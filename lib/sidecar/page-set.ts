import { createHash, type Hash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { createDeflate, createInflate } from 'node:zlib';

/**
 * A page set is a run of groups of commits in bytes: each page that they changed, whole, in its newest state. A set
 * that begins with group 0 has all pages of the file. Deflated:
 *
 * "CPS1" | page size u32 | pages of the file u32 | first group u64 | last group u64 | ms since 1970 u64 | count u32 |
 * count × page number u32, ascending | count × page | SHA-256 of all before. Numbers are big-endian.
 */
export interface PageSetHead {
  readonly pageSize: number;
  /** The file's length in pages after the last group. */
  readonly pages: number;
  readonly first: number;
  readonly last: number;
  /** Milliseconds since 1970 of the state. */
  readonly at: number;
  /** Of the pages, ascending. */
  readonly numbers: Uint32Array;
}

export interface Page {
  readonly number: number;
  /** Not to be kept without a copy longer than until the next page is asked for. */
  readonly bytes: Uint8Array;
}

export interface PageSet {
  readonly head: PageSetHead;
  /**
   * The pages in the order of their numbers; to be read once. Only when it has ended are they known to be sound.
   * @throws PageSetDamaged
   */
  readonly pages: AsyncIterable<Page>;
}

/** The bytes are no page set, or not whole, or were changed. */
export class PageSetDamaged extends Error {
  override readonly name = 'PageSetDamaged';
}

const magic = Buffer.from('CPS1');
const fixedLength = 40;
const digestLength = 32;
/** Bytes of the largest file that is taken in. */
const mostBytes = 2 ** 40;
/** Bytes of page numbers that are read at once: what a false count says is never reserved. */
const numbersAtOnce = 64 * 1024;

const damaged = (what: string): never => {
  throw new PageSetDamaged(`The page set is damaged: ${what}.`);
};

/** @throws PageSetDamaged when the second does not follow the first */
export function requireJoined(before: PageSetHead, next: PageSetHead): void {
  if (next.first !== before.last + 1) damaged(`group ${next.first} comes after group ${before.last}`);
  if (next.pageSize !== before.pageSize) damaged('its pages have another size than those before');
}

/**
 * Writes a page set.
 * @param batches the pages of the head's numbers, in their order
 * @throws Error when other pages come
 */
export async function* encodePageSet(
  head: PageSetHead,
  batches: AsyncIterable<{ readonly numbers: Uint32Array; readonly bytes: Uint8Array }>,
): AsyncGenerator<Buffer> {
  const deflate = createDeflate({ level: 1, chunkSize: 64 * 1024 });
  const fed = pipeline(plainBytes(head, batches), deflate);
  // It is awaited below; the stream itself throws the same error before.
  fed.catch(() => undefined);
  try {
    for await (const chunk of deflate) yield chunk as Buffer;
    await fed;
  } finally {
    deflate.destroy();
  }
}

async function* plainBytes(
  head: PageSetHead,
  batches: AsyncIterable<{ readonly numbers: Uint32Array; readonly bytes: Uint8Array }>,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  const begin = writeHead(head);
  hash.update(begin);
  yield begin;
  let count = 0;
  for await (const { numbers, bytes } of batches) {
    for (const number of numbers) {
      if (number !== head.numbers[count]) throw new Error(`Page ${number} comes out of its order.`);
      count += 1;
    }
    if (bytes.length !== numbers.length * head.pageSize) throw new Error('A batch of pages has another length.');
    hash.update(bytes);
    yield bytes;
  }
  if (count !== head.numbers.length) throw new Error('Pages are missing.');
  yield hash.digest();
}

function writeHead(head: PageSetHead): Buffer {
  const { numbers } = head;
  const bytes = Buffer.alloc(fixedLength + 4 * numbers.length);
  magic.copy(bytes);
  bytes.writeUInt32BE(head.pageSize, 4);
  bytes.writeUInt32BE(head.pages, 8);
  bytes.writeBigUInt64BE(BigInt(head.first), 12);
  bytes.writeBigUInt64BE(BigInt(head.last), 20);
  bytes.writeBigUInt64BE(BigInt(head.at), 28);
  bytes.writeUInt32BE(numbers.length, 36);
  for (let index = 0; index < numbers.length; index++) {
    bytes.writeUInt32BE(numbers[index] as number, fixedLength + 4 * index);
  }
  return bytes;
}

/**
 * Reads a page set. Memory is reserved only for what has arrived, and nothing is inflated beyond what the head says.
 * @param bytes deflated; errors of it are passed on. It is ended when the pages are no longer read
 * @throws PageSetDamaged
 */
export async function readPageSet(bytes: AsyncIterable<Uint8Array>): Promise<PageSet> {
  const plain = new PlainReader(inflated(bytes));
  try {
    const head = await readHead(plain);
    return { head, pages: readPages(plain, head) };
  } catch (error) {
    await plain.end();
    throw error;
  }
}

async function* readPages(plain: PlainReader, { numbers, pageSize }: PageSetHead): AsyncGenerator<Page> {
  try {
    for (const number of numbers) yield { number, bytes: await plain.take(pageSize) };
    const digest = plain.digest();
    if (!digest.equals(await plain.take(digestLength))) damaged('its digest is another');
    if (!(await plain.isAtEnd())) damaged('bytes follow its end');
  } finally {
    await plain.end();
  }
}

async function readHead(plain: PlainReader): Promise<PageSetHead> {
  // A copy: the bytes of a piece are gone with the next one.
  const fixed = Buffer.from(await plain.take(fixedLength));
  if (!fixed.subarray(0, 4).equals(magic)) damaged('it does not begin as one');
  const pageSize = fixed.readUInt32BE(4);
  const pages = fixed.readUInt32BE(8);
  const [first, last, at] = [12, 20, 28].map((offset) => Number(fixed.readBigUInt64BE(offset))) as [
    number,
    number,
    number,
  ];
  const count = fixed.readUInt32BE(36);
  if (pageSize < 512 || pageSize > 65536 || (pageSize & (pageSize - 1)) !== 0) damaged('its pages have no such size');
  if (pages === 0 || pages * pageSize > mostBytes) damaged('no file has its length');
  if (![first, last, at].every(Number.isSafeInteger) || first > last) damaged('its groups are none');
  if (count > pages || (first === 0 && count !== pages)) damaged('no file has as many pages');
  return { pageSize, pages, first, last, at, numbers: await readNumbers(plain, count, pages) };
}

async function readNumbers(plain: PlainReader, count: number, pages: number): Promise<Uint32Array> {
  const parts: Uint32Array[] = [];
  let before = 0;
  for (let left = count; left > 0;) {
    const bytes = await plain.take(Math.min(left * 4, numbersAtOnce));
    const part = new Uint32Array(bytes.length / 4);
    for (let index = 0; index < part.length; index++) {
      const number = bytes.readUInt32BE(4 * index);
      if (number <= before || number > pages) damaged('its page numbers do not ascend within the file');
      part[index] = number;
      before = number;
    }
    parts.push(part);
    left -= part.length;
  }
  const numbers = new Uint32Array(count);
  let offset = 0;
  for (const part of parts) {
    numbers.set(part, offset);
    offset += part.length;
  }
  return numbers;
}

/** Inflates as far as it is read. @throws PageSetDamaged, or an error of the bytes' source */
async function* inflated(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const inflate = createInflate({ chunkSize: 64 * 1024 });
  let given = 0;
  const fed = pipeline(async function* () {
    for await (const chunk of bytes) {
      given += chunk.length;
      yield chunk;
    }
  }, inflate);
  fed.catch(() => undefined);
  try {
    for await (const chunk of inflate) yield chunk as Buffer;
    await fed;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code?.startsWith('Z_') === true) damaged('it cannot be inflated');
    throw error;
  } finally {
    inflate.destroy();
  }
  if (inflate.bytesWritten !== given) damaged('bytes follow its end');
}

/** Reads a stream of plain bytes in pieces of known lengths, and keeps their digest. */
class PlainReader {
  readonly #chunks: AsyncGenerator<Buffer>;
  readonly #hash: Hash = createHash('sha256');
  #rest: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncGenerator<Buffer>) {
    this.#chunks = chunks;
  }

  /** @throws PageSetDamaged when there are fewer bytes */
  async take(length: number): Promise<Buffer> {
    const parts = [this.#rest];
    let has = this.#rest.length;
    while (has < length) {
      const next = await this.#chunks.next();
      if (next.done === true) return damaged('it is cut off');
      parts.push(next.value);
      has += next.value.length;
    }
    const all = parts.length === 1 ? this.#rest : Buffer.concat(parts, has);
    this.#rest = all.subarray(length);
    const taken = all.subarray(0, length);
    this.#hash.update(taken);
    return taken;
  }

  /** Of all that was taken. */
  digest(): Buffer {
    return this.#hash.copy().digest();
  }

  async isAtEnd(): Promise<boolean> {
    return this.#rest.length === 0 && (await this.#chunks.next()).done === true;
  }

  async end(): Promise<void> {
    await this.#chunks.return(undefined);
  }
}
