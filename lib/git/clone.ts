import { readFile, stat } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { RepositoryUnreadable } from './errors.js';
import { openRepositoryReadOnly } from './open-read-only.js';
import type { ReadableRepository } from './open-read-only.js';
import { orAbsent } from './file-system.js';
import type { Oid } from './objects.js';

/** Somebody's clone of a workspace's repository, bare or with files: looked at, never changed. */
export interface Clone {
  /** The folder with its objects. */
  readonly path: string;
  readonly repository: ReadableRepository;
  /** Where its main branch stands. */
  readonly head: Oid;
}

/**
 * @param folder the clone's top folder, or its `.git`
 * @throws RepositoryUnreadable when it is no clone, or has no branch `main`
 */
export async function openClone(folder: string, git: 'auto' | 'never' = 'auto'): Promise<Clone> {
  const path = await findGitFolder(resolve(folder));
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
  const found = await orAbsent(stat(inside));
  if (found === undefined) return folder;
  if (found.isDirectory()) return inside;
  // A work tree whose repository lies elsewhere (gitrepository-layout(5)).
  const named = /^gitdir: (.+)$/m.exec(await readFile(inside, 'utf8'))?.[1];
  if (named === undefined) throw new RepositoryUnreadable(`There is no repository: ${folder}`);
  return isAbsolute(named) ? named : resolve(folder, named);
}
