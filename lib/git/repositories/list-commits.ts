import { createInterface } from 'node:readline';
import { decodeCommit } from '../objects/commit-object.js';
import { ObjectNotFound } from '../errors.js';
import type { GitProgram } from '../program/git-program.js';
import type { GitObject, Oid } from '../objects/objects.js';
import { isOid } from '../objects/objects.js';
import { startGit } from '../program/start-git.js';

/**
 * Names of the commits from the first one, or the one behind `after`, to `from`, along first parents, by one git
 * process. A shallow clone (`--depth`) starts at its oldest commit.
 * @throws RepositoryUnreadable when git fails on the way.
 */
export async function* listHistoryWithGit(
  program: GitProgram,
  repository: string,
  from: Oid,
  after: Oid | null = null,
): AsyncGenerator<Oid, void, undefined> {
  const range = after === null ? [from] : [from, `^${after}`];
  const git = startGit(program, repository, ['rev-list', '--first-parent', '--reverse', ...range]);
  git.stdin.end();
  try {
    for await (const line of createInterface({ input: git.stdout })) if (isOid(line)) yield line;
    await git.requireSuccess(`The history of ${from} cannot be read`);
  } finally {
    git.kill();
  }
}

/** The same without a git program: from commit to commit, back to the first. */
export async function* listHistoryByReading(
  read: (oid: Oid) => Promise<GitObject>,
  from: Oid,
  isCutOff: () => Promise<boolean>,
  after: Oid | null = null,
): AsyncGenerator<Oid, void, undefined> {
  const backwards: Buffer[] = [];
  for (let at: Oid | undefined = from; at !== undefined && at !== after;) {
    let commit: GitObject;
    try {
      commit = await read(at);
    } catch (error) {
      if (error instanceof ObjectNotFound && at !== from && (await isCutOff())) break;
      throw error;
    }
    backwards.push(Buffer.from(at, 'hex'));
    at = decodeCommit(commit.bytes).parents[0];
  }
  for (let index = backwards.length - 1; index >= 0; index--) yield backwards[index]!.toString('hex');
}
