import { RepositoryUnreadable } from '../errors.js';
import type { ForeignGit } from '../program/git-program.js';
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
 * For a repository of any origin: some kilobytes of a pack can stand for gigabytes. A folder of this size has more than
 * a million entries with usual names.
 */
export const maxForeign: LargestObjects = { commit: 4 * mebibyte, tag: 4 * mebibyte, tree: 64 * mebibyte };
/** For a repository of the service: a commit lists the fate of each document of a folder. */
export const maxOwn: LargestObjects = { commit: 64 * mebibyte, tag: 4 * mebibyte, tree: 256 * mebibyte };

export interface ObjectsToCheck {
  readonly git: ForeignGit;
  /** The folder of the repository. */
  readonly path: string;
  /** As the user named it. */
  readonly named: string;
}

/**
 * Makes sure that no commit, tag or folder of a repository is too large to be read whole. It looks only at the headers,
 * but of all objects: git reads every object whole that a name leads to.
 * @param onProgress reports the number of objects checked so far
 * @throws RepositoryUnreadable with a sentence that names the object and the bound
 */
export async function checkSizes(
  { git: program, path, named }: ObjectsToCheck,
  largest: LargestObjects,
  signal?: AbortSignal,
  onProgress: (objects: number) => Promise<void> = async () => undefined,
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
        `The ${what} ${oid} in ${named} has ${size} bytes, and no more than ${bound} are read.`,
      );
    }
    objects += 1;
    if (objects % reportedEvery === 0) await onProgress(objects);
  }
}

/** Objects between two reports. */
const reportedEvery = 10_000;
