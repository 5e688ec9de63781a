import { lstat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { checkSizes, maxOwn } from '../packs/check-sizes.js';
import { checkWaitsForNobody } from './check-source.js';
import { RepositoryUnreadable } from '../errors.js';
import { openRepositoryReadOnly } from '../repositories/open-read-only.js';
import type { ReadableRepository } from '../repositories/open-read-only.js';
import { orAbsent } from '../file-system.js';
import { findGit } from '../program/git-program.js';
import type { Oid } from '../objects/objects.js';

/** A foreign clone of a workspace's repository, bare or with files: it is read, never changed. */
export interface Clone {
  /** The folder with its objects. */
  readonly path: string;
  readonly repository: ReadableRepository;
  /** Where its main branch stands. */
  readonly head: Oid;
}

/**
 * @param folder the clone's top folder, or its `.git`
 * @throws RepositoryUnreadable when it is no clone, has no branch `main`, would make git wait, or has a commit or
 * folder that is too large to be read whole
 */
export async function openClone(folder: string, git: 'auto' | 'never' = 'auto'): Promise<Clone> {
  const path = await findGitFolder(resolve(folder));
  await checkWaitsForNobody(path);
  const program = git === 'auto' ? await findGit() : null;
  if (program !== null) await checkSizes(program, path, maxOwn);
  const repository = await openRepositoryReadOnly({ path, git });
  try {
    const head = await repository.head();
    if (head === null) throw new RepositoryUnreadable(`There is no branch "main" in ${folder}.`);
    return { path, repository, head };
  } catch (error) {
    await repository.close();
    throw error;
  }
}

async function findGitFolder(folder: string): Promise<string> {
  const inside = join(folder, '.git');
  const found = await orAbsent(lstat(inside));
  if (found === undefined) return folder;
  if (found.isDirectory()) return inside;
  // A work tree with its repository elsewhere (gitrepository-layout(5)): the owner of the clone would choose the files
  // that are read.
  throw new RepositoryUnreadable(`${inside} points to a repository elsewhere. Name that repository itself.`);
}
