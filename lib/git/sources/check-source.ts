import type { Dirent } from 'node:fs';
import { lstat, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { asUnreadable, RepositoryUnreadable } from '../errors.js';
import { orAbsent } from '../file-system.js';
import type { ForeignExtent } from '../program/git-bounds.js';

/**
 * Makes sure that an untrusted repository itself holds all bytes that are read from it. git follows alternates, links
 * and foreign work trees out of the repository. It would then return objects of any repository on the machine.
 * @param path the folder with its objects
 * @returns how much it holds, by its files
 * @throws RepositoryUnreadable with a sentence that says what to do
 */
export async function checkSource(path: string): Promise<ForeignExtent> {
  await checkWaitsForNobody(path);
  for (const name of ['objects/info/alternates', 'objects/info/http-alternates', 'commondir']) {
    if ((await orAbsent(lstat(join(path, name)))) !== undefined) throw borrows(path, `has ${name}`);
  }
  const extent = { objects: 0, bytes: 0 };
  await checkFolder(path, 'objects', extent);
  return extent;
}

/**
 * Makes sure that git blocks on no file of an untrusted repository. Opening a FIFO waits until another process writes
 * to it, and a device may never end. git opens the files in the repository's own folder, in `info` and below `refs`.
 * Entries of `objects` have to be files in any case.
 * @param path the folder with its objects
 * @throws RepositoryUnreadable
 */
async function checkWaitsForNobody(path: string): Promise<void> {
  const entries = await readdir(path, { withFileTypes: true }).catch((error: unknown) => {
    throw asUnreadable(error, `${path} cannot be read`);
  });
  for (const entry of entries) await checkEntry(path, entry.name, entry);
  for (const folder of ['info', 'refs']) await checkBelow(path, folder);
}

async function checkBelow(path: string, folder: string): Promise<void> {
  // git reports the folders that cannot be listed.
  const entries = await readdir(join(path, folder), { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const name = `${folder}/${entry.name}`;
    await checkEntry(path, name, entry);
    if (entry.isDirectory()) await checkBelow(path, name);
  }
}

async function checkEntry(path: string, name: string, entry: Dirent): Promise<void> {
  if (entry.isFile() || entry.isDirectory()) return;
  const found = entry.isSymbolicLink() ? await stat(join(path, name)).catch(() => undefined) : entry;
  // Opening a socket fails at once, and git itself leaves one there. A broken link counts as absent.
  if (found === undefined || found.isFile() || found.isSocket()) return;
  // git would enter this folder, but its entries are not checked here.
  if (found.isDirectory() && !name.startsWith('refs/') && name !== 'refs') return;
  throw new RepositoryUnreadable(`${path} cannot be read: its ${name} is neither a file nor a folder of its own.`);
}

/** Bytes of an object in the index of a pack. */
const indexedBytes = 28;

async function checkFolder(path: string, folder: string, extent: { objects: number; bytes: number }): Promise<void> {
  const own = await orAbsent(lstat(join(path, folder)));
  if (own?.isDirectory() !== true) throw borrows(path, `has no folder ${folder} of its own`);
  for (const entry of await readdir(join(path, folder), { withFileTypes: true })) {
    const name = `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      await checkFolder(path, name, extent);
      continue;
    }
    if (!entry.isFile()) throw borrows(path, `has ${name}, which is no file of its own`);
    if (entry.name.endsWith('.promisor')) throw isPartial(path);
    const stats = await orAbsent(lstat(join(path, name)));
    // A file can have any size without having so many bytes.
    const bytes = stats === undefined ? 0 : Math.min(stats.size, (stats.blocks + 1) * 512);
    extent.bytes += bytes;
    if (entry.name.endsWith('.idx')) extent.objects += Math.floor(bytes / indexedBytes);
    else if (/^[0-9a-f]{38}$/.test(entry.name)) extent.objects += 1;
  }
}

function borrows(path: string, how: string): RepositoryUnreadable {
  return new RepositoryUnreadable(
    `${path} does not hold all its objects itself: it ${how}. Clone it with git clone --bare --no-local, and use that clone.`,
  );
}

export function isPartial(path: string): RepositoryUnreadable {
  return new RepositoryUnreadable(
    `${path} is a partial clone, and nothing is fetched. Use a clone that was made without --filter.`,
  );
}
