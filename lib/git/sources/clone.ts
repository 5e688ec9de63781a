import { lstat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { RepositoryUnreadable } from '../errors.js';
import { orAbsent } from '../file-system.js';
import type { Oid } from '../objects/objects.js';
import { checkSizes, maxOwn } from '../packs/check-sizes.js';
import { openRepositoryReadOnly, type ReadableRepository } from '../repositories/open-read-only.js';
import { borrowObjects } from './borrow-objects.js';
import type { ForeignRepository } from './foreign-repository.js';

/** A foreign clone of a workspace's repository, bare or with files: it is read, never changed. */
export interface Clone {
  /** Its objects, and what git may take for them. */
  readonly foreign: ForeignRepository;
  readonly repository: ReadableRepository;
  /** Where its main branch stands. */
  readonly head: Oid;
  readonly close: () => Promise<void>;
}

/**
 * @param folder the clone's top folder, or its `.git`
 * @throws GitProgramMissing; RepositoryUnreadable when it is no clone, has no branch `main`, borrows objects, would make
 * git wait, or has a commit or folder that is too large to be read whole
 */
export async function openClone(folder: string): Promise<Clone> {
  const path = await findGitFolder(resolve(folder));
  const foreign = await borrowObjects(path, { within: tmpdir(), prefix: 'cartulary-clone-' });
  try {
    await checkSizes(foreign, maxOwn);
    const repository = await openRepositoryReadOnly({ path: foreign.path, git: foreign.git });
    try {
      const head = await repository.head();
      if (head === null) throw new RepositoryUnreadable(`There is no branch "main" in ${folder}.`);
      const close = async (): Promise<void> => {
        await repository.close();
        await foreign.remove();
      };
      return { foreign, repository, head, close };
    } catch (error) {
      await repository.close();
      throw error;
    }
  } catch (error) {
    await foreign.remove();
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
