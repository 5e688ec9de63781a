import { copyFile, link, mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { nodeFileSystem } from '../git/file-system.js';
import { isInIndex } from '../git/derived/is-in-index.js';
import { createRepositoryFiles, mainRef, repositoryExists } from '../git/repositories/create-repository-files.js';
import { RepositoryFolder } from '../git/repositories/repository-folder.js';
import type { Oid } from '../git/objects/objects.js';
import { derivedPaths, isMaking, namesIn, packFolder, packOf, type DerivedState, type ListedPack } from './state.js';

/** Makes the repository's own files where they are missing. */
export async function ensureRepository(folder: string): Promise<void> {
  const repository = new RepositoryFolder(nodeFileSystem, derivedPaths(folder).repository);
  if (!(await repositoryExists(repository))) await createRepositoryFiles(repository);
}

/** Removes the repository with its state, the state first: without it the rest counts for nothing. */
export async function destroyRepository(folder: string): Promise<void> {
  const { repository, state } = derivedPaths(folder);
  await rm(state, { force: true });
  await nodeFileSystem.syncFolder(folder);
  await remove(repository);
  await removeMaking(folder);
  await rm(`${state}.new`, { force: true });
}

/** A git of a process that was killed can still write for a moment, so it is tried again. */
async function remove(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 5 });
}

async function removeMaking(folder: string): Promise<void> {
  for (const name of (await namesIn(folder)).filter(isMaking)) await remove(join(folder, name));
}

/** Whether the repository has each of these packs, as long as it was written, and the head in one of them. */
export async function hasPacks(
  folder: string,
  { head, packs }: Pick<DerivedState, 'head' | 'packs'>,
): Promise<boolean> {
  const { repository } = derivedPaths(folder);
  if (!(await repositoryExists(new RepositoryFolder(nodeFileSystem, repository)))) return false;
  const sizes = await Promise.all(
    packs.map(async ({ name, bytes }) => {
      const [pack, index] = await Promise.all(
        ['pack', 'idx'].map((suffix) => sizeOf(join(packFolder(repository), `pack-${name}.${suffix}`))),
      );
      return pack === bytes && index !== undefined;
    }),
  );
  return sizes.every(Boolean) && (head === null || (await holdsCommit(repository, packs, head)));
}

async function holdsCommit(repository: string, packs: readonly ListedPack[], oid: Oid): Promise<boolean> {
  // The newest pack has it, as a rule.
  for (const { name } of packs.toReversed()) {
    if (await isInIndex(join(packFolder(repository), `pack-${name}.idx`), oid)) return true;
  }
  return false;
}

async function sizeOf(file: string): Promise<number | undefined> {
  const found = await stat(file).catch(() => undefined);
  return found?.size;
}

/** Removes what the state does not list: it is left from a crash, and may hold what was erased since. */
export async function removeUnlisted(folder: string, packs: readonly ListedPack[]): Promise<void> {
  const { repository, state } = derivedPaths(folder);
  await removeMaking(folder);
  await rm(`${state}.new`, { force: true });
  const listed = new Set(packs.map(({ name }) => name));
  for (const file of await namesIn(packFolder(repository))) {
    if (!listed.has(packOf(file))) await rm(join(packFolder(repository), file), { recursive: true, force: true });
  }
}

/** Part of a folder's name: unique within this thread. */
let made = 0;

/**
 * Makes a repository of its own for new objects, which knows those of the derived one. Its name is its own, too: a git
 * of a killed process can still write into an older one.
 * @returns its folder
 */
export async function openMaking(folder: string): Promise<string> {
  await removeMaking(folder);
  const { repository } = derivedPaths(folder);
  made += 1;
  const making = join(folder, `making-${process.pid}-${threadId}-${made}.git`);
  for (const name of ['objects/info', 'objects/pack', 'refs/heads']) {
    await mkdir(join(making, name), { recursive: true, mode: 0o700 });
  }
  const config = '[core]\n\trepositoryformatversion = 0\n\tbare = true\n';
  await writeFile(join(making, 'config'), config, { mode: 0o600 });
  await writeFile(join(making, 'HEAD'), `ref: ${mainRef}\n`, { mode: 0o600 });
  const known = join('..', '..', basename(repository), 'objects');
  await writeFile(join(making, 'objects', 'info', 'alternates'), `${known}\n`, { mode: 0o600 });
  return making;
}

/** What the branch of such a repository names. */
export async function readHead(repository: string): Promise<Oid> {
  return (await readFile(join(repository, mainRef), 'utf8')).trim();
}

/** The packs in a folder that are not among these. */
export async function listNewPacks(folder: string, known: readonly ListedPack[]): Promise<ListedPack[]> {
  const names = new Set(known.map(({ name }) => name));
  const files = (await namesIn(folder)).filter((file) => file.endsWith('.pack') && !names.has(packOf(file))).toSorted();
  return Promise.all(files.map(async (file) => ({ name: packOf(file), bytes: (await stat(join(folder, file))).size })));
}

/** Moves packs into the repository, durably. */
export function publishPacks(folder: string, from: string, packs: readonly ListedPack[]): Promise<void> {
  return bringPacks(folder, from, packs, rename);
}

/** The same for packs that stay where they are, too. */
export function linkPacks(folder: string, from: string, packs: readonly ListedPack[]): Promise<void> {
  return bringPacks(folder, from, packs, linkOrCopy);
}

/** A pack's index comes last: without it git does not see the pack. */
async function bringPacks(
  folder: string,
  from: string,
  packs: readonly ListedPack[],
  bring: (source: string, target: string) => Promise<void>,
): Promise<void> {
  const to = packFolder(derivedPaths(folder).repository);
  for (const { name } of packs) {
    for (const suffix of ['rev', 'pack', 'idx']) {
      const file = `pack-${name}.${suffix}`;
      await bring(join(from, file), join(to, file)).catch((error: unknown) => {
        // Not every git writes the first of them.
        if (suffix !== 'rev' || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      });
    }
  }
  await nodeFileSystem.syncFolder(to);
}

async function linkOrCopy(source: string, target: string): Promise<void> {
  // A crash can have left a part of it.
  await rm(target, { force: true });
  try {
    await link(source, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw error;
    // Not every disk has links.
    await copyFile(source, target);
    const file = await open(target, 'r+');
    try {
      await file.sync();
    } finally {
      await file.close();
    }
  }
}

/**
 * Lets the branch follow the state. Nothing waits for the disk: each derivation compares the two, so after a crash the
 * branch is mended before it is served.
 */
export async function pointBranch(folder: string, head: Oid | null): Promise<void> {
  const { repository } = derivedPaths(folder);
  const branch = join(repository, mainRef);
  if (head === null) {
    await rm(branch, { force: true });
    return;
  }
  const is = await readFile(branch, 'utf8').catch(() => '');
  if (is === `${head}\n`) return;
  const next = join(repository, 'main.new');
  await writeFile(next, `${head}\n`, { mode: 0o600 });
  await rename(next, branch);
}
