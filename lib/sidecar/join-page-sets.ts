import { open, rm, type FileHandle } from 'node:fs/promises';
import { requireJoined, type Page, type PageSet, type PageSetHead } from './page-set.js';

/** Bytes of neighbouring pages that are written at once. */
const bytesAtOnce = 1024 * 1024;

/**
 * Joins a run of sets to one, as if they had been written one after the other. Of each set one piece is in memory at a
 * time.
 * @param sets in order; each joins the one before it
 * @throws PageSetDamaged when they do not join; reading the pages throws it when one is damaged
 */
export function mergePageSets(sets: readonly PageSet[]): PageSet {
  const heads = sets.map(({ head }) => head);
  const [oldest] = heads;
  const newest = heads.at(-1);
  if (oldest === undefined || newest === undefined) throw new Error('There is no page set.');
  for (let index = 1; index < heads.length; index++) {
    requireJoined(heads[index - 1] as PageSetHead, heads[index] as PageSetHead);
  }
  const owners = findOwners(heads);
  const numbers = Uint32Array.from(owners.keys()).sort();
  return { head: { ...newest, first: oldest.first, numbers }, pages: newestPages(sets, numbers, owners) };
}

/** The place of the set that has the newest state of each page; undefined for pages of zeros. */
function findOwners(heads: readonly PageSetHead[]): Map<number, number | undefined> {
  const owners = new Map<number, number | undefined>();
  let shortest = Number.POSITIVE_INFINITY;
  let pages = 0;
  heads.forEach((head, index) => {
    // The file was cut off here; pages behind its end that nobody writes later are zeros.
    if (head.pages < shortest) shortest = head.pages;
    for (let number = head.pages + 1; number <= pages; number++) owners.delete(number);
    for (const number of head.numbers) owners.set(number, index);
    pages = head.pages;
  });
  for (let number = shortest + 1; number <= pages; number++) if (!owners.has(number)) owners.set(number, undefined);
  return owners;
}

async function* newestPages(
  sets: readonly PageSet[],
  numbers: Uint32Array,
  owners: ReadonlyMap<number, number | undefined>,
): AsyncGenerator<Page> {
  const zeros = new Uint8Array(sets[0]?.head.pageSize ?? 0);
  const iterators = sets.map(({ pages }) => pages[Symbol.asyncIterator]());
  try {
    for (const number of numbers) {
      const owner = owners.get(number);
      const iterator = owner === undefined ? undefined : iterators[owner];
      yield iterator === undefined ? { number, bytes: zeros } : await findPage(iterator, number);
    }
    // Each set's digest is checked at its end.
    for (const iterator of iterators) while ((await iterator.next()).done !== true);
  } finally {
    for (const iterator of iterators) await iterator.return?.();
  }
}

/** Skips pages that a newer set has. */
async function findPage(iterator: AsyncIterator<Page>, number: number): Promise<Page> {
  for (;;) {
    const next = await iterator.next();
    if (next.done === true) throw new Error(`Page ${number} is missing in its set.`);
    if (next.value.number === number) return next.value;
  }
}

/**
 * Writes a run of sets into a new file: the database as it was after the last group. On the disk when it returns.
 * Where it fails, there is no file.
 * @param file does not exist; closed to other accounts
 * @param sets in order: the first has the whole file, each joins the one before it. Each is read to its end before the
 * next one is asked for
 * @returns the head of the last set
 * @throws PageSetDamaged
 */
export async function applyPageSets(
  file: string,
  sets: Iterable<PageSet> | AsyncIterable<PageSet>,
): Promise<PageSetHead> {
  const handle = await open(file, 'wx', 0o600);
  try {
    let before: PageSetHead | undefined;
    for await (const set of sets) {
      requireJoined(before ?? { ...set.head, last: -1 }, set.head);
      await writePages(handle, set);
      await handle.truncate(set.head.pages * set.head.pageSize);
      before = set.head;
    }
    if (before === undefined) throw new Error('There is no page set.');
    await handle.sync();
    await handle.close();
    return before;
  } catch (error) {
    await handle.close();
    await rm(file, { force: true });
    throw error;
  }
}

async function writePages(handle: FileHandle, { head: { pageSize }, pages }: PageSet): Promise<void> {
  const run = Buffer.allocUnsafe(Math.max(pageSize, bytesAtOnce));
  let first = 0;
  let length = 0;
  const flush = async (): Promise<void> => {
    if (length > 0) await writeWhole(handle, run.subarray(0, length), (first - 1) * pageSize);
    length = 0;
  };
  for await (const { number, bytes } of pages) {
    if (length + pageSize > run.length || number !== first + length / pageSize) {
      await flush();
      first = number;
    }
    run.set(bytes, length);
    length += pageSize;
  }
  await flush();
}

async function writeWhole(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}
