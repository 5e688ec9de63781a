import { lstat, stat } from 'node:fs/promises';
import { openFolder, UnfitFile } from './open-regular.js';

/**
 * Uses a folder that others may replace meanwhile. On Linux, the path that is given leads to this very folder, whatever
 * lies in its place later. Elsewhere it is the path as it came, looked at once.
 * @param use gets a path that holds until its promise settles
 * @throws UnfitFile or the system's error ENOTDIR where the path ends in a link or in no folder
 */
export async function withinFolder<Result>(path: string, use: (open: string) => Promise<Result>): Promise<Result> {
  // Windows opens no folder as a file.
  if (process.platform === 'win32') {
    if (!(await lstat(path)).isDirectory()) throw new UnfitFile('is no folder');
    return use(path);
  }
  const handle = await openFolder(path);
  try {
    // Linux names the file of each descriptor here (proc(5)).
    const descriptor = `/proc/self/fd/${handle.fd}`;
    const [opened, found] = [await handle.stat(), await stat(descriptor).catch(() => undefined)];
    const leadsThere = found !== undefined && found.dev === opened.dev && found.ino === opened.ino;
    return await use(leadsThere ? descriptor : path);
  } finally {
    await handle.close();
  }
}
