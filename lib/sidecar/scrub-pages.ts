import { closeSync, fsyncSync, openSync, read, readSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';

const readAsync = promisify(read);

/** The parts of the file's form (sqlite.org/fileformat2.html) that separate used bytes of a page from unused ones. */
interface Layout {
  readonly pageSize: number;
  /** Bytes of a page without the reserved ones at its end. */
  readonly usable: number;
  readonly pages: number;
}

const headerLength = 100;
/** Page types of b-trees: 2 and 5 are interior ones, 10 and 13 are leaves. */
const treePages: ReadonlySet<number> = new Set([2, 5, 10, 13]);
/** Entries of the pointer map: 1 for the root of a b-tree, 5 for another page of one. */
const treeEntries: ReadonlySet<number> = new Set([1, 5]);
/** The byte that SQLite locks; its page holds nothing. */
const pendingByte = 0x4000_0000;
const pagesAtOnce = 256;

/**
 * Overwrites the unused bytes of b-tree pages. `secure_delete` overwrites rows as they are deleted. But it leaves
 * copies behind where a page was split and its rows moved to another; this class overwrites those.
 *
 * The file is written directly, and only between the last cell pointer and the first cell of a page. No content lies
 * there, so a crash in the middle changes nothing. Its descriptor stays open as long as the database does, since
 * closing any would drop SQLite's locks on the file.
 */
export class PageScrubber {
  readonly #descriptor: number;

  /** @param file a database with a pointer map (auto_vacuum) */
  constructor(file: string) {
    this.#descriptor = openSync(file, 'r+');
  }

  /** Numbers of the pages with remains; read piece by piece. */
  async findStale(): Promise<number[]> {
    const layout = this.#readLayout();
    const { pageSize, pages } = layout;
    const found: number[] = [];
    const bytes = Buffer.alloc(pageSize * pagesAtOnce);
    for (let first = 1; first <= pages; first += pagesAtOnce) {
      const { bytesRead } = await readAsync(this.#descriptor, bytes, 0, bytes.length, (first - 1) * pageSize);
      for (let index = 0; (index + 1) * pageSize <= bytesRead; index++) {
        const page = bytes.subarray(index * pageSize, (index + 1) * pageSize);
        const gap = findGap(layout, first + index, page);
        if (gap !== undefined && !isZero(page, gap.start, gap.end)) found.push(first + index);
      }
    }
    return found;
  }

  /** Overwrites them in these pages, at once. The file has to be complete: the write-ahead log must be empty. */
  scrub(numbers: readonly number[]): void {
    const layout = this.#readLayout();
    const { pageSize } = layout;
    const page = Buffer.alloc(pageSize);
    for (const number of numbers) {
      if (readSync(this.#descriptor, page, 0, pageSize, (number - 1) * pageSize) !== pageSize) continue;
      const gap = findGap(layout, number, page);
      if (gap === undefined || !this.#isTreePage(layout, number)) continue;
      const zeros = Buffer.alloc(gap.end - gap.start);
      writeSync(this.#descriptor, zeros, 0, zeros.length, (number - 1) * pageSize + gap.start);
    }
    fsyncSync(this.#descriptor);
  }

  /** To be called after the database was closed. */
  close(): void {
    closeSync(this.#descriptor);
  }

  #readLayout(): Layout {
    const header = Buffer.alloc(headerLength);
    readSync(this.#descriptor, header, 0, headerLength, 0);
    const size = header.readUInt16BE(16);
    const pageSize = size === 1 ? 65536 : size;
    if (header.readUInt32BE(52) === 0)
      throw new Error('The database has no pointer map, so its pages cannot be told apart.');
    return { pageSize, usable: pageSize - (header[20] ?? 0), pages: header.readUInt32BE(28) };
  }

  /** Whether the pointer map has the page as one of a b-tree: the bytes of another could look like one by chance. */
  #isTreePage({ pageSize, usable }: Layout, number: number): boolean {
    if (number === 1) return true;
    const perMap = Math.floor(usable / 5) + 1;
    let map = Math.floor((number - 2) / perMap) * perMap + 2;
    if (map === Math.floor(pendingByte / pageSize) + 1) map += 1;
    if (map >= number) return false;
    const entry = Buffer.alloc(1);
    readSync(this.#descriptor, entry, 0, 1, (map - 1) * pageSize + 5 * (number - map - 1));
    return treeEntries.has(entry[0] ?? 0);
  }
}

/** The unused bytes of a b-tree page, between its cell pointers and its cells; undefined for any other page. */
function findGap({ usable }: Layout, number: number, page: Buffer): { start: number; end: number } | undefined {
  const header = number === 1 ? headerLength : 0;
  const type = page[header] ?? 0;
  if (!treePages.has(type)) return undefined;
  const cells = page.readUInt16BE(header + 3);
  const content = page.readUInt16BE(header + 5);
  const end = content === 0 ? 65536 : content;
  const start = header + (type === 2 || type === 5 ? 12 : 8) + 2 * cells;
  return start < end && end <= usable ? { start, end } : undefined;
}

const zeros = Buffer.alloc(65536);

function isZero(page: Buffer, start: number, end: number): boolean {
  return page.compare(zeros, 0, end - start, start, end) === 0;
}
