import { RepositoryUnreadable } from '../errors.js';
import type { GitProgram } from '../program/git-program.js';
import { splitOutput } from '../program/split-output.js';
import { startGit } from '../program/start-git.js';

/** The most bytes that one object may have. git and this process hold it whole. */
export interface LargestObjects {
  readonly commit: number;
  readonly tag: number;
  readonly tree: number;
}

const mebibyte = 1024 * 1024;

/**
 * For a repository of any origin, which packs so well that some kilobytes of it can say gigabytes. A folder of this size
 * has more than a million entries with usual names.
 */
export const maxForeign: LargestObjects = { commit: 4 * mebibyte, tag: 4 * mebibyte, tree: 64 * mebibyte };
/** For a repository of the service: its commits name what became of each document of a folder. */
export const maxOwn: LargestObjects = { commit: 64 * mebibyte, tag: 4 * mebibyte, tree: 256 * mebibyte };

/**
 * Makes sure that no commit, tag or folder of a repository is too large to be read whole. Only the headers of its
 * objects are looked at for that, those of all of them: git reads whole whatever a name leads to.
 * @param tell says how many objects are looked at so far
 * @throws RepositoryUnreadable with a sentence that names the object and the bound
 */
export async function checkSizes(
  program: GitProgram,
  path: string,
  largest: LargestObjects,
  signal?: AbortSignal,
  tell: (objects: number) => Promise<void> = async () => undefined,
): Promise<void> {
  const format = '--batch-check=%(objecttype) %(objectsize) %(objectname)';
  const git = startGit(program, path, ['cat-file', '--batch-all-objects', '--unordered', '--buffer', format], signal);
  let objects = 0;
  for await (const line of splitOutput(git, 0x0a)) {
    const [type = '', size = '', oid = ''] = line.toString('latin1').split(' ');
    const bound = Object.hasOwn(largest, type) ? largest[type as keyof LargestObjects] : undefined;
    if (bound !== undefined && Number(size) > bound) {
      const what = type === 'tree' ? 'folder' : type;
      throw new RepositoryUnreadable(
        `The ${what} ${oid} in ${path} has ${size} bytes, and no more than ${bound} are read.`,
      );
    }
    objects += 1;
    if (objects % toldEvery === 0) await tell(objects);
  }
}

/** Objects between two tellings. */
const toldEvery = 10_000;
