import type { Dirent } from 'node:fs';
import { lstat, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { asUnreadable, RepositoryUnreadable } from '../errors.js';
import { orAbsent } from '../file-system.js';
import { runGit, type GitProgram } from '../program/git-program.js';

/** Milliseconds in which git has to give its first answer about a repository. */
const defaultTimeout = 30_000;

export interface CheckOptions {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds in which git has to give its first answer. */
  readonly timeout?: number;
}

/**
 * Makes sure that an untrusted repository itself holds all bytes that are read from it. git follows alternates, links
 * and foreign work trees out of the repository. It would then return objects of any repository on the machine.
 * @param path the folder with its objects
 * @throws RepositoryUnreadable with a sentence that says what to do
 */
export async function checkSource(program: GitProgram, path: string, options: CheckOptions = {}): Promise<void> {
  const { signal, timeout = defaultTimeout } = options;
  await checkWaitsForNobody(path);
  for (const name of ['objects/info/alternates', 'objects/info/http-alternates', 'commondir']) {
    if ((await orAbsent(lstat(join(path, name)))) !== undefined) throw borrows(path, `has ${name}`);
  }
  await checkFolder(path, 'objects');
  // Its configuration can name a file that never ends, or a pipe without a writer.
  const late = AbortSignal.timeout(timeout);
  const ending = { signal: signal === undefined ? late : AbortSignal.any([signal, late]) };
  const format = await runGit(program, path, ['rev-parse', '--show-object-format'], ending);
  if (format.code === null && late.aborted && signal?.aborted !== true) {
    throw new RepositoryUnreadable(`git does not answer about ${path}: something in it, or its disk, makes it wait.`);
  }
  if (format.code !== 0) throw new RepositoryUnreadable(`${path} cannot be read by git: ${format.stderr.trim()}`);
  if (format.stdout.trim() !== 'sha1') {
    throw new RepositoryUnreadable(
      `${path} names its objects by ${format.stdout.trim()}, and only SHA-1 repositories can be read. Import a checkout of it as a folder.`,
    );
  }
  const partial = ['config', '--get-regexp', String.raw`^(extensions\.partialclone|remote\..*\.promisor)$`];
  if ((await runGit(program, path, partial, signal === undefined ? {} : { signal })).code === 0) throw isPartial(path);
}

/**
 * Makes sure that git blocks on no file of an untrusted repository. Opening a FIFO waits until another process writes
 * to it, and a device may never end. git opens the files in the repository's own folder, in `info` and below `refs`.
 * Entries of `objects` have to be files in any case.
 * @param path the folder with its objects
 * @throws RepositoryUnreadable
 */
export async function checkWaitsForNobody(path: string): Promise<void> {
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

async function checkFolder(path: string, folder: string): Promise<void> {
  const own = await orAbsent(lstat(join(path, folder)));
  if (own?.isDirectory() !== true) throw borrows(path, `has no folder ${folder} of its own`);
  for (const entry of await readdir(join(path, folder), { withFileTypes: true })) {
    const name = `${folder}/${entry.name}`;
    if (entry.isDirectory()) await checkFolder(path, name);
    else if (!entry.isFile()) throw borrows(path, `has ${name}, which is no file of its own`);
    else if (entry.name.endsWith('.promisor')) throw isPartial(path);
  }
}

function borrows(path: string, how: string): RepositoryUnreadable {
  return new RepositoryUnreadable(
    `${path} does not hold all its objects itself: it ${how}. Clone it with git clone --bare --no-local, and use that clone.`,
  );
}

function isPartial(path: string): RepositoryUnreadable {
  return new RepositoryUnreadable(
    `${path} is a partial clone, and nothing is fetched. Use a clone that was made without --filter.`,
  );
}
