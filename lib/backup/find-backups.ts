import { lstat, readdir, rename, rmdir, unlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseTime } from '../domain/clock.js';
import { syncPath } from '../disk/sync-path.js';
import { withinFolder } from '../disk/within-folder.js';
import { backupFiles, type BackupManifest } from './backup-manifest.js';
import { isListedFile, problemsOf, readManifest } from './check-backup.js';

/** A folder that holds a backup, or the beginning of one. */
export interface FoundBackup {
  readonly folder: string;
  /** `unfinished`: it was interrupted, or is being made. `unreadable`: its manifest says nothing. */
  readonly state: 'complete' | 'unfinished' | 'unreadable';
  /** Of a complete one. */
  readonly manifest: BackupManifest | null;
}

/** The ending of a folder's name while it is removed: a removal that was interrupted is finished by the next one. */
const leaving = '.removing';

/**
 * Finds backups in a folder and in the folders below it. Follows no link. Nothing is opened but the manifests.
 * @param depth folders below the named one that are looked into
 * @throws the system's error where the folder cannot be read
 */
export async function findBackups(folder: string, depth = 2): Promise<FoundBackup[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = new Set<string>(entries.filter((entry) => entry.isFile()).map(({ name }) => name));
  if (names.has(backupFiles.manifest)) return [await describe(folder)];
  if (names.has(backupFiles.unchecked) || names.has(backupFiles.sidecar)) {
    return [{ folder, state: 'unfinished', manifest: null }];
  }
  if (depth === 0) return [];
  const below = entries.filter((entry) => entry.isDirectory() && !entry.name.endsWith(leaving));
  const found: FoundBackup[] = [];
  for (const { name } of below.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    found.push(...(await findBackups(join(folder, name), depth - 1)));
  }
  return found;
}

async function describe(folder: string): Promise<FoundBackup> {
  try {
    return { folder, state: 'complete', manifest: await readManifest(folder, backupFiles.manifest) };
  } catch (error) {
    if (problemsOf(error) === undefined) throw error;
    return { folder, state: 'unreadable', manifest: null };
  }
}

/** When a complete backup was taken, in milliseconds since 1970; undefined for anything else. */
export const momentOf = ({ manifest }: FoundBackup): number | undefined => parseTime(manifest?.taken_at ?? '');

/** The names of files beside those of the backup, for which its folder has to stay. */
export async function findOtherFiles({ folder, manifest }: FoundBackup): Promise<readonly string[]> {
  const own = new Set<string>([backupFiles.manifest, ...(manifest?.files ?? []).map(({ name }) => name)]);
  return (await listFiles(folder)).filter((name) => !own.has(name));
}

/**
 * Removes a complete backup without other files. Its folder gets another name first, so that half a backup is never
 * taken for one. Removes only files of a backup, and follows no link: others may change the folder above it.
 * @throws UnfitFile or ENOTDIR where a link lies in its place; ENOTEMPTY for a file that came meanwhile
 */
export async function removeBackup({ folder }: FoundBackup): Promise<void> {
  // A link keeps its name.
  await withinFolder(folder, async () => undefined);
  const gone = `${folder}${leaving}`;
  await rename(folder, gone);
  await syncPath(join(folder, '..'));
  await removeFolder(gone);
}

/** Finishes removals that were interrupted, in the folder of one workspace. */
export async function finishRemovals(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries) {
    const place = join(folder, entry.name);
    if (!entry.isDirectory() || !entry.name.endsWith(leaving) || !isOwnName(basename(place, leaving))) continue;
    await removeFolder(place);
  }
}

/** Removes the files of a backup, and then the folder, which stays where it has others. */
async function removeFolder(folder: string): Promise<void> {
  await withinFolder(folder, async (open) => {
    const names = await readdir(open);
    for (const name of names.filter((each) => isBackupFile(each))) await unlink(join(open, name));
    if (!names.includes(backupFiles.archives)) return;
    const archives = join(open, backupFiles.archives);
    await withinFolder(archives, async (within) => {
      const files = (await readdir(within)).filter((each) => isBackupFile(`${backupFiles.archives}/${each}`));
      for (const name of files) await unlink(join(within, name));
    });
    await rmdir(archives);
  });
  await rmdir(folder);
}

const isBackupFile = (name: string): boolean => name === backupFiles.manifest || isListedFile(name);

/** Everything in a backup's folder, with the archives of the audit log by their relative names. */
async function listFiles(folder: string): Promise<string[]> {
  const names: string[] = [];
  for (const name of await readdir(folder)) {
    const isArchives = name === backupFiles.archives && (await lstat(join(folder, name))).isDirectory();
    if (!isArchives) names.push(name);
    else names.push(...(await readdir(join(folder, name))).map((each) => `${name}/${each}`));
  }
  return names;
}

/** `2027-01-31T02-00-00Z`: the name of a backup's folder, which every file system takes. */
export const nameByTime = (time: string): string => `${time.slice(0, 19).replaceAll(':', '-')}Z`;

const isOwnName = (name: string): boolean => /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/.test(name);
