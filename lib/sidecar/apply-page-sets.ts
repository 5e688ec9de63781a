import { open, rm, type FileHandle } from 'node:fs/promises';
import { requireJoined, type PageSet, type PageSetHead } from './page-set.js';

/** Bytes of neighbouring pages that are written at once. */
const bytesAtOnce = 1024 * 1024;

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
