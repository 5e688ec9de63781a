import type { Stats } from 'node:fs';
import { lstat, mkdir, readdir, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { openFolder, openRegular } from './open-regular.js';

/** Bits of a mode that give any other account any right (chmod(2)). */
const ofOthers = 0o077;

/** Whether any other account of the machine may do anything with it. Windows has no such bits. */
export function isOpenToOthers({ mode }: Pick<Stats, 'mode'>): boolean {
  return process.platform !== 'win32' && (mode & ofOthers) !== 0;
}

/**
 * Makes a folder where there is none. Removes other accounts' rights to it, to its contents, and to the contents of the
 * folders in it. Other accounts then cannot reach anything deeper. Links are left alone.
 * @returns false where the folder stays open to others: this account does not own it, or the disk keeps no modes
 * @throws the system's error where the folder cannot be made or read
 */
export async function closeToOthers(folder: string): Promise<boolean> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (process.platform === 'win32') return true;
  // The path may name the folder by a link; the dot follows it. No path below is opened that way.
  await restrict(await openFolder(`${folder}/.`));
  await closeBelow(folder, 2);
  return !isOpenToOthers(await stat(folder));
}

async function closeBelow(folder: string, levels: number): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (!entry.isFile() && !entry.isDirectory()) continue;
    try {
      if (isOpenToOthers(await lstat(path))) {
        await restrict(await (entry.isFile() ? openRegular(path, 'refused') : openFolder(path)));
      }
      if (entry.isDirectory() && levels > 1) await closeBelow(path, levels - 1);
    } catch {
      // It is gone, or another account's: then it holds nothing of ours.
    }
  }
}

/** By the descriptor, so it changes this very file, even if another takes its place. Closes it. */
async function restrict(handle: FileHandle): Promise<void> {
  try {
    const { mode, uid } = await handle.stat();
    if ((mode & ofOthers) !== 0 && uid === process.geteuid?.()) await handle.chmod(mode & 0o700);
  } catch {
    // The disk keeps no modes. The caller reports what is left open.
  } finally {
    await handle.close();
  }
}
