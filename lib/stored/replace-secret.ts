import { constants } from 'node:fs';
import { open, rename, unlink, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncPath } from '../disk/sync-path.js';

const pieceLength = 64 * 1024;

/**
 * Replaces a secret file. The old bytes are overwritten where they lie before they are let go, so that what they held
 * cannot be read from the disk afterwards, as far as the disk writes in place. The file is the old or the new one at any
 * moment, and the new one is durable when this resolves.
 * @throws the system's error
 */
export async function replaceSecret(file: string, text: string): Promise<void> {
  const [fresh, old] = [freshOf(file), oldOf(file)];
  await finishReplacing(file);
  const handle = await open(fresh, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  const isFirst = !(await renameIfThere(file, old));
  await rename(fresh, file);
  await syncPath(dirname(file));
  if (!isFirst) await overwriteAndRemove(old);
}

/**
 * Ends a replacement that was interrupted. Where the new file had not taken its place, the old one stays.
 * @throws the system's error
 */
export async function finishReplacing(file: string): Promise<void> {
  const [fresh, old] = [freshOf(file), oldOf(file)];
  if (!(await isThere(file))) await renameIfThere(old, file);
  // What was found has to be durable before the other one is destroyed.
  if (await isThere(file)) await syncPath(dirname(file));
  await overwriteAndRemove(old);
  await overwriteAndRemove(fresh);
}

const freshOf = (file: string): string => `${file}.new`;
const oldOf = (file: string): string => `${file}.old`;

/** No error where it is not there. */
async function overwriteAndRemove(file: string): Promise<void> {
  const handle = await openIfThere(file);
  if (handle === undefined) return;
  try {
    const { size } = await handle.stat();
    const zeros = Buffer.alloc(Math.min(size, pieceLength));
    for (let done = 0; done < size; done += zeros.length)
      await handle.write(zeros, 0, Math.min(zeros.length, size - done), done);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await unlink(file);
  await syncPath(dirname(file));
}

async function isThere(file: string): Promise<boolean> {
  const handle = await openIfThere(file);
  await handle?.close();
  return handle !== undefined;
}

function openIfThere(file: string): Promise<FileHandle | undefined> {
  return orAbsent(open(file, constants.O_RDWR | (constants.O_NOFOLLOW ?? 0)));
}

async function renameIfThere(from: string, to: string): Promise<boolean> {
  return (await orAbsent(rename(from, to).then(() => true))) ?? false;
}

async function orAbsent<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
